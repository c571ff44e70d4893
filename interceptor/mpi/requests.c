#include "requests.h"

#include <pthread.h>

#include "handle_map.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct vs_map requests;

/* Words of a request: bytes; peer and tag; communicator, and whether it receives; group. */
enum { BYTES, PEER_AND_TAG, COMMUNICATOR, GROUP };
#define RECEIVE ((uint64_t)1 << 32)

void vs_made_request(MPI_Request request, struct vs_arguments *work, const struct vs_comm *comm,
                     bool receive) {
  const uint64_t words[VS_MAP_WORDS] = {[BYTES] = work->bytes,
                                        [PEER_AND_TAG] = (uint64_t)(uint32_t)work->peer << 32 |
                                                         (uint32_t)work->tag,
                                        [COMMUNICATOR] = comm->number | (receive ? RECEIVE : 0),
                                        [GROUP] = (uintptr_t)comm->group};
  work->bytes = 0;
  pthread_mutex_lock(&lock);
  vs_map_put(&requests, (uintptr_t)request, words);
  pthread_mutex_unlock(&lock);
}

struct vs_arguments vs_start_of(MPI_Request request, const struct vs_group **group, bool *receive) {
  struct vs_arguments work = {
      .communicator = VST_NO_COMMUNICATOR, .peer = VST_NO_PEER, .tag = VST_NO_TAG};
  uint64_t words[VS_MAP_WORDS];
  *group = NULL;
  *receive = false;
  if (!vs_map_find(&requests, (uintptr_t)request, words))
    return work;
  work.bytes = words[BYTES];
  work.peer = (int32_t)(uint32_t)(words[PEER_AND_TAG] >> 32);
  work.tag = (int32_t)(uint32_t)words[PEER_AND_TAG];
  work.communicator = (uint32_t)words[COMMUNICATOR];
  *receive = (words[COMMUNICATOR] & RECEIVE) != 0;
  *group = (const struct vs_group *)(uintptr_t)words[GROUP];
  return work;
}

bool vs_is_persistent(MPI_Request request) {
  uint64_t words[VS_MAP_WORDS];
  return vs_map_find(&requests, (uintptr_t)request, words);
}

void vs_moved_request(MPI_Request from, MPI_Request to) {
  uint64_t words[VS_MAP_WORDS];
  pthread_mutex_lock(&lock);
  if (vs_map_find(&requests, (uintptr_t)from, words)) {
    vs_map_remove(&requests, (uintptr_t)from);
    vs_map_put(&requests, (uintptr_t)to, words);
  }
  pthread_mutex_unlock(&lock);
}

void vs_forget_request(MPI_Request request) {
  pthread_mutex_lock(&lock);
  vs_map_remove(&requests, (uintptr_t)request);
  pthread_mutex_unlock(&lock);
}
