/* Packing by itself, and single-threaded recording. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "driver.h"
#include "pack.h"

static int32_t some_int(uint64_t random, unsigned kind) {
  static const int32_t edges[] = {0, -1, -2, -3, 1, 63, 64, -64, -65, INT32_MAX, INT32_MIN};
  return kind == 0 ? (int32_t)(random & 3) : edges[random % 11];
}

static uint64_t some_wide(uint64_t random, unsigned kind) {
  if (kind == 0)
    return random & 7;
  if (kind == 1)
    return random >> (random & 63);
  return random & 1 ? UINT64_MAX : 0;
}

/* kind 0: repeats itself; 1: all lengths of numbers; 2: the worst, every value at its longest. */
static void fill(struct vst_record *records, uint32_t count, unsigned kind) {
  uint64_t clock = kind == 2 ? 0 : next_random() >> 20;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t random = next_random(), step = random >> (kind == 0 ? 58 : 20 + (random & 31));
    struct vst_record *r = &records[i];
    r->enter = clock + (kind == 2 && i == 0 ? UINT64_MAX >> 1 : step);
    r->exit = r->enter + (kind == 2 && i == 0 ? UINT64_MAX >> 1 : random >> 56);
    clock = r->exit;
    r->state = kind == 0 ? i % 5 : kind == 1 ? (uint32_t)(random & 31) * 0x01010101u : ~i;
    r->communicator = kind == 0 ? 0 : (uint32_t)(random >> 13) | (random & 1 ? ~0u : 0);
    r->peer = some_int(random >> 3, kind);
    r->tag = some_int(random >> 9, kind);
    r->bytes = some_wide(next_random(), kind);
    r->requests = kind == 0 ? i % 5 : kind == 1 ? (uint32_t)(random >> 33) : ~i;
    r->completed = random & 2 ? r->requests : kind == 0 ? 0 : ~0u;
    r->skipped = kind == 0 ? (random >> 5 & 63) == 0 : kind == 1 ? (uint32_t)(random >> 40) : ~i;
  }
}

/* Rounds of a loop over few call sites, with null partners in a row, that now and then is left
 * early or has a call more, a new size, a number of requests of its own. */
static void fill_rounds(struct vst_record *records, uint32_t count) {
  uint32_t period = (uint32_t)(next_random() % 12) + 1, place = 0;
  uint64_t shape = next_random(), clock = next_random() >> 20;
  unsigned sizes_change = next_random() & 1;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t random = next_random();
    if (random % 19 == 0)
      place = (uint32_t)(random >> 8) % period;
    uint64_t own = shape >> place * 4;
    records[i] = (struct vst_record){
        .enter = clock + (random & 3),
        .exit = clock + (random & 3) + (random >> 2 & 3),
        .state = own & 3,
        .communicator = own & 3 ? 0 : VST_NO_COMMUNICATOR,
        .peer = own & 4 ? VST_NULL_PEER : (int32_t)place,
        .tag = own & 8 ? (int32_t)place : 0,
        .bytes = sizes_change && own & 4 ? random >> 40 : 8,
        .requests = own & 3 ? 0 : 4 + (random % 23 == 0),
        .completed = own & 3 ? 0 : 4,
        .skipped = random % 29 == 0 ? (uint32_t)(random >> 33) : 0,
    };
    clock = records[i].exit;
    place = (place + 1) % period;
  }
}

/* Writes, for each of `rounds` blocks: count, previous exit, payload bytes (uint64 each), records,
 * payload. Buffers are just as long as promised, so that a sanitizer sees every byte too many. */
void run_pack(long rounds) {
  FILE *file = fopen(out_path, "wb");
  require(file != NULL, "the output can be written");
  for (long round = 0; round < rounds; round++) {
    seed_random((uint64_t)round);
    uint32_t count = (uint32_t)(next_random() % (round % 7 == 0 ? 2048 : 70)) + 1;
    struct vst_record *records = calloc(count, sizeof *records);
    void *scratch = malloc(vst_pack_scratch_bytes(count));
    uint8_t *payload = malloc(vst_pack_bound(count));
    if (round % 4 == 3)
      fill_rounds(records, count);
    else
      fill(records, count, (unsigned)(round % 4));
    uint64_t previous = round & 1 ? records[0].enter : records[0].enter - (next_random() & 255);
    uint64_t bytes = vst_pack(records, count, previous, scratch, payload);
    require(bytes <= vst_pack_bound(count), "payloads keep to their bound");
    uint64_t head[3] = {count, previous, bytes};
    fwrite(head, sizeof head, 1, file);
    fwrite(records, sizeof *records, count, file);
    fwrite(payload, 1, bytes, file);
    free(records);
    free(scratch);
    free(payload);
  }
  fclose(file);
}

