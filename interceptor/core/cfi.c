#define _GNU_SOURCE 1
#include "cfi.h"

#include <link.h>
#include <string.h>

#include "cfi_program.h"

#ifdef __x86_64__

/* Encodings of pointers, DW_EH_PE_*: the low half tells the form, the high half what to add. */
#define FORM_ABSOLUTE 0x00u
#define FORM_UDATA2 0x02u
#define FORM_UDATA4 0x03u
#define FORM_UDATA8 0x04u
#define FORM_SDATA2 0x0au
#define FORM_SDATA4 0x0bu
#define FORM_SDATA8 0x0cu
#define RELATIVE_TO_PLACE 0x10u

/* The encoding of the search table that all linkers use: 32-bit, relative to the header. */
#define TABLE_ENCODING 0x3bu

struct search {
  uintptr_t address;
  struct vs_frame_rule rule;
};

/* Where the object maps readable memory around `place`; false if it does not. */
static bool mapped(const struct dl_phdr_info *object, uintptr_t place, struct vs_cursor *range) {
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    const uintptr_t start = object->dlpi_addr + segment->p_vaddr;
    if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_R) || place < start ||
        place - start >= segment->p_memsz)
      continue;
    *range = (struct vs_cursor){(const uint8_t *)place, (const uint8_t *)start + segment->p_memsz,
                                false};
    return true;
  }
  return false;
}

/* False for forms that no compiler uses in these tables. */
static bool take_encoded(struct vs_cursor *from, uint8_t encoding, uintptr_t *value) {
  const uintptr_t place = (uintptr_t)from->at;
  switch (encoding & 0x0f) {
  case FORM_ABSOLUTE:
  case FORM_UDATA8:
  case FORM_SDATA8:
    *value = vs_take(from, 8);
    break;
  case FORM_UDATA2:
    *value = vs_take(from, 2);
    break;
  case FORM_UDATA4:
    *value = vs_take(from, 4);
    break;
  case FORM_SDATA2:
    *value = (uintptr_t)(intptr_t)(int16_t)vs_take(from, 2);
    break;
  case FORM_SDATA4:
    *value = (uintptr_t)(intptr_t)(int32_t)vs_take(from, 4);
    break;
  default:
    return false;
  }
  if ((encoding & 0x70) == RELATIVE_TO_PLACE)
    *value += place;
  else if ((encoding & 0x70) != 0)
    return false;
  return !(encoding & 0x80) && !from->failed;
}

/* An entry of .eh_frame: its contents behind the length. False if it does not lie in the object. */
static bool enter(const struct dl_phdr_info *object, uintptr_t place, struct vs_cursor *entry) {
  if (!mapped(object, place, entry))
    return false;
  const uint64_t bytes = vs_take(entry, 4);
  if (entry->failed || bytes == 0 || bytes > (uint64_t)(entry->end - entry->at))
    return false; /* 64-bit entries, 0xffffffff, are longer than any object */
  entry->end = entry->at + bytes;
  return true;
}

/* The augmentation tells what stands between the fixed fields and the instructions. */
static bool take_augmentation(struct vs_cursor *entry, const char *letters,
                              struct vs_cfi_common *common) {
  common->encoding = FORM_ABSOLUTE;
  if (!*letters)
    return true;
  if (*letters++ != 'z')
    return false;
  const uint64_t bytes = vs_take_unsigned(entry);
  if (entry->failed || bytes > (uint64_t)(entry->end - entry->at))
    return false;
  struct vs_cursor data = {entry->at, entry->at + bytes, false};
  entry->at = data.end;
  for (; *letters; letters++) {
    uintptr_t unused;
    if (*letters == 'R')
      common->encoding = (uint8_t)vs_take(&data, 1);
    else if (*letters == 'L')
      vs_take(&data, 1);
    else if (*letters == 'P') {
      const uint8_t encoding = (uint8_t)vs_take(&data, 1);
      if (!take_encoded(&data, encoding & 0x7f, &unused))
        return false;
    } else if (*letters == 'S')
      common->signal_frame = true;
    else if (*letters != 'B' && *letters != 'G')
      return false;
  }
  return !data.failed;
}

