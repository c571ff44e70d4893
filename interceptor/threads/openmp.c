#define _GNU_SOURCE 1
#include "openmp.h"

#include "calls.h"
#include "wait.h"

static _Thread_local struct {
  uint64_t fork;     /* tick at which this thread came to a construct; 0: not recorded */
  uint64_t body_end; /* at which it ended a body and began to wait; 0: not waiting */
  const void *body_site;
} omp __attribute__((tls_model("initial-exec")));

void vs_omp_fork(void) {
  omp.fork = vs_wait_begin();
}

static void record(uint64_t since, uint32_t call, const void *site, uint64_t bytes) {
  uint64_t now = since ? vs_wait_begin() : 0; /* 0 also if recording ended meanwhile */
  if (now)
    vs_thread_record(since, now, call, site, bytes);
}

void vs_omp_body_begin(bool came_to_it, unsigned team, const void *site) {
  if (came_to_it) {
    record(omp.fork, VS_CALL_omp_parallel, site, team);
    omp.fork = 0;
  } else {
    record(omp.body_end, VS_CALL_omp_join, omp.body_site, 0);
  }
  omp.body_end = 0;
}

void vs_omp_body_end(const void *site) {
  omp.body_end = vs_wait_begin();
  omp.body_site = site;
}

void vs_omp_joined(const void *site) {
  record(omp.body_end, VS_CALL_omp_join, site, 0);
  omp.body_end = 0;
}
