/* Runs the instructions of a frame description: see cfi.h. */
#ifndef VARSCOPE_CFI_PROGRAM_H
#define VARSCOPE_CFI_PROGRAM_H

#include <stddef.h>

#include "cfi.h"

/* Bytes yet to be read. Reading behind the end gives zeros and sets `failed`. */
struct vs_cursor {
  const uint8_t *at, *end;
  bool failed;
};

uint64_t vs_take(struct vs_cursor *cursor, size_t bytes); /* little endian, 1 to 8 bytes */
uint64_t vs_take_unsigned(struct vs_cursor *cursor);      /* ULEB128 */
int64_t vs_take_signed(struct vs_cursor *cursor);         /* SLEB128 */

/* What a CIE says for all its FDEs. */
struct vs_cfi_common {
  uint64_t code_factor;
  int64_t data_factor;
  uint64_t return_register;
  uint8_t encoding; /* of addresses in FDEs, DW_EH_PE_* */
  bool signal_frame;
  struct vs_cursor initial; /* instructions before those of the FDE */
};

/* The rule at `distance` bytes behind the FDE's first address. */
struct vs_frame_rule vs_cfi_run(const struct vs_cfi_common *common, struct vs_cursor program,
                                uint64_t distance);

#endif
