/* SPDX-License-Identifier: Apache-2.0 */
/* context.h: what a context is made of, and how the library speaks to its owner. */
#ifndef SPL_CORE_CONTEXT_H
#define SPL_CORE_CONTEXT_H

#include "core/memory.h"
#include "core/processor.h"
#include "core/team.h"

#include <stdbool.h>

enum { SPL__MOST_DEVICES = 16 };

struct spl_context {
    spl_allocator allocator;
    spl__account account;
    int threads;
    char cpu[SPL__NAME_BYTES];
    spl_log_fn log;
    void *log_user;
    spl_progress_fn progress;
    void *progress_user;
    /* opened by the device layer: processors 1, 2, ... */
    struct spl__device *devices[SPL__MOST_DEVICES];
    int device_count;
    /* for operands on the host, unless a plan's options say otherwise */
    bool uses_cpu;
    /* the methods: handed down by the API layer, used by the planner */
    const struct spl__registry *registry;
    /* the planner's, under spl__lock; NULL: nothing is remembered */
    struct spl__wisdom *wisdom;
    /* the planner's, too; NULL: the cost model has its defaults */
    struct spl__tuning *tuning;
    /* for tests: told of every trial of the policy measure, see plan/trial.h */
    struct spl__trial_hook *hook;
};

/* Threads for one call: `wanted` if positive, else the context's; no more than a team may have. At
 * least 1. */
int spl__threads(const spl_context *context, int wanted);

/* Sends a message to the context's log function, if there is one. */
void spl__log(const spl_context *context, spl_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* SPL_CANCELLED if the progress function says so. Call it from the calling thread, outside parallel
 * regions, some ten times a second. */
spl_status spl__progress(const spl_context *context, const char *stage, int64_t done,
                         int64_t total);

#endif
