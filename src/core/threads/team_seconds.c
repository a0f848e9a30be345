/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/team_seconds.h"

#include "core/threads/team.h"

#include <math.h>
#include <omp.h>
#include <stdatomic.h>

enum { SIZES = 13 }; /* of teams, by powers of two: SPL__MOST_THREADS is one */

/* Seconds, 0 where they are not known yet. Threads that measure at the same time find about the
 * same. */
static _Atomic double known[SIZES];
static _Atomic double assumed = -1; /* negative: they are measured */

static void rest(void)
{
    const double moment = 20e-6, begin = omp_get_wtime();
    while (omp_get_wtime() - begin < moment)
        continue;
}

double spl__team_region(int threads)
{
    volatile int came = 0;
    const double begin = omp_get_wtime();
#pragma omp parallel num_threads(spl__team(threads))
    {
#pragma omp master
        came = 1;
    }
    (void)came;
    return omp_get_wtime() - begin;
}

/* The median of some: other work may delay any of them, and the least is one that found threads
 * awake. The first one may start threads. */
static double measure(int threads)
{
    enum { TURNS = 7 };
    const double most = 0.1e-3; /* what takes longer is other work, and will not last */
    double taken[TURNS];
    (void)spl__team_region(threads);
    for (int turn = 0; turn < TURNS; turn++) {
        rest();
        const double seconds = spl__team_region(threads);
        int at = turn;
        for (; at > 0 && taken[at - 1] > seconds; at--)
            taken[at] = taken[at - 1];
        taken[at] = seconds;
    }
    return fmin(fmax(taken[TURNS / 2], 1e-9), most);
}

double spl__team_seconds(int threads)
{
    int size = 0;
    const double given = atomic_load_explicit(&assumed, memory_order_relaxed);
    if (given >= 0 || threads <= 1 || omp_in_parallel()) /* where regions have one thread */
        return fmax(given, 0);
    while (size + 1 < SIZES && 1 << (size + 1) <= threads)
        size++;
    double seconds = atomic_load_explicit(&known[size], memory_order_relaxed);
    if (seconds == 0)
        atomic_store_explicit(&known[size], seconds = measure(threads), memory_order_relaxed);
    return seconds;
}

int spl__threads_worth(double seconds, int threads)
{
    const double least = 10e-6, most = 1e-3;
    if (threads <= 1 || seconds <= least)
        return 1;
    return seconds >= most || seconds > 2 * spl__team_seconds(threads) ? threads : 1;
}

void spl__team_seconds_assume(double seconds)
{
    atomic_store(&assumed, seconds);
}
