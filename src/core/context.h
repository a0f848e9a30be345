/* SPDX-License-Identifier: Apache-2.0 */
/* context.h: contexts: their state, log and progress messages. */
#ifndef SPL_CORE_CONTEXT_H
#define SPL_CORE_CONTEXT_H

#include "core/memory.h"
#include "core/processor.h"
#include "core/threads/team.h"

#include <stdatomic.h>
#include <stdbool.h>

enum { SPL__MOST_DEVICES = 16 };

struct spl_context {
    spl_allocator allocator;
    spl__account account;
    spl__pool pool; /* the account's, unless the allocator is the caller's */
    int threads;
    char cpu[SPL__NAME_BYTES];
    spl_log_fn log;
    void *log_user;
    spl_progress_fn progress;
    void *progress_user;
    atomic_bool told_refusal; /* the log knows that the system refuses threads */
    /* opened by the device layer: processors 1, 2, ... */
    struct spl__device *devices[SPL__MOST_DEVICES];
    int device_count;
    /* whether the CPU computes for operands on the host, unless a plan's options say otherwise */
    bool uses_cpu;
    /* the methods: provided by the API layer, used by the planner */
    const struct spl__registry *registry;
    /* of the planner, protected by spl__lock; NULL: no wisdom */
    struct spl__wisdom *wisdom;
    /* likewise; NULL: defaults of the cost model */
    struct spl__tuning *tuning;
    /* for tests: called for every trial of the policy measure, see plan/policy/trial.h */
    struct spl__trial_hook *hook;
};

/* Threads for one call: `wanted` if positive, else the context's number, limited to the largest
 * team; at least 1. */
int spl__threads(const spl_context *context, int wanted);

/* Sends a message to the context's log function, if there is one. */
void spl__log(const spl_context *context, spl_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* SPL_CANCELLED if the progress function requests it. Call it from the calling thread, outside
 * parallel regions, some ten times a second. */
spl_status spl__progress(const spl_context *context, const char *stage, int64_t done,
                         int64_t total);

#endif
