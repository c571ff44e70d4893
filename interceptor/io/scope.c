#define _GNU_SOURCE 1
#include "scope.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "descriptors.h"
#include "options.h"
#include "origin.h"

static long process;

void vs_io_start(void) {
  process = syscall(SYS_getpid);
}

bool vs_io_in_child(void) {
  return syscall(SYS_getpid) != process;
}

bool vs_io_begin(struct vs_io *io, uint32_t call, const void *site) {
  if (!vs_options.io)
    return false;
  int error = errno;
  enum vs_handling handling = vs_of_program(site) ? vs_begin(&io->scope, call, site) : VS_PASS;
  io->light = handling == VS_LIGHT;
  errno = error;
  return handling != VS_PASS;
}

/* The end of the call itself: what follows is the tool's time. */
static void stop(struct vs_io *io) {
  io->error = errno;
  if (io->light)
    vs_leave(&io->scope);
  else
    vs_stop(&io->scope);
}

static void end(struct vs_io *io, uint32_t file, int64_t bytes, int32_t access) {
  struct vs_arguments arguments = {
      .bytes = bytes > 0 ? (uint64_t)bytes : 0,
      .communicator = file,
      .peer = VST_NO_PEER,
      .tag = access,
  };
  vs_end(&io->scope, &arguments);
  errno = io->error;
}

static uint32_t file_of(const struct vs_description *description) {
  return description ? description->file : VST_NO_COMMUNICATOR;
}

void vs_io_transfer(struct vs_io *io, int fd, int64_t result, int64_t offset, bool write) {
  bool fresh;
  stop(io);
  if (io->light) {
    vs_io_skip(fd, result, offset);
    errno = io->error;
    return;
  }
  struct vs_description *description = vs_io_description(fd, &fresh);
  int32_t access = vs_io_access(description, fd, result, offset, write, fresh);
  end(io, file_of(description), result, access);
}

void vs_io_stream_transfer(struct vs_io *io, FILE *stream, int64_t result) {
  bool fresh;
  stop(io);
  int fd = fileno_unlocked(stream);
  if (io->light) {
    vs_io_stream_access(vs_io_known(fd), result, false);
    errno = io->error;
    return;
  }
  struct vs_description *description = vs_io_description(fd, &fresh);
  int32_t access = vs_io_stream_access(description, result, fresh);
  end(io, file_of(description), result, access);
}

void vs_io_seek(struct vs_io *io, int fd, int64_t result) {
  bool fresh;
  stop(io);
  if (io->light) {
    vs_io_moved(vs_io_known(fd), result);
    errno = io->error;
    return;
  }
  struct vs_description *description = vs_io_description(fd, &fresh);
  int32_t access = vs_io_moved(description, result);
  end(io, file_of(description), 0, access);
}

void vs_io_stream_seek(struct vs_io *io, FILE *stream, bool done, int64_t offset, int from) {
  bool fresh = false;
  stop(io);
  int fd = fileno_unlocked(stream);
  struct vs_description *description = io->light ? vs_io_known(fd) : vs_io_description(fd, &fresh);
  int32_t access =
      done ? vs_io_stream_moved(description, offset, from) : (int32_t)VST_ACCESS_UNKNOWN;
  if (io->light)
    errno = io->error;
  else
    end(io, file_of(description), 0, access);
}

void vs_io_descriptor(struct vs_io *io, int fd, int64_t bytes) {
  bool fresh;
  stop(io);
  if (io->light)
    errno = io->error;
  else
    end(io, file_of(vs_io_description(fd, &fresh)), bytes, VST_NO_TAG);
}

void vs_io_plain(struct vs_io *io) {
  stop(io);
  if (io->light)
    errno = io->error;
  else
    end(io, VST_NO_COMMUNICATOR, 0, VST_NO_TAG);
}

void vs_io_made(struct vs_io *io, int from, int fd) {
  bool fresh;
  stop(io);
  if (io->light) {
    if (fd >= 0 && from != fd)
      vs_io_forget(fd);
    errno = io->error;
    return;
  }
  struct vs_description *description = NULL;
  if (fd >= 0 && from == VS_IO_OPENED)
    description = vs_io_opened(fd);
  else if (fd >= 0 && (description = vs_io_description(from, &fresh)) != NULL)
    vs_io_duplicated(from, fd);
  end(io, file_of(description), 0, VST_NO_TAG);
}

void vs_io_closed(struct vs_io *io, uint32_t file) {
  stop(io);
  if (io->light)
    errno = io->error;
  else
    end(io, file, 0, VST_NO_TAG);
}

void vs_io_unseen(int fd) {
  int error = errno;
  if (fd >= 0 && vs_io_awake() && !vs_io_in_child())
    vs_io_forget(fd);
  errno = error;
}
