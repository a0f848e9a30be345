/* SPDX-License-Identifier: Apache-2.0 */
/* sweep.h: loops over the parts of a matrix, in alternating directions. Results do not depend on
 * the direction: parts write to different rows. */
#ifndef SPL_PLAN_SWEEP_H
#define SPL_PLAN_SWEEP_H

#include "core/team.h"
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

/* SPL__FOR_PARTS in the order of the sweep. A thread gets the same consecutive parts in both
 * directions. */
#define SPL__SWEEP_PARTS(part, count, sweep, ...)                                                  \
    do {                                                                                           \
        const spl__sweep sweep_ = (sweep);                                                         \
        const int64_t count_ = (count);                                                            \
        if (count_ > 1 && sweep_.threads != 1) {                                                   \
            const int team_ = spl__team(sweep_.threads);                                           \
            _Pragma("omp parallel num_threads(team_)")                                             \
            {                                                                                      \
                const int64_t thread_ = omp_get_thread_num(), all_ = omp_get_num_threads();        \
                const int64_t first_ = count_ * thread_ / all_,                                    \
                              last_ = count_ * (thread_ + 1) / all_;                               \
                SPL__SWEEP_RANGE(part, first_, last_, sweep_, __VA_ARGS__)                         \
            }                                                                                      \
        } else {                                                                                   \
            SPL__SWEEP_RANGE(part, 0, count_, sweep_, __VA_ARGS__)                                 \
        }                                                                                          \
    } while (0)

/* The same for tasks that take differently long: a thread gets the next one when it is ready. */
#define SPL__SWEEP_TASKS(task, count, sweep, ...)                                                  \
    do {                                                                                           \
        const spl__sweep sweep_ = (sweep);                                                         \
        const int64_t count_ = (count);                                                            \
        if (count_ > 1 && sweep_.threads != 1) {                                                   \
            const int team_ = spl__team(sweep_.threads);                                           \
            _Pragma("omp parallel for num_threads(team_) schedule(dynamic)")                       \
                SPL__SWEEP_RANGE(task, 0, count_, sweep_, __VA_ARGS__)                             \
        } else {                                                                                   \
            SPL__SWEEP_RANGE(task, 0, count_, sweep_, __VA_ARGS__)                                 \
        }                                                                                          \
    } while (0)

#endif
