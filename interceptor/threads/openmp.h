/*
 * What is recorded of OpenMP, whichever runtime tells it. In the thread that comes to a parallel
 * construct:
 *
 *   omp_parallel  from the construct to the start of its body here; bytes is the size of the team
 *   ...           the body: computation, and the calls made in it
 *   omp_join      from the end of the body here until the region is over
 *
 * In the other threads of the team omp_join goes on until the body of their next region starts, so
 * that a thread without work is seen to wait and not to compute. All have the parallel construct
 * as their site. Regions within regions need no more: a body that has begun is left only in order.
 */
#ifndef VARSCOPE_OPENMP_H
#define VARSCOPE_OPENMP_H

#include <stdbool.h>
#include <stdint.h>

/* The calling thread came to a parallel construct. */
void vs_omp_fork(void);

/* The body starts in the calling thread: in the one that came to the construct, or another one. */
void vs_omp_body_begin(bool came_to_it, unsigned team, const void *site);

void vs_omp_body_end(const void *site);

/* The region is over in the thread that came to the construct. */
void vs_omp_joined(const void *site);

#endif
