/*
 * How to get from a frame to its caller, read from the unwind tables (.eh_frame) that compilers put
 * into programs and libraries for exceptions. Only what call paths need: the canonical frame
 * address (CFA), the return address and the frame pointer. x86-64 alone; elsewhere nothing is
 * found.
 *
 * Sources: DWARF 5 section 6.4 (call frame information); Linux Standard Base Core 5.0, chapter
 * "Exception Frames" (.eh_frame, .eh_frame_hdr); System V ABI AMD64, figure 3.36 (register
 * numbers).
 */
#ifndef VARSCOPE_CFI_H
#define VARSCOPE_CFI_H

#include <stdbool.h>
#include <stdint.h>

enum vs_cfa {
  VS_CFA_UNKNOWN = 0, /* no table covers the address, or it says more than is understood here */
  VS_CFA_SP = 1,      /* stack pointer + cfa_offset */
  VS_CFA_FP = 2,      /* frame pointer + cfa_offset */
  VS_CFA_AT_FP = 3, /* what stands at frame pointer + cfa_offset: functions that align the stack */
  VS_CFA_OUTERMOST = 4, /* nobody called this frame */
  VS_CFA_SIGNAL = 5     /* the kernel called the handler above: who was hit is chance */
};

enum vs_caller_fp {
  VS_FP_SAME = 0,   /* the caller's frame pointer is still in the register */
  VS_FP_AT_CFA = 1, /* saved at CFA + fp_offset */
  VS_FP_AT_FP = 2,  /* saved at frame pointer + fp_offset */
  VS_FP_LOST = 3
};

struct vs_frame_rule {
  uint8_t cfa;           /* enum vs_cfa */
  uint8_t caller_fp;     /* enum vs_caller_fp */
  int16_t return_offset; /* the return address is at CFA + this */
  int32_t cfa_offset, fp_offset;
};

/*
 * The rule for the instruction at `address`; for a caller, pass its return address - 1, as a call
 * can be the last instruction of a function. Takes the dynamic linker's lock, not ours. Never
 * allocates; reads only memory that the object's segments map.
 */
struct vs_frame_rule vs_cfi_rule(uintptr_t address);

#endif
