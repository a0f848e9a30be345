/* SPDX-License-Identifier: Apache-2.0 */
/* device_find_room.c: the symbolic phase on a device: memory for the columns that it finds, before
 * C has any, and for positions of terms that the numeric phase reads.
 *
 * While rows are counted, their columns are stored in a stash of estimated size. A stash of more
 * than 64 MiB is smaller than the values of C as long as C has 3.25 times the entries of A or B;
 * then C itself sets the peak of memory. */
#include "spgemm/gpu/device_find_state.h"

#include "core/checked.h"
#include "spgemm/gpu/bins/row_work.h"
#include "spgemm/gpu/device_plan.h"
#include "spgemm/kernels/bins/spgemm_rows.k.h"
#include "spgemm/kernels/spgemm_bounds.k.h"

#include <math.h>

/* 6.5 times the entries of the larger operand hold C for meshes of any dimension: in 3-D a row of
 * A*A has (5/3)^3 = 4.6 times as many, in 2-D 2.8. */
static const double stash_per_entry = 6.5;
static const double stash_least = 1 << 24; /* 64 MiB: products of random matrices, too */

spl_status spl__finding_make_bounds(spl__finding *f)
{
    spl_plan *plan = f->plan;
    spl__queue *queue = &plan->problem.queue;
    const spl__form *form = spl__form_of(plan);
    SPL__TRY(spl__count_device_work(plan));
    f->room = spl__device_product_of(plan)->bound;
    SPL__TRY(spl__queue_alloc(queue, f->room, SPL__FIND_COLUMN, &f->stash));
    SPL__TRY(spl__queue_alloc(queue, form->a.rows + 1, sizeof(int64_t), &f->starts));
    struct spgemm_bound_rows_args args = {.rows = form->a.rows,
                                          .cols = form->b.cols,
                                          .work = spl__device_product_of(plan)->work.data,
                                          .bounds = f->starts.data};
    SPL__TRY(spl__product_launch(plan, "spgemm_bound_rows", args.rows, &args, sizeof args));
    return spl__queue_offsets(queue, SPL_I64, f->starts.data, args.rows, NULL);
}

/* Columns that should have room of their own while they are found. */
static int64_t wanted_room(const spl__finding *f)
{
    const spl__form *form = spl__form_of(f->plan);
    double entries = (double)spl__max_i64(form->a.nnz, form->b.nnz);
    double most = fmax(stash_least, stash_per_entry * entries);
    return (int64_t)fmin(f->plan->features.bound_c / spl__form_of(f->plan)->times.c, most);
}

spl_status spl__finding_make_room(spl__finding *f)
{
    spl_plan *plan = f->plan;
    const spl__form *form = spl__form_of(plan);
    int64_t wanted = wanted_room(f);
    spl_status status = spl__queue_alloc(&plan->problem.queue, wanted, SPL__FIND_COLUMN, &f->stash);
    if (status == SPL_OK)
        status = spl__queue_alloc(&plan->problem.queue, form->a.rows, sizeof(int64_t), &f->starts);
    if (status == SPL_OK)
        f->room = wanted;
    else
        spl__queue_free(&plan->problem.queue, &f->stash);
    return status == SPL_OVER_BUDGET || status == SPL_OUT_OF_MEMORY ? SPL_OK : status;
}

/* Terms (products and entries of D) of all rows whose terms are sorted, and how many these are. */
static int64_t sorted_terms(const spl__finding *f, int64_t *rows)
{
    int64_t terms = 0;
    *rows = 0;
    for (int g = 0; g < f->shapes.count; g++)
        if (f->shapes.shape[g].kind == SPGEMM_SORT) {
            terms += f->bins.work[g];
            *rows += f->bins.first[g + 1] - f->bins.first[g];
        }
    return terms;
}

spl_status spl__finding_make_kept(spl__finding *f)
{
    spl__queue *queue = &f->plan->problem.queue;
    spl__device_product *device_c = spl__device_product_of(f->plan);
    int64_t rows, terms = sorted_terms(f, &rows);
    const bool cleared = device_c->kept_starts.data != NULL;
    if (terms > 0 && !f->bounded && !cleared)
        SPL__TRY(spl__device_kept_begin(f->plan));
    spl_status status = SPL_OK;
    if (terms > 0 && !f->bounded && device_c->kept_starts.data)
        status = spl__queue_alloc(queue, terms, 1, &device_c->kept_positions);
    if (status != SPL_OK || !device_c->kept_positions.data) {
        spl__device_kept_free(f->plan);
        return status == SPL_OUT_OF_MEMORY ? SPL_OK : status;
    }
    if (cleared || rows == device_c->form.a.rows) /* each row notes its own */
        return SPL_OK;
    return spl__queue_fill(queue, device_c->kept_starts.data, 0xff, device_c->kept_starts.bytes);
}

