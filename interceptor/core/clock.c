#define _GNU_SOURCE 1
#include "clock.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define ROUGH_NS 500000u
#define RATE_NS 3000000u

struct vs_clock vs_clock;
static struct vst_clock first; /* reading at vs_clock_prepare, in unshifted ticks */
static pthread_once_t prepared = PTHREAD_ONCE_INIT;
static uint64_t longest_work = UINT64_MAX; /* ticks */

#if defined(__x86_64__)

static uint64_t raw_counter(void) {
  return __rdtsc();
}

/* The kernel drops the counter as its clock when it finds it unstable, on real and virtual
 * machines. */
static bool kernel_trusts_counter(void) {
  static const char *const sources[] = {"tsc\n", "kvm-clock\n", "hyperv_clocksource_tsc_page\n"};
  char name[64] = {0};
  int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  ssize_t got = read(fd, name, sizeof name - 1);
  close(fd);
  for (unsigned i = 0; got > 0 && i < sizeof sources / sizeof *sources; i++) {
    if (strcmp(name, sources[i]) == 0)
      return true;
  }
  return false;
}

static bool counter_usable(void) {
  unsigned a, b, c, d = 0;
  int access = 0;
  bool invariant = __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
  bool allowed = prctl(PR_GET_TSC, &access) != 0 || access == PR_TSC_ENABLE;
  return invariant && allowed && kernel_trusts_counter();
}

#else

static uint64_t raw_counter(void) {
  return vs_monotonic_ns();
}

static bool counter_usable(void) {
  return false;
}

#endif

/* Of several tries the one with the narrowest bracket was disturbed least. `tick` is unshifted. */
static void read_raw(struct vst_clock *reading, bool counter) {
  uint64_t narrowest = UINT64_MAX;
  for (int i = 0; i < 8; i++) {
    struct timespec monotonic, realtime;
    uint64_t before = raw_counter();
    clock_gettime(CLOCK_MONOTONIC, &monotonic);
    clock_gettime(CLOCK_REALTIME, &realtime);
    uint64_t width = raw_counter() - before;
    if (width >= narrowest)
      continue;
    narrowest = width;
    reading->monotonic_ns = (uint64_t)monotonic.tv_sec * 1000000000u + (uint64_t)monotonic.tv_nsec;
    reading->realtime_ns = (uint64_t)realtime.tv_sec * 1000000000u + (uint64_t)realtime.tv_nsec;
    reading->tick = counter ? before + width / 2 : reading->monotonic_ns;
  }
}

/* Counts per second since `first`, once `ns` have passed since then. */
static double rate_after(uint64_t ns, bool counter) {
  struct vst_clock now;
  while (vs_monotonic_ns() - first.monotonic_ns < ns) {
  }
  read_raw(&now, counter);
  return (double)(now.tick - first.tick) * 1e9 / (double)(now.monotonic_ns - first.monotonic_ns);
}

static void prepare(void) {
  bool counter = counter_usable();
  read_raw(&first, counter);
  uint32_t shift = 0;
  if (counter) {
    double counts = rate_after(ROUGH_NS, true) * 8e-9; /* in 8 ns, the longest tick wanted */
    while ((double)(2u << shift) <= counts)
      shift++;
  }
  double rate = counter ? rate_after(ROUGH_NS, true) / (double)(1u << shift) : 1e9;
  longest_work = (uint64_t)(rate * 0.5e-3);
  vs_clock.tick_shift = shift;
  vs_clock.kind = counter ? VST_CLOCK_TSC : VST_CLOCK_MONOTONIC;
}

void vs_clock_prepare(void) {
  pthread_once(&prepared, prepare);
}

uint64_t vs_clock_ticks_per_second(void) {
  if (vs_clock.kind != VST_CLOCK_TSC)
    return 1000000000u;
  return (uint64_t)(rate_after(RATE_NS, true) / (double)(1u << vs_clock.tick_shift));
}

uint64_t vs_clock_plausible(uint64_t ticks) {
  return ticks < longest_work ? ticks : longest_work;
}

void vs_clock_read(struct vst_clock *reading) {
  read_raw(reading, vs_clock.kind == VST_CLOCK_TSC);
  reading->tick >>= vs_clock.tick_shift;
}
