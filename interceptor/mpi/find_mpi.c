#define _GNU_SOURCE
#include "find_mpi.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#ifdef VARSCOPE_LINKED
#include "linked.h"
#endif

#define LIBRARIES 16

/* Objects called libmpi*: the library, its Fortran and C++ layers. Held open for good, because
 * slots point into them. */
static struct library {
  char path[PATH_MAX];
  void *handle;
} libraries[LIBRARIES];
static unsigned library_count;

static int note_library(struct dl_phdr_info *object, size_t size, void *unused) {
  (void)size, (void)unused;
  const char *slash = strrchr(object->dlpi_name, '/');
  const char *name = slash ? slash + 1 : object->dlpi_name;
  if (strncmp(name, "libmpi", 6) != 0 || strlen(object->dlpi_name) >= PATH_MAX)
    return 0;
  for (unsigned i = 0; i < library_count; i++)
    if (strcmp(libraries[i].path, object->dlpi_name) == 0)
      return 0;
  if (library_count == LIBRARIES)
    return 1;
  strcpy(libraries[library_count].path, object->dlpi_name);
  libraries[library_count++].handle = NULL;
  return 0;
}

static void scan(void) {
  dl_iterate_phdr(note_library, NULL);
  for (unsigned i = 0; i < library_count; i++)
    if (!libraries[i].handle)
      libraries[i].handle = dlopen(libraries[i].path, RTLD_LAZY | RTLD_NOLOAD);
}

#ifdef VARSCOPE_LINKED
static void *linked(const char *symbol) {
  for (const struct vs_linked *item = vs_linked; item->name; item++)
    if (strcmp(item->name, symbol) == 0)
      return (void *)item->function;
  return NULL;
}
#else
static void *linked(const char *symbol) {
  (void)symbol;
  return NULL;
}
#endif

static void *look(const char *symbol) {
  void *found = linked(symbol);
  if (!found)
    found = dlsym(RTLD_DEFAULT, symbol);
  for (unsigned i = 0; !found && i < library_count; i++)
    if (libraries[i].handle)
      found = dlsym(libraries[i].handle, symbol);
  return found;
}

void *vs_resolve(const char *symbol) {
  void *found = look(symbol);
  if (found)
    return found;
  scan(); /* a Fortran layer may have been loaded since */
  return look(symbol);
}

void *vs_resolve_next(const char *symbol) {
  void *found = dlsym(RTLD_NEXT, symbol);
  for (unsigned i = 0; !found && i < library_count; i++)
    if (libraries[i].handle)
      found = dlsym(libraries[i].handle, symbol);
  return found;
}

#ifdef VARSCOPE_LINKED
const char *vs_mpi_abi(void) {
  return VARSCOPE_LINKED;
}
#else
const char *vs_mpi_abi(void) {
  if (!vs_resolve("PMPI_Init"))
    return NULL;
  if (vs_resolve("ompi_mpi_comm_world"))
    return "openmpi";
  /* MPICH and all that keep its ABI (MVAPICH, Intel, Cray): the sonames end in .so.12. */
  scan();
  for (unsigned i = 0; i < library_count; i++)
    if (strstr(libraries[i].path, ".so.12"))
      return "mpich";
  return "";
}
#endif

bool vs_speaks(void) {
  static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
                                          "SLURM_PROCID"};
  for (unsigned i = 0; i < sizeof variables / sizeof *variables; i++) {
    const char *rank = getenv(variables[i]);
    if (rank)
      return strcmp(rank, "0") == 0;
  }
  return true;
}
