/* Compares interceptor/mpi/handle_map.c with a plain array over many random changes, while two
 * threads read handles that never change. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "handle_map.h"

#define HANDLES 3000
#define FIXED 50
#define STEPS 400000

static struct vs_comm known[HANDLES];
static atomic_bool stop;
static atomic_int wrong;

/* Like addresses of objects of one size, and spread so that removed slots pile up. */
static uintptr_t handle_of(unsigned i) {
  return 0x7f0000001000u + (uintptr_t)i * 336;
}

static struct vs_comm comm_of(unsigned i, unsigned step) {
  return (struct vs_comm){(const struct vs_group *)&known[i], step, (int32_t)(i % 7)};
}

static void *read_fixed(void *unused) {
  (void)unused;
  for (unsigned i = 0; !atomic_load(&stop); i = (i + 1) % FIXED) {
    struct vs_comm found;
    if (!vs_map_find(handle_of(i), &found) || found.number != i ||
        found.group != (const struct vs_group *)&known[i])
      atomic_fetch_add(&wrong, 1);
  }
  return NULL;
}

static int agrees(unsigned i) {
  struct vs_comm found;
  if (!vs_map_find(handle_of(i), &found))
    return !known[i].group;
  return found.group == known[i].group && found.number == known[i].number &&
         found.indegree == known[i].indegree;
}

int main(void) {
  pthread_t readers[2];
  struct vs_comm none;
  if (vs_map_find(handle_of(0), &none) || vs_map_find(0, &none))
    return 1;
  for (unsigned i = 0; i < FIXED; i++) {
    known[i] = comm_of(i, i);
    vs_map_put(handle_of(i), &known[i]);
  }
  for (int i = 0; i < 2; i++)
    pthread_create(&readers[i], NULL, read_fixed, NULL);
  srand(1);
  for (unsigned step = 0; step < STEPS; step++) {
    /* Phases of growing and shrinking. */
    const int removing = rand() % 10 < (step / 50000 % 2 ? 8 : 4);
    const unsigned i = FIXED + (unsigned)rand() % (HANDLES - FIXED);
    if (removing) {
      known[i].group = NULL;
      vs_map_remove(handle_of(i));
    } else {
      known[i] = comm_of(i, step);
      vs_map_put(handle_of(i), &known[i]);
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