/* Allocates C's narrow offsets, if the plan gives C away and its rows are settled. */
static spl_status make_narrow(const spl__finding *f)
{
    const spl__problem *p = &f->plan->problem;
    spl__device_product *device_c = spl__device_product_of(f->plan);
    if (!p->once || p->staged || device_c->form.kind->expand)
        return SPL_OK;
    if (!device_c->narrow.data)
        SPL__TRY(spl__device_make_narrow(f->plan));
    device_c->narrowed = device_c->narrow.data != NULL;
    return SPL_OK;
}

/* Whether blocks sorted rows one after the other, LANES of them or more at a time. */
static bool are_in_order(const spl__finding *f)
{
    enum { MOST_TEAM = 8 };
    for (int g = 0; g < f->shapes.count; g++)
        if (f->bins.first[g + 1] - f->bins.first[g] == spl__device_product_of(f->plan)->form.a.rows)
            return f->shapes.shape[g].kind == SPGEMM_SORT && f->shapes.shape[g].team <= MOST_TEAM &&
                   !spl__row_bins_list(&f->bins, g);
    return false;
}

spl_status spl__finding_settle(spl__finding *f)
{
    spl__device_product *device_c = spl__device_product_of(f->plan);
    SPL__TRY(make_narrow(f));
    const bool narrows = device_c->narrowed && !device_c->form.kind->expand;
    struct spgemm_settle_args args = {.rows = device_c->form.a.rows,
                                      .starts = f->starts.data,
                                      .stash = f->stash.data,
                                      .offsets = device_c->offsets.data,
                                      .columns = device_c->columns.data,
                                      .narrow = narrows ? device_c->narrow.data : NULL,
                                      .in_order = are_in_order(f)};
    enum { COLUMNS_PER_THREAD = 4 }; /* of long rows */
    int64_t threads =
        spl__max_i64(args.rows * SPGEMM_ROW_LANES, device_c->form.nnz_c / COLUMNS_PER_THREAD);
    return spl__product_launch(f->plan, "spgemm_settle", threads, &args, sizeof args);
}

spl_status spl__finding_settle_early(spl__finding *f)
{
    spl__queue *queue = &f->plan->problem.queue;
    spl__device_product *device_c = spl__device_product_of(f->plan);
    if (f->room == 0 || spl__queue_has_budget(queue))
        return SPL_OK;
    spl_status status = spl__queue_alloc(queue, f->room, SPL__FIND_COLUMN, &device_c->columns);
    if (status != SPL_OK)
        return status == SPL_OUT_OF_MEMORY ? SPL_OK : status;
    f->settled = true;
    return spl__finding_settle(f);
}

void spl__finding_expect(const spl__finding *f)
{
    enum { SMALL = 8192 };
    spl_plan *plan = f->plan;
    const spl__form *form = spl__form_of(plan);
    const spl_sparse *a = &plan->problem.a.csr;
    double block = (double)(form->block * form->block), rows = (double)plan->problem.rows,
           found = (double)form->nnz_c,
           entries = fmax(found * block, (double)spl__device_product_of(plan)->nnz);
    bool keeps = plan->problem.options.keep_result || plan->problem.staged;
    double columns = SPL__FIND_COLUMN * (found + (form->kind->expand ? entries : 0)),
           values = keeps ? entries * (double)spl__type_size(a->type) : 0,
           room = f->room ? 0 : SPL__FIND_COLUMN * (double)wanted_room(f) + sizeof(int64_t) * rows,
           copy = plan->problem.staged && plan->problem.once /* of C, for the caller */
                      ? values + SPL__FIND_COLUMN * entries + sizeof(int64_t) * rows
                      : 0;
    spl__plan_expect(plan, SMALL + copy,
                     columns + values + room + 2 * sizeof(int64_t) * rows + SMALL);
}
