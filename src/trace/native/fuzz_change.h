// Changes to trace files that a fuzzer makes.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace fuzz {

using Bytes = std::vector<uint8_t>;
using Random = std::mt19937_64;

/** 0 to limit - 1; 0 if there is nothing to choose from. */
size_t below(Random &random, size_t limit);

/** The bytes of a file; none if it cannot be read. */
Bytes load(const std::string &path);

/** Flips a bit, replaces a number or a byte, zeroes, repeats or cuts off a stretch. */
void change(Bytes &bytes, Random &random);

/**
 * Removes, repeats, exchanges or relabels a whole block, or takes one over from `other`;
 * `committed` of the header follows. Needs a file whose blocks can be followed; does nothing to
 * others.
 */
void changeBlocks(Bytes &bytes, const Bytes &other, Random &random);

/** Gives header and all blocks that can be followed the checksum of what they hold now. */
void mendChecksums(Bytes &bytes);

} // namespace fuzz
