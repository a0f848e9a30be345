/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/problem.h"

#include "core/checked.h"
#include "core/combination.h"
#include "core/sized.h"

const char *spl__kind_name(spl__kind kind)
{
    static const char *const names[] = {"spmv", "spmm", "spgemm"};
    return names[kind];
}

const char *spl__phase_name(spl__phase phase)
{
    static const char *const names[] = {"compute", "symbolic", "numeric"};
    return names[phase];
}

double spl__assumed_threads(const spl__problem *problem)
{
    enum { ANY_NUMBER = 8 };
    return problem->options.deterministic ? ANY_NUMBER : problem->threads;
}

/* A flag or enumerator of the options that must lie in 0..last. */
static spl_status check_range(const char *name, int64_t value, int64_t last)
{
    if (value < 0 || value > last)
        return spl__fail(SPL_INVALID_ARGUMENT, "options.%s is %lld, allowed are 0 to %lld", name, (long long)value,
                         (long long)last);
    return SPL_OK;
}

static spl_status check_reserved(const spl_options *o)
{
    if (o->policy == SPL_POLICY_MEASURE)
        return spl__fail(SPL_UNSUPPORTED, "policy measure is reserved; cost and rules are built");
    if (o->mask)
        return spl__fail(SPL_UNSUPPORTED, "options.mask is reserved and must be NULL");
    if (o->scalar_place.kind != SPL_HOST)
        return spl__fail(SPL_UNSUPPORTED, "scalars on a device need GPU support, which is not built");
    return SPL_OK;
}

spl_status spl__options_read(const spl_context *context, const spl_options *from, spl_options *o)
{
    SPL__TRY(spl__sized_read(o, sizeof *o, from, "options"));
    SPL__TRY(check_range("policy", o->policy, SPL_POLICY_MEASURE));
    SPL__TRY(check_range("op_a", o->op_a, SPL_CONJUGATE_TRANSPOSE));
    SPL__TRY(check_range("op_b", o->op_b, SPL_CONJUGATE_TRANSPOSE));
    SPL__TRY(check_range("threads", o->threads, 65536));
    SPL__TRY(check_range("deterministic", o->deterministic, 1));
    SPL__TRY(check_range("unsorted", o->unsorted, 1));
    SPL__TRY(check_range("keep_result", o->keep_result, 1));
    SPL__TRY(check_range("check_inputs", o->check_inputs, 1));
    SPL__TRY(check_range("accuracy", o->accuracy, SPL_ACCURACY_DEFAULT));
    SPL__TRY(check_range("result_offset_type", o->result_offset_type, SPL_I64));
    SPL__TRY(check_range("scalar_place.kind", o->scalar_place.kind, SPL_EMULATOR));
    SPL__TRY(check_range("scalar_place.ordinal", o->scalar_place.ordinal, o->scalar_place.kind ? INT32_MAX : 0));
    SPL__TRY(check_reserved(o));
    if (o->processors && o->processors != 1)
        return spl__fail(SPL_INVALID_ARGUMENT, "options.processors is 0x%llx, the context has processor 0 only",
                         (unsigned long long)o->processors);
    o->threads = spl__threads(context, o->threads);
    return SPL_OK;
}

/* The narrowest widths (32/32, 64/32, 64/64) that every operand's entries and columns fit without narrowing any. */
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

static bool transposed(spl_operator op)
{
    return op != SPL_NONE; /* conjugation does nothing to real values */
}

static int64_t op_rows(const spl_sparse *view, spl_operator op)
{
    return transposed(op) ? view->cols : view->rows;
}

static int64_t op_cols(const spl_sparse *view, spl_operator op)
{
    return transposed(op) ? view->rows : view->cols;
}

/* Are the entries of op(A) stored column after column? */
static bool is_by_columns(const spl_sparse *view, spl_operator op)
{
    return view->format != SPL_COO && transposed(op) != (view->format == SPL_CSC);
}

