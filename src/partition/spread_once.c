/* SPDX-License-Identifier: Apache-2.0 */
/* spread_once.c: SpMV and SpMM by several processors in one-shot calls.
 *
 * Methods of devices are chosen after A has been copied there; another thread waits for that
 * while the CPU computes. A plan may fail, so nothing is written to the caller's array before
 * all plans are made. */
#include "core/parallel.h"
#include "partition/side_thread.h"
#include "partition/spread_run.h"

#include <omp.h>

static spl_status compute_on_devices(void *work)
{
    const spl__execution *e = work;
    for (int32_t k = 0; k < e->spread->count; k++)
        if (e->spread->parts[k].has_queue)
            SPL__TRY(spl__spread_compute_part(e, &e->spread->parts[k]));
    return SPL_OK;
}

static void use_threads(const spl__execution *e, int threads)
{
    for (int32_t k = 0; k < e->spread->count; k++)
        e->spread->parts[k].queue.threads = threads;
}

/* Makes the devices' plans in another thread, after A has been copied there, while the CPU
 * computes its part, unless `cpu_part` is NULL. */
static spl_status compute_side_by_side(const spl__execution *e, spl__spread_part *cpu_part)
{
    spl__side_thread devices;
    spl__failure failure = {0};
    spl__execution single_threaded = *e;
    single_threaded.threads = 1;
    use_threads(e, 1);
    spl__side_thread_begin(&devices, compute_on_devices, &single_threaded);
    if (cpu_part)
        spl__failure_note(&failure, spl__spread_compute_cpu(e, cpu_part));
    spl_status device_status = spl__side_thread_end(&devices);
    use_threads(e, e->threads);
    SPL__TRY(spl__failure_raise(&failure));
    return device_status;
}

/* Computes the CPU's rows into an array of their own while the devices' plans are made; if that
 * takes memory that the plans need, afterwards. *enqueued: the rows are computed. */
static spl_status compute_once(const spl__execution *e, spl__spread_part *cpu_part, bool *enqueued)
{
    *enqueued = cpu_part && spl__spread_goes_through(e, cpu_part);
    spl_status status = compute_side_by_side(e, *enqueued ? cpu_part : NULL);
    bool memory = status == SPL_OVER_BUDGET || status == SPL_OUT_OF_MEMORY;
    if (!*enqueued || !memory || spl__spread_needs_image(e->plan))
        return status;
    *enqueued = false;
    spl__image_free(&cpu_part->y);
    return compute_side_by_side(e, NULL);
}

spl_status spl__spread_run_once(const spl__execution *e)
{
    spl__spread *s = e->spread;
    spl__spread_part *cpu_part = spl__spread_cpu_part(s);
    double begin = omp_get_wtime();
    bool enqueued;
    SPL__TRY(compute_once(e, cpu_part, &enqueued));
    for (int32_t k = 0; k < s->count; k++)
        if (s->parts[k].has_queue)
            SPL__TRY(spl__spread_return_part(e, &s->parts[k]));
    if (cpu_part && !enqueued)
        SPL__TRY(spl__spread_compute_cpu(e, cpu_part));
    if (cpu_part) {
        spl__spread_give_cpu(e, cpu_part);
        cpu_part->measured = (spl__spread_seconds){.execution = omp_get_wtime() - begin};
    }
    return spl__spread_finish_parts(e);
}
