// Which ways through the reader an input takes: the reader is compiled with GCC's
// -fsanitize-coverage=trace-pc, which calls a function here from every basic block.
#pragma once

#include <cstddef>

namespace fuzz {

/** Forgets the way of the input before. */
void startCoverage();

/**
 * Adds the way since startCoverage to all that were seen: steps from block to block, and how often
 * each was made, by powers of two.
 * @returns how many are new
 */
size_t newCoverage();

/** Different steps seen so far. */
size_t stepsSeen();

} // namespace fuzz
