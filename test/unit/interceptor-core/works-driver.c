/* Follows the chain that the cache's probe reads, from the sources themselves: prints its length,
 * how many of its steps go to the line behind, and runs each work once. */
#include <stdio.h>

#include "speed_works.c"

int main(void) {
  vs_probe_works_start();
  unsigned length = 0, next_line = 0;
  uint32_t at = 0;
  do {
    next_line += chain[at].next == at + 1;
    at = chain[at].next;
    length++;
  } while (at != 0 && length <= LINES);
  printf("lines %zu length %u next %u\n", sizeof chain / 64, length, next_line);
  for (unsigned i = 0; i < VS_PROBE_KINDS; i++) {
    if (vs_probe_works[i].prepare)
      vs_probe_works[i].prepare();
    vs_probe_works[i].run();
  }
  for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
    if (written[i] != i)
      return 1;
  }
  return 0;
}
