#define _GNU_SOURCE
#include "job_id.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ANCESTORS 16
#define COMMAND_BYTES 4096

/* FNV-1a over a text and its terminator. */
static uint64_t add(uint64_t hash, const char *text) {
  do
    hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
  while (*text++);
  return hash;
}

static const uint64_t SEED = 0xcbf29ce484222325u;

/* Hash of two environment variables; the second may be absent. 0 if the first is. */
static uint64_t from_environment(const char *first, const char *second) {
  const char *a = getenv(first), *b = second ? getenv(second) : NULL;
  if (!a || !*a)
    return 0;
  return add(add(SEED, a), b ? b : "");
}

/* PMIx names the job; Open MPI's key is random per mpirun and tells apart equal names. */
static uint64_t from_pmix(void) {
  return from_environment("PMIX_NAMESPACE", "OMPI_MCA_orte_precondition_transports");
}

static pid_t parent_of(pid_t pid) {
  char path[64], state[512];
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  FILE *file = fopen(path, "r");
  if (!file)
    return 0;
  const size_t length = fread(state, 1, sizeof state - 1, file);
  fclose(file);
  state[length] = '\0';
  const char *after_name = strrchr(state, ')');
  int parent = 0;
  if (!after_name || sscanf(after_name + 1, " %*c %d", &parent) != 1)
    return 0;
  return (pid_t)parent;
}

/* If the words are those of MPICH's proxy (Hydra): hash of the port of its mpiexec and of the
 * number of the process group, which are common to the proxies of all hosts. */
static uint64_t from_proxy_command(const char *words, size_t bytes) {
  const char *const end = words + bytes;
  uint64_t hash = SEED;
  bool proxy = strstr(words, "hydra_pmi_proxy") != NULL, port = false;
  for (const char *word = words; proxy && word < end; word += strlen(word) + 1) {
    const char *const value = word + strlen(word) + 1;
    if (value >= end)
      break;
    if (strcmp(word, "--control-port") == 0)
      port = true;
    if (strcmp(word, "--control-port") == 0 || strcmp(word, "--pgid") == 0)
      hash = add(hash, value);
  }
  return port ? hash : 0;
}

static uint64_t from_hydra(void) {
  char path[64];
  char words[COMMAND_BYTES];
  pid_t pid = getppid();
  for (int i = 0; i < ANCESTORS && pid > 1; i++, pid = parent_of(pid)) {
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pid);
    FILE *file = fopen(path, "r");
    if (!file)
      return 0;
    const size_t bytes = fread(words, 1, sizeof words - 1, file);
    fclose(file);
    words[bytes] = '\0';
    const uint64_t hash = from_proxy_command(words, bytes);
    if (hash)
      return hash;
  }
  return 0;
}

/* For a process alone in its world. */
static uint64_t own(void) {
  char text[320], host[256] = "";
  struct timespec now;
  gethostname(host, sizeof host - 1);
  clock_gettime(CLOCK_REALTIME, &now);
  snprintf(text, sizeof text, "%s %d %lld.%09ld", host, (int)getpid(), (long long)now.tv_sec,
           now.tv_nsec);
  return add(SEED, text);
}

uint64_t vs_job_id(bool open_mpi, int world_size) {
  uint64_t id = 0;
  if (world_size == 1)
    id = own();
  if (!id)
    id = open_mpi ? from_pmix() : from_hydra();
  if (!id)
    id = open_mpi ? from_hydra() : from_pmix();
  if (!id)
    id = from_environment("SLURM_JOB_ID", "SLURM_STEP_ID");
  if (!id)
    id = from_environment("FLUX_JOB_ID", NULL);
  if (!id)
    id = from_environment("PALS_APID", NULL);
  if (!id)
    id = from_environment("VARSCOPE_TRACE_DIR", NULL);
  return id;
}
