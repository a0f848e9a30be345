/* SPDX-License-Identifier: Apache-2.0 */
/* check_api.c: checks results against the executable specification. */
#include "api/call.h"
#include "api/checker.h"
#include "api/registry.h"
#include "core/checked.h"
#include "core/sized.h"
#include "problem/problem.h"
#include "ref/ref.h"

#include <float.h>
#include <math.h>

/* ---- one element ---- */

/* Constants of a type: the unit roundoff, the smallest number, and the least number that is
 * rounded to infinity. */
typedef struct precision {
    double unit, tiny, most;
} precision;

static precision precision_of(spl_type type)
{
    switch (type) {
    case SPL_F16:
        return (precision){0x1p-11, 0x1p-24, 65520};
    case SPL_BF16:
        return (precision){0x1p-8, 0x1p-133, 0x1.ffp127};
    case SPL_F32:
        return (precision){FLT_EPSILON / 2, FLT_TRUE_MIN, FLT_MAX};
    default:
        return (precision){DBL_EPSILON / 2, DBL_TRUE_MIN, DBL_MAX};
    }
}

/* Whether alpha*a may have been formed first and differs from a. */
static bool scales_factors(spl__check_standard s)
{
    return s.alpha != 1 && s.alpha != -1;
}

/* A bound of underflow errors: in products, in the result, and, if alpha*a is formed first, in
 * that times B. */
static double underflow_bound(const spl__ref_element *e, spl__check_standard s)
{
    double tiny = precision_of(spl__type_of_sums(s.type)).tiny, results = (double)e->terms + 3;
    double factors = scales_factors(s) ? e->of_b * 0x1p64 : 0;
    return ldexp(tiny * results * fmax(1, fabs(s.alpha)) + tiny * factors, -e->exponent);
}

/* 2*gamma_(k+3)*magnitude plus underflow errors. N. Higham, Accuracy and Stability of Numerical
 * Algorithms, 2002, ch. 3. */
static double sum_bound(const spl__ref_element *e, spl__check_standard s)
{
    precision sums = precision_of(spl__type_of_sums(s.type));
    double k = (double)e->terms + 3;
    double unit = s.reduced ? 4 * sums.unit : sums.unit,
           factors = s.reduced && s.type == SPL_F32 ? 0x1p-9 : 0;
    if (k * unit >= 1)
        return INFINITY;
    return (2 * k * unit / (1 - k * unit) + factors) * e->magnitude + underflow_bound(e, s);
}

/* The same plus the rounding of the sum to a narrower stored type. */
static double error_bound(const spl__ref_element *e, spl__check_standard s)
{
    double sum = sum_bound(e, s);
    precision stored = precision_of(s.type);
    return spl__type_is_half(s.type) ? sum + stored.unit * (fabs(e->value) + sum) + stored.tiny / 2
                                     : sum;
}

/* Whether the sum overflows the type, or may do so. */
static bool is_infinite(const spl__ref_element *e, double value, spl__check_standard s)
{
    double most = ldexp(precision_of(s.type).most, -e->exponent);
    return isinf(value) && fabs(e->value) + sum_bound(e, s) >= most &&
           (e->value < 0) == (value < 0);
}

/* Whether a partial sum may overflow the type of sums: whether the sum of absolute values is at
 * least half its largest number. */
static bool may_overflow(const spl__ref_element *e, spl__check_standard s)
{
    int limit = spl__type_of_sums(s.type) == SPL_F32 ? FLT_MAX_EXP : DBL_MAX_EXP;
    double half = ldexp(0.5, limit);
    return e->peak >= limit || e->magnitude >= ldexp(half, -e->exponent) ||
           (scales_factors(s) && fabs(s.alpha) * e->of_a >= half);
}

/* The result for an element that cannot be decided. */
#define UNDECIDED (-1.0)

/* Judges a result that is, or should be, NaN or infinite. */
static double special_ratio(const spl__ref_element *e, double value, spl__check_standard s)
{
    if (isnan(e->value) ? isnan(value) : value == e->value || is_infinite(e, value, s))
        return 0;
    if (isfinite(value))
        return e->vague && s.unseen ? UNDECIDED : INFINITY;
    return e->vague || may_overflow(e, s) ? UNDECIDED : INFINITY;
}

/* |error| / bound: 0 if exact, above 1 if too large, Inf if a NaN or Inf is not where
 * it must be. */
