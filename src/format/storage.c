/* SPDX-License-Identifier: Apache-2.0 */
#include "format/storage.h"

#include "core/checked.h"
#include "core/context.h"
#include "core/sized.h"
#include "format/sliced_ell.h"
#include "matrix/row_distribution.h"

/* ---- formulas ---- */

static size_t add(size_t a, size_t b)
{
    size_t sum;
    return __builtin_add_overflow(a, b, &sum) ? SIZE_MAX : sum;
}

static size_t multiply(size_t a, size_t b)
{
    size_t product;
    return spl__mul_size(a, b, &product) ? product : SIZE_MAX;
}

size_t spl__bytes_coo(int64_t nnz, size_t value, size_t index)
{
    return multiply((size_t)nnz, value + 2 * index);
}

size_t spl__bytes_csr(int64_t rows, int64_t nnz, size_t value, size_t index, size_t offset)
{
    return add(multiply((size_t)nnz, value + index), multiply((size_t)rows + 1, offset));
}

size_t spl__bytes_ell(int64_t rows, int64_t longest, size_t value, size_t index)
{
    return multiply(multiply((size_t)rows, (size_t)longest), value + index);
}

size_t spl__bytes_rvs(const int64_t *lengths, const int64_t *row_counts, int64_t blocks,
                      size_t value, size_t index)
{
    size_t bytes = 0;
    for (int64_t b = 0; b < blocks; b++)
        if (lengths[b] > 0)
            bytes = add(bytes, add(spl__bytes_ell(row_counts[b], lengths[b], value, index),
                                   multiply((size_t)row_counts[b], index)));
    return bytes;
}

size_t spl__bytes_sliced_ell(int64_t stored, int64_t slices, int lanes, size_t value, size_t index)
{
    size_t entries = multiply((size_t)stored, value + index);
    size_t rows = multiply(multiply((size_t)slices, (size_t)lanes), index);
    return add(add(entries, rows), multiply(2 * (size_t)slices + 1, sizeof(int64_t)));
}

/* Multiplications per byte of y = A*x in ELL, f64, stored entries E = N*K: nnz / ((2E + 2N)*8). 0
 * if nothing is stored. */
static double compute_density(int64_t nnz, double stored, int64_t rows)
{
    double bytes = (2 * stored + 2 * (double)rows) * 8;
    return nnz > 0 ? (double)nnz / bytes : 0;
}

/* ---- public ---- */

/* The checked view, its row lengths and their distribution, for both public functions. */
typedef struct row_facts {
    spl_sparse view;
    int64_t *lengths;
    spl__distribution distribution;
} row_facts;

static void facts_free(row_facts *facts)
{
    spl__distribution_free(&facts->distribution);
    spl__free(facts->lengths);
}

static spl_status facts_make(spl_context *context, const spl_sparse *matrix, row_facts *facts)
{
    *facts = (row_facts){0};
    if (!context)
        return spl__fail(SPL_INVALID_ARGUMENT, "context is NULL");
    SPL__TRY(spl__view_take(NULL, &facts->view, matrix, "matrix"));
    spl__account *account = &context->account;
    spl_status status = spl__row_lengths(account, &facts->view, &facts->lengths);
    if (status == SPL_OK)
        status =
            spl__distribution_make(account, facts->lengths, facts->view.rows, &facts->distribution);
    if (status != SPL_OK)
        facts_free(facts);
    return status;
}

spl_status spl_distribution(spl_context *context, const spl_sparse *matrix, int64_t capacity,
                            int64_t *lengths, int64_t *row_counts, int64_t *count)
{
    row_facts facts;
    if (!count || (capacity > 0 && (!lengths || !row_counts)))
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL",
                         !count     ? "count"
                         : !lengths ? "lengths"
                                    : "row_counts");
    SPL__TRY(facts_make(context, matrix, &facts));
    const spl__distribution *d = &facts.distribution;
    for (int64_t b = 0; b < spl__min_i64(capacity, d->count); b++) {
        lengths[b] = d->lengths[b];
        row_counts[b] = d->row_counts[b];
    }
    *count = d->count;
    facts_free(&facts);
    return SPL_OK;
}

static double ratio(double part, double total)
{
    return total > 0 ? part / total : 0;
}

static void measure(const row_facts *facts, int64_t sliced, spl_storage *s)
{
    const spl_sparse *v = &facts->view;
    const spl__distribution *d = &facts->distribution;
    size_t value = spl__type_size(v->type), index = spl__index_size(v->index_type);
    int64_t longest = d->count > 0 ? d->lengths[d->count - 1] : 0;
    int64_t slices = (v->rows + SPL__SLICE_LANES - 1) / SPL__SLICE_LANES;
    double stored = (double)v->rows * (double)longest;
    s->coo = spl__bytes_coo(v->nnz, value, index);
    s->csr = spl__bytes_csr(v->rows, v->nnz, value, index, spl__index_size(v->offset_type));
    s->ell = spl__bytes_ell(v->rows, longest, value, index);
    s->rvs = spl__bytes_rvs(d->lengths, d->row_counts, d->count, value, index);
    s->sliced_ell = spl__bytes_sliced_ell(sliced, slices, SPL__SLICE_LANES, value, index);
    s->ell_density = ratio((double)v->nnz, stored);
    s->rvs_density = v->nnz > 0; /* RVS has no padding */
    s->sliced_ell_density = ratio((double)v->nnz, (double)sliced);
    s->ell_compute_density = compute_density(v->nnz, stored, v->rows);
    s->rvs_compute_density = compute_density(v->nnz, (double)v->nnz, v->rows);
}

spl_status spl_measure_storage(spl_context *context, const spl_sparse *matrix, spl_storage *storage)
{
    row_facts facts;
    spl_storage s = {0};
    int64_t sliced;
    if (!storage)
        return spl__fail(SPL_INVALID_ARGUMENT, "storage is NULL");
    SPL__TRY(facts_make(context, matrix, &facts));
    spl_status status = spl__sliced_ell_stored(&context->account, facts.lengths, facts.view.rows,
                                               SPL__SLICE_LANES, SPL__SLICE_WINDOW, &sliced);
    if (status == SPL_OK)
        measure(&facts, sliced, &s);
    facts_free(&facts);
    return status == SPL_OK ? spl__sized_write(storage, &s, sizeof s, "storage") : status;
}
