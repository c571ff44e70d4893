#define _GNU_SOURCE 1
#include "forked.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "futex_lock.h"

#define LINE_BYTES 64

struct own {
  struct {
    _Alignas(LINE_BYTES) struct vs_futex_lock lock;
  } locks[VS_SHARED_LOCKS];
  _Atomic uint32_t unforked;
};

/* Until the page is there, and where it cannot be had. */
static struct own early = {.unforked = 1};
static struct own *_Atomic own = &early;

static void clear_in_child(void) {
  memset(own, 0, sizeof *own);
}

/* Threads can be there already: what other libraries made when they came to life. Each lock is
 * taken, so nobody holds one that others do not see any more. */
static void move_to(struct own *page) {
  for (int i = 0; i < VS_SHARED_LOCKS; i++)
    vs_futex_lock(&early.locks[i].lock);
  atomic_store_explicit(&page->unforked, 1, memory_order_relaxed);
  atomic_store_explicit(&own, page, memory_order_release);
  for (int i = 0; i < VS_SHARED_LOCKS; i++)
    vs_futex_unlock(&early.locks[i].lock);
}

__attribute__((constructor(101))) static void prepare(void) {
  size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
  void *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page != MAP_FAILED && madvise(page, bytes, MADV_WIPEONFORK) == 0) {
    move_to(page);
    return;
  }
  /* Kernels before 4.14 do not know the advice; the handler covers fork() there. */
  if (page != MAP_FAILED)
    munmap(page, bytes);
  pthread_atfork(NULL, NULL, clear_in_child);
}

void vs_shared_lock(enum vs_shared_lock which) {
  for (;;) {
    struct own *place = atomic_load_explicit(&own, memory_order_acquire);
    vs_futex_lock(&place->locks[which].lock);
    if (place == atomic_load_explicit(&own, memory_order_acquire))
      return;
    vs_futex_unlock(&place->locks[which].lock); /* it moved while we waited */
  }
}

void vs_shared_unlock(enum vs_shared_lock which) {
  vs_futex_unlock(&atomic_load_explicit(&own, memory_order_acquire)->locks[which].lock);
}

void vs_forked_start(void) {
  struct own *place = atomic_load_explicit(&own, memory_order_acquire);
  atomic_store_explicit(&place->unforked, 1, memory_order_relaxed);
}

bool vs_is_forked(void) {
  struct own *place = atomic_load_explicit(&own, memory_order_acquire);
  return atomic_load_explicit(&place->unforked, memory_order_relaxed) == 0;
}