static double error_ratio(const spl__ref_element *e, double value, spl__check_standard s)
{
    if (!isfinite(e->value) || !isfinite(value))
        return special_ratio(e, value, s);
    double error = fabs(ldexp(value, -e->exponent) - e->value), bound = error_bound(e, s);
    if (error == 0)
        return 0;
    return ldexp(bound, e->exponent) < INFINITY ? error / bound : UNDECIDED;
}

/* The same of element i of an array; integers are exact. */
double spl__check_ratio(const spl__ref_element *e, const void *values, int64_t i,
                        spl__check_standard s)
{
    if (spl__type_is_integer(s.type))
        return spl__integer_at(values, s.type, i) == e->whole ? 0 : INFINITY;
    return error_ratio(e, spl__value_at(values, s.type, i), s);
}

void spl__check_note(spl_check *check, double ratio, int64_t i, int64_t j)
{
    check->compared++;
    check->undecided += ratio == UNDECIDED;
    check->failed += ratio > 1;
    if (ratio != UNDECIDED && (check->worst_row < 0 || ratio > check->worst_ratio)) {
        check->worst_ratio = ratio;
        check->worst_row = i;
        check->worst_col = j;
    }
}

spl_check spl__check_start(void)
{
    return (spl_check){.size = sizeof(spl_check), .worst_row = -1, .worst_col = -1};
}

spl_status spl__check_finish(spl_check *check, spl_check *out)
{
    check->ok = check->failed == 0;
    return spl__sized_write(out, check, sizeof *check, "check");
}

/* ---- the problem ---- */

void spl__checker_end(spl__checker *c)
{
    spl__problem_free(&c->problem);
}

static spl_status read_scalars(spl__checker *c, const void *alpha, const void *beta)
{
    spl_type type = c->problem.a.csr.type;
    size_t size = spl__type_size(spl__type_of_sums(type));
    SPL__TRY(spl__check_aligned(NULL, "alpha", alpha, 1, size));
    SPL__TRY(spl__check_aligned(NULL, "beta", beta, 1, size));
    c->scalars.alpha = spl__scalar(alpha, type, 1);
    c->scalars.beta = spl__scalar(beta, type, 0);
    if (spl__type_is_integer(type)) {
        c->scalars.whole_alpha = alpha ? spl__integer_at(alpha, type, 0) : 1;
        c->scalars.whole_beta = beta ? spl__integer_at(beta, type, 0) : 0;
    }
    return spl__check_semiring_scalars(&c->problem, alpha, beta);
}

/* Reads operands and scalars; memory comes from malloc. On failure nothing is left. */
spl_status spl__checker_begin(spl__checker *c, spl__kind kind, const spl_sparse *const operands[3],
                              int64_t cols, const void *alpha, const void *beta,
                              const spl_options *options)
{
    *c = (spl__checker){.context = {.allocator = spl__malloc_allocator, .uses_cpu = true},
                        .problem = {.kind = kind, .traits = spl__registry.traits[kind]}};
    spl__account_init(&c->context.account, &c->context.allocator, NULL, 0);
    c->problem.context = &c->context;
    spl_options checked;
    SPL__TRY(spl__sized_read(&checked, sizeof checked, options, "spl_options"));
    checked.processors = 0; /* no processors of a context */
    c->device_scalars = checked.scalar_place.kind != SPL_HOST;
    checked.scalar_place = (spl_place){SPL_HOST, 0};
    SPL__TRY(spl__options_read(&c->context, &checked, &c->problem.options));
    c->problem.options.check_inputs = 0;
    SPL__TRY(spl__problem_place(&c->problem, operands[0]));
    spl_status status = spl__problem_make(&c->problem, &c->context.account, operands[0],
                                          operands[1], operands[2], cols);
    if (status == SPL_OK)
        status = read_scalars(c, alpha, beta);
    if (status != SPL_OK)
        spl__checker_end(c);
    return status;
}

spl__check_standard spl__checker_standard(const spl__checker *c)
{
    const spl__problem *p = &c->problem;
    bool reduced = p->kind == SPL__KIND_spmm && p->options.accuracy == SPL_ACCURACY_REDUCED;
    bool finite = isfinite(c->scalars.alpha);
    return (spl__check_standard){p->a.csr.type, reduced, finite ? c->scalars.alpha : 1,
                                 c->device_scalars && !finite};
}

/* ---- SpMV, SpMM ---- */

