/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/tuning/calibrate.h"

#include "core/threads/team_seconds.h"
#include "plan/signature.h"
#include "plan/tuning/tuning.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <time.h>

size_t spl__calibrate_bytes(double probe_seconds, double seconds)
{
    double bytes = SPL__CALIBRATE_PROBE * fmax(1, seconds / fmax(probe_seconds, 1e-9));
    return (size_t)fmin(bytes, SPL__CALIBRATE_MOST) / sizeof(uint64_t) * sizeof(uint64_t);
}

/* Seconds of one pass over the array. Integers are summed, because their additions can be
 * reordered. */
static double read_once(int threads, const uint64_t *data, int64_t count)
{
    volatile uint64_t kept;
    uint64_t sum = 0;
    double begin = omp_get_wtime();
#pragma omp parallel for num_threads(spl__team(threads)) reduction(+ : sum) schedule(static)
    for (int64_t i = 0; i < count; i++)
        sum += data[i];
    kept = sum;
    (void)kept;
    return omp_get_wtime() - begin;
}

static double read_often(int threads, const uint64_t *data, int64_t count)
{
    double least = INFINITY;
    for (int turn = 0; turn < SPL__CALIBRATE_TURNS; turn++)
        least = fmin(least, read_once(threads, data, count));
    return fmax(least, 1e-9);
}

/* Pages are first touched by the threads that read them, for NUMA locality. */
static spl_status make_array(spl_context *context, int threads, size_t bytes, uint64_t **data)
{
    int64_t count = (int64_t)(bytes / sizeof **data);
    SPL__TRY(SPL__NEW(&context->account, data, count));
    uint64_t *array = *data;
#pragma omp parallel for num_threads(spl__team(threads)) schedule(static)
    for (int64_t i = 0; i < count; i++)
        array[i] = (uint64_t)i;
    return SPL_OK;
}

static spl_status measure(spl_context *context, int threads, size_t bytes, double *seconds)
{
    uint64_t *data;
    SPL__TRY(make_array(context, threads, bytes, &data));
    *seconds = read_often(threads, data, (int64_t)(bytes / sizeof *data));
    spl__free(data);
    return SPL_OK;
}

/* Seconds of an empty parallel region right after another one: the least mean of some. */
static double start_threads(int threads)
{
    enum { REGIONS = 20 };
    double least = INFINITY;
    for (int turn = 0; turn < 2 * SPL__CALIBRATE_TURNS; turn++) {
        double sum = 0;
        for (int i = 0; i < REGIONS; i++)
            sum += spl__team_region(threads);
        least = fmin(least, sum / REGIONS);
    }
    return fmax(least, 1e-9);
}

static int by_value(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

/* The same after a pause in which idle threads go to sleep, unless OMP_WAIT_POLICY keeps them
 * spinning. The time varies in both directions: the median is taken. */
static double wake_threads(int threads)
{
    enum { PAUSES = 3 };
    const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
    double seconds[PAUSES];
    for (int turn = 0; turn < PAUSES; turn++) {
        nanosleep(&pause, NULL);
        seconds[turn] = spl__team_region(threads);
    }
    qsort(seconds, PAUSES, sizeof *seconds, by_value);
    return fmax(seconds[PAUSES / 2], 1e-9);
}

/* Loops of sparse products: an empty one of threads that have rested for a moment. The coefficients
 * keep the ratio that the table gives them. */
static spl_status calibrate_loops(spl_context *context, int threads)
{
    const spl__machine *m = &spl__machine_cpu;
    const double seconds = fmax(spl__team_seconds(threads), 1e-9),
                 scale = threads > 1 ? seconds / spl__loop_seconds(m, threads) : 1;
    SPL__TRY(spl__tuning_set(context, NULL, "cpu/parallel_loop", scale * m->parallel_loop));
    return spl__tuning_set(context, NULL, "cpu/parallel_loop_thread",
                           scale * m->parallel_loop_thread);
}

spl_status spl__calibrate_host(spl_context *context, double seconds)
{
    /* passes of one thread and of all threads, and touching both arrays */
    const double turns = 2 * SPL__CALIBRATE_TURNS + 2;
    int threads = spl__threads(context, 0);
    double probe, one, all;
    SPL__TRY(measure(context, 1, SPL__CALIBRATE_PROBE, &probe));
    size_t bytes = spl__calibrate_bytes(probe, seconds / turns);
    SPL__TRY(measure(context, 1, bytes, &one));
    SPL__TRY(measure(context, threads, bytes, &all));
    SPL__TRY(spl__tuning_set(context, NULL, "cpu/parallel_start", start_threads(threads)));
    SPL__TRY(spl__tuning_set(context, NULL, "cpu/parallel_wake", wake_threads(threads)));
    SPL__TRY(calibrate_loops(context, threads));
    SPL__TRY(spl__tuning_set(context, NULL, "cpu/bandwidth", (double)bytes / one));
    return spl__tuning_set(context, NULL, "cpu/memory_bandwidth", (double)bytes / fmin(one, all));
}
