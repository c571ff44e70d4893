/* Disk space and mappings of the trace file, each under a descriptor that is open only meanwhile.
 */
#ifndef VARSCOPE_SPACE_H
#define VARSCOPE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define VS_PATH_BYTES 4096

/* Which file it is; another one under the same path is never written to. */
struct vs_space {
  char path[VS_PATH_BYTES];
  dev_t device;
  ino_t inode;
  uint64_t allocated; /* bytes of the file that have disk space */
};

/* All return 0 or an errno value. ESTALE: the file was replaced by another one. */

/* Creates the file at space->path, which must not exist. */
int vs_space_create(struct vs_space *space);

/* Sees to it that the file's first `bytes` bytes have disk space, all zero where not yet written.
 */
int vs_space_allocate(struct vs_space *space, uint64_t bytes);

/* Maps a range for reading and writing; `offset` is a multiple of the page size. */
int vs_space_map(const struct vs_space *space, uint64_t offset, size_t bytes, void **memory);

/* Cuts the file to `bytes`. */
int vs_space_trim(struct vs_space *space, uint64_t bytes);

#endif