static spl_status check_vectors(const spl__checker *c, const void *x, const void *y_before,
                                const void *y)
{
    const spl__problem *p = &c->problem;
    size_t size = spl__type_size(p->a.csr.type);
    SPL__TRY(spl__check_array(NULL, "x", x, p->inner, size));
    SPL__TRY(
        spl__check_array(NULL, "y_before", y_before, c->scalars.beta != 0 ? p->rows : 0, size));
    return spl__check_array(NULL, "y", y, p->rows, size);
}

static spl_dense column_of(const void *values, spl_type type, int64_t rows)
{
    return (spl_dense){.type = type,
                       .order = SPL_COLUMN_MAJOR,
                       .rows = rows,
                       .cols = 1,
                       .ld = rows,
                       .values = (void *)values};
}

/* Element i of y. */
static spl__ref_element vector_element(const spl__checker *c, const void *x, const void *before,
                                       int64_t i)
{
    const spl__problem *p = &c->problem;
    const spl_dense b = column_of(x, p->a.csr.type, p->inner),
                    old = column_of(before, p->a.csr.type, p->rows);
    return spl__checks_elements(p)
               ? spl__check_element(p, &c->scalars, &b, &old, i, 0)
               : spl__ref_spmv(c->scalars.alpha, &p->a.csr, x, c->scalars.beta, before, i);
}

spl_status spl_check_spmv(const void *alpha, const spl_sparse *a, const void *x, const void *beta,
                          const void *y_before, const void *y, const spl_options *options,
                          spl_check *check)
{
    spl__checker c;
    const spl_sparse *const operands[3] = {a};
    spl_check result = spl__check_start();
    SPL__TRY(spl__checker_begin(&c, SPL__KIND_spmv, operands, 1, alpha, beta, options));
    const spl__problem *p = &c.problem;
    spl_status status = check_vectors(&c, x, y_before, y);
    for (int64_t i = 0; status == SPL_OK && i < p->rows; i++) {
        spl__ref_element e = vector_element(&c, x, y_before, i);
        spl__check_note(&result, spl__check_ratio(&e, y, i, spl__checker_standard(&c)), i, 0);
    }
    spl__checker_end(&c);
    return status == SPL_OK ? spl__check_finish(&result, check) : status;
}

static spl_status check_dense(const spl__problem *p, const spl_dense *m, int64_t rows,
                              const char *name)
{
    if (m->rows != rows || m->cols != p->cols || m->type != p->a.csr.type)
        return spl__fail(SPL_SHAPE_MISMATCH, "%s is %lld x %lld of %s, expected %lld x %lld of %s",
                         name, (long long)m->rows, (long long)m->cols, spl__type_name(m->type),
                         (long long)rows, (long long)p->cols, spl__type_name(p->a.csr.type));
    return SPL_OK;
}

static void check_columns(const spl__checker *k, const spl_dense *b, const spl_dense *before,
                          const spl_dense *c, int64_t i, int64_t first, spl_check *result)
{
    spl__ref_element e[SPL__REF_COLUMNS];
    const spl__check_standard s = spl__checker_standard(k);
    const spl__problem *p = &k->problem;
    int64_t count = spl__min_i64(SPL__REF_COLUMNS, c->cols - first);
    if (!spl__checks_elements(p))
        count = spl__ref_spmm(k->scalars.alpha, &p->a.csr, b, k->scalars.beta, before, i, first, e);
    for (int64_t j = 0; spl__checks_elements(p) && j < count; j++)
        e[j] = spl__check_element(p, &k->scalars, b, before, i, first + j);
    for (int64_t j = 0; j < count; j++)
        spl__check_note(result,
                        spl__check_ratio(&e[j], c->values, spl__dense_position(c, i, first + j), s),
                        i, first + j);
}

spl_status spl_check_spmm(const void *alpha, const spl_sparse *a, const spl_dense *b,
                          const void *beta, const spl_dense *c_before, const spl_dense *c,
                          const spl_options *options, spl_check *check)
{
    spl__checker k;
    const spl_sparse *const operands[3] = {a};
    spl_dense vb, vc, before = {0};
    spl_check result = spl__check_start();
    SPL__TRY(spl__dense_read(&vb, b, "B"));
    SPL__TRY(spl__dense_read(&vc, c, "C"));
    if (c_before)
        SPL__TRY(spl__dense_read(&before, c_before, "C before"));
    SPL__TRY(spl__checker_begin(&k, SPL__KIND_spmm, operands, vb.cols, alpha, beta, options));
    const spl__problem *p = &k.problem;
    spl_status status = check_dense(p, &vb, p->inner, "B");
    if (status == SPL_OK)
        status = check_dense(p, &vc, p->rows, "C");
    if (status == SPL_OK && k.scalars.beta != 0)
        status = check_dense(p, &before, p->rows, "C before");
    for (int64_t i = 0; status == SPL_OK && i < vc.rows; i++)
        for (int64_t j = 0; j < vc.cols; j += SPL__REF_COLUMNS)
            check_columns(&k, &vb, &before, &vc, i, j, &result);
    spl__checker_end(&k);
    return status == SPL_OK ? spl__check_finish(&result, check) : status;
}

