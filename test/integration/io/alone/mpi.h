/* Stands in for MPI where the wrappers of I/O are tested alone: recording starts with
 * MPI_Init_thread and ends with MPI_Finalize. */
#ifndef ALONE_MPI_H
#define ALONE_MPI_H

void begin_recording(void);
void end_recording(void);

#define MPI_THREAD_MULTIPLE 3
#define MPI_COMM_WORLD 0
#define MPI_Init_thread(argc, argv, required, provided) (*(provided) = 3, begin_recording())
#define MPI_Comm_rank(communicator, rank) (*(rank) = 0)
#define MPI_Finalize() end_recording()

#endif
