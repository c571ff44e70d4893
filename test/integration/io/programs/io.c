/* I/O of every kind, one part per first argument. Each part prints what it saw of itself, so that a
 * run with varscope can be compared with one without. Files are made in the working directory. */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static char report[4096];
static size_t reported;
static int rank;

/* Adds to the report, which is printed after MPI_Finalize: no I/O of its own. */
static void say(const char *format, ...) {
  va_list list;
  va_start(list, format);
  reported += (size_t)vsnprintf(report + reported, sizeof report - reported, format, list);
  va_end(list);
}

static void name(char *path, const char *stem) {
  sprintf(path, "%s.%d", stem, rank);
}

static void posix(void) {
  char path[64], other[64], data[256];
  struct stat status;
  memset(data, 'x', sizeof data);
  name(path, "posix");
  name(other, "other");
  umask(0);
  int fd = open(path, O_CREAT | O_RDWR | O_TRUNC, 0641);
  say("%zd ", write(fd, data, 100));
  say("%zd ", write(fd, data, 50));
  say("%ld ", (long)lseek(fd, 0, SEEK_SET));
  say("%zd ", read(fd, data, 30));
  say("%zd ", read(fd, data, 20));
  say("%zd ", pread(fd, data, 10, 120));
  say("%zd ", pread(fd, data, 10, 0));
  struct iovec pieces[2] = {{data, 7}, {data + 7, 8}};
  say("%zd ", readv(fd, pieces, 2));          /* at 50: ahead of 10 */
  say("%zd ", writev(fd, pieces, 2));         /* at 65: goes on */
  say("%zd ", preadv(fd, pieces, 2, 1));      /* back */
  say("%zd ", pwritev(fd, pieces, 2, 16));    /* goes on */
  say("%ld ", (long)lseek(fd, -5, SEEK_END)); /* 145: forward of 31 */
  say("%zd ", read(fd, data, 100));           /* 5 are left */
  say("%zd ", read(fd, data, 100));           /* end of file: goes on, nothing */
  int copy = dup(fd);
  say("%ld ", (long)lseek(copy, 40, SEEK_SET)); /* back, for both descriptors */
  say("%zd ", read(fd, data, 4));
  say("%zd ", read(copy, data, 4)); /* goes on */
  say("%d ", ftruncate(fd, 60));
  say("%d ", fsync(fd));
  say("%d ", fdatasync(fd));
  say("%d ", fstat(fd, &status));
  say("%o %ld ", status.st_mode & 07777, (long)status.st_size);
  say("%d ", close(fd));
  say("%d ", close(copy));
  int again = open(other, O_CREAT | O_WRONLY | O_APPEND, 0600); /* the number is used again */
  say("%d ", again == fd);
  say("%zd ", write(again, data, 3));
  say("%zd ", write(again, data, 3));
  say("%zd ", pwrite(again, data, 1, (off_t)5 << 30)); /* appended all the same */
  say("%d ", close(again));
  again = creat(other, 0600);
  say("%zd ", pwrite(again, data, 2, (off_t)5 << 30));
  say("%d ", close(again));
  say("%d ", stat(other, &status));
  say("%lld ", (long long)status.st_size);
  errno = 0;
  say("%d ", open("no/such/file", O_RDONLY));
  say("%d ", errno);
  errno = 0;
  say("%zd ", read(-1, data, 1));
  say("%d ", errno);
  errno = 77;
  say("%d ", access(other, R_OK));
  say("%d\n", errno); /* success leaves it alone */
  unlink(path);
  unlink(other);
}