/* ---- SpGEMM ---- */

/* Row i of C must hold the reference's pattern: each column once, in order unless unsorted. Checked
 * columns lose their mark. */
static void check_row(const spl__checker *k, const spl_sparse *c, int64_t i, spl__ref_row *row,
                      spl_check *result)
{
    const bool sorted = !k->problem.options.unsorted;
    int64_t p = spl__index_at(c->offsets, c->offset_type, i),
            stop = spl__index_at(c->offsets, c->offset_type, i + 1);
    int64_t missing = row->count, last = -1;
    for (; p < stop; p++) {
        int64_t j = spl__index_at(c->indices, c->index_type, p);
        bool fits = row->present[j] && (!sorted || j > last);
        spl__check_note(
            result,
            fits ? spl__check_ratio(&row->elements[j], c->values, p, spl__checker_standard(k))
                 : INFINITY,
            i, j);
        missing -= row->present[j];
        row->present[j] = 0;
        last = j;
    }
    for (int64_t n = 0; missing > 0 && n < row->count; n++)
        if (row->present[row->columns[n]])
            spl__check_note(result, INFINITY, i, row->columns[n]);
}

/* Allocates a dense row of C. Must be freed also after failure. */
static spl_status make_row(const spl__checker *k, spl__ref_row *row)
{
    spl__account *account = (spl__account *)&k->context.account;
    int64_t cols = k->problem.cols, bytes;
    spl_status status = SPL__NEW_ZERO(account, &row->elements, cols);
    if (status == SPL_OK)
        status = SPL__NEW_ZERO(account, &row->present, cols);
    if (status == SPL_OK)
        status = SPL__NEW(account, &row->columns, cols);
    if (status == SPL_OK ||
        !spl__mul_i64(cols, sizeof *row->elements + sizeof *row->present + sizeof *row->columns,
                      &bytes))
        return status;
    return spl__fail_memory(status, spl_error_bytes(),
                            "the reference needs %s bytes for a row of %s columns",
                            spl__thousands(bytes), spl__thousands(cols));
}

static spl_status check_rows(const spl__checker *k, const spl_sparse *c, spl_check *result)
{
    const spl__problem *p = &k->problem;
    spl__ref_row row = {0};
    spl_status status = make_row(k, &row);
    for (int64_t i = 0; status == SPL_OK && i < p->rows; i++) {
        spl__check_row(p, &k->scalars, i, &row);
        check_row(k, c, i, &row, result);
        spl__ref_row_clear(&row);
    }
    spl__free(row.elements);
    spl__free(row.present);
    spl__free(row.columns);
    return status;
}

spl_status spl_check_spgemm(const void *alpha, const spl_sparse *a, const spl_sparse *b,
                            const void *beta, const spl_sparse *d, const spl_sparse *c,
                            const spl_options *options, spl_check *check)
{
    spl__checker k;
    spl_sparse view;
    const spl_sparse *const operands[3] = {a, b, d};
    spl_check result = spl__check_start();
    if (!b)
        return spl__fail(SPL_INVALID_ARGUMENT, "B is NULL");
    SPL__TRY(spl__view_take(NULL, &view, c, "C"));
    SPL__TRY(spl__checker_begin(&k, SPL__KIND_spgemm, operands, 0, alpha, beta, options));
    const spl__problem *p = &k.problem;
    spl_status status = SPL_OK;
    if (view.format != SPL_CSR || view.type != p->a.csr.type)
        status = spl__fail(SPL_INVALID_ARGUMENT, "C must be CSR of A's type");
    else if (view.rows != p->rows || view.cols != p->cols)
        status = spl__fail(SPL_SHAPE_MISMATCH, "C is %lld x %lld, expected %lld x %lld",
                           (long long)view.rows, (long long)view.cols, (long long)p->rows,
                           (long long)p->cols);
    if (status == SPL_OK)
        status = check_rows(&k, &view, &result);
    spl__checker_end(&k);
    return status == SPL_OK ? spl__check_finish(&result, check) : status;
}
