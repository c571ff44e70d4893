#define _GNU_SOURCE 1
#include "transfers.h"

#include <string.h>
#include <sys/mman.h>

#include "pending_table.h"
#include "transfer_room.h"
#include "work.h"

/* Completions that are handled under one hold of the lock. */
#define BATCH VS_TRANSFERS_AT_ONCE

static uint32_t current_epoch(void) {
  return vs_core.light_epoch ? atomic_load_explicit(vs_core.light_epoch, memory_order_relaxed) : 0;
}

static bool open_room(struct vs_waiting *waiting, int count, const void *requests) {
  waiting->requests = waiting->few;
  waiting->own = waiting->few_statuses;
  waiting->statuses = NULL;
  waiting->fortran = false;
  waiting->mapped = 0;
  waiting->count = requests && count > 0 ? count : 0;
  if (waiting->count <= VS_FEW_REQUESTS)
    return waiting->count > 0;
  const size_t statuses = (size_t)count * sizeof(MPI_Status);
  const size_t bytes = statuses + (size_t)count * sizeof(MPI_Request);
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    waiting->count = 0;
    return false;
  }
  waiting->mapped = bytes;
  waiting->own = memory;
  waiting->requests = (MPI_Request *)(void *)((char *)memory + statuses);
  return true;
}

void vs_waiting_open(struct vs_waiting *waiting, int count, const MPI_Request *requests) {
  if (open_room(waiting, count, requests))
    memcpy(waiting->requests, requests, (size_t)count * sizeof *requests);
}

void vs_waiting_open_fortran(struct vs_waiting *waiting, int count, const MPI_Fint *requests) {
  if (open_room(waiting, count, requests))
    for (int i = 0; i < count; i++)
      waiting->requests[i] = vs_request_f2c(requests[i]);
}

static bool take_over(struct vs_waiting *waiting) {
  if (waiting->count == 0 || !vs_pending_needs_status())
    return false;
  waiting->statuses = waiting->own;
  return true;
}

MPI_Status *vs_waiting_statuses(struct vs_waiting *waiting, MPI_Status *given) {
  if (given == MPI_STATUS_IGNORE || given == MPI_STATUSES_IGNORE)
    return take_over(waiting) ? waiting->own : given;
  waiting->statuses = given;
  return given;
}

void *vs_waiting_statuses_fortran(struct vs_waiting *waiting, void *given, enum vs_form form) {
  const bool f08 = form != VS_FORM_F;
  void *const *one =
      f08 && vs_mpi.f08_status_ignore ? vs_mpi.f08_status_ignore : vs_mpi.fortran_status_ignore;
  void *const *many = f08 && vs_mpi.f08_statuses_ignore ? vs_mpi.f08_statuses_ignore
                                                        : vs_mpi.fortran_statuses_ignore;
  if (!one || !*one || !many || !*many)
    return given; /* whether it is ignored cannot be told */
  waiting->fortran = true;
  if (given == *one || given == *many)
    return take_over(waiting) ? waiting->own : given;
  waiting->statuses = given;
  return given;
}

void vs_waiting_close(struct vs_waiting *waiting) {
  if (waiting->mapped > 0)
    munmap(waiting->own, waiting->mapped);
}

/* Of a completed request: which of the call's statuses, or -1; and what is known already. */
struct completion {
  int status;
  uint32_t flags; /* enum vst_transfer_flag */
};

/* Statuses of Fortran are those of C, but aligned less. */
static bool read_status(const struct vs_waiting *waiting, int i, MPI_Status *status) {
  if (!waiting->statuses || i < 0)
    return false;
  const char *at = (const char *)waiting->statuses + (size_t)i * sizeof *status;
  if (waiting->fortran)
    return vs_mpi.Status_f2c((const MPI_Fint *)(const void *)at, status) == MPI_SUCCESS;
  memcpy(status, at, sizeof *status);
  return true;
}

static bool was_cancelled(const MPI_Status *status) {
  int flag = 0;
  return vs_mpi.Test_cancelled(status, &flag) == MPI_SUCCESS && flag;
}

/* Puts what came in the place of what was posted. Only statuses of receives tell anything. */
static void take_status(struct vs_pending *start, const MPI_Status *status) {
  if ((start->flags & VS_PENDING_CANCELLED) && was_cancelled(status)) {
    start->flags |= VST_TRANSFER_CANCELLED;
    return;
  }
  if (!(start->flags & VS_PENDING_RECEIVE) || (start->flags & VST_TRANSFER_FAILED))
    return;
  const struct vs_comm comm = {.group = start->group};
  const bool comes_from = start->group && status->MPI_SOURCE != MPI_ANY_SOURCE;
  if (start->peer == VST_ANY_PEER && (comes_from || status->MPI_SOURCE == MPI_PROC_NULL)) {
    start->peer = vs_peer(&comm, status->MPI_SOURCE);
    start->flags |= VST_TRANSFER_PEER;
  }
  if (start->tag == VST_ANY_TAG && status->MPI_TAG != MPI_ANY_TAG) {
    start->tag = status->MPI_TAG;
    start->flags |= VST_TRANSFER_TAG;
  }
  const uint64_t bytes = vs_received(status);
  if (bytes != start->bytes) {
    start->bytes = bytes;
    start->flags |= VST_TRANSFER_BYTES;
  }
}

