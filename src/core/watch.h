/* SPDX-License-Identifier: Apache-2.0 */
/* watch.h: reports the progress of a call to the context's progress function, which may cancel it.
 *
 * One watch is on the stack of the calling thread. Loops poll it before each piece and between
 * passes. Only the calling thread runs the user's function, at most every spl__watch_seconds;
 * other threads read its answer. After a cancel pieces are skipped, so their results are
 * missing: every loop is followed by spl__watch_check before its results are used. The account
 * of the call refers to the watch: allocations poll it, too. */
#ifndef SPL_CORE_WATCH_H
#define SPL_CORE_WATCH_H

#include "core/context.h"
#include "core/threads/thread_failure.h"

#include <pthread.h>

typedef struct spl__watch {
    const spl_context *context;
    pthread_t caller;
    const char *stage;
    /* units of an earlier part of the stage, all finished; only they are reported until pieces
     * are counted */
    int64_t finished;
    double told;   /* time of the last report */
    int64_t total; /* pieces of the stage; 0: not known */
    /* finished pieces, as the calling thread estimates: its own times the threads of the team.
     * Counting those of all threads would make them wait for one cache line at each piece. */
    int64_t done;
    /* in a line of its own: the others read it at each piece, and the caller writes above */
    _Alignas(64) spl__failure failure;
} spl__watch;

/* Seconds between reports; only tests change it. */
extern double spl__watch_seconds;

/* Begins a watch of this thread's call and reports at once. Returns NULL, a watch that never
 * reports, if the context has no progress function. */
spl__watch *spl__watch_begin(spl__watch *watch, const spl_context *context, const char *stage,
                             int64_t finished);
/* `done` counts pieces of that stage from now on. Does nothing in threads other than the calling
 * one. */
void spl__watch_stage(spl__watch *watch, const char *stage, int64_t pieces);
/* Begins another piece; false: it must be skipped. */
bool spl__watch_look(spl__watch *watch) __attribute__((cold));
static inline bool spl__watch_goes_on(spl__watch *watch)
{
    return __builtin_expect(!watch, 1) || spl__watch_look(watch);
}
/* For kernels in such loops: if inlined they would be optimised as part of a cold path. */
#define SPL__APART __attribute__((noinline, hot))
/* For loops over small items: polls before every 4096th, else only tests for a cancel. */
static inline bool spl__watch_goes_on_at(spl__watch *watch, int64_t item)
{
    return !watch || (item % 4096 == 0 ? spl__watch_look(watch) : !spl__failed(&watch->failure));
}
/* Polls, between passes or after a loop. SPL_CANCELLED, also if cancelled before. */
spl_status spl__watch_ask(spl__watch *watch) __attribute__((cold));
static inline spl_status spl__watch_check(spl__watch *watch)
{
    return watch ? spl__watch_ask(watch) : SPL_OK;
}

/* The watch of this account's call; NULL: none. */
spl__watch *spl__account_watch(const spl__account *account);

/* The account of a call without a plan, under the context's: blocks that outlive the call are
 * moved there (spl__memory_move). */
typedef struct spl__watched {
    spl__account account;
    spl__watch watch;
} spl__watched;
/* `finished` units of the stage have been reported before. */
spl__account *spl__watched_begin(spl__watched *call, spl_context *context, const char *stage,
                                 int64_t finished);

#endif
