#define _GNU_SOURCE 1
#include "transfers.h"

#include <string.h>
#include <sys/mman.h>

#include "pending.h"
#include "work.h"

/* Completions that are handled under one hold of the lock. */
#define BATCH 16u

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

/* A completed request: which of the call's, and which of its statuses. */
struct completion {
  int request, status;
  uint32_t flags;
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
static void take_status(struct vst_transfer *transfer, struct vs_pending *start,
                        const MPI_Status *status) {
  if ((start->flags & VS_PENDING_CANCELLED) && was_cancelled(status)) {
    transfer->flags |= VST_TRANSFER_CANCELLED;
    return;
  }
  if (!(start->flags & VS_PENDING_RECEIVE) || (transfer->flags & VST_TRANSFER_FAILED))
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

static void make_transfer(struct vst_transfer *transfer, struct vs_pending *start, uint64_t number,
                          const struct vs_waiting *waiting, const struct completion *completion) {
  MPI_Status status;
  *transfer = (struct vst_transfer){.end_record = number,
                                    .start_record = start->start_record,
                                    .start_thread = start->start_thread,
                                    .flags = completion->flags};
  if (waiting && (start->flags & (VS_PENDING_RECEIVE | VS_PENDING_CANCELLED)) &&
      read_status(waiting, completion->status, &status))
    take_status(transfer, start, &status);
  transfer->flags |= start->flags & VST_TRANSFER_FLAGS;
  if (start->flags & VST_TRANSFER_PEER)
    transfer->peer = start->peer;
  if (start->flags & VST_TRANSFER_TAG)
    transfer->tag = start->tag;
  if (start->flags & VST_TRANSFER_BYTES)
    transfer->bytes = start->bytes;
  if (start->flags & VST_TRANSFER_COMMUNICATOR)
    transfer->communicator = start->communicator;
}

/* Completes up to BATCH requests. */
static void complete(const struct vs_waiting *waiting, const struct vs_scope *scope,
                     const struct completion *completions, uint32_t count) {
  uintptr_t handles[BATCH];
  struct vs_pending starts[BATCH];
  struct vst_transfer transfers[BATCH];
  bool found[BATCH];
  uint32_t thread = UINT32_MAX, made = 0, unmatched = 0;
  const uint64_t number = vs_core.record_number(scope, &thread);
  for (uint32_t i = 0; i < count; i++)
    handles[i] = (uintptr_t)waiting->requests[completions[i].request];
  vs_pending_take(handles, count, thread, current_epoch(), starts, found);
  for (uint32_t i = 0; i < count; i++) {
    if (found[i])
      make_transfer(&transfers[made++], &starts[i], number, waiting, &completions[i]);
    else /* one that is inactive was not started, which is right */
      unmatched += !vs_is_persistent(waiting->requests[completions[i].request]);
  }
  if (number == VS_NO_RECORD)
    return;
  if (made > 0)
    vs_core.stage_transfers(scope, transfers, made);
  if (unmatched > 0)
    vs_core.count_unmatched(scope, unmatched);
}

/* Collects completions and hands them on in batches. */
struct collector {
  const struct vs_waiting *waiting;
  const struct vs_scope *scope;
  uint32_t count;
  struct completion batch[BATCH];
};

static void flush(struct collector *collector) {
  if (collector->count > 0)
    complete(collector->waiting, collector->scope, collector->batch, collector->count);
  collector->count = 0;
}

static void collect(struct collector *collector, int request, int status, uint32_t flags) {
  if (request < 0 || request >= collector->waiting->count ||
      collector->waiting->requests[request] == vs_mpi.no_request)
    return;
  collector->batch[collector->count++] = (struct completion){request, status, flags};
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
  struct collector collector = begin(waiting, scope);
  for (int i = 0; i < waiting->count; i++)
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
  struct vs_pending start = {.bytes = work->bytes,
                             .peer = work->peer,
                             .tag = work->tag,
                             .communicator = comm->number,
                             .group = comm->group,
                             .flags = receive ? VS_PENDING_RECEIVE : 0,
                             .epoch = current_epoch()};
  start.start_record = vs_core.record_number(scope, &start.start_thread);
  if (request != vs_mpi.no_request && start.start_record != VS_NO_RECORD)
    vs_pending_put((uintptr_t)request, &start);
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
static uint32_t differing(const struct vs_pending *start, const struct vs_arguments *work,
                          const struct vs_comm *comm) {
  return (start->peer != work->peer ? VST_TRANSFER_PEER : 0u) |
         (start->tag != work->tag ? VST_TRANSFER_TAG : 0u) |
         (start->bytes != work->bytes ? VST_TRANSFER_BYTES : 0u) |
         (start->communicator != comm->number ? VST_TRANSFER_COMMUNICATOR : 0u);
}

void vs_posted_again(const struct vs_waiting *waiting, const struct vs_scope *scope,
                     const struct vs_arguments *work, const struct vs_comm *comm) {
  uint32_t thread;
  const uint64_t number = vs_core.record_number(scope, &thread);
  if (number == VS_NO_RECORD)
    return;
  for (int i = 0; i < waiting->count; i++) {
    bool receive;
    const struct vs_group *group;
    const struct vs_arguments one = vs_start_of(waiting->requests[i], &group, &receive);
    struct vs_pending start = {.start_record = number,
                               .start_thread = thread,
                               .bytes = one.bytes,
                               .peer = one.peer,
                               .tag = one.tag,
                               .communicator = one.communicator,
                               .group = group,
                               .epoch = current_epoch()};
    start.flags =
        VS_PENDING_PERSISTENT | (receive ? VS_PENDING_RECEIVE : 0) | differing(&start, work, comm);
    vs_pending_put((uintptr_t)waiting->requests[i], &start);
  }
}

void vs_freed(const struct vs_scope *scope, MPI_Request request) {
  const uintptr_t handle = (uintptr_t)request;
  const struct completion completion = {0, -1, VST_TRANSFER_FREED};
  struct vs_pending start;
  struct vst_transfer transfer;
  uint32_t thread = UINT32_MAX;
  bool found;
  const uint64_t number = vs_core.record_number(scope, &thread);
  vs_pending_take(&handle, 1, thread, current_epoch(), &start, &found);
  if (!found || number == VS_NO_RECORD)
    return;
  make_transfer(&transfer, &start, number, NULL, &completion);
  vs_core.stage_transfers(scope, &transfer, 1);
}

void vs_cancelling(MPI_Request request) {
  vs_pending_cancel((uintptr_t)request);
}
