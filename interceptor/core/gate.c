#define _GNU_SOURCE 1
#include "gate.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct vs_gate closed; /* VS_ASLEEP */
struct vs_gate *_Atomic vs_gate = &closed;

static void sleep_in_child(void) {
  vs_gate_page()->mode = VS_ASLEEP; /* threads know the page itself, too (quick.h) */
  vs_gate = &closed;
}

bool vs_gate_prepare(void) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  void *memory = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  /* Kernels before 4.14 do not know the advice; the handler covers fork() there. */
  int wiped = madvise(memory, page, MADV_WIPEONFORK);
  if (wiped != 0 && pthread_atfork(NULL, NULL, sleep_in_child) != 0) {
    munmap(memory, page);
    return false;
  }
  vs_gate = memory;
  syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
  return true;
}

/* The barrier costs one system call here, so that the path of every call needs none. */
void vs_all_threads_see(void) {
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0)
    return;
  struct timespec drained = {.tv_nsec = 1000000}; /* store buffers empty in far less than 1 ms */
  nanosleep(&drained, NULL);
}
