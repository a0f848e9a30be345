/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/csr_survey.h"

#include "matrix/csr_survey.k.h"

/* Are indices in 0..bound-1? */
static spl_status launch_indices(spl__queue *queue, const spl_sparse *m, const void *indices, int64_t bound,
                                 struct csr_survey *survey)
{
    const spl__kernel *kernel;
    struct csr_survey_columns_args args = {bound, m->nnz, indices, survey};
    SPL__TRY(spl__queue_kernel(queue, "csr_survey_columns", m->type, m->offset_type, &kernel));
    int64_t blocks = spl__blocks_for(queue, m->nnz, CSR_SURVEY_THREADS);
    return SPL__LAUNCH(queue, &args, kernel, blocks, CSR_SURVEY_THREADS);
}

static spl_status launch_rows(spl__queue *queue, const spl_sparse *csr, struct csr_survey *survey)
{
    const spl__kernel *kernel;
    struct csr_survey_rows_args args = {csr->rows, csr->nnz, csr->offsets, survey};
    SPL__TRY(spl__queue_kernel(queue, "csr_survey_rows", csr->type, csr->offset_type, &kernel));
    int64_t blocks = spl__blocks_for(queue, csr->rows, CSR_SURVEY_THREADS);
    return SPL__LAUNCH(queue, &args, kernel, blocks, CSR_SURVEY_THREADS);
}

static spl_status launch_both(spl__queue *queue, const spl_sparse *m, struct csr_survey *survey)
{
    SPL__TRY(spl__queue_fill(queue, survey, 0, sizeof *survey));
    if (m->format == SPL_COO)
        SPL__TRY(launch_indices(queue, m, m->offsets, m->rows, survey));
    else
        SPL__TRY(launch_rows(queue, m, survey));
    return launch_indices(queue, m, m->indices, m->cols, survey);
}

static spl_status judge(const spl_sparse *m, const char *name, const struct csr_survey *s)
{
    if (s->bad_row)
        return spl__fail(SPL_INVALID_MATRIX,
                         "%s: row %s: its offsets decrease, or the first is not 0, or the last not nnz", name,
                         spl__thousands((int64_t)~s->bad_row));
    if (s->bad_entry)
        return spl__fail(SPL_INVALID_MATRIX, "%s: entry %s: its position is not in a %s x %s matrix", name,
                         spl__thousands((int64_t)~s->bad_entry), spl__thousands(m->rows), spl__thousands(m->cols));
    return SPL_OK;
}

/* What the kernels find, on the host. */
static spl_status find(spl__queue *queue, const spl_sparse *m, struct csr_survey *found)
{
    spl__device_array array;
    SPL__TRY(spl__queue_alloc(queue, 1, sizeof *found, &array));
    spl_status status = launch_both(queue, m, array.data);
    if (status == SPL_OK)
        status = spl__queue_fetch(queue, found, array.data, sizeof *found);
    spl__queue_free(queue, &array);
    return status;
}

spl_status spl__csr_survey(spl__queue *queue, const spl_sparse *csr, const char *name, spl__row_survey *survey)
{
    struct csr_survey found = {0};
    SPL__TRY(find(queue, csr, &found));
    *survey = (spl__row_survey){(double)found.squares, (double)found.longest, (double)found.empty};
    return judge(csr, name, &found);
}

spl_status spl__coo_survey(spl__queue *queue, const spl_sparse *coo, const char *name)
{
    struct csr_survey found = {0};
    SPL__TRY(find(queue, coo, &found));
    return judge(coo, name, &found);
}
