#ifndef VARSCOPE_JOB_ID_H
#define VARSCOPE_JOB_ID_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A number that all processes of one MPI_COMM_WORLD derive alike, and other jobs with all
 * likelihood not. It comes from what the launcher left in each process, never from messages: some
 * ranks may run without varscope, and a collective of ours would then hang the job or mix with the
 * program's own.
 */
uint64_t vs_job_id(bool open_mpi, int world_size);

#endif
