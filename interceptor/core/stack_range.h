/*
 * Which memory around an address may be read: the mapping that holds it, from /proc/self/maps. The
 * walk over a stack stays inside, so a broken stack ends a walk and not the program.
 */
#ifndef VARSCOPE_STACK_RANGE_H
#define VARSCOPE_STACK_RANGE_H

#include <stdbool.h>
#include <stdint.h>

struct vs_stack_range {
  uintptr_t low, high; /* low <= address < high */
};

/* False if no mapping holds `address` or the system does not tell. System calls only: safe in
 * signal handlers. Takes some ten microseconds, so the result is to be kept. */
bool vs_stack_range_find(uintptr_t address, struct vs_stack_range *range);

#endif
