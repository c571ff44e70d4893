/* Compares interceptor/mpi/handle_map.c with a plain array over many random changes, while two
 * threads read handles that never change. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "handle_map.h"

#define HANDLES 3000
#define FIXED 50
#define STEPS 400000

/* word 0 is 0 where the handle is not in the map */
struct words {
  uint64_t at[VS_MAP_WORDS];
};

static struct vs_map map;
static struct words known[HANDLES];
static atomic_bool stop;
static atomic_int wrong;

/* Like addresses of objects of one size, and spread so that removed slots pile up. */
static uintptr_t handle_of(unsigned i) {
  return 0x7f0000001000u + (uintptr_t)i * 336;
}

static struct words words_of(unsigned i, unsigned step) {
  return (struct words){{(uintptr_t)&known[i], step, (uint64_t)i << 40 | step}};
}

static int same(const struct words *a, const struct words *b) {
  return memcmp(a, b, sizeof *a) == 0;
}

static void *read_fixed(void *unused) {
  (void)unused;
  for (unsigned i = 0; !atomic_load(&stop); i = (i + 1) % FIXED) {
    struct words found, expected = words_of(i, i);
    if (!vs_map_find(&map, handle_of(i), found.at) || !same(&found, &expected))
      atomic_fetch_add(&wrong, 1);
  }
  return NULL;
}

static int agrees(unsigned i) {
  struct words found;
  if (!vs_map_find(&map, handle_of(i), found.at))
    return !known[i].at[0];
  return same(&found, &known[i]);
}

int main(void) {
  pthread_t readers[2];
  struct words none;
  if (vs_map_find(&map, handle_of(0), none.at) || vs_map_find(&map, 0, none.at))
    return 1;
  for (unsigned i = 0; i < FIXED; i++) {
    known[i] = words_of(i, i);
    vs_map_put(&map, handle_of(i), known[i].at);
  }
  for (int i = 0; i < 2; i++)
    pthread_create(&readers[i], NULL, read_fixed, NULL);
  srand(1);
  for (unsigned step = 0; step < STEPS; step++) {
    /* Phases of growing and shrinking. */
    const int removing = rand() % 10 < (step / 50000 % 2 ? 8 : 4);
    const unsigned i = FIXED + (unsigned)rand() % (HANDLES - FIXED);
    if (removing) {
      known[i].at[0] = 0;
      vs_map_remove(&map, handle_of(i));
    } else {
      known[i] = words_of(i, step);
      vs_map_put(&map, handle_of(i), known[i].at);
    }
    const unsigned other = (unsigned)rand() % HANDLES;
    if (!agrees(i) || !agrees(other))
      return printf("wrong after step %u\n", step), 1;
  }
  for (unsigned i = 0; i < HANDLES; i++)
    if (!agrees(i))
      return printf("wrong at the end\n"), 1;
  atomic_store(&stop, true);
  for (int i = 0; i < 2; i++)
    pthread_join(readers[i], NULL);
  printf("%d wrong reads\n", atomic_load(&wrong));
  return 0;
}
