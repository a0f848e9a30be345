/* SPDX-License-Identifier: Apache-2.0 */
/* late_threads.h: whether threads come when they are woken.
 *
 * Where other work has the processors, a woken thread waits for its turn there, ten milliseconds
 * and more, and its team waits for it: products of half a millisecond took 10 to 50. Loops tell
 * here what they gained by several threads. One that lost more than those before it gained keeps
 * the next from asking for threads: one, then 2, 4, ... up to 256, the longer the more often they
 * come late. Results do not depend on it. */
#ifndef SPL_CORE_LATE_THREADS_H
#define SPL_CORE_LATE_THREADS_H

#include <stdint.h>

/* `wanted`, or 1 while threads are taken for late. */
int spl__threads_unless_late(int wanted);
/* A loop of `pieces` took so many seconds; the calling thread computed `own` of them, in `worked`
 * seconds. */
void spl__threads_came(double seconds, double worked, int64_t own, int64_t pieces);

#endif
