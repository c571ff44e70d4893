/*
 * dlclose as the program calls it. Where call paths are recorded, addresses are remembered: they
 * are forgotten when objects go, as others may come to the same place.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>

#include "gate.h"
#include "options.h"
#include "paths.h"

/* How many objects were ever unloaded; one visit tells. */
static int count_unloaded(struct dl_phdr_info *object, size_t size, void *count) {
  if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof object->dlpi_subs)
    *(unsigned long long *)count = object->dlpi_subs;
  return 1;
}

__attribute__((visibility("default"))) int dlclose(void *handle) {
  static int (*_Atomic real)(void *);
  int (*close_object)(void *) = real;
  unsigned long long before = 0, after = 0;
  if (!close_object)
    real = close_object = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose");
  if (vs_options.call_path_frames == 0 || vs_mode() == VS_ASLEEP)
    return close_object(handle);
  dl_iterate_phdr(count_unloaded, &before);
  const int result = close_object(handle);
  dl_iterate_phdr(count_unloaded, &after);
  if (after != before)
    vs_paths_forget();
  return result;
}
