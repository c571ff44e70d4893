/* driver SCENARIO OUT ARGUMENT: one scenario per process, as a process records once. */
#define _GNU_SOURCE 1
#include "driver.h"

#include <stdlib.h>
#include <string.h>

static const struct vs_call_info infos[ALL_CALLS] = {
    {"MPI_Send", VST_CATEGORY_SEND},
    {"MPI_Recv", VST_CATEGORY_RECEIVE},
    {"MPI_Waitall", VST_CATEGORY_WAIT},
    {"MPI_Allreduce", VST_CATEGORY_COLLECTIVE},
    {"MPI_Comm_dup", VST_CATEGORY_COMMUNICATOR},
    {"MPI_Pcontrol", VST_CATEGORY_PHASE},
};

static const struct {
  const char *name;
  scenario *run;
} scenarios[] = {
    {"pack", run_pack},
    {"calls", run_calls},
    {"unmapped", run_unmapped},
    {"threads", run_threads},
    {"short-threads", run_short_threads},
    {"successors", run_successors},
    {"errno", run_errno},
    {"kill", run_kill},
    {"full-disk", run_full_disk},
    {"size-limit", run_size_limit},
    {"fill-up", run_fill_up},
    {"few-descriptors", run_few_descriptors},
    {"close-all", run_close_all},
    {"replaced", run_replaced},
    {"fork", run_fork},
    {"fork-locked", run_fork_locked},
    {"signals", run_signals},
    {"leave", run_leave},
    {"busy-finish", run_busy_finish},
    {"old-records", run_old_records},
    {"memory", run_memory},
    {"second-start", run_second_start},
    {"counters", run_counters},
    {"counter-threads", run_counter_threads},
    {"counter-crowd", run_counter_crowd},
    {"counter-descriptors", run_counter_descriptors},
    {"no-memory", run_no_memory},
    {"no-memory-at-start", run_no_memory_at_start},
    {"no-mapping", run_no_mapping},
    {"no-inodes", run_no_inodes},
    {"read-only", run_read_only},
    {"many-states", run_many_states},
    {"govern", run_govern},
    {"govern-often", run_govern_often},
    {"govern-uneven", run_govern_uneven},
    {"govern-threads", run_govern_threads},
    {"govern-left", run_govern_left},
    {"govern-fork", run_govern_fork},
    {"govern-kill", run_govern_kill},
    {"pause", run_pause},
    {"speed", run_speed},
};

const char *out_path;
static _Thread_local uint64_t random_state = 88172645463325252u;

uint64_t next_random(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

void seed_random(uint64_t seed) {
  random_state = seed * 0x9e3779b97f4a7c15u + 1;
  for (int i = 0; i < 8; i++)
    next_random();
}

void require(bool condition, const char *what) {
  if (condition)
    return;
  fprintf(stderr, "driver: not so: %s\n", what);
  exit(1);
}

void start(void) {
  char problem[512];
  struct vs_job job = {
      .calls = infos,
      .call_count = ALL_CALLS,
      .mpi_implementation = "Test MPI",
      .mpi_version = "1.2\nthree",
      .job_id = 0xabcdef0123456789u,
      .world_rank = 3,
      .world_size = 12,
  };
  if (vs_start(&job, problem, sizeof problem))
    return;
  fprintf(stderr, "%s\n", problem);
  exit(3);
}

bool record(uint32_t call, const void *site, const struct vs_arguments *arguments,
            struct truth *truth) {
  struct vs_scope scope;
  if (vs_begin(&scope, call, site) != VS_RECORD)
    return false;
  vs_stop(&scope);
  vs_end(&scope, arguments);
  if (truth) {
    *truth = (struct truth){
        .call = call,
        .site = (uint64_t)(uintptr_t)site,
        .enter = scope.enter,
        .exit = scope.exit,
        .bytes = arguments->bytes,
        .communicator = arguments->communicator,
        .peer = arguments->peer,
        .tag = arguments->tag,
        .requests = arguments->requests,
        .completed = arguments->completed,
    };
  }
  return true;
}

bool record_pattern(uint32_t program_thread, uint64_t i) {
  static const char sites[8];
  uint32_t call = (uint32_t)(i % CALLS);
  struct vs_arguments arguments = {
      .bytes = i,
      .communicator = 0,
      .peer = (int32_t)(i % 7) - 3,
      .tag = (int32_t)program_thread,
      .requests = call == 2 ? 4 : 0,
      .completed = call == 2 ? (uint32_t)(i % 5) : 0,
  };
  return record(call, &sites[i % 8], &arguments, NULL);
}

void write_truth(const struct truth *truth, size_t count) {
  FILE *file = fopen(out_path, "wb");
  require(file && fwrite(truth, sizeof *truth, count, file) == count, "the truth can be written");
  fclose(file);
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: driver SCENARIO OUT ARGUMENT\n");
    return 2;
  }
  out_path = argv[2];
  long argument = strtol(argv[3], NULL, 10);
  for (unsigned i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
    if (strcmp(argv[1], scenarios[i].name) != 0)
      continue;
    scenarios[i].run(argument);
    return 0;
  }
  fprintf(stderr, "driver: no scenario %s\n", argv[1]);
  return 2;
}