/* Adds to a start what its completion tells. */
static void add_completion(struct vs_pending *start, const struct vs_waiting *waiting,
                           const struct completion *completion) {
  MPI_Status status;
  start->flags |= completion->flags;
  if (waiting->statuses && (start->flags & (VS_PENDING_RECEIVE | VS_PENDING_CANCELLED)) &&
      read_status(waiting, completion->status, &status))
    take_status(start, &status);
}

static void write_transfer(struct vst_transfer *transfer, const struct vs_pending *start,
                           uint64_t number) {
  const uint32_t flags = start->flags & VST_TRANSFER_FLAGS;
  transfer->end_record = number;
  transfer->start_record = start->start_record;
  transfer->bytes = flags & VST_TRANSFER_BYTES ? start->bytes : 0;
  transfer->start_thread = start->start_thread;
  transfer->flags = flags;
  transfer->peer = flags & VST_TRANSFER_PEER ? start->peer : 0;
  transfer->tag = flags & VST_TRANSFER_TAG ? start->tag : 0;
  transfer->communicator = flags & VST_TRANSFER_COMMUNICATOR ? start->communicator : 0;
  transfer->reserved = 0;
}

static inline struct vst_transfer *open_transfers(const struct vs_scope *scope, uint32_t count) {
  struct vst_transfer *room = vs_transfer_room(scope, count);
  return __builtin_expect(room != NULL, 1) ? room : vs_core.open_transfers(scope, count);
}

static inline void close_transfers(const struct vs_scope *scope, uint32_t count) {
  if (!vs_transfers_close(scope, count))
    vs_core.close_transfers(scope, count);
}

static void write_transfers(const struct vs_scope *scope, const struct vs_pending *starts,
                            uint32_t count, uint64_t number) {
  struct vst_transfer *transfers = count > 0 ? open_transfers(scope, count) : NULL;
  if (!transfers)
    return;
  for (uint32_t i = 0; i < count; i++)
    write_transfer(&transfers[i], &starts[i], number);
  close_transfers(scope, count);
}

/*
 * Completes the call's requests from `first` on, up to BATCH of them, as long as nothing but the
 * start itself has to be looked at for each: the usual case. Returns the first one that is left.
 */
static int complete_quickly(const struct vs_waiting *waiting, const struct vs_scope *scope,
                            int first) {
  const struct vs_thread *thread = scope->thread;
  const int left = waiting->count - first;
  const int end = first + (left < (int)BATCH ? left : (int)BATCH);
  const uint32_t refused = waiting->statuses ? VS_PENDING_RECEIVE : 0;
  const uint64_t number = vs_record_number(scope);
  const uint32_t epoch = current_epoch();
  if (number == VS_NO_RECORD)
    return first;
  struct vst_transfer *transfers = open_transfers(scope, (uint32_t)(end - first));
  if (!transfers)
    return first;
  uint32_t made = 0;
  int at = first;
  if (vs_owned_lock(&vs_pending_table.lock, thread)) {
    for (; at < end; at++) {
      if (waiting->requests[at] == vs_mpi.no_request)
        continue;
      const struct vs_pending *start =
          vs_pending_take_only((uintptr_t)waiting->requests[at], epoch, refused);
      if (!start)
        break;
      write_transfer(&transfers[made++], start, number);
    }
    vs_owned_unlock(&vs_pending_table.lock, thread);
  }
  close_transfers(scope, made);
  return at;
}

/* Collects completions and hands them on in batches. */
struct collector {
  const struct vs_waiting *waiting;
  const struct vs_scope *scope;
  uint32_t count;
  uintptr_t handles[BATCH];
  struct completion completions[BATCH];
};

/* Starts that are not known are counted, but for requests that are inactive: these were not
 * started, which is right. */
static __attribute__((noinline)) uint32_t drop_unknown(struct collector *collector,
                                                       struct vs_pending *starts, const bool *found,
                                                       uint32_t *unmatched) {
  uint32_t known = 0;
  for (uint32_t i = 0; i < collector->count; i++) {
    if (!found[i]) {
      *unmatched += !vs_is_persistent((MPI_Request)collector->handles[i]);
      continue;
    }
    starts[known] = starts[i];
    collector->completions[known++] = collector->completions[i];
  }
  return known;
}

