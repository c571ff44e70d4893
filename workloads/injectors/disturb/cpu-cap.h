/* Caps the CPU time of a control group (version 1 or 2), and takes the cap off again. */
#ifndef VARSCOPE_DISTURB_CPU_CAP_H
#define VARSCOPE_DISTURB_CPU_CAP_H

#include "kinds.h"

/* strength->directory is the group's; strength->percent of one core is left to it. */
bool set_cpu_cap(const struct strength *strength);

/* Gives back what was there before. */
bool restore_cpu_cap(const struct strength *strength);

#endif
