/* SPDX-License-Identifier: Apache-2.0 */
#include "problem/problem.h"

#include "core/checked.h"
#include "core/combination.h"
#include "core/sized.h"
#include "matrix/inner.h"

const char *spl__phase_name(spl__phase phase)
{
    static const char *const names[] = {"compute", "symbolic", "numeric", "form"};
    return names[phase];
}

double spl__assumed_threads(const spl__problem *problem)
{
    enum { ANY_NUMBER = 8 };
    return problem->options.deterministic ? ANY_NUMBER : problem->threads;
}

/* Checks a flag or enumerator of the options: 0..last. */
static spl_status check_range(const char *name, int64_t value, int64_t last)
{
    if (value < 0 || value > last)
        return spl__fail(SPL_INVALID_ARGUMENT, "options.%s is %lld, allowed are 0 to %lld", name,
                         (long long)value, (long long)last);
    return SPL_OK;
}

spl_status spl__options_read(const spl_context *context, const spl_options *from, spl_options *o)
{
    SPL__TRY(spl__sized_read(o, sizeof *o, from, "spl_options"));
    SPL__TRY(check_range("policy", o->policy, SPL_POLICY_MEASURE));
    SPL__TRY(check_range("op_a", o->op_a, SPL_CONJUGATE_TRANSPOSE));
    SPL__TRY(check_range("op_b", o->op_b, SPL_CONJUGATE_TRANSPOSE));
    SPL__TRY(check_range("threads", o->threads, SPL__MOST_THREADS));
    SPL__TRY(check_range("deterministic", o->deterministic, 1));
    SPL__TRY(check_range("unsorted", o->unsorted, 1));
    SPL__TRY(check_range("keep_result", o->keep_result, 1));
    SPL__TRY(check_range("check_inputs", o->check_inputs, 1));
    SPL__TRY(check_range("accuracy", o->accuracy, SPL_ACCURACY_REDUCED));
    SPL__TRY(check_range("partition", o->partition, SPL_PARTITION_COST));
    SPL__TRY(check_range("distributed", o->distributed, 1));
    SPL__TRY(check_range("dense_order", o->dense_order, SPL_COLUMN_MAJOR));
    SPL__TRY(check_range("executions", o->executions, INT32_MAX));
    SPL__TRY(check_range("result_offset_type", o->result_offset_type, SPL_I64));
    SPL__TRY(check_range("scalar_place.kind", o->scalar_place.kind, SPL_EMULATOR));
    SPL__TRY(check_range("scalar_place.ordinal", o->scalar_place.ordinal,
                         o->scalar_place.kind ? INT32_MAX : 0));
    SPL__TRY(check_range("mask_complement", o->mask_complement, 1));
    SPL__TRY(check_range("mask_pattern", o->mask_pattern, SPL_MASK_FULL));
    SPL__TRY(check_range("semiring", o->semiring, SPL_MAX_TIMES));
    if (o->processors >> (1 + context->device_count))
        return spl__fail(SPL_INVALID_ARGUMENT,
                         "options.processors is 0x%llx, the context has processors 0 to %d",
                         (unsigned long long)o->processors, context->device_count);
    o->threads = spl__threads(context, o->threads);
    return SPL_OK;
}

/* ---- masks and semirings ---- */

static bool has_algebra(const spl__problem *p)
{
    return p->options.mask || p->options.semiring;
}

/* Masks of C and semirings are built for the CPU; masks of rows belong to executions. */
static spl_status check_algebra(const spl__problem *p, bool elsewhere)
{
    const char *what = p->options.mask ? "options.mask" : "options.semiring";
    if (!has_algebra(p))
        return SPL_OK;
    if (p->options.mask && !p->traits->sparse)
        return spl__fail(SPL_UNSUPPORTED, "options.mask is for SpGEMM: executions of SpMV and SpMM "
                                          "take a mask of rows");
    if (elsewhere)
        return spl__fail(SPL_UNSUPPORTED,
                         "%s is built for the CPU alone, not for devices or "
                         "several processors",
                         what);
    if (p->options.mask && p->options.mask_complement && p->options.mask_pattern == SPL_MASK_FULL)
        return spl__fail(SPL_INVALID_ARGUMENT, "options.mask_complement with mask_pattern full: C "
                                               "would have all places but those of the mask");
    return SPL_OK;
}

