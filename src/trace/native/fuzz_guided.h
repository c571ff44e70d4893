// A fuzzer that keeps what reaches new code: a file that takes the reader along a way it did not go
// before joins the corpus, and is changed further.
#pragma once

#include <cstdint>
#include <string>

namespace fuzz {

/** Reads a file and adds its rows; false if it is refused as a whole. Anything wrong aborts. */
using Reader = bool (*)(const std::string &path, size_t &rows);

/**
 * Changes the files of the folder `corpus` for `seconds`, and adds to the folder. Every input
 * stands in the file `current` while it is read, so that one that ends the process can be looked
 * at. An input that takes longer than 10 seconds ends it, too. Prints progress and a last line with
 * the totals.
 * @returns exit status
 */
int guided(uint64_t seed, long seconds, const std::string &corpus, const std::string &current,
           Reader read);

} // namespace fuzz