/* Prints where the dynamic linker says that a site is, independent of how the recorder finds out.
 */
static void print_site(const void *site) {
  Dl_info info;
  require(dladdr(site, &info) != 0, "the linker knows the site");
  printf("site %llu %llu %s\n", (unsigned long long)(uintptr_t)site,
         (unsigned long long)((uintptr_t)site - (uintptr_t)info.dli_fbase), info.dli_fname);
}

/* FNV-1a over world ranks, as the members of a communicator are known by. */
static uint64_t hash_of(const int32_t *members, size_t count) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < count * sizeof *members; i++)
    hash = (hash ^ ((const uint8_t *)members)[i]) * 0x100000001b3u;
  return hash;
}

static void define_communicators(void) {
  static const int32_t members[] = {0, 1, 2, 3, 4, 11, 9, 7};
  struct vst_rank_run runs[] = {{0, 1, 5}, {11, -2, 3}};
  struct vst_communicator first = {
      .size = 5, .rank = 3, .runs = 1, .members_hash = hash_of(members, 5)};
  struct vst_communicator second = {.communicator = 2,
                                    .ordinal = 1,
                                    .size = 8,
                                    .rank = 3,
                                    .runs = 2,
                                    .remote_size = 4,
                                    .members_hash = hash_of(members, 8)};
  vs_define_communicator(&first, runs);
  vs_define_communicator(&second, runs);
}

void run_calls(long count) {
  static const char own[2];
  const void *sites[] = {&own[0], &own[1], (const char *)dlsym(RTLD_DEFAULT, "qsort") + 5,
                         (const char *)dlsym(RTLD_DEFAULT, "qsort") + 9};
  struct truth *truth = calloc((size_t)count, sizeof *truth);
  require(!vs_recording(), "nothing is recorded before the start");
  require(!record(0, sites[0], &(struct vs_arguments){0}, NULL), "calls before the start pass");
  start();
  define_communicators();
  for (unsigned i = 0; i < 4; i++)
    print_site(sites[i]);
  for (long i = 0; i < count; i++) {
    uint64_t random = next_random();
    unsigned kind = i < count / 2 ? 0 : 1 + (unsigned)(random >> 63);
    struct vs_arguments arguments = {
        .bytes = some_wide(next_random(), kind) >> 1, /* readers take no more than 63 bits */
        .communicator = kind == 0 ? 0 : (uint32_t)(random >> 13),
        .peer = some_int(random >> 3, kind),
        .tag = some_int(random >> 9, kind),
        .requests = (uint32_t)(random & 7),
        .completed = (uint32_t)(random >> 50 & 7),
    };
    require(
        record((uint32_t)(random >> 40) % CALLS, sites[random >> 20 & 3], &arguments, &truth[i]),
        "calls are recorded");
  }
  vs_report_problem("first line\nsecond line");
  vs_finish();
  require(!record(0, sites[0], &(struct vs_arguments){0}, NULL), "calls after the end pass");
  vs_report_problem("nobody hears this");
  vs_define_communicator(&(struct vst_communicator){.communicator = 9}, NULL);
  vs_finish();
  write_truth(truth, (size_t)count);
  free(truth);
}

/* Sites in memory that belongs to no module, more of them than are remembered. */
void run_unmapped(long count) {
  struct vs_arguments arguments = {.peer = VST_NO_PEER, .tag = VST_NO_TAG};
  char *memory = mmap(NULL, 65536, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(memory != MAP_FAILED, "memory can be mapped");
  start();
  for (long i = 0; i < count; i++)
    record(1, memory + i % 65536, &arguments, NULL);
  record(ALL_CALLS, memory, &arguments, NULL); /* no such call: lost */
  vs_finish();
}

void run_second_start(long argument) {
  struct vs_job job = {.mpi_implementation = "", .mpi_version = ""};
  char problem[512];
  (void)argument;
  start();
  require(!vs_start(&job, problem, sizeof problem), "a second start is refused");
  printf("%s\n", problem);
  record_pattern(0, 0);
  vs_finish();
}
