/* SPDX-License-Identifier: Apache-2.0 */
/* sweep.h: loops over the parts of a matrix, in alternating directions. Results do not depend on
 * the direction: parts write to different rows. */
#ifndef SPL_PLAN_SWEEP_H
#define SPL_PLAN_SWEEP_H

#include "core/threads/team.h"
#include "plan/plan.h"

#include <omp.h>

/* How an execution goes through the parts of a matrix. Executions alternate between forwards and
 * backwards, so that each begins with what the caches still hold from the one before, where a cache
 * that replaces the least recently used keeps nothing of a matrix slightly larger than itself:
 * f64, 3.2 MB of diagonals, 104 us become 70; 6.5 MB, 230 become 189 (Xeon, 2 MB of L2). */
typedef struct spl__sweep {
    int threads;
    bool backwards;
} spl__sweep;

/* Part k of the parts first to last - 1 in the order of the sweep. */
static inline int64_t spl__sweep_part(spl__sweep sweep, int64_t first, int64_t last, int64_t k)
{
    return sweep.backwards ? first + last - 1 - k : k;
}

/* The sweep of a plan's next execution. */
static inline spl__sweep spl__step_sweep(const spl__step *step)
{
    const long long before =
        atomic_load_explicit(&step->task.plan->executions, memory_order_relaxed);
    return (spl__sweep){.threads = spl__step_threads(step), .backwards = before % 2 != 0};
}

/* The statement that follows for parts first to last - 1 in the order of the sweep, by one thread.
 */
#define SPL__SWEEP_RANGE(part, first, last, sweep, ...)                                            \
    for (int64_t k_ = (first); k_ < (last); k_++) {                                                \
        const int64_t part = spl__sweep_part(sweep, first, last, k_);                              \
        __VA_ARGS__;                                                                               \
    }

/* Which parts of a loop are taken. Each thread has a share, consecutive parts, the same in every
 * execution, so that it finds them in its cache; in larger teams neighbours have one together. A
 * thread that is done goes on with the shares after its own: others may have been woken late, which
 * takes tens of microseconds where they sleep. */
enum { SPL__SWEEP_SHARES = 64, SPL__SWEEP_VISITS = 4 };
typedef struct spl__sweep_share {
    _Alignas(64) atomic_llong taken;
} spl__sweep_share;

typedef struct spl__sweep_taking {
    spl__sweep_share *shares;
    int64_t parts, count; /* of shares */
    int64_t share;
    int64_t visits; /* shares in which a thread may look, from now on */
    bool backwards;
} spl__sweep_taking;

/* The shares of a loop of so many parts by a team of up to so many threads, each of which looks at
 * up to `visits` of them. */
static inline spl__sweep_taking spl__sweep_shares(spl__sweep sweep, int64_t parts, int team,
                                                  int64_t visits, spl__sweep_share *shares)
{
    const int64_t count = team < SPL__SWEEP_SHARES ? team : SPL__SWEEP_SHARES;
    for (int64_t s = 0; s < count; s++)
        atomic_init(&shares[s].taken, 0);
    return (spl__sweep_taking){shares, parts, count, .visits = visits,
                               .backwards = sweep.backwards};
}

/* The same for one of the threads that have come. Where fewer have come than were asked for, shares
 * may have no thread of their own, so that each looks at all. */
static inline spl__sweep_taking spl__sweep_begin(spl__sweep_taking all, int thread, int threads)
{
    const bool served = threads >= all.count && all.count > all.visits;
    all.share = thread * all.count / threads;
    all.visits = served ? all.visits : all.count;
    return all;
}

/* The next part of a thread, -1 if there is none. */
static inline int64_t spl__sweep_take(spl__sweep_taking *t)
{
    for (; t->visits > 0; t->visits--) {
        const int64_t first = t->parts * t->share / t->count,
                      last = t->parts * (t->share + 1) / t->count,
                      k = first + atomic_fetch_add_explicit(&t->shares[t->share].taken, 1,
                                                            memory_order_relaxed);
        if (k < last)
            return t->backwards ? first + last - 1 - k : k;
        t->share = t->share + 1 < t->count ? t->share + 1 : 0;
    }
    return -1;
}

/* SPL__FOR_PARTS in the order of the sweep, for parts of about equal work: a few shares are enough
 * for a thread. */
#define SPL__SWEEP_PARTS(part, count, sweep, ...)                                                  \
    SPL__SWEEP_SHARED(part, count, sweep, SPL__SWEEP_VISITS, __VA_ARGS__)

/* The same for tasks that take differently long: a thread ends when all are taken. */
#define SPL__SWEEP_TASKS(task, count, sweep, ...)                                                  \
    SPL__SWEEP_SHARED(task, count, sweep, SPL__SWEEP_SHARES, __VA_ARGS__)

#define SPL__SWEEP_SHARED(part, count, sweep, visits, ...)                                         \
    do {                                                                                           \
        const spl__sweep sweep_ = (sweep);                                                         \
        const int64_t count_ = (count);                                                            \
        if (count_ > 1 && sweep_.threads != 1) {                                                   \
            spl__sweep_share shares_[SPL__SWEEP_SHARES];                                           \
            const int team_ = spl__team(sweep_.threads);                                           \
            const spl__sweep_taking all_ =                                                         \
                spl__sweep_shares(sweep_, count_, team_, visits, shares_);                         \
            _Pragma("omp parallel num_threads(team_)")                                             \
            {                                                                                      \
                spl__sweep_taking own_ =                                                           \
                    spl__sweep_begin(all_, omp_get_thread_num(), omp_get_num_threads());           \
                for (int64_t part; (part = spl__sweep_take(&own_)) >= 0;) {                        \
                    __VA_ARGS__;                                                                   \
                }                                                                                  \
            }                                                                                      \
        } else {                                                                                   \
            SPL__SWEEP_RANGE(part, 0, count_, sweep_, __VA_ARGS__)                                 \
        }                                                                                          \
    } while (0)

#endif
