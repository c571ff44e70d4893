#define _GNU_SOURCE 1
#include "process.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "file.h"
#include "modules.h"

/* Longer command lines are cut at a word and a PROBLEM says so. */
#define TEXT_BYTES (512u * 1024)
#define COMMAND_BYTES (200u * 1024)

struct text {
  char *start;
  size_t bytes;
};

static void put(struct text *text, const char *word, size_t length) {
  if (text->bytes + length + 1 > TEXT_BYTES)
    return;
  memcpy(text->start + text->bytes, word, length);
  text->start[text->bytes + length] = 0;
  text->bytes += length + 1;
}

static void put_pair(struct text *text, const char *key, const char *value) {
  put(text, key, strlen(key));
  put(text, value, strlen(value));
}

static size_t read_file(const char *path, char *buffer, size_t bytes) {
  size_t total = 0;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return 0;
  while (total < bytes) {
    ssize_t got = read(fd, buffer + total, bytes - total);
    if (got <= 0)
      break;
    total += (size_t)got;
  }
  close(fd);
  return total;
}

static void put_boot_id(struct text *text) {
  char id[64] = {0};
  read_file("/proc/sys/kernel/random/boot_id", id, sizeof id - 1);
  id[strcspn(id, "\n")] = 0;
  if (id[0])
    put_pair(text, VST_KEY_BOOT_ID, id);
}

/* Words end with NUL there. False if some were left out. An empty word takes five more bytes here
 * than there, so TEXT_BYTES can be too short as well as COMMAND_BYTES. */
static bool put_command(struct text *text, char *buffer) {
  size_t bytes = read_file("/proc/self/cmdline", buffer, COMMAND_BYTES);
  size_t at = 0;
  while (at < bytes) {
    const char *end = memchr(buffer + at, 0, bytes - at);
    if (!end && bytes == COMMAND_BYTES)
      return false;
    size_t length = end ? (size_t)(end - (buffer + at)) : bytes - at;
    if (text->bytes + sizeof VST_KEY_ARGUMENT + length + 1 > TEXT_BYTES)
      return false;
    put(text, VST_KEY_ARGUMENT, strlen(VST_KEY_ARGUMENT));
    put(text, buffer + at, length);
    at += length + 1;
  }
  return bytes < COMMAND_BYTES;
}

static bool describe(const struct vs_job *job, struct text *text, char *buffer) {
  struct vst_block block = {.type = VST_BLOCK_PROCESS};
  char host[256] = {0}, path[VS_MODULE_PATH_BYTES];
  gethostname(host, sizeof host - 1);
  put_pair(text, VST_KEY_HOST, host);
  put_boot_id(text);
  vs_executable_path(path, sizeof path);
  put_pair(text, VST_KEY_PROGRAM, path);
  put_pair(text, VST_KEY_MPI_IMPLEMENTATION, job->mpi_implementation);
  put_pair(text, VST_KEY_MPI_VERSION, job->mpi_version);
  put_pair(text, VST_KEY_VARSCOPE_VERSION, VARSCOPE_VERSION);
  bool whole = put_command(text, buffer);
  struct vs_part part = {text->start, text->bytes};
  if (!vs_file_append(&block, &part, 1))
    return false;
  return whole || vs_file_append_problem("the command line is too long to be recorded in full");
}

bool vs_process_describe(const struct vs_job *job) {
  size_t bytes = TEXT_BYTES + COMMAND_BYTES;
  char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  struct text text = {memory, 0};
  bool done = describe(job, &text, memory + TEXT_BYTES);
  munmap(memory, bytes);
  return done;
}
