/* SPDX-License-Identifier: Apache-2.0 */
/* team_seconds.h: how long it takes to wake a team of threads and to wait for it, and which loops
 * are worth that.
 *
 * It depends on more than the processor: threads that wait passively sleep, and are back after 6 to
 * 50 us, which a virtual machine adds to; threads that spin are there after .4. So it is measured,
 * once per process, and decides nothing but numbers of threads: results and the choice of methods
 * do not depend on it.
 *
 * That is of threads that have rested for a moment, as between two calls. Those that wait while a
 * device computes may sleep under any policy; predictions for several processors need their time,
 * also where nothing may be measured: it is a coefficient, cpu/parallel_wake of machine/cpu.def. */
#ifndef SPL_CORE_TEAM_SECONDS_H
#define SPL_CORE_TEAM_SECONDS_H

#include <stdint.h>

/* Seconds of an empty parallel region of so many threads, which have rested for a moment before;
 * at most .1 ms. The first call with about as many threads measures, which takes up to a
 * millisecond where nothing else runs. 0 within a parallel region of the caller's. */
double spl__team_seconds(int threads);

/* Seconds of one empty parallel region of so many threads, whatever they do just now. */
double spl__team_region(int threads);

/* `threads`, or 1 for a loop of so many seconds on one thread that a team would not shorten. Does
 * not measure for loops that are clearly short or long. */
int spl__threads_worth(double seconds, int threads);

/* The same for a loop that does little for each of so many entries, rows or columns. Loops that
 * look something up for each entry, or write for it, count it two to four times. */
static inline int spl__threads_for(int64_t entries, int threads)
{
    const double entry = 0.5e-9; /* marking, counting, copying what is in a cache */
    return spl__threads_worth((double)entries * entry, threads);
}

/* The same for a loop that copies or clears so many bytes. */
static inline int spl__threads_for_bytes(double bytes, int threads)
{
    return spl__threads_worth(bytes * 0.1e-9, threads);
}

/* For tests, whose matrices are small: from now on teams are said to take so many seconds. */
void spl__team_seconds_assume(double seconds);

#endif