static bool read_common(const struct dl_phdr_info *object, uintptr_t place,
                        struct vs_cfi_common *common) {
  struct vs_cursor entry;
  if (!enter(object, place, &entry) || vs_take(&entry, 4) != 0)
    return false;
  const uint64_t version = vs_take(&entry, 1);
  const char *letters = (const char *)entry.at;
  const uint8_t *end = memchr(entry.at, 0, (size_t)(entry.end - entry.at));
  if (!end || (version != 1 && version != 3))
    return false;
  entry.at = end + 1;
  common->signal_frame = false;
  common->code_factor = vs_take_unsigned(&entry);
  common->data_factor = vs_take_signed(&entry);
  common->return_register = version == 1 ? vs_take(&entry, 1) : vs_take_unsigned(&entry);
  if (!take_augmentation(&entry, letters, common) || entry.failed)
    return false;
  common->initial = entry;
  return true;
}

static struct vs_frame_rule read_rule(const struct dl_phdr_info *object, uintptr_t place,
                                      uintptr_t address) {
  const struct vs_frame_rule unknown = {.cfa = VS_CFA_UNKNOWN};
  struct vs_cfi_common common;
  struct vs_cursor entry;
  uintptr_t first, bytes;
  if (!enter(object, place, &entry))
    return unknown;
  const uintptr_t here = (uintptr_t)entry.at;
  const uint64_t back = vs_take(&entry, 4);
  if (back == 0 || !read_common(object, here - back, &common))
    return unknown;
  if (!take_encoded(&entry, common.encoding, &first) ||
      !take_encoded(&entry, common.encoding & 0x0f, &bytes))
    return unknown;
  if (address < first || address - first >= bytes)
    return unknown; /* a gap between functions */
  const uint64_t augmentation = vs_take_unsigned(&entry);
  if (entry.failed || augmentation > (uint64_t)(entry.end - entry.at))
    return unknown;
  entry.at += augmentation;
  return vs_cfi_run(&common, entry, address - first);
}

/* Bisects the search table: pairs of (first address, place of the FDE), sorted. */
static struct vs_frame_rule look_up(const struct dl_phdr_info *object, uintptr_t header,
                                    uintptr_t address) {
  const struct vs_frame_rule unknown = {.cfa = VS_CFA_UNKNOWN};
  struct vs_cursor table;
  uintptr_t unused, count;
  if (!mapped(object, header, &table) || vs_take(&table, 1) != 1)
    return unknown;
  const uint8_t frame = (uint8_t)vs_take(&table, 1), number = (uint8_t)vs_take(&table, 1);
  if (vs_take(&table, 1) != TABLE_ENCODING || !take_encoded(&table, frame, &unused) ||
      !take_encoded(&table, number, &count))
    return unknown;
  if (count == 0 || count > (uint64_t)(table.end - table.at) / 8)
    return unknown;
  const int64_t wanted = (int64_t)(address - header);
  uintptr_t low = 0, high = count; /* the last entry at or before the address, from low on */
  int32_t pair[2];
  while (high - low > 1) {
    const uintptr_t middle = low + (high - low) / 2;
    memcpy(pair, table.at + middle * sizeof pair, sizeof pair);
    if (pair[0] <= wanted)
      low = middle;
    else
      high = middle;
  }
  memcpy(pair, table.at + low * sizeof pair, sizeof pair);
  return read_rule(object, header + (uintptr_t)(intptr_t)pair[1], address);
}

static int visit(struct dl_phdr_info *object, size_t size, void *data) {
  struct search *search = data;
  struct vs_cursor range;
  (void)size;
  if (!mapped(object, search->address, &range))
    return 0;
  for (int i = 0; i < object->dlpi_phnum; i++)
    if (object->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
      search->rule =
          look_up(object, object->dlpi_addr + object->dlpi_phdr[i].p_vaddr, search->address);
  return 1;
}

/* The tables are read while the linker's lock keeps their object from being unloaded. */
struct vs_frame_rule vs_cfi_rule(uintptr_t address) {
  struct search search = {address, {.cfa = VS_CFA_UNKNOWN}};
  dl_iterate_phdr(visit, &search);
  return search.rule;
}

#else

struct vs_frame_rule vs_cfi_rule(uintptr_t address) {
  (void)address;
  return (struct vs_frame_rule){.cfa = VS_CFA_UNKNOWN};
}

#endif
