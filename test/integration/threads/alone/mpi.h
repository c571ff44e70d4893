/* Stands in for MPI where the wrappers of threads are tested alone: recording starts with
 * MPI_Init_thread and ends with MPI_Finalize, and MPI_Iprobe is a call that is recorded. */
#ifndef ALONE_MPI_H
#define ALONE_MPI_H

void begin_recording(void);
void end_recording(void);
void record_call(void);

#define MPI_THREAD_MULTIPLE 3
#define MPI_ANY_SOURCE (-1)
#define MPI_COMM_WORLD 0
#define MPI_COMM_SELF 1
#define MPI_STATUS_IGNORE ((void *)0)
#define MPI_Init_thread(argc, argv, required, provided)                                            \
  ((void)(argc), (void)(argv), *(provided) = 3, begin_recording())
#define MPI_Iprobe(source, tag, communicator, flag, status) (*(flag) = 0, record_call())
#define MPI_Finalize() end_recording()

#endif
