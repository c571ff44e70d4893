#include "messages.h"

#include <pthread.h>

#include "handle_map.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct vs_map messages;

/* Words of a message: its peer and tag; the number of its communicator, and above it how many calls
 * the probing thread had left out or lost by then; that communicator's group; that thread. */
enum { PEER_AND_TAG, COMMUNICATOR_AND_COUNT, GROUP, PROBER };

/*
 * A call left out may have received the message, and another one found a new message under the same
 * handle. So what was noted holds only while the thread that probed has left nothing out since; and
 * if another one receives, only where both have never left out anything: what a thread left out
 * lately is not known to others yet.
 */
static bool holds(const uint64_t words[VS_MAP_WORDS], const struct vs_thread *receiver) {
  const struct vs_thread *prober = (const struct vs_thread *)(uintptr_t)words[PROBER];
  const uint32_t count = (uint32_t)(words[COMMUNICATOR_AND_COUNT] >> 32);
  if (receiver == prober)
    return (uint32_t)vs_core.unrecorded(prober) == count;
  return vs_core.unrecorded(prober) == 0 && vs_core.unrecorded(receiver) == 0;
}

void vs_probed(const struct vs_scope *scope, const MPI_Message *message,
               const struct vs_arguments *work, const struct vs_comm *comm) {
  const uint64_t words[VS_MAP_WORDS] = {
      [PEER_AND_TAG] = (uint64_t)(uint32_t)work->peer << 32 | (uint32_t)work->tag,
      [COMMUNICATOR_AND_COUNT] = vs_core.unrecorded(scope->thread) << 32 | comm->number,
      [GROUP] = (uintptr_t)comm->group,
      [PROBER] = (uintptr_t)scope->thread};
  pthread_mutex_lock(&lock);
  vs_map_put(&messages, (uintptr_t)*message, words);
  pthread_mutex_unlock(&lock);
}

void vs_probed_fortran(const struct vs_scope *scope, const MPI_Fint *message,
                       const struct vs_arguments *work, const struct vs_comm *comm) {
  const MPI_Message handle = vs_message_f2c(*message);
  vs_probed(scope, &handle, work, comm);
}

struct vs_message vs_taken(const struct vs_scope *scope, const MPI_Message *message) {
  struct vs_message taken = {vs_no_comm(), VST_ANY_PEER, VST_ANY_TAG};
  uint64_t words[VS_MAP_WORDS];
  pthread_mutex_lock(&lock);
  const bool found = vs_map_find(&messages, (uintptr_t)*message, words);
  vs_map_remove(&messages, (uintptr_t)*message);
  pthread_mutex_unlock(&lock);
  if (!found || !holds(words, scope->thread))
    return taken;
  taken.peer = (int32_t)(uint32_t)(words[PEER_AND_TAG] >> 32);
  taken.tag = (int32_t)(uint32_t)words[PEER_AND_TAG];
  taken.comm.number = (uint32_t)words[COMMUNICATOR_AND_COUNT];
  taken.comm.group = (const struct vs_group *)(uintptr_t)words[GROUP];
  return taken;
}

struct vs_message vs_taken_fortran(const struct vs_scope *scope, const MPI_Fint *message) {
  const MPI_Message handle = vs_message_f2c(*message);
  return vs_taken(scope, &handle);
}

void vs_work_of_message(struct vs_arguments *work, const struct vs_message *message) {
  if (work->peer == VST_ANY_PEER)
    work->peer = message->peer;
  if (work->tag == VST_ANY_TAG)
    work->tag = message->tag;
  if (work->peer == VST_NULL_PEER)
    work->bytes = 0; /* nothing comes from MPI_PROC_NULL */
}
