/* SPDX-License-Identifier: Apache-2.0 */
#include "problem/problem.h"

#include "core/sized.h"
#include "problem/problem_operands.h"
#include "problem/semiring_name.h"

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
    SPL__TRY(check_range("updates", o->updates, INT32_MAX));
    SPL__TRY(check_range("exact", o->exact, 1));
    SPL__TRY(check_range("result_offset_type", o->result_offset_type, SPL_I64));
    SPL__TRY(check_range("scalar_place.kind", o->scalar_place.kind, SPL_EMULATOR));
    SPL__TRY(check_range("scalar_place.ordinal", o->scalar_place.ordinal,
                         o->scalar_place.kind ? INT32_MAX : 0));
    SPL__TRY(check_range("mask_complement", o->mask_complement, 1));
    SPL__TRY(check_range("mask_pattern", o->mask_pattern, SPL_MASK_FULL));
    SPL__TRY(check_range("semiring", o->semiring, SPL__SEMIRINGS - 1));
    if (o->processors >> (1 + context->device_count))
        return spl__fail(SPL_INVALID_ARGUMENT,
                         "options.processors is 0x%llx, the context has processors 0 to %d",
                         (unsigned long long)o->processors, context->device_count);
    o->threads = spl__threads(context, o->threads);
    return SPL_OK;
}

/* ---- masks and semirings ---- */

/* Masks of rows belong to executions. */
static spl_status check_algebra(const spl__problem *p)
{
    if (p->options.mask && !p->traits->sparse)
        return spl__fail(SPL_UNSUPPORTED, "options.mask is for SpGEMM: executions of SpMV and SpMM "
                                          "take a mask of rows");
    if (p->options.mask && p->options.mask_complement && p->options.mask_pattern == SPL_MASK_FULL)
        return spl__fail(SPL_INVALID_ARGUMENT, "options.mask_complement with mask_pattern full: C "
                                               "would have all positions but those of the mask");
    return SPL_OK;
}

/* Reads an operand; one whose values the semiring does not use may be a pattern. */
static spl_status read_operand(spl_sparse *view, const spl_sparse *from, bool used,
                               const char *name)
{
    return used || !from || from->values ? spl__view_read_anywhere(view, from, name)
                                         : spl__pattern_read_anywhere(view, from, name);
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

/* Integers have semirings that are theirs. */
static spl_status check_integers(const spl__problem *p, const spl_sparse *a)
{
    const int32_t semiring = p->options.semiring;
    const bool integer = spl__type_is_integer(a->type);
    if (integer ? !SPL__SEMIRING_OF_INTEGERS(semiring) : !SPL__SEMIRING_OF_FLOATS(semiring))
        return spl__fail(SPL_UNSUPPORTED, "A holds %s: the semiring %s is one of %s",
                         spl__type_name(a->type), spl__semiring_name(semiring),
                         integer ? "floating-point numbers" : "integers");
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
    SPL__TRY(check_algebra(p));
    SPL__TRY(check_integers(p, &a));
    spl__queue_init(&p->queue, device, p->options.memory_budget, p->options.threads);
    return check_scalar_place(p, &a);
}

spl_status spl__problem_place_with_operands(spl__problem *p, const spl_sparse *matrix)
{
    spl__device *device;
    spl_sparse a;
    SPL__TRY(read_operand(&a, matrix, spl__semiring_reads_a(p->options.semiring), "A"));
    SPL__TRY(find_owner(p, &a, &device));
    SPL__TRY(check_algebra(p));
    SPL__TRY(check_integers(p, &a));
    if (p->options.scalar_place.kind != SPL_HOST)
        return spl__fail(
            SPL_UNSUPPORTED,
            "options.scalar_place: several processors read alpha and beta on the host");
    spl__queue_init(&p->queue, device, p->options.memory_budget, p->options.threads);
    p->several = true;
    p->for_devices = (p->options.processors ? p->options.processors : UINT64_MAX) > 1;
    return SPL_OK;
}

static spl_status check_place(const spl_sparse *a, const spl_sparse *view, const char *name)
{
    if (view->place.kind != a->place.kind || view->place.ordinal != a->place.ordinal)
        return spl__fail(SPL_UNSUPPORTED, "A and %s must live at the same place", name);
    return SPL_OK;
}

/* ---- shapes and types ---- */

static int64_t op_rows(const spl_sparse *view, spl_operator op)
{
    return spl__transposes(op) ? view->cols : view->rows;
}

static int64_t op_cols(const spl_sparse *view, spl_operator op)
{
    return spl__transposes(op) ? view->rows : view->cols;
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

/* ---- the whole problem ---- */

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
           a->place.kind == SPL_HOST && !spl__transposes(p->options.op_a);
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
    SPL__TRY(check_algebra(problem));
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
    SPL__TRY(spl__problem_prepare_operands(problem, account, &va, b ? &vb : NULL, d ? &vd : NULL));
    const spl__mask_shape shape = {problem->rows, problem->cols, problem->a.csr.index_type,
                                   problem->several};
    return spl__mask_make(account, &problem->queue, problem->threads, &problem->options, shape,
                          &problem->mask);
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