static void flush(struct collector *collector) {
  const struct vs_scope *scope = collector->scope;
  struct vs_pending starts[BATCH];
  bool found[BATCH];
  const struct vs_completer completer = {scope->thread, scope->thread->number, current_epoch()};
  uint32_t count = collector->count, unmatched = 0;
  if (count == 0)
    return;
  const uint64_t number = vs_record_number(scope);
  if (vs_pending_take(&completer, collector->handles, count, starts, found) < count)
    count = drop_unknown(collector, starts, found, &unmatched);
  collector->count = 0;
  if (number == VS_NO_RECORD)
    return;
  for (uint32_t i = 0; i < count; i++)
    add_completion(&starts[i], collector->waiting, &collector->completions[i]);
  write_transfers(scope, starts, count, number);
  if (unmatched > 0)
    vs_core.count_unmatched(scope, unmatched);
}

static inline void collect(struct collector *collector, int request, int status, uint32_t flags) {
  if (request < 0 || request >= collector->waiting->count ||
      collector->waiting->requests[request] == vs_mpi.no_request)
    return;
  const uint32_t at = collector->count++;
  collector->handles[at] = (uintptr_t)collector->waiting->requests[request];
  collector->completions[at].status = status;
  collector->completions[at].flags = flags;
  if (collector->count == BATCH)
    flush(collector);
}

static struct collector begin(const struct vs_waiting *waiting, const struct vs_scope *scope) {
  struct collector collector;
  collector.waiting = waiting;
  collector.scope = scope;
  collector.count = 0;
  return collector;
}

void vs_waited_all(const struct vs_waiting *waiting, const struct vs_scope *scope) {
  int done = 0;
  for (int before = -1; done > before && done < waiting->count;) {
    before = done;
    done = complete_quickly(waiting, scope, done);
  }
  if (done == waiting->count)
    return;
  struct collector collector = begin(waiting, scope);
  for (int i = done; i < waiting->count; i++)
    collect(&collector, i, i, 0);
  flush(&collector);
}

void vs_waited_one(const struct vs_waiting *waiting, const struct vs_scope *scope, int index) {
  struct collector collector = begin(waiting, scope);
  collect(&collector, index, 0, 0);
  flush(&collector);
}

void vs_waited_some(const struct vs_waiting *waiting, const struct vs_scope *scope, int count,
                    const int *indices, int first) {
  struct collector collector = begin(waiting, scope);
  for (int i = 0; i < count && i < waiting->count; i++)
    collect(&collector, indices[i] - first, i, 0);
  flush(&collector);
}

/* Whether a request that was there is gone. */
static bool is_gone(const struct vs_waiting *waiting, const MPI_Fint *requests, int i) {
  return i >= 0 && i < waiting->count && waiting->requests[i] != vs_mpi.no_request &&
         vs_request_f2c(requests[i]) == vs_mpi.no_request;
}

/* Found out from the first completed request that tells: only one of both can be it. */
int vs_first_index(const struct vs_waiting *waiting, const MPI_Fint *requests, int count,
                   const MPI_Fint *indices, enum vs_form form) {
  static _Atomic int zero_based = -1; /* -1: not known yet */
  int known = atomic_load_explicit(&zero_based, memory_order_relaxed);
  if (form == VS_FORM_F || count <= 0)
    return 1;
  for (int i = 0; known < 0 && i < count && i < waiting->count; i++) {
    const bool one = is_gone(waiting, requests, indices[i] - 1);
    const bool zero = is_gone(waiting, requests, indices[i]);
    if (one != zero)
      atomic_store_explicit(&zero_based, known = zero, memory_order_relaxed);
  }
  return known == 1 ? 0 : 1;
}

/* Of several, each status tells whether it was the one that failed. */
static void collect_failed(struct collector *collector, int i) {
  const struct vs_waiting *waiting = collector->waiting;
  MPI_Status status;
  const bool well =
      waiting->count > 1 && read_status(waiting, i, &status) && status.MPI_ERROR == MPI_SUCCESS;
  collect(collector, i, i, well ? 0 : VST_TRANSFER_FAILED);
}

void vs_waited_failed(const struct vs_waiting *waiting, const struct vs_scope *scope,
                      const MPI_Request *requests) {
  struct collector collector = begin(waiting, scope);
  for (int i = 0; i < waiting->count; i++)
    if (requests[i] == vs_mpi.no_request)
      collect_failed(&collector, i);
  flush(&collector);
}

void vs_waited_failed_fortran(const struct vs_waiting *waiting, const struct vs_scope *scope,
                              const MPI_Fint *requests) {
  struct collector collector = begin(waiting, scope);
  for (int i = 0; i < waiting->count; i++)
    if (vs_request_f2c(requests[i]) == vs_mpi.no_request)
      collect_failed(&collector, i);
  flush(&collector);
}

