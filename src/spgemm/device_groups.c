/* SPDX-License-Identifier: Apache-2.0 */
/* device_groups.c: rows of C by size, and what is launched for each size. */
#include "core/checked.h"
#include "spgemm/device_product.h"

#include <string.h>

static const struct {
    int64_t bound;
    int32_t team, threads;
} groups_table[SPL__HASH_GROUPS] = {
#define HASH_GROUP(bound, team, threads) {bound, team, threads},
#include "spgemm/hash_groups.def"
#undef HASH_GROUP
};

/* Arrays of the sort that puts rows in the order of their groups. */
typedef struct sorting {
    spl__device_array keys, ids, sorted_keys, counts;
} sorting;

static spl_status make_sorting(spl__queue *queue, int64_t rows, sorting *s)
{
    SPL__TRY(spl__queue_alloc(queue, rows, sizeof(uint32_t), &s->keys));
    SPL__TRY(spl__queue_alloc(queue, rows, sizeof(uint32_t), &s->ids));
    SPL__TRY(spl__queue_alloc(queue, rows, sizeof(uint32_t), &s->sorted_keys));
    return spl__queue_alloc(queue, SPL__HASH_GROUPS + 1, sizeof(uint32_t), &s->counts);
}

static void free_sorting(spl__queue *queue, sorting *s)
{
    spl__queue_free(queue, &s->keys);
    spl__queue_free(queue, &s->ids);
    spl__queue_free(queue, &s->sorted_keys);
    spl__queue_free(queue, &s->counts);
}

static spl_status launch_grouping(spl_plan *plan, const int64_t *sizes, const sorting *s)
{
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *a = &plan->problem.a.csr;
    const spl__kernel *kernel;
    struct spgemm_group_rows_args args = {.rows = plan->problem.rows,
                                          .most = plan->problem.cols,
                                          .sizes = sizes,
                                          .offsets = spl__product_of(plan)->there->offsets.data,
                                          .groups = SPL__HASH_GROUPS,
                                          .keys = s->keys.data,
                                          .ids = s->ids.data,
                                          .counts = s->counts.data};
    for (int g = 0; g < SPL__HASH_GROUPS; g++)
        args.bounds[g] = groups_table[g].bound;
    SPL__TRY(spl__queue_kernel(queue, "spgemm_group_rows", a->type, a->offset_type, &kernel));
    SPL__TRY(spl__queue_fill(queue, s->counts.data, 0, s->counts.bytes));
    int64_t blocks = spl__blocks_for(queue, args.rows, SPGEMM_ROWS_THREADS);
    return SPL__LAUNCH(queue, &args, kernel, blocks, SPGEMM_ROWS_THREADS);
}

static spl_status sort_rows(spl_plan *plan, const sorting *s, spl__device_groups *groups)
{
    enum { KEY_BITS = 4 };
    spl__sort_pairs pairs = {.count = plan->problem.rows,
                             .key_bytes = sizeof(uint32_t),
                             .value_bytes = sizeof(uint32_t),
                             .bits = KEY_BITS,
                             .keys = s->keys.data,
                             .values = s->ids.data,
                             .sorted_keys = s->sorted_keys.data,
                             .sorted_values = groups->rows.data};
    uint32_t counts[SPL__HASH_GROUPS + 1];
    SPL__TRY(spl__queue_sort(&plan->problem.queue, &pairs));
    SPL__TRY(spl__queue_fetch(&plan->problem.queue, counts, s->counts.data, sizeof counts));
    groups->first[0] = 0;
    for (int g = 0; g <= SPL__HASH_GROUPS; g++)
        groups->first[g + 1] = groups->first[g] + counts[g];
    return SPL_OK;
}

spl_status spl__device_groups_make(spl_plan *plan, const int64_t *sizes, spl__device_groups *groups)
{
    spl__queue *queue = &plan->problem.queue;
    sorting s = {0};
    if (plan->problem.rows == 0)
        return SPL_OK;
    spl_status status = spl__queue_alloc(queue, plan->problem.rows, sizeof(uint32_t), &groups->rows);
    if (status == SPL_OK)
        status = make_sorting(queue, plan->problem.rows, &s);
    if (status == SPL_OK)
        status = launch_grouping(plan, sizes, &s);
    if (status == SPL_OK)
        status = sort_rows(plan, &s, groups);
    free_sorting(queue, &s);
    return status;
}

void spl__device_groups_free(spl_plan *plan, spl__device_groups *groups)
{
    spl__queue_free(&plan->problem.queue, &groups->rows);
}

/* ---- shapes ---- */

/* The power of two from 2*columns on, and what a hash of 32 bits is shifted by for it. */
static void size_table(spl__hash_shape *s, int64_t columns)
{
    enum { LEAST_BITS = 5 };
    int bits = LEAST_BITS;
    while ((int64_t)1 << bits < 2 * columns)
        bits++;
    s->slots = (int64_t)1 << bits;
    s->shift = 32 - bits;
}

static void use_global_tables(const spl_plan *plan, spl__hash_shape *s, int64_t rows)
{
    enum { BLOCKS_PER_UNIT = 2 };
    s->team = s->threads = SPGEMM_MOST_THREADS;
    s->blocks = spl__min_i64(rows, (int64_t)plan->problem.queue.device->properties.units * BLOCKS_PER_UNIT);
    s->shared = 0;
    s->global = true;
}

spl__hash_shape spl__hash_shape_of(const spl_plan *plan, const spl__kernel *kernel, int group, int64_t rows,
                                   size_t slot_bytes, int64_t longest)
{
    const spl__device_properties *p = &plan->problem.queue.device->properties;
    spl__hash_shape s = {0};
    int64_t columns = spl__min_i64(longest, plan->problem.cols);
    size_table(&s, group < SPL__HASH_GROUPS ? spl__min_i64(groups_table[group].bound, columns) : columns);
    if (group == SPL__HASH_GROUPS) {
        use_global_tables(plan, &s, rows);
        return s;
    }
    s.team = groups_table[group].team;
    s.threads = groups_table[group].threads;
    s.shared = (size_t)s.slots * slot_bytes * (size_t)(s.threads / s.team);
    s.blocks = spl__blocks_for(&plan->problem.queue, rows * s.team, s.threads);
    if (s.shared + kernel->fixed_shared > p->block_shared)
        use_global_tables(plan, &s, rows);
    return s;
}

spl_status spl__hash_tables_make(spl_plan *plan, spl__hash_shape *shape, size_t slot_bytes, spl__device_array *tables)
{
    for (;; shape->blocks = (shape->blocks + 1) / 2) {
        spl_status status = spl__queue_alloc(&plan->problem.queue, shape->blocks * shape->slots, slot_bytes, tables);
        if ((status != SPL_OVER_BUDGET && status != SPL_OUT_OF_MEMORY) || shape->blocks <= 1)
            return status;
    }
}
