#include "requests.h"

#include <pthread.h>

#include "handle_map.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct vs_map requests;

void vs_made_request(MPI_Request request, struct vs_arguments *work, uint32_t communicator) {
  const uint64_t words[VS_MAP_WORDS] = {
      work->bytes, (uint64_t)(uint32_t)work->peer << 32 | (uint32_t)work->tag, communicator};
  work->bytes = 0;
  pthread_mutex_lock(&lock);
  vs_map_put(&requests, (uintptr_t)request, words);
  pthread_mutex_unlock(&lock);
}

struct vs_arguments vs_start_of(MPI_Request request) {
  struct vs_arguments work = {
      .communicator = VST_NO_COMMUNICATOR, .peer = VST_NO_PEER, .tag = VST_NO_TAG};
  uint64_t words[VS_MAP_WORDS];
  if (!vs_map_find(&requests, (uintptr_t)request, words))
    return work;
  work.bytes = words[0];
  work.peer = (int32_t)(uint32_t)(words[1] >> 32);
  work.tag = (int32_t)(uint32_t)words[1];
  work.communicator = (uint32_t)words[2];
  return work;
}

void vs_forget_request(MPI_Request request) {
  pthread_mutex_lock(&lock);
  vs_map_remove(&requests, (uintptr_t)request);
  pthread_mutex_unlock(&lock);
}
