/* SPDX-License-Identifier: Apache-2.0 */
/* watch.h: telling the context's progress function of a call while it works, and ending the call
 * early if that says so.
 *
 * One watch stands on the stack of the thread that called. Whoever works asks it before each piece
 * and between passes; only the thread that called runs the user's function, at most every
 * spl__watch_seconds, the others look at what it said. Pieces are skipped after a cancel: what they
 * would have made is not there, so every loop is followed by spl__watch_check before it is read.
 * The account that pays for the call carries the watch: each allocation asks, too. */
#ifndef SPL_CORE_WATCH_H
#define SPL_CORE_WATCH_H

#include "core/parallel.h"

#include <pthread.h>

typedef struct spl__watch {
    const spl_context *context;
    pthread_t caller;
    const char *stage;
    int64_t finished;  /* units of an earlier part of the stage: all are, and only they are told
                          until pieces are counted */
    double told;       /* when */
    int64_t total;     /* pieces of the stage; 0: not known */
    atomic_llong done; /* of them */
    spl__failure failure;
} spl__watch;

/* Between reports; only tests change it. */
extern double spl__watch_seconds;

/* Begins a watch of this thread's call and reports at once. Returns NULL, which stands for a watch
 * that nobody needs, if the context has no progress function. */
spl__watch *spl__watch_begin(spl__watch *watch, const spl_context *context, const char *stage,
                             int64_t finished);
/* From here on `done` counts pieces of that stage. Does nothing in threads that did not call. */
void spl__watch_stage(spl__watch *watch, const char *stage, int64_t pieces);
/* One piece more begins: false if it is to be skipped. */
bool spl__watch_look(spl__watch *watch) __attribute__((cold));
static inline bool spl__watch_goes_on(spl__watch *watch)
{
    return __builtin_expect(!watch, 1) || spl__watch_look(watch);
}
/* For kernels that such a loop calls: inlined into it they take part of what compilers do for a
 * cold path. */
#define SPL__APART __attribute__((noinline, hot))
/* For loops over items too small to ask for each: asks before every 4096th, else looks whether it
 * was cancelled. */
static inline bool spl__watch_goes_on_at(spl__watch *watch, int64_t item)
{
    return !watch || (item % 4096 == 0 ? spl__watch_look(watch) : !spl__failed(&watch->failure));
}
/* Asks, between passes or behind a loop. SPL_CANCELLED, also if it was before. */
spl_status spl__watch_ask(spl__watch *watch) __attribute__((cold));
static inline spl_status spl__watch_check(spl__watch *watch)
{
    return watch ? spl__watch_ask(watch) : SPL_OK;
}

/* Who watches what this account pays for; NULL: nobody. */
spl__watch *spl__account_watch(const spl__account *account);

/* An account of its own for a call that has no plan, under the context's: blocks that stay are
 * moved there (spl__memory_move). */
typedef struct spl__watched {
    spl__account account;
    spl__watch watch;
} spl__watched;
/* `finished` units of the stage were told before. */
spl__account *spl__watched_begin(spl__watched *call, spl_context *context, const char *stage,
                                 int64_t finished);

#endif
