/* SPDX-License-Identifier: Apache-2.0 */
/* team.h: the number of threads, also after fork(). Every parallel region asks here:
 * num_threads(spl__team(threads)). */
#ifndef SPL_CORE_TEAM_H
#define SPL_CORE_TEAM_H

#include <stdint.h>

/* The limit of options.threads, and the most threads per processor. */
enum { SPL__MOST_THREADS = 4096, SPL__THREADS_PER_PROCESSOR = 8 };

/* The number of threads that a call uses which requests `wanted` (0 or less: OpenMP's default; may
 * exceed an int). At most SPL__THREADS_PER_PROCESSOR per online processor. 1 in a child that fork()
 * made of a process with several threads: only one exists there, but gcc's OpenMP would wait
 * forever for its old team. */
int spl__team_limited(int wanted);
/* Why that is fewer than requested, as text. */
const char *spl__team_limit(void);
/* The same for a parallel region, or fewer: OpenMP ends the process if the system refuses a thread
 * (a limit of processes, no memory for a stack). So where there are limits, as many threads are
 * started and ended before the calling thread's team grows, which takes as long as OpenMP takes for
 * them. May differ from one region to the next: sizes of arrays come from spl__team_limited.
 * Regions have no if clause, which would not keep them from asking: those that run serially ask for
 * one. Regions of the caller's own are not seen: if they make the team smaller, and the system
 * refuses threads from then on, OpenMP ends the process. */
int spl__team(int wanted);
/* The threads of a loop of so many parts: one, or all, though some may find nothing to do. Loops
 * that follow one another have teams of one size, or one thread: for a smaller team gcc's OpenMP
 * ends the other threads, which the next larger one starts again. On 16 cores of a Xeon an empty
 * region of all takes 40 us where threads sleep and 4 where they spin, after one of 8, 4, 2 threads
 * 300, 530, 670 and 220, 450, 570. */
static inline int spl__team_for_parts(int threads, int64_t parts)
{
    return parts > 1 ? threads : 1;
}
/* The size of the team that was granted when the system last refused a larger one; 0: it has not.
 */
int spl__team_refused(void);

/* One lock for the data that plans store in contexts, held briefly by one thread: fork() waits
 * for it, so that children find it free. */
void spl__lock(void);
void spl__unlock(void);
/* Likewise, for pools of host memory (core/pool.h), which may be used while the other is held. */
void spl__pool_lock(void);
void spl__pool_unlock(void);

#endif