static spl_status check_shapes(spl__problem *p, const spl_sparse *a, const spl_sparse *b, const spl_sparse *d)
{
    p->rows = op_rows(a, p->options.op_a);
    p->inner = op_cols(a, p->options.op_a);
    if (b) {
        p->cols = op_cols(b, p->options.op_b);
        if (op_rows(b, p->options.op_b) != p->inner)
            return spl__fail(SPL_SHAPE_MISMATCH, "op(A) is %lld x %lld, op(B) is %lld x %lld", (long long)p->rows,
                             (long long)p->inner, (long long)op_rows(b, p->options.op_b), (long long)p->cols);
        if (a->type != b->type)
            return spl__fail(SPL_INVALID_ARGUMENT, "A holds %s, B holds %s: convert one of them",
                             spl__type_name(a->type), spl__type_name(b->type));
    }
    if (d && (d->rows != p->rows || d->cols != p->cols))
        return spl__fail(SPL_SHAPE_MISMATCH, "op(A)*op(B) is %lld x %lld, D is %lld x %lld", (long long)p->rows,
                         (long long)p->cols, (long long)d->rows, (long long)d->cols);
    if (d && a->type != d->type)
        return spl__fail(SPL_INVALID_ARGUMENT, "A holds %s, D holds %s: convert one of them", spl__type_name(a->type),
                         spl__type_name(d->type));
    return SPL_OK;
}

static spl_status prepare_operands(spl__problem *p, spl__account *account, const spl_sparse *a, const spl_sparse *b,
                                   const spl_sparse *d)
{
    spl_index offset_type, index_type;
    const spl_sparse *const views[3] = {a, b, d};
    choose_widths(views, spl__max_i64(p->inner, b ? p->cols : 0), &offset_type, &index_type);
    p->combination = spl__combination(a->type, offset_type, index_type);
    p->by_columns =
        p->columns == SPL__COLUMNS || (p->columns == SPL__COLUMNS_AS_STORED && is_by_columns(a, p->options.op_a));
    bool transpose = transposed(p->options.op_a) != p->by_columns;
    p->a.name = "A";
    p->b.name = "B";
    p->d.name = "D";
    SPL__TRY(spl__operand_prepare(account, p->threads, a, transpose, offset_type, index_type, &p->a));
    if (b)
        SPL__TRY(
            spl__operand_prepare(account, p->threads, b, transposed(p->options.op_b), offset_type, index_type, &p->b));
    if (d)
        SPL__TRY(spl__operand_prepare(account, p->threads, d, false, offset_type, index_type, &p->d));
    if (p->options.check_inputs) {
        spl__operand_mark(&p->a);
        spl__operand_mark(&p->b);
        spl__operand_mark(&p->d);
    }
    return SPL_OK;
}

spl_status spl__problem_make(spl__problem *problem, spl__account *account, const spl_sparse *a, const spl_sparse *b,
                             const spl_sparse *d, int64_t cols)
{
    spl_sparse va, vb, vd;
    problem->cols = cols;
    problem->has_d = d != NULL;
    problem->threads = problem->options.threads;
    SPL__TRY(spl__view_read(&va, a, "A"));
    if (b)
        SPL__TRY(spl__view_read(&vb, b, "B"));
    if (d)
        SPL__TRY(spl__view_read(&vd, d, "D"));
    SPL__TRY(check_shapes(problem, &va, b ? &vb : NULL, d ? &vd : NULL));
    SPL__TRY(spl__view_check(&va, "A"));
    if (b && (vb.offsets != va.offsets || vb.indices != va.indices || vb.format != va.format || vb.rows != va.rows ||
              vb.cols != va.cols || vb.nnz != va.nnz)) /* a square need not be checked twice */
        SPL__TRY(spl__view_check(&vb, "B"));
    if (d)
        SPL__TRY(spl__view_check(&vd, "D"));
    return prepare_operands(problem, account, &va, b ? &vb : NULL, d ? &vd : NULL);
}

void spl__problem_free(spl__problem *problem)
{
    spl__operand_free(&problem->a);
    spl__operand_free(&problem->b);
    spl__operand_free(&problem->d);
}