/* Reads an operand; one whose values the semiring does not use may be a pattern. */
static spl_status read_operand(spl_sparse *view, const spl_sparse *from, bool used,
                               const char *name)
{
    return used || !from || from->values ? spl__view_read_anywhere(view, from, name)
                                         : spl__pattern_read(view, from, name);
}

/* ---- the processor ---- */

static spl__device *first_device(const spl_context *context, uint64_t processors)
{
    for (int i = 0; i < context->device_count; i++)
        if (processors >> (i + 1) & 1)
            return context->devices[i];
    return NULL;
}

static spl_status check_scalar_place(const spl__problem *p, const spl_sparse *a)
{
    spl_place place = p->options.scalar_place;
    if (place.kind == SPL_HOST ||
        (!p->staged && place.kind == a->place.kind && place.ordinal == a->place.ordinal))
        return SPL_OK;
    return spl__fail(SPL_UNSUPPORTED,
                     "options.scalar_place is neither the host nor where the matrices live");
}

/* The device that holds A; NULL: the host does. */
static spl_status find_owner(const spl__problem *p, const spl_sparse *a, spl__device **device)
{
    *device = a->place.kind == SPL_HOST ? NULL : spl__device_at(p->context, a->place);
    if (a->place.kind != SPL_HOST && !*device)
        return spl__fail(SPL_UNSUPPORTED,
                         "A is at place kind %d, ordinal %d: the context has no such device",
                         a->place.kind, a->place.ordinal);
    return SPL_OK;
}

spl_status spl__problem_place(spl__problem *p, const spl_sparse *matrix)
{
    const spl_context *context = p->context;
    spl__device *device;
    spl_sparse a;
    SPL__TRY(read_operand(&a, matrix, spl__semiring_reads_a(p->options.semiring), "A"));
    SPL__TRY(find_owner(p, &a, &device));
    bool resident = device;
    if (!resident && (p->options.processors ? !(p->options.processors & 1) : !context->uses_cpu))
        device = first_device(context, p->options.processors ? p->options.processors : UINT64_MAX);
    p->staged = device && !resident;
    SPL__TRY(check_algebra(p, device != NULL));
    spl__queue_init(&p->queue, device, p->options.memory_budget, p->options.threads);
    return check_scalar_place(p, &a);
}

spl_status spl__problem_place_with_operands(spl__problem *p, const spl_sparse *matrix)
{
    spl__device *device;
    spl_sparse a;
    SPL__TRY(spl__view_read_anywhere(&a, matrix, "A"));
    SPL__TRY(find_owner(p, &a, &device));
    SPL__TRY(check_algebra(p, true));
    if (p->options.scalar_place.kind != SPL_HOST)
        return spl__fail(
            SPL_UNSUPPORTED,
            "options.scalar_place: several processors read alpha and beta on the host");
    spl__queue_init(&p->queue, device, p->options.memory_budget, p->options.threads);
    p->for_devices = (p->options.processors ? p->options.processors : UINT64_MAX) > 1;
    return SPL_OK;
}

static spl_status check_place(const spl_sparse *a, const spl_sparse *view, const char *name)
{
    if (view->place.kind != a->place.kind || view->place.ordinal != a->place.ordinal)
        return spl__fail(SPL_UNSUPPORTED, "A and %s must live at the same place", name);
    return SPL_OK;
}

/* ---- operands ---- */

/* Whether the operands are read where they are, on the problem's device. */
static bool is_resident(const spl__problem *p)
{
    return p->queue.device && !p->staged;
}

/* The narrowest widths (32/32, 64/32, 64/64) that hold every operand's entries and columns
 * without narrowing any operand. */
