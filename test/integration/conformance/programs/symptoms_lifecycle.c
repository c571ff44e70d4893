/* Beginnings and endings that have broken programs under other tools: symptoms_lifecycle KIND.
 * Output is unbuffered, so that nothing depends on exit handlers. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

extern char **environ;

static int rank;
static const char *kind = "";

static int is(const char *name) {
  return strcmp(kind, name) == 0;
}

/* The few calls that are legal at any time. */
static void legal_calls(int initialized, int finalized) {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int flag, version, subversion, length;
  MPI_Initialized(&flag);
  CHECK(flag == initialized);
  MPI_Finalized(&flag);
  CHECK(flag == finalized);
  MPI_Get_version(&version, &subversion);
  CHECK(version >= 3);
  MPI_Get_library_version(text, &length);
  CHECK(length > 0 && (size_t)length >= strlen(text)); /* Open MPI counts the final NUL */
}

static void init(int argc, char **argv) {
  static const char *const levels[] = {"single", "funneled", "serialized", "multiple"};
  int provided, queried;
  if (is("tools-first")) {
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_cvar_get_num(&queried);
    CHECK(queried > 0);
  }
  for (int level = 0; level < 4; level++)
    if (is(levels[level])) {
      const int wanted[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                            MPI_THREAD_MULTIPLE};
      MPI_Init_thread(&argc, &argv, wanted[level], &provided);
      MPI_Query_thread(&queried);
      CHECK(queried == provided);
      printf("provided %d\n", provided);
      return;
    }
  MPI_Init(&argc, &argv);
  MPI_Query_thread(&queried);
  if (is("tools-first"))
    MPI_T_finalize();
  printf("without asking %d\n", queried);
}

/* The standard leaves levels and further arguments to tools. */
static void pcontrol(void) {
  CHECK(MPI_Pcontrol(0) == MPI_SUCCESS);
  MPI_Pcontrol(1);
  MPI_Pcontrol(2);
  MPI_Pcontrol(3, "region", 4.5);
  MPI_Pcontrol(-1);
  MPI_Pcontrol(1 << 30, NULL);
  MPI_Pcontrol(1);
}

static int status_of(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

static void said_by_child(void) {
  printf("child of rank %d leaves\n", rank);
}

/* A child that leaves through exit runs all exit handlers that it has inherited. */
static void children(void) {
  char *words[] = {"sh", "-c", "exit 9", NULL};
  pid_t child = fork();
  if (child == 0) {
    atexit(said_by_child);
    exit(4);
  }
  CHECK(status_of(child) == 4 << 8);
  child = fork();
  if (child == 0) {
    const pid_t grandchild = fork();
    if (grandchild == 0)
      exit(6);
    _exit(status_of(grandchild) == 6 << 8 ? 5 : 1);
  }
  CHECK(status_of(child) == 5 << 8);
  child = vfork();
  if (child == 0)
    execvp("sh", words);
  CHECK(status_of(child) == 9 << 8);
  CHECK(posix_spawnp(&child, "sh", NULL, NULL, words, environ) == 0);
  CHECK(status_of(child) == 9 << 8);
  child = fork();
  if (child == 0)
    raise(SIGKILL);
  CHECK(WIFSIGNALED(status_of(child)));
  FILE *pipe = popen("echo piped", "r");
  char line[16] = "";
  CHECK(fgets(line, sizeof line, pipe) && strcmp(line, "piped\n") == 0);
  pclose(pipe);
}

static volatile int stop_writing;

static void *write_on(void *unused) {
  const int file = open("/dev/null", O_WRONLY);
  while (!stop_writing)
    if (write(file, "x", 1) != 1)
      break;
  close(file);
  return unused;
}

__attribute__((destructor)) static void work_afterwards(void) {
  if (!is("destructor"))
    return;
  volatile double sum = 0;
  void *memory = malloc(1 << 20);
  for (int i = 0; i < 1000000; i++)
    sum += i;
  free(memory);
  int flag = 0;
  MPI_Finalized(&flag);
  printf("afterwards: %d %g\n", flag, sum);
}

static void die(void) {
  volatile int *nowhere = NULL;
  if (is("leave"))
    _exit(0);
  if (is("leave-by-exit"))
    exit(3);
  if (rank == 1 && is("abort"))
    MPI_Abort(MPI_COMM_WORLD, 5);
  if (rank == 1 && is("kill"))
    raise(SIGKILL);
  if (rank == 1 && is("terminate"))
    raise(SIGTERM);
  if (rank == 1 && is("segfault"))
    *nowhere = 1;
  if (rank == 1 && is("stdlib-abort"))
    abort();
  MPI_Barrier(MPI_COMM_WORLD);
}

static int is_death(void) {
  return is("leave") || is("leave-by-exit") || is("abort") || is("kill") || is("terminate") ||
         is("segfault") || is("stdlib-abort");
}

int main(int argc, char **argv) {
  pthread_t writer;
  kind = argc > 1 ? argv[1] : "";
  setbuf(stdout, NULL);
  if (is("early"))
    legal_calls(0, 0);
  init(argc, argv);
  rank = world_rank();
  for (int i = 0; i < 100; i++)
    MPI_Barrier(MPI_COMM_WORLD);
  if (is("pcontrol"))
    pcontrol();
  if (is("children"))
    children();
  if (is("extensions"))
    printf("%d\n", MPIX_Query_cuda_support());
  if (is_death())
    die();
  if (is("late")) {
    pthread_create(&writer, NULL, write_on, NULL);
    sleep(rank ? 3 : 0);
  }
  MPI_Finalize();
  if (is("late")) {
    stop_writing = 1;
    pthread_join(writer, NULL);
  }
  legal_calls(1, 1);
  if (rank == 0)
    printf("%s: done\n", kind);
  if (!is("status"))
    return failures != 0;
  sleep(rank ? 0 : 1); /* launchers kill the others when a rank ends badly */
  return rank ? 0 : atoi(argv[2]);
}
