/* SPDX-License-Identifier: Apache-2.0 */
#include "core/watch.h"

#include <omp.h>

double spl__watch_seconds = 0.01;

static bool is_caller(const spl__watch *w)
{
    return pthread_equal(w->caller, pthread_self());
}

/* Pieces without a total are not reported: they are of different kinds. */
static void report(spl__watch *w)
{
    int64_t done = w->done < w->total ? w->done : w->total;
    spl__failure_note(&w->failure,
                      spl__progress(w->context, w->stage, w->total > 0 ? done : w->finished,
                                    w->total > 0 ? w->total : w->finished));
    w->told = omp_get_wtime();
}

static void ask(spl__watch *w)
{
    if (is_caller(w) && !spl__failed(&w->failure) &&
        omp_get_wtime() - w->told >= spl__watch_seconds)
        report(w);
}

spl__watch *spl__watch_begin(spl__watch *watch, const spl_context *context, const char *stage,
                             int64_t finished)
{
    if (!context->progress)
        return NULL;
    *watch = (spl__watch){
        .context = context, .caller = pthread_self(), .stage = stage, .finished = finished};
    report(watch);
    return watch;
}

void spl__watch_stage(spl__watch *w, const char *stage, int64_t pieces)
{
    if (!w || !is_caller(w))
        return;
    w->stage = stage;
    w->total = pieces;
    w->finished = 0;
    w->done = 0;
}

bool spl__watch_look(spl__watch *w)
{
    if (is_caller(w)) {
        ask(w);
        w->done += omp_get_num_threads();
    }
    return !spl__failed(&w->failure);
}

spl_status spl__watch_ask(spl__watch *w)
{
    ask(w);
    return spl__failure_raise(&w->failure);
}

spl__watch *spl__account_watch(const spl__account *account)
{
    while (account && !account->watch)
        account = account->parent;
    return account ? account->watch : NULL;
}

spl__account *spl__watched_begin(spl__watched *call, spl_context *context, const char *stage,
                                 int64_t finished)
{
    spl__account_init(&call->account, &context->allocator, &context->account, 0);
    call->account.watch = spl__watch_begin(&call->watch, context, stage, finished);
    return &call->account;
}
