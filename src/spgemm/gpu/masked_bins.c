/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/gpu/masked_bins.h"

#include "core/checked.h"
#include "spgemm/gpu/bins/row_bins.h"
#include "spgemm/gpu/device_product.h"

enum { SLOT_BYTES = 2 * sizeof(int32_t) };

/* Rows of at most so many positions and so much work have a warp each (team 0), or a block. Tables
 * are at most half full. */
static const struct shape {
    int64_t most_positions, most_work, slots;
    int32_t threads, whole;
} shapes[SPGEMM_MASKED_BINS] = {{128, 8192, 256, 256, 0},
                                {512, 32768, 1024, 128, 0},
                                {1024, INT64_MAX, 2048, 256, 1},
                                {4096, INT64_MAX, 8192, SPGEMM_MASKED_THREADS, 1},
                                {INT64_MAX, INT64_MAX, 0, SPGEMM_MASKED_THREADS, 1}};

/* Kernels that read no values have one instance. */
static spl_status launch_over_rows(spl_plan *plan, const struct spgemm_masked_bins_args *args)
{
    spl__queue *queue = &plan->problem.queue;
    const spl__kernel *kernel;
    SPL__TRY(spl__queue_kernel(queue, "spgemm_masked_bins", SPL_F32,
                               plan->problem.a.csr.offset_type, &kernel));
    return SPL__LAUNCH(queue, args, kernel, spl__blocks_for(queue, args->rows, SPGEMM_ROWS_THREADS),
                       SPGEMM_ROWS_THREADS);
}

static spl_status fill_bins(spl_plan *plan, struct spgemm_masked_bins_args *args,
                            spl__device_array *device_counts, spl__masked_bins *bins)
{
    spl__queue *queue = &plan->problem.queue;
    uint32_t counts[SPGEMM_MASKED_BINS];
    SPL__TRY(spl__queue_fill(queue, device_counts->data, 0, device_counts->bytes));
    SPL__TRY(launch_over_rows(plan, args));
    SPL__TRY(spl__queue_fetch(queue, counts, device_counts->data, sizeof counts));
    for (int g = 0; g < SPGEMM_MASKED_BINS; g++) {
        bins->first[g + 1] = bins->first[g] + counts[g];
        counts[g] = (uint32_t)bins->first[g];
    }
    SPL__TRY(
        spl__queue_alloc(queue, bins->first[SPGEMM_MASKED_BINS], sizeof(uint32_t), &bins->list));
    SPL__TRY(spl__queue_copy(queue, device_counts->data, counts, sizeof counts));
    args->list = bins->list.data;
    return bins->list.data ? launch_over_rows(plan, args) : SPL_OK;
}

spl_status spl__masked_bins_make(spl_plan *plan, const int64_t *offsets, spl__masked_bins *bins)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_array counts;
    *bins = (spl__masked_bins){{0}, {NULL, 0}};
    SPL__TRY(spl__queue_alloc(queue, SPGEMM_MASKED_BINS, sizeof(uint32_t), &counts));
    struct spgemm_masked_bins_args args = {.rows = plan->problem.rows,
                                           .offsets = offsets,
                                           .work = spl__device_product_of(plan)->work.data,
                                           .counts = counts.data};
    for (int g = 0; g < SPGEMM_MASKED_BINS; g++) {
        args.most_positions[g] = shapes[g].most_positions;
        args.most_work[g] = shapes[g].most_work;
    }
    spl_status status = fill_bins(plan, &args, &counts, bins);
    spl__queue_free(queue, &counts);
    return status;
}

void spl__masked_bins_free(spl_plan *plan, spl__masked_bins *bins)
{
    spl__queue_free(&plan->problem.queue, &bins->list);
}

/* Lanes of a part: about as many as a row of B has entries. */
static int32_t choose_width(const spl_plan *plan, int32_t lanes)
{
    enum { LEAST = 4 };
    const spl__features *f = &plan->features;
    int32_t width = LEAST;
    while (width < lanes && (double)width * f->inner < f->nnz_b)
        width *= 2;
    return width;
}

static spl_status launch_bin(spl_plan *plan, const spl__kernel *kernel, const struct shape *s,
                             struct spgemm_masked *args)
{
    spl__queue *queue = &plan->problem.queue;
    const int32_t lanes = queue->device->properties.lanes;
    const int32_t threads = s->whole && args->in_order ? lanes : s->threads;
    args->team = s->whole ? threads : lanes;
    args->width = args->in_order ? lanes : choose_width(plan, lanes);
    const int64_t teams = threads / args->team;
    args->slots = s->slots;
    if (teams * args->slots * SLOT_BYTES > spl__block_bytes(plan))
        args->slots = 0;
    args->shift = 32;
    for (int64_t slots = args->slots; slots > 1; slots /= 2)
        args->shift--;
    const int64_t blocks = args->list_count / teams + (args->list_count % teams != 0);
    return SPL__LAUNCH_SHARED(queue, args, kernel, blocks, threads,
                              (size_t)(teams * args->slots) * SLOT_BYTES);
}

spl_status spl__masked_bins_launch(spl_plan *plan, const spl__masked_bins *bins,
                                   const spl__kernel *kernel, struct spgemm_masked *args)
{
    args->ascending = spl__device_product_of(plan)->ordered;
    args->semiring = plan->problem.options.semiring;
    for (int g = SPGEMM_MASKED_BINS - 1; g >= 0; g--) { /* the longest work first */
        args->list = (const uint32_t *)bins->list.data + bins->first[g];
        args->list_count = bins->first[g + 1] - bins->first[g];
        if (args->list_count > 0)
            SPL__TRY(launch_bin(plan, kernel, &shapes[g], args));
    }
    return SPL_OK;
}

void spl__masked_bins_explain(const spl__masked_bins *bins, spl__text *text)
{
    for (int g = 0; g < SPGEMM_MASKED_BINS; g++)
        if (bins->first[g] < bins->first[g + 1])
            spl__text_add(text, "  %s rows by a %s each, %s\n",
                          spl__thousands(bins->first[g + 1] - bins->first[g]),
                          shapes[g].whole ? "block" : "warp",
                          shapes[g].slots ? "in tables" : "searched");
}
