/* SPDX-License-Identifier: Apache-2.0 */
/* team.h: how many threads compute, and what fork() leaves of them. Every parallel region asks
 * here: num_threads(spl__team(threads)). */
#ifndef SPL_CORE_TEAM_H
#define SPL_CORE_TEAM_H

/* What options.threads may be, and how many are used at most. */
enum { SPL__MOST_THREADS = 4096, SPL__THREADS_PER_PROCESSOR = 8 };

/* Threads of a region that would have `wanted` of them (0 or less: OpenMP's own number, beyond an
 * int). No more than SPL__THREADS_PER_PROCESSOR for each processor that is online: OpenMP ends the
 * process where the system refuses it a thread. And one in a child that fork() made of a process
 * with several threads: only one of those came along, but gcc's OpenMP would wait for its old team
 * for ever, whoever had started it. */
int spl__team(int wanted);
/* Why spl__team gives fewer than were wanted, for people. */
const char *spl__team_limit(void);

/* One lock for what plans leave in contexts, held for short whiles by one thread: fork() waits for
 * it, so that children find it free. */
void spl__lock(void);
void spl__unlock(void);

#endif
