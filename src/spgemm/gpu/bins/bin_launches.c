/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/gpu/bins/bin_launches.h"

#include "core/checked.h"
#include "spgemm/gpu/device_notes.h"
#include "spgemm/gpu/device_product.h"
#include "spgemm/gpu/device_sums.h"
#include "spgemm/kernels/bins/spgemm_place.k.h"

static spl_status launch_work_and_sample(spl_plan *plan, const spl__bins_along *along,
                                         const struct spgemm_bin_rows_args *bins)
{
    spl__queue *queue = &plan->problem.queue;
    const int64_t threads = along->work->s.rows * SPGEMM_ROW_LANES;
    struct spl__work_notes *notes = spl__work_notes_of(plan);
    struct spgemm_count_and_sample_args args = {.count = *along->work,
                                                .bins = *bins,
                                                .sample = spl__device_sample_of(plan),
                                                .begun = &notes->begun,
                                                .sampled = &notes->sampled};
    args.sample.rows = along->sampled;
    spl__launch launch = {.blocks =
                              along->sampled + spl__blocks_for(queue, threads, SPGEMM_ROWS_THREADS),
                          .threads = SPGEMM_ROWS_THREADS,
                          .args = &args};
    SPL__TRY(spl__product_kernel(plan, "spgemm_count_and_sample", &launch.kernel));
    return spl__queue_launch(queue, &launch, sizeof args);
}

/* bins->bins 0: rows are not assigned. */
static spl_status launch_work(spl_plan *plan, const spl__bins_along *along,
                              const struct spgemm_bin_rows_args *bins)
{
    struct spgemm_count_and_bin_args args = {*along->work, *bins};
    if (along->sampled > 0)
        return launch_work_and_sample(plan, along, bins);
    if (bins->bins == 0)
        return spl__bins_launch_work(plan, along->work);
    return spl__product_launch(plan, "spgemm_count_and_bin", bins->rows * SPGEMM_ROW_LANES, &args,
                               sizeof args);
}

/* Sets the parts of blocks, which all run at once; returns the number of blocks. */
static int64_t share_out(const spl__queue *queue, struct spgemm_place_rows_args *args)
{
    const int64_t threads = SPGEMM_PLACE_THREADS,
                  most = spl__max_i64(1, spl__blocks_at_once(queue, args->rows, threads)),
                  each = (args->rows + most - 1) / most;
    args->part = spl__max_i64(1, (each + threads - 1) / threads) * threads;
    return spl__max_i64(1, (args->rows + args->part - 1) / args->part);
}

/* Lengths become offsets. bins: of the same rows, or only what is told. */
static spl_status launch_places(spl_plan *plan, const spl__bins_along *along,
                                const struct spgemm_bin_rows_args *bins)
{
    spl__queue *queue = &plan->problem.queue;
    struct spgemm_place_rows_args args = {.rows = spl__device_product_of(plan)->form.a.rows,
                                          .numbers = along->lengths,
                                          .total = along->total,
                                          .bins = *bins};
    const int64_t blocks = share_out(queue, &args);
    spl__device_array zeros;
    spl__launch launch = {.blocks = blocks, .threads = SPGEMM_PLACE_THREADS, .args = &args};
    SPL__TRY(spl__product_kernel(plan, "spgemm_place_rows", &launch.kernel));
    SPL__TRY(spl__queue_alloc_zeros(queue, blocks + 1, sizeof(int64_t), &zeros));
    args.sums = zeros.data;
    args.next = (int32_t *)(args.sums + blocks);
    spl_status status = spl__queue_launch(queue, &launch, sizeof args);
    spl__queue_free(queue, &zeros);
    return status;
}

spl_status spl__bins_launch(spl_plan *plan, const struct spgemm_bin_rows_args *bins,
                            const spl__bins_along *along)
{
    if (along && along->work)
        return launch_work(plan, along, bins);
    if (along)
        return launch_places(plan, along, bins);
    return spl__product_launch(plan, "spgemm_bin_rows", bins->rows, bins, sizeof *bins);
}

spl_status spl__bins_launch_work(spl_plan *plan, const struct spgemm_count_work_args *work)
{
    return spl__product_launch(plan, "spgemm_count_work", work->s.rows * SPGEMM_ROW_LANES, work,
                               sizeof *work);
}

/* There are no early bins. Work is not told: whoever waits for it fetches it. */
static spl_status launch_alone(spl_plan *plan, const spl__bins_along *along)
{
    spl__queue *queue = &plan->problem.queue;
    spl__early_bins *early = &spl__device_product_of(plan)->early;
    struct spgemm_bin_rows_args none = {0};
    if (along->work)
        return launch_work(plan, along, &none);
    none.tell = spl__queue_tell(queue, early->notes, spl__early_bins_notes(early),
                                &early->sums->arrived, &early->report);
    SPL__TRY(launch_places(plan, along, &none));
    return spl__queue_told(queue, &early->report);
}

spl_status spl__bins_begin(spl_plan *plan, spl__phase phase, const void *notes,
                           struct spgemm_bin_sums *sums, const spl__bins_along *along)
{
    spl__early_bins *early = &spl__device_product_of(plan)->early;
    spl_status status = spl__early_bins_begin(plan, early, phase, notes, sums, along);
    const bool alone = early->along != NULL;
    early->along = NULL;
    return status == SPL_OK && alone ? launch_alone(plan, along) : status;
}

spl_status spl__bins_list_rows(spl_plan *plan, const spl__device_array *bin_of,
                               struct spgemm_bin_sums *sums, const spl__device_array *list)
{
    struct spgemm_list_rows_args args = {.rows = spl__device_product_of(plan)->form.a.rows,
                                         .bin_of = bin_of->data,
                                         .sums = sums,
                                         .list = list->data};
    return spl__product_launch(plan, "spgemm_list_rows", args.rows, &args, sizeof args);
}

spl_status spl__bins_fetch(spl_plan *plan, void *to, const struct spgemm_bin_sums *sums)
{
    spl__queue *queue = &plan->problem.queue;
    spl__early_bins *early = &spl__device_product_of(plan)->early;
    if (!early->report.from)
        return spl__queue_fetch(queue, to, early->notes, spl__early_bins_notes(early));
    if (early->shapes.count > 0)
        SPL__TRY(spl__bins_list_rows(plan, &early->bin_of, early->sums, &early->rows));
    SPL__TRY(spl__queue_collect(queue, &early->report, to));
    if (early->shapes.count == 0)
        return SPL_OK;
    early->found = *sums;
    spl__queue_free(queue, &early->bin_of);
    return SPL_OK;
}