static void choose_widths(const spl_sparse *const views[3], int64_t widest, spl_index *offset_type,
                          spl_index *index_type)
{
    *offset_type = *index_type = SPL_I32;
    for (int k = 0; k < 3; k++) {
        const spl_sparse *v = views[k];
        if (!v)
            continue;
        bool wide_offsets = v->format == SPL_COO ? v->nnz > INT32_MAX : v->offset_type == SPL_I64;
        if (wide_offsets)
            *offset_type = SPL_I64;
        if (v->index_type == SPL_I64)
            *index_type = SPL_I64;
    }
    if (widest > INT32_MAX)
        *index_type = SPL_I64;
    if (*index_type == SPL_I64)
        *offset_type = SPL_I64;
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

static bool transposed(spl_operator op)
{
    return op != SPL_NONE; /* conjugation has no effect on real values */
}

static int64_t op_rows(const spl_sparse *view, spl_operator op)
{
    return transposed(op) ? view->cols : view->rows;
}

static int64_t op_cols(const spl_sparse *view, spl_operator op)
{
    return transposed(op) ? view->rows : view->cols;
}

/* Whether the entries of op(A) are stored by columns. */
static bool is_by_columns(const spl_sparse *view, spl_operator op)
{
    return view->format != SPL_COO && transposed(op) != (view->format == SPL_CSC);
}

/* Sparse products are computed in the type of their operands. */
static spl_status check_type(const spl__problem *p, const spl_sparse *a)
{
    if (p->traits->sparse && spl__type_is_half(a->type))
        return spl__fail(SPL_UNSUPPORTED,
                         "sparse products have values of f32 or f64, A holds %s: convert it "
                         "(spl_convert); %s serves "
                         "SpMV and SpMM",
                         spl__type_name(a->type), spl__type_name(a->type));
    return SPL_OK;
}

static spl_status check_shapes(spl__problem *p, const spl_sparse *a, const spl_sparse *b,
                               const spl_sparse *d)
{
    p->rows = op_rows(a, p->options.op_a);
    p->inner = op_cols(a, p->options.op_a);
    if (b) {
        p->cols = op_cols(b, p->options.op_b);
        if (op_rows(b, p->options.op_b) != p->inner)
            return spl__fail(SPL_SHAPE_MISMATCH, "op(A) is %lld x %lld, op(B) is %lld x %lld",
                             (long long)p->rows, (long long)p->inner,
                             (long long)op_rows(b, p->options.op_b), (long long)p->cols);
        if (a->type != b->type)
            return spl__fail(SPL_INVALID_ARGUMENT, "A holds %s, B holds %s: convert one of them",
                             spl__type_name(a->type), spl__type_name(b->type));
    }
    if (d && (d->rows != p->rows || d->cols != p->cols))
        return spl__fail(SPL_SHAPE_MISMATCH, "op(A)*op(B) is %lld x %lld, D is %lld x %lld",
                         (long long)p->rows, (long long)p->cols, (long long)d->rows,
                         (long long)d->cols);
    if (d && a->type != d->type)
        return spl__fail(SPL_INVALID_ARGUMENT, "A holds %s, D holds %s: convert one of them",
                         spl__type_name(a->type), spl__type_name(d->type));
    return SPL_OK;
}

/* The widths of offsets and columns of all operands of the plan. */
typedef struct widths {
    spl_index offset_type, index_type;
} widths;

/* Searches in plans, and if a method is forced that may use what is found: a single execution
 * seldom amortises them. */
static spl__look look_of(const spl__problem *p, const spl__operand *operand)
{
    const spl__traits *t = p->traits;
    if (!t->looks && spl__problem_is_single(p) && !p->options.method)
        return SPL__LOOK_NO_FURTHER;
    return operand == &p->a ? t->look_at_a : t->look_at_others;
}

static spl_status prepare_operand(spl__problem *p, spl__account *account, const spl_sparse *view,
                                  bool transpose, widths w, spl__operand *operand)
{
    operand->look = look_of(p, operand);
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
    return spl__operands_settle(&p->queue, operands, count);
}

static spl_status watch_operands(spl__problem *p)
{
    SPL__TRY(spl__operand_watch(&p->queue, &p->a));
    SPL__TRY(spl__operand_watch(&p->queue, &p->b));
    return spl__operand_watch(&p->queue, &p->d);
}

/* ---- an inner dimension that is far longer than there are entries ---- */

static bool inner_is_far(const spl__problem *p, const spl__factor *a, const spl__factor *b)
{
    return p->traits->sparse && spl__inner_is_far(a, b);
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
    spl__factor of_a = {*a, transposed(p->options.op_a)}, of_b = {*b, transposed(p->options.op_b)};
    if (!inner_is_far(p, &of_a, &of_b))
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
    widths w;
    const spl_sparse *const views[3] = {a, b, d};
    int64_t widest = spl__max_i64(p->inner, b ? p->cols : 0);
    choose_widths(views, widest, &w.offset_type, &w.index_type);
    SPL__TRY(narrow_columns(p, widest, &w.index_type));
    p->combination = spl__combination(a->type, w.offset_type, w.index_type);
    p->by_columns = p->columns == SPL__COLUMNS ||
                    (p->columns == SPL__COLUMNS_AS_STORED && !spl__type_is_half(a->type) &&
                     is_by_columns(a, p->options.op_a));
    SPL__TRY(
        prepare_operand(p, account, a, transposed(p->options.op_a) != p->by_columns, w, &p->a));
    if (b)
        SPL__TRY(prepare_operand(p, account, b, transposed(p->options.op_b), w, &p->b));
    return d ? prepare_operand(p, account, d, false, w, &p->d) : SPL_OK;
}

static spl_status prepare_operands(spl__problem *p, spl__account *account, const spl_sparse *a,
                                   const spl_sparse *b, const spl_sparse *d)
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

/* Copies in CSR, as spl__operand_prepare makes them. */
static double host_bytes(const spl_sparse *view, bool transpose, widths w)
{
    double nnz = (double)view->nnz,
           structure = spl__arrange_bytes(view, transpose, w.offset_type, w.index_type, false),
           values = spl__counted_bytes(nnz, spl__type_size(view->type));
    return structure + (structure > nnz * (double)sizeof(int64_t) ? values : 0);
}

/* What sorting takes on top of a copy. */
static double device_bytes(const spl_sparse *view, bool transpose, widths w, bool staged)
{
    double entry = (double)spl__index_size(w.index_type) + (double)spl__type_size(view->type),
           line = (double)spl__index_size(w.offset_type), nnz = (double)view->nnz,
           lines = (double)(transpose ? view->cols : view->rows) + 1;
    bool kept = view->format == (transpose ? SPL_CSC : SPL_CSR);
    double sorting = (entry + 3.0 * sizeof(int64_t)) * nnz;
    if (staged)
        return entry * nnz + line * lines;
    return kept ? (view->index_type == w.index_type ? 0 : (double)sizeof(int32_t) * nnz) +
                      (view->offset_type == w.offset_type ? 0 : line * lines)
                : sorting + line * lines;
}

/* Renumbering leaves no more than one inner index if all entries have the same. */
static double renumber(spl__problem *p, spl_sparse *a, spl_sparse *b)
{
    spl__factor of_a = {*a, transposed(p->options.op_a)}, of_b = {*b, transposed(p->options.op_b)};
    if (!inner_is_far(p, &of_a, &of_b))
        return 0;
    p->inner = *spl__inner_of_a(&of_a) = *spl__inner_of_b(&of_b) = 1;
    *a = of_a.view;
    *b = of_b.view;
    return spl__counted_bytes((double)a->nnz, spl__index_size(a->index_type));
}

/* SpMV takes columns as they are where rows do not fit (plan_make.c). */
double spl__problem_bytes(spl__problem *p, spl_sparse *const given[3], double *device)
{
    const spl_sparse *const views[3] = {given[0], given[1], given[2]};
    const spl_operator ops[3] = {p->options.op_a, p->options.op_b, SPL_NONE};
    bool goes = p->queue.device, host = !goes || p->staged;
    widths w;
    *device = 0;
    double bytes = given[1] ? renumber(p, given[0], given[1]) : 0;
    choose_widths(views, 0, &w.offset_type, &w.index_type);
    if (goes)
        w.index_type = SPL_I32;
    for (int k = 0; k < 3; k++) {
        const spl_sparse *v = views[k];
        if (!v)
            continue;
        bool as_stored = p->traits->vectors && !goes && is_by_columns(v, ops[k]);
        if (host && !as_stored)
            bytes += host_bytes(v, transposed(ops[k]), w);
        if (goes)
            *device += device_bytes(v, transposed(ops[k]), w, p->staged);
    }
    return bytes;
}

static bool same_structure(const spl_sparse *a, const spl_sparse *b)
{
    return b->offsets == a->offsets && b->indices == a->indices && b->format == a->format &&
           b->rows == a->rows && b->cols == a->cols && b->nnz == a->nnz;
}

/* Checks everything in the arrays. A and B are checked once if they are the same matrix. */
static spl_status check_arrays(spl__watch *watch, int threads, const spl_sparse *a,
                               const spl_sparse *b, const spl_sparse *d)
{
    SPL__TRY(spl__view_check(watch, threads, a, "A"));
    if (b && !same_structure(a, b))
        SPL__TRY(spl__view_check(watch, threads, b, "B"));
    return d ? spl__view_check(watch, threads, d, "D") : SPL_OK;
}

/* Whether preparing A uses none of its columns. */
static bool may_wait(const spl__problem *p, const spl_sparse *a)
{
    return !p->traits->sparse && a->format == SPL_CSR && a->index_type == SPL_I32 &&
           a->place.kind == SPL_HOST && !transposed(p->options.op_a);
}

spl_status spl__problem_check_deferred(spl__problem *problem, spl__watch *watch)
{
    return problem->defers_check ? spl__view_check(watch, problem->threads, &problem->a.source, "A")
                                 : SPL_OK;
}

spl_status spl__problem_make(spl__problem *problem, spl__account *account, const spl_sparse *a,
                             const spl_sparse *b, const spl_sparse *d, int64_t cols)
{
    spl_sparse va, vb, vd;
    problem->cols = cols;
    problem->has_d = d != NULL;
    problem->threads = problem->options.threads;
    SPL__TRY(check_algebra(problem, false));
    SPL__TRY(read_operand(&va, a, spl__semiring_reads_a(problem->options.semiring), "A"));
    if (b)
        SPL__TRY(read_operand(&vb, b, spl__semiring_reads_b(problem->options.semiring), "B"));
    if (d)
        SPL__TRY(spl__view_read_anywhere(&vd, d, "D"));
    if (b)
        SPL__TRY(check_place(&va, &vb, "B"));
    if (d)
        SPL__TRY(check_place(&va, &vd, "D"));
    SPL__TRY(check_type(problem, &va));
    SPL__TRY(check_shapes(problem, &va, b ? &vb : NULL, d ? &vd : NULL));
    problem->defers_check = problem->defers_check && may_wait(problem, &va);
    if (problem->defers_check)
        SPL__TRY(spl__view_check_offsets(problem->threads, &va, "A"));
    else if (va.place.kind == SPL_HOST && !problem->checked)
        SPL__TRY(check_arrays(spl__account_watch(account), problem->threads, &va, b ? &vb : NULL,
                              d ? &vd : NULL));
    SPL__TRY(prepare_operands(problem, account, &va, b ? &vb : NULL, d ? &vd : NULL));
    const spl__mask_shape shape = {problem->rows, problem->cols, problem->a.csr.index_type};
    return spl__mask_make(account, problem->threads, &problem->options, shape, &problem->mask);
}

spl_status spl__problem_upload(spl__problem *problem)
{
    SPL__TRY(spl__operand_upload(&problem->queue, &problem->a));
    if (problem->b.host.format)
        SPL__TRY(spl__operand_upload(&problem->queue, &problem->b));
    return problem->has_d ? spl__operand_upload(&problem->queue, &problem->d) : SPL_OK;
}

void spl__problem_free(spl__problem *problem)
{
    spl__operand_free(&problem->queue, &problem->a);
    spl__operand_free(&problem->queue, &problem->b);
    spl__operand_free(&problem->queue, &problem->d);
    spl__mask_free(&problem->mask);
}
