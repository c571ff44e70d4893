#define _GNU_SOURCE 1
#include "origin.h"

#include <link.h>
#include <string.h>

#include "clock.h"
#include "forked.h"
#include "lock.h"
#include "table.h"

/* Code made at run time can have sites without end; later ones are looked up each time. */
#define MOST_SITES 65536u

static struct vs_table origins; /* by site: 1 if it is the program's, else 0 */

/* Beginnings of file names: the MPI libraries, their run-time systems, transports and what only
 * these use. Not libucm, which puts itself before mmap for the whole process (UCX memory hooks):
 * what it passes on outside of MPI calls is the program's, shown at a site in libucm. */
static const char *const foreign[] = {
    "libvarscope", "libmpi.",  "libmpi_",    "libmpich",  "libmpicxx", "libmpifort", "libfmpich",
    "libpmpi",     "libopen-", "libopal",    "liborte",   "libpmi",    "libprrte",   "libucp.",
    "libucs",      "libuct",   "libucc.",    "libfabric", "libhwloc",  "libevent",   "libhcoll",
    "libsharp",    "libpsm",   "libibverbs", "librdmacm", "libmlx",    "libefa",     "libcxi",
    "libnl-",      "libromio", "libmpl.",    "libopa.",   "libyaksa",  "libmunge",   "libslurm",
    "libxpmem",    "mca_",
};

struct search {
  ElfW(Addr) address;
  bool program;
};

static bool is_foreign(const char *path) {
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  for (unsigned i = 0; i < sizeof foreign / sizeof *foreign; i++) {
    if (strncmp(name, foreign[i], strlen(foreign[i])) == 0)
      return true;
  }
  return false;
}

static int visit(struct dl_phdr_info *object, size_t size, void *data) {
  struct search *search = data;
  (void)size;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    ElfW(Addr) start = object->dlpi_addr + segment->p_vaddr;
    if (segment->p_type != PT_LOAD || search->address < start ||
        search->address - start >= segment->p_memsz)
      continue;
    search->program = !(object->dlpi_name && is_foreign(object->dlpi_name));
    return 1;
  }
  return 0;
}

static __attribute__((noinline)) bool look_up(struct vs_key key) {
  if (vs_is_forked())
    return true; /* nothing is recorded there, and the list of objects may be locked for good */
  uint64_t since = vs_tick();
  struct search search = {(ElfW(Addr))key.address, true};
  struct vs_lock lock;
  dl_iterate_phdr(visit, &search); /* not under our lock, see vs_module_find */
  vs_lock_since(&lock, since);
  if (origins.used < MOST_SITES && vs_table_find(&origins, key) == VS_NOT_FOUND)
    vs_table_insert(&origins, key, search.program);
  vs_unlock(&lock);
  return search.program;
}

bool vs_of_program(const void *site) {
  struct vs_key key = {(uint64_t)(uintptr_t)site, 0, 0};
  uint32_t known = vs_table_find(&origins, key);
  return __builtin_expect(known != VS_NOT_FOUND, 1) ? known != 0 : look_up(key);
}