static void names(void) {
  char path[64], other[64], folder[64];
  struct stat status;
  struct dirent *entry;
  int entries = 0;
  name(path, "first");
  name(other, "second");
  name(folder, "folder");
  int fd = open(path, O_CREAT | O_RDWR, 0600);
  say("%d ", ftruncate(fd, 8192));
  char *memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  memory[5000] = 'm';
  say("%d ", msync(memory, 8192, MS_SYNC));
  munmap(memory, 8192);
  void *plain = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  say("%d ", plain != MAP_FAILED);
  say("%d ", mmap(NULL, 0, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED && errno == EINVAL);
  close(fd);
  say("%d ", rename(path, other));
  say("%d ", lstat(path, &status));
  say("%d ", errno);
  say("%d ", mkdir(folder, 0700));
  DIR *directory = opendir(folder);
  while ((entry = readdir(directory)))
    entries++;
  say("%d ", entries);
  say("%d ", closedir(directory));
  say("%d ", rmdir(folder));
  say("%d ", truncate(other, 1));
  say("%d\n", remove(other));
}

static void kinds(void) {
  char data[8] = "abcdefg";
  int ends[2], sockets[2];
  say("%d %d ", pipe(ends), socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
  say("%zd ", write(ends[1], data, 3));
  say("%zd ", read(ends[0], data, 8));
  say("%zd ", write(sockets[0], data, 4));
  say("%zd ", read(sockets[1], data, 8));
  int master = posix_openpt(O_RDWR | O_NOCTTY);
  grantpt(master);
  unlockpt(master);
  int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
  say("%zd ", write(terminal, data, 5));
  int null = open("/dev/null", O_WRONLY);
  say("%zd ", write(null, data, 6));
  int folder = open(".", O_RDONLY | O_DIRECTORY);
  struct stat status;
  say("%d\n", fstat(folder, &status));
}

static void stdio(void) {
  char path[64], data[64], *line = NULL;
  size_t room = 0;
  name(path, "stdio");
  FILE *file = fopen(path, "w+");
  say("%zu ", fwrite("0123456789", 2, 5, file));
  say("%d ", fputs("hello\n", file) >= 0);
  say("%d ", fprintf(file, "%d:%s\n", 42, "x"));
  say("%d ", fflush(file));
  rewind(file);
  say("%zu ", fread(data, 1, 4, file));
  say("%d ", fseek(file, 2, SEEK_CUR));
  say("%s ", fgets(data, 64, file) ? "line" : "none"); /* 6789hello\n */
  say("%zd ", getline(&line, &room, file));            /* 42:x\n */
  say("%d ", fseeko(file, 0, SEEK_SET));
  say("%zu ", fread(data, 1, 64, file));
  say("%d ", fclose(file));
  file = fopen(path, "r");
  say("%zu ", fread(data, 3, 2, file));
  say("%d ", fclose(file));
  free(line);
  FILE *memory = fmemopen(data, sizeof data, "w");
  errno = 78;
  say("%d ", fputs("in memory", memory) >= 0);
  say("%d ", fclose(memory));
  say("%d\n", errno);
  unlink(path);
}

/* Copies between descriptors. */
static void copies(void) {
  char path[64], other[64], data[300];
  name(path, "from");
  name(other, "to");
  memset(data, 'c', sizeof data);
  int from = open(path, O_CREAT | O_RDWR, 0600), to = open(other, O_CREAT | O_RDWR, 0600);
  say("%zd ", write(from, data, 300));
  say("%ld ", (long)lseek(from, 0, SEEK_SET));
  say("%zd ", sendfile(to, from, NULL, 100));
  off64_t at = 50;
  say("%zd ", copy_file_range(from, NULL, to, &at, 100, 0)); /* 100 to 200, over 50 to 150 */
  say("%zd ", read(from, data, 300));                        /* 100 are left */
  say("%zd\n", read(to, data, 300));                         /* 50 behind its position of 100 */
  close(from);
  close(to);
  unlink(path);
  unlink(other);
}

#define READS 1000000

static void bytewise(void) {
  char path[64], byte, *data = malloc(READS);
  long sum = 0;
  name(path, "bytes");
  memset(data, 1, READS);
  int fd = open(path, O_CREAT | O_RDWR, 0600);
  say("%zd ", write(fd, data, READS));
  lseek(fd, 0, SEEK_SET);
  while (read(fd, &byte, 1) == 1)
    sum += byte;
  say("%ld\n", sum);
  close(fd);
  unlink(path);
}

static int told; /* end of a pipe that the signal handler writes to */

static void tell(int signal) {
  (void)signal;
  int error = errno;
  ssize_t done = write(told, "s", 1);
  (void)done;
  errno = error;
}

/* Ten ticks arrive while I/O goes on. */
static void signals(void) {
  char path[64], byte = 'x', got[16];
  int ends[2], count = 0;
  if (pipe(ends) != 0)
    return;
  name(path, "signals");
  told = ends[1];
  signal(SIGALRM, tell);
  struct itimerval every = {{0, 2000}, {0, 2000}};
  int fd = open(path, O_CREAT | O_RDWR, 0600);
  setitimer(ITIMER_REAL, &every, NULL);
  while (count < 10) {
    for (int i = 0; i < 1000; i++)
      if (pwrite(fd, &byte, 1, i) != 1)
        say("lost ");
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    ssize_t bytes = read(ends[0], got, sizeof got);
    count += bytes > 0 ? (int)bytes : 0;
  }
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
  say("%d\n", count >= 10);
  close(fd);
  unlink(path);
}

static void *write_some(void *argument) {
  char path[64], data[16] = {0};
  sprintf(path, "thread.%d.%ld", rank, (long)argument);
  int fd = open(path, O_CREAT | O_WRONLY, 0600);
  for (int i = 0; i < 500; i++)
    if (write(fd, data, 16) != 16)
      say("lost ");
  close(fd);
  unlink(path);
  return NULL;
}

static void threads(void) {
  pthread_t all[4];
  for (long i = 0; i < 4; i++)
    pthread_create(&all[i], NULL, write_some, (void *)i);
  for (int i = 0; i < 4; i++)
    pthread_join(all[i], NULL);
  say("joined\n");
}

/* Children of all sorts, which share nothing with the trace. */
static void children(void) {
  char text[256] = "";
  int status, fd;
  size_t length = 0;
  FILE *pipe = popen("bash -c 'echo from a shell; ls /dev/null; cat /proc/self/comm'", "r");
  while (length < sizeof text - 1 && fgets(text + length, (int)(sizeof text - length), pipe))
    length = strlen(text);
  say("%s", text);
  say("%d ", pclose(pipe));
  pipe = popen("read word; test \"$word\" = w", "w"); /* the same number, another pipe */
  say("%d ", fputs("w\n", pipe));
  say("%d ", pclose(pipe));
  pid_t child = fork();
  if (child == 0) {
    fd = open("/dev/null", O_WRONLY);
    _exit(write(fd, "x", 1) == 1 && close(fd) == 0 ? 3 : 4);
  }
  waitpid(child, &status, 0);
  say("%d ", WEXITSTATUS(status));
  fd = open("/dev/null", O_WRONLY);
  child = vfork();
  if (child == 0) {
    close(fd);
    open("/dev/null", O_RDONLY);
    execl("/bin/sh", "sh", "-c", "exit 5", (char *)NULL);
    _exit(6);
  }
  waitpid(child, &status, 0);
  say("%d ", WEXITSTATUS(status));
  say("%zd ", write(fd, "xy", 2));
  say("%d\n", close(fd));
}

/* Daemons do so: every descriptor is closed, MPI's too, so it is not finalized. */
static void shut(void) {
  char byte = 'b';
  FILE *kept = fopen("shut", "a");
  int fd = fileno(kept);
  for (int i = 0; i < 1024; i++)
    if (i != fd)
      close(i);
  int again = open("/dev/null", O_WRONLY);
  ssize_t done = write(again, &byte, 1);
  fprintf(kept, "%d %zd\n", again, done);
  fclose(kept);
  _exit(0);
}

static __attribute__((destructor)) void at_the_end(void) {
  FILE *file = fopen("/dev/null", "w");
  fputs("late", file);
  fclose(file);
}

static const struct {
  const char *name;
  void (*run)(void);
} parts[] = {{"posix", posix},     {"names", names},     {"kinds", kinds},
             {"stdio", stdio},     {"copies", copies},   {"bytewise", bytewise},
             {"signals", signals}, {"threads", threads}, {"children", children},
             {"shut", shut}};

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (strcmp(argv[1], parts[i].name) == 0)
      parts[i].run();
  MPI_Finalize();
  if (rank == 0)
    printf("%s", report);
  return 0;
}
