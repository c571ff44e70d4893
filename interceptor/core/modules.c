#define _GNU_SOURCE 1
#include "modules.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "table.h"

static struct vs_table numbers; /* by hash of path and build-id */

struct search {
  uint64_t address;
  struct vs_module *module;
};

void vs_executable_path(char *path, uint32_t bytes) {
  ssize_t length = readlink("/proc/self/exe", path, bytes - 1);
  path[length > 0 ? length : 0] = 0;
}

static bool holds(const struct dl_phdr_info *object, uint64_t address) {
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    uint64_t start = object->dlpi_addr + segment->p_vaddr;
    if (segment->p_type == PT_LOAD && address >= start && address - start < segment->p_memsz)
      return true;
  }
  return false;
}

static size_t aligned(size_t bytes, size_t to) {
  return (bytes + to - 1) / to * to;
}

/* Notes are name and description, each padded to the segment's alignment (4, or 8 for some). */
static void read_build_id(const uint8_t *notes, size_t bytes, size_t alignment,
                          struct vst_module *definition) {
  size_t at = 0;
  while (at + sizeof(ElfW(Nhdr)) <= bytes) {
    ElfW(Nhdr) note;
    memcpy(&note, notes + at, sizeof note);
    size_t name = at + sizeof note;
    size_t description = name + aligned(note.n_namesz, alignment);
    if (description + note.n_descsz > bytes)
      return;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        memcmp(notes + name, "GNU", 4) == 0) {
      size_t length = note.n_descsz;
      if (length > sizeof definition->build_id)
        length = sizeof definition->build_id;
      memcpy(definition->build_id, notes + description, length);
      definition->build_id_bytes = (uint32_t)length;
      return;
    }
    at = description + aligned(note.n_descsz, alignment);
  }
}

static void describe(const struct dl_phdr_info *object, struct vs_module *module) {
  memset(&module->definition, 0, sizeof module->definition);
  module->base = object->dlpi_addr;
  if (object->dlpi_name && object->dlpi_name[0]) {
    size_t length = strnlen(object->dlpi_name, sizeof module->path - 1);
    memcpy(module->path, object->dlpi_name, length);
    module->path[length] = 0;
  } else {
    vs_executable_path(module->path, sizeof module->path);
  }
  for (int i = 0; i < object->dlpi_phnum && module->definition.build_id_bytes == 0; i++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    if (segment->p_type != PT_NOTE)
      continue;
    read_build_id((const uint8_t *)(object->dlpi_addr + segment->p_vaddr), segment->p_memsz,
                  segment->p_align == 8 ? 8 : 4, &module->definition);
  }
}

static int visit(struct dl_phdr_info *object, size_t size, void *data) {
  struct search *search = data;
  (void)size;
  if (!holds(object, search->address))
    return 0;
  describe(object, search->module);
  return 1;
}

bool vs_module_find(const void *address, struct vs_module *module) {
  struct search search = {(uint64_t)(uintptr_t)address, module};
  return dl_iterate_phdr(visit, &search) == 1;
}

static uint64_t fnv1a(uint64_t hash, const void *data, size_t bytes) {
  for (size_t i = 0; i < bytes; i++)
    hash = (hash ^ ((const uint8_t *)data)[i]) * 0x100000001b3u;
  return hash;
}

uint32_t vs_module_number(const struct vs_module *module) {
  struct vst_module definition = module->definition;
  size_t path_bytes = strlen(module->path) + 1;
  uint64_t hash = fnv1a(0xcbf29ce484222325u, module->path, path_bytes);
  hash = fnv1a(hash, definition.build_id, definition.build_id_bytes);
  struct vs_key key = {.address = hash};
  uint32_t number = vs_table_find(&numbers, key);
  if (number != VS_NOT_FOUND)
    return number;
  struct vst_block block = {.type = VST_BLOCK_MODULE};
  struct vs_part parts[] = {{&definition, sizeof definition}, {module->path, path_bytes}};
  definition.module = numbers.used;
  if (!vs_table_insert(&numbers, key, definition.module))
    return VS_NOT_FOUND;
  return vs_file_append(&block, parts, 2) ? definition.module : VS_NOT_FOUND;
}
