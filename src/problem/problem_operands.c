/* SPDX-License-Identifier: Apache-2.0 */
#include "problem/problem_operands.h"

#include "core/checked.h"
#include "core/combination.h"

/* ---- widths ---- */

/* Whether the operands are read where they are, on the problem's device. */
static bool is_resident(const spl__problem *p)
{
    return p->queue.device && !p->staged;
}

spl__widths spl__widths_for(const spl_sparse *const views[3], int64_t widest)
{
    spl__widths w = {SPL_I32, SPL_I32};
    for (int k = 0; k < 3; k++) {
        const spl_sparse *v = views[k];
        if (!v)
            continue;
        bool wide_offsets = v->format == SPL_COO ? v->nnz > INT32_MAX : v->offset_type == SPL_I64;
        if (wide_offsets)
            w.offset_type = SPL_I64;
        if (v->index_type == SPL_I64)
            w.index_type = SPL_I64;
    }
    if (widest > INT32_MAX)
        w.index_type = SPL_I64;
    if (w.index_type == SPL_I64)
        w.offset_type = SPL_I64;
    return w;
}

/* On devices columns have 32 bits: more widths would multiply the kernels, and no device holds
 * the dense operand of a wider matrix. */
static spl_status narrow_columns(const spl__problem *p, int64_t widest, spl_index *index_type)
{
    if (!p->queue.device && (!p->for_devices || widest > INT32_MAX))
        return SPL_OK;
    if (widest > INT32_MAX)
        return spl__fail(SPL_UNSUPPORTED,
                         "%s columns are more than the 2^31-1 that devices work with",
                         spl__thousands(widest));
    *index_type = SPL_I32;
    return SPL_OK;
}

/* ---- one operand ---- */

/* Searches in plans, and if a method is forced that may use what is found: a single execution
 * seldom amortises them. On a device their launches take longer than a small product. */
static spl__look look_of(const spl__problem *p, const spl__operand *operand, int64_t entries)
{
    enum { FEW_ENTRIES = 16384 };
    const spl__traits *t = p->traits;
    bool looks = t->looks && !(is_resident(p) && p->once && entries <= FEW_ENTRIES);
    if (!looks && spl__problem_is_single(p) && !p->options.method)
        return SPL__LOOK_NO_FURTHER;
    return operand == &p->a ? t->look_at_a : t->look_at_others;
}

static spl_status prepare_operand(spl__problem *p, spl__account *account, const spl_sparse *view,
                                  bool transpose, spl__widths w, spl__operand *operand)
{
    operand->look = look_of(p, operand, view->nnz);
    if (is_resident(p))
        return spl__operand_borrow(&p->queue, view, transpose, w.offset_type, operand);
    return spl__memory_for(spl__operand_prepare(account, p->threads, view, transpose, w.offset_type,
                                                w.index_type, operand),
                           operand->name);
}

static spl_status settle_operands(spl__problem *p, bool has_b, bool has_d)
{
    spl__operand *operands[] = {&p->a, &p->b, &p->d};
    int count = 1;
    if (has_b)
        operands[count++] = &p->b;
    if (has_d)
        operands[count++] = &p->d;
    return spl__operands_settle(&p->queue, operands, count,
                                p->meanwhile.enqueue ? &p->meanwhile : NULL);
}

static spl_status watch_operands(spl__problem *p)
{
    SPL__TRY(spl__operand_watch(&p->queue, &p->a));
    SPL__TRY(spl__operand_watch(&p->queue, &p->b));
    return spl__operand_watch(&p->queue, &p->d);
}

/* ---- an inner dimension that is far longer than there are entries ---- */

bool spl__problem_inner_is_far(const spl__problem *p, const spl__factor *a, const spl__factor *b)
{
    return p->traits->sparse && !p->traits->triple && spl__inner_is_far(a, b);
}

static spl_status compact_resident(spl__problem *p, spl__account *account, spl__factor *a,
                                   spl__factor *b)
{
    spl__device_array arrays[2] = {{0}, {0}};
    SPL__TRY(spl__operand_check_place(&p->queue, &a->view, "A"));
    SPL__TRY(spl__operand_check_place(&p->queue, &b->view, "B"));
    spl_status status = spl__inner_compact_on_device(account, &p->queue, a, b, arrays);
    p->a.device_renumbered = arrays[0];
    p->b.device_renumbered = arrays[1];
    return status;
}

