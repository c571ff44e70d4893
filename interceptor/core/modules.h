/* Which shared object or executable an address lies in. */
#ifndef VARSCOPE_MODULES_H
#define VARSCOPE_MODULES_H

#include <stdbool.h>
#include <stdint.h>

#include "trace_format.h"

#define VS_MODULE_PATH_BYTES 4096

struct vs_module {
  uint64_t base;
  struct vst_module definition; /* without its number */
  char path[VS_MODULE_PATH_BYTES];
};

/* Path of the executable; "" if the system does not tell. */
void vs_executable_path(char *path, uint32_t bytes);

/* False if no object holds the address (code made at run time). Takes the dynamic linker's lock:
 * not to be called under ours, or a constructor that makes a call could wait for us in turn. */
bool vs_module_find(const void *address, struct vs_module *module);

/* Number of the module in the trace; writes its MODULE block when it is new. Under the lock.
 * VS_NOT_FOUND if it cannot be written. */
uint32_t vs_module_number(const struct vs_module *module);

#endif
