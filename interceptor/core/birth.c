#define _GNU_SOURCE 1
#include "birth.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "file.h"
#include "modules.h"
#include "table.h"
#include "thread.h"

/* What the kernel keeps of a name, with its NUL. */
#define NAME_BYTES 16

_Thread_local struct vs_birth vs_birth __attribute__((tls_model("initial-exec")));

static char process_name[NAME_BYTES];

void vs_thread_starts_mpi(bool inside) {
  vs_birth.starts_mpi = inside;
}

void vs_birth_prepare(void) {
  prctl(PR_GET_NAME, process_name);
}

/* In memory of its own, as stacks can be small: a path takes 4 KiB. */
struct vs_birth_place {
  struct vs_module module;
};

struct vs_birth_place *vs_birth_locate(void) {
  if (!vs_birth.start)
    return NULL;
  struct vs_birth_place *place =
      mmap(NULL, sizeof *place, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED)
    return NULL;
  if (vs_module_find(vs_birth.start, &place->module))
    return place;
  vs_birth_forget(place);
  return NULL;
}

void vs_birth_forget(struct vs_birth_place *place) {
  if (place)
    munmap(place, sizeof *place);
}

static void append(const struct vst_thread *definition) {
  struct vst_block block = {.type = VST_BLOCK_THREAD};
  char name[NAME_BYTES + 1] = {0};
  prctl(PR_GET_NAME, name);
  size_t length = strcmp(name, process_name) == 0 ? 0 : strlen(name);
  struct vs_part parts[] = {{definition, sizeof *definition}, {name, length}, {"", 1}};
  vs_file_append(&block, parts, 3);
}

static struct vst_thread definition_of(const struct vs_thread *thread) {
  uint32_t system_thread = (uint32_t)syscall(SYS_gettid);
  uint32_t usual =
      system_thread == (uint32_t)getpid() ? VST_THREAD_INITIAL : (uint32_t)VST_THREAD_PTHREAD;
  return (struct vst_thread){
      .thread = thread->number,
      .system_thread = system_thread,
      .parent = vs_birth.parent_plus_one - 1,
      .kind = vs_birth.kind ? vs_birth.kind : usual,
      .module = VST_NO_NUMBER,
      .tick = vs_tick(),
  };
}

void vs_birth_describe(const struct vs_thread *thread, const struct vs_birth_place *place) {
  struct vst_thread definition = definition_of(thread);
  if (place) {
    definition.module = vs_module_number(&place->module); /* VS_NOT_FOUND is VST_NO_NUMBER */
    if (definition.module != VST_NO_NUMBER)
      definition.offset = (uint64_t)(uintptr_t)vs_birth.start - place->module.base;
  }
  append(&definition);
}

void vs_birth_ended(const struct vs_thread *thread) {
  struct vst_thread definition = definition_of(thread);
  definition.ended = 1;
  append(&definition);
}