void vs_posted(const struct vs_scope *scope, MPI_Request request, const struct vs_arguments *work,
               const struct vs_comm *comm, bool receive) {
  if (request == vs_mpi.no_request)
    return;
  const uint64_t number = vs_record_number(scope);
  if (number == VS_NO_RECORD)
    return;
  struct vs_pending *start = vs_pending_open(scope->thread, (uintptr_t)request, current_epoch(),
                                             receive ? VS_PENDING_RECEIVE : 0);
  if (!start)
    return;
  start->start_record = number;
  start->bytes = work->bytes;
  start->peer = work->peer;
  start->tag = work->tag;
  start->communicator = comm->number;
  start->start_thread = scope->thread->number;
  start->group = comm->group;
  vs_pending_close(scope->thread, start);
}

void vs_restarted(struct vs_waiting *waiting, const MPI_Request *requests) {
  for (int i = 0; i < waiting->count; i++) {
    if (waiting->requests[i] != requests[i])
      vs_moved_request(waiting->requests[i], requests[i]);
    waiting->requests[i] = requests[i];
  }
}

void vs_restarted_fortran(struct vs_waiting *waiting, const MPI_Fint *requests) {
  for (int i = 0; i < waiting->count; i++) {
    const MPI_Request now = vs_request_f2c(requests[i]);
    if (waiting->requests[i] != now)
      vs_moved_request(waiting->requests[i], now);
    waiting->requests[i] = now;
  }
}

/* Where one of several starts differs from what the record says of all. */
static uint32_t differing(const struct vs_arguments *start, const struct vs_arguments *work,
                          const struct vs_comm *comm) {
  return (start->peer != work->peer ? VST_TRANSFER_PEER : 0u) |
         (start->tag != work->tag ? VST_TRANSFER_TAG : 0u) |
         (start->bytes != work->bytes ? VST_TRANSFER_BYTES : 0u) |
         (start->communicator != comm->number ? VST_TRANSFER_COMMUNICATOR : 0u);
}

void vs_posted_again(const struct vs_waiting *waiting, const struct vs_scope *scope,
                     const struct vs_arguments *work, const struct vs_comm *comm) {
  const uint64_t number = vs_record_number(scope);
  if (number == VS_NO_RECORD)
    return;
  for (int i = 0; i < waiting->count; i++) {
    bool receive;
    const struct vs_group *group;
    const struct vs_arguments one = vs_start_of(waiting->requests[i], &group, &receive);
    const uint32_t flags = VS_PENDING_PERSISTENT | (receive ? VS_PENDING_RECEIVE : 0u);
    struct vs_pending *start =
        vs_pending_open(scope->thread, (uintptr_t)waiting->requests[i], current_epoch(),
                        flags | differing(&one, work, comm));
    if (!start)
      continue;
    start->start_record = number;
    start->start_thread = scope->thread->number;
    start->bytes = one.bytes;
    start->peer = one.peer;
    start->tag = one.tag;
    start->communicator = one.communicator;
    start->group = group;
    vs_pending_close(scope->thread, start);
  }
}

void vs_exchanged(const struct vs_scope *scope, const struct vs_arguments *sent,
                  const struct vs_arguments *received) {
  const struct vs_arguments *const halves[2] = {sent, received};
  struct vs_pending starts[2];
  uint32_t made = 0;
  const uint64_t number = vs_record_number(scope);
  if (number == VS_NO_RECORD)
    return;
  for (int i = 0; i < 2; i++) {
    if (halves[i]->peer == VST_NULL_PEER)
      continue;
    starts[made++] =
        (struct vs_pending){.start_record = number,
                            .bytes = halves[i]->bytes,
                            .peer = halves[i]->peer,
                            .tag = halves[i]->tag,
                            .start_thread = scope->thread->number,
                            .flags = VST_TRANSFER_PEER | VST_TRANSFER_TAG | VST_TRANSFER_BYTES |
                                     (halves[i] == received ? VS_PENDING_RECEIVE : 0u)};
  }
  write_transfers(scope, starts, made, number);
}

void vs_freed(const struct vs_scope *scope, MPI_Request request) {
  const uintptr_t handle = (uintptr_t)request;
  const struct vs_completer completer = {scope->thread, scope->thread->number, current_epoch()};
  struct vs_pending start;
  bool found;
  const uint64_t number = vs_record_number(scope);
  vs_pending_take(&completer, &handle, 1, &start, &found);
  if (!found || number == VS_NO_RECORD)
    return;
  start.flags |= VST_TRANSFER_FREED;
  write_transfers(scope, &start, 1, number);
}

void vs_cancelling(const struct vs_scope *scope, MPI_Request request) {
  vs_pending_cancel(scope->thread, (uintptr_t)request);
}
