/* Children of all kinds, made in one thread while others lock, wait and call MPI. */
#define _GNU_SOURCE
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

extern char **environ;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int over;

static void *busy(void *given) {
  int flag;
  while (!atomic_load(&over)) {
    pthread_mutex_lock(&mutex);
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    pthread_mutex_unlock(&mutex);
  }
  return given;
}

static void *nothing(void *given) {
  return given;
}

static void await(pid_t child, int status) {
  int found = -1;
  CHECK(child > 0 && waitpid(child, &found, 0) == child);
  CHECK(WIFEXITED(found) && WEXITSTATUS(found) == status);
}

/* A child may make threads and locks of its own. */
static void in_child(void) {
  pthread_t thread;
  pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
  if (pthread_create(&thread, NULL, nothing, &own) != 0 || pthread_join(thread, NULL) != 0)
    _exit(2);
  pthread_mutex_lock(&own);
  _exit(3);
}

int main(int argc, char **argv) {
  char *const words[] = {"true", NULL};
  pthread_t threads[2];
  pid_t child;
  start_mpi(&argc, &argv);
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, busy, NULL);
  for (int i = 0; i < 20; i++) {
    if ((child = fork()) == 0)
      in_child();
    await(child, 3);
    if ((child = vfork()) == 0) {
      execv("/bin/true", words);
      _exit(4);
    }
    await(child, 0);
    if ((child = fork()) == 0) {
      execv("/bin/false", words);
      _exit(4);
    }
    await(child, 1);
    CHECK(posix_spawn(&child, "/bin/true", NULL, NULL, words, environ) == 0);
    await(child, 0);
    CHECK(system("exit 5") >> 8 == 5);
  }
  atomic_store(&over, 1);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  return finish("children");
}