static spl_status compact_on_host(spl__problem *p, spl__account *account, spl__factor *a,
                                  spl__factor *b)
{
    void *arrays[2];
    SPL__TRY(spl__inner_compact(account, a, b, arrays));
    p->a.renumbered = arrays[0];
    p->b.renumbered = arrays[1];
    return SPL_OK;
}

/* Replaces a and b by views without the inner indices that no entry has. */
static spl_status compact_inner(spl__problem *p, spl__account *account, spl_sparse *a,
                                spl_sparse *b)
{
    spl__factor of_a = {*a, spl__transposes(p->options.op_a)},
                of_b = {*b, spl__transposes(p->options.op_b)};
    if (!spl__problem_inner_is_far(p, &of_a, &of_b))
        return SPL_OK;
    SPL__TRY((is_resident(p) ? compact_resident : compact_on_host)(p, account, &of_a, &of_b));
    p->inner = *spl__inner_of_a(&of_a);
    *a = of_a.view;
    *b = of_b.view;
    return SPL_OK;
}

/* Ends the preparation of an operand from a view that may have been renumbered. */
static void note_source(spl__operand *o, const spl_sparse *source)
{
    o->source = *source;
    if (!o->renumbered && !o->device_renumbered.data)
        return;
    o->made_by = "copied without the inner indices that no entry has";
    if (!o->renumbered)
        return;
    if (o->host.indices == o->renumbered)
        return;
    spl__free(o->renumbered); /* it was copied in another order */
    o->renumbered = NULL;
}

/* Gives back renumbered indices of which a copy in other widths or another order is read. */
static void drop_renumbered(spl__problem *p, spl__operand *o)
{
    const void *array = o->device_renumbered.data;
    if (o->csr.indices != array && o->csr.offsets != array)
        spl__queue_free(&p->queue, &o->device_renumbered);
}

/* ---- all operands ---- */

/* Prepares operands whose views may have been renumbered. */
static spl_status prepare_views(spl__problem *p, spl__account *account, const spl_sparse *a,
                                const spl_sparse *b, const spl_sparse *d)
{
    const spl_sparse *const views[3] = {a, b, d};
    int64_t widest = spl__max_i64(p->inner, b ? p->cols : 0);
    spl__widths w = spl__widths_for(views, widest);
    SPL__TRY(narrow_columns(p, widest, &w.index_type));
    p->combination = spl__combination(a->type, w.offset_type, w.index_type);
    p->by_columns = p->columns == SPL__COLUMNS ||
                    (p->columns == SPL__COLUMNS_AS_STORED && !spl__type_is_half(a->type) &&
                     spl__is_by_columns(a, p->options.op_a));
    SPL__TRY(prepare_operand(p, account, a, spl__transposes(p->options.op_a) != p->by_columns, w,
                             &p->a));
    if (b)
        SPL__TRY(prepare_operand(p, account, b, spl__transposes(p->options.op_b), w, &p->b));
    return d ? prepare_operand(p, account, d, false, w, &p->d) : SPL_OK;
}

spl_status spl__problem_prepare_operands(spl__problem *p, spl__account *account,
                                         const spl_sparse *a, const spl_sparse *b,
                                         const spl_sparse *d)
{
    spl_sparse near_a = *a, near_b = b ? *b : near_a;
    p->a.name = "A";
    p->b.name = "B";
    p->d.name = "D";
    if (b)
        SPL__TRY(compact_inner(p, account, &near_a, &near_b));
    SPL__TRY(prepare_views(p, account, &near_a, b ? &near_b : NULL, d));
    note_source(&p->a, a);
    if (b)
        note_source(&p->b, b);
    if (is_resident(p))
        SPL__TRY(settle_operands(p, b != NULL, d != NULL));
    drop_renumbered(p, &p->a);
    drop_renumbered(p, &p->b);
    return p->options.check_inputs ? watch_operands(p) : SPL_OK;
}
