/* What all injectors do: stop when told to, keep time, stay on a core. */
#ifndef VARSCOPE_INJECTOR_RUN_H
#define VARSCOPE_INJECTOR_RUN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Set by SIGTERM and SIGINT once they are watched. */
extern volatile sig_atomic_t stopped;
void watch_signals(void);

/* In nanoseconds. */
int64_t read_clock(clockid_t clock);

/* Sleeps to an absolute monotonic time, or to a stop signal. */
void sleep_until(int64_t monotonic);

/* False with errno if it cannot be. */
bool pin_to(int core);

#endif
