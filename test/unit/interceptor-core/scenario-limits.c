/* Limits of the system that the recorder meets: memory, mappings, inodes, very many states. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "driver.h"

#define NOT_POSSIBLE_HERE 77

/* A thread that is there before a limit is set, and makes its first call after it. */
static pthread_barrier_t limited;

static void *call_when_limited(void *data) {
  pthread_barrier_wait(&limited);
  record_pattern(1, 0);
  record_pattern(1, 1);
  pthread_barrier_wait(&limited);
  return data;
}

static void start_late_thread(pthread_t *late) {
  pthread_barrier_init(&limited, NULL, 2);
  pthread_create(late, NULL, call_when_limited, NULL);
}

static void let_late_thread_call(pthread_t late) {
  pthread_barrier_wait(&limited);
  pthread_barrier_wait(&limited);
  pthread_join(late, NULL);
}

static void limit_address_space(void) {
  struct rlimit limit = {0, 0};
  char line[64] = {0};
  int fd = open("/proc/self/statm", O_RDONLY);
  require(fd >= 0 && read(fd, line, sizeof line - 1) > 0, "the size can be read");
  close(fd);
  limit.rlim_cur = limit.rlim_max = (rlim_t)strtoul(line, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE);
  require(setrlimit(RLIMIT_AS, &limit) == 0, "a limit can be set");
}

/* No new memory from the second call on; a thread's first call comes after that. */
void run_no_memory(long calls) {
  pthread_t late;
  start_late_thread(&late);
  start();
  record_pattern(0, 0);
  limit_address_space();
  let_late_thread_call(late);
  for (long i = 1; i < calls; i++)
    record_pattern(0, (uint64_t)i);
  vs_finish();
}

/* No memory at all when recording is to start: start() says so, and a call passes. */
void run_no_memory_at_start(long argument) {
  (void)argument;
  limit_address_space();
  start();
}

/* Makes the kernel refuse shared mappings, as some sandboxes do. */
static void refuse_shared_mappings(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[3])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_PRIVATE, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    exit(NOT_POSSIBLE_HERE);
}

/* Shared mappings are refused from the second call on, or from the start with CALLS 0. */
void run_no_mapping(long calls) {
  pthread_t late;
  if (calls == 0) {
    refuse_shared_mappings();
    start();
  }
  start_late_thread(&late);
  start();
  record_pattern(0, 0);
  refuse_shared_mappings();
  for (long i = 1; i < calls; i++)
    record_pattern(0, (uint64_t)i);
  vs_finish();
  let_late_thread_call(late);
}

/* A file system with as many inodes as its root takes, in a mount namespace of this process. */
void run_no_inodes(long argument) {
  char directory[] = "/tmp/varscope-inodes-XXXXXX";
  (void)argument;
  require(mkdtemp(directory) != NULL, "a folder can be made");
  bool apart = unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0;
  if (!apart || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
      mount("tmpfs", directory, "tmpfs", 0, "size=8m,nr_inodes=1") != 0) {
    rmdir(directory);
    exit(NOT_POSSIBLE_HERE);
  }
  setenv("VARSCOPE_TRACE_DIR", directory, 1);
  start();
}

/* A file system that can only be read. */
void run_read_only(long argument) {
  char directory[] = "/tmp/varscope-fixed-XXXXXX";
  (void)argument;
  require(mkdtemp(directory) != NULL, "a folder can be made");
  bool apart = unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0;
  if (!apart || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
      mount("tmpfs", directory, "tmpfs", MS_RDONLY, "size=8m") != 0) {
    rmdir(directory);
    exit(NOT_POSSIBLE_HERE);
  }
  setenv("VARSCOPE_TRACE_DIR", directory, 1);
  start();
}

/* `states` different states, twice each in turn; bytes tell which. */
void run_many_states(long states) {
  static const char sites[65536];
  start();
  for (int round = 0; round < 2; round++) {
    for (long i = 0; i < states; i++) {
      struct vs_arguments arguments = {.bytes = (uint64_t)i, .peer = VST_NO_PEER};
      record((uint32_t)(i % CALLS), &sites[i / CALLS], &arguments, NULL);
    }
  }
  vs_finish();
}
