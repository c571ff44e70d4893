/* A library of MPI's transports by its name (threads.test.ts): it waits for a lock and makes
 * threads while no MPI call is known to be on. */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t taken;

static void *keep(void *unused) {
  pthread_mutex_lock(&mutex);
  pthread_barrier_wait(&taken);
  usleep(30000);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int library_works(void) {
  pthread_t thread;
  pthread_barrier_init(&taken, NULL, 2);
  int failed = pthread_create(&thread, NULL, keep, NULL);
  if (failed)
    return failed;
  pthread_barrier_wait(&taken);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return pthread_join(thread, NULL);
}
