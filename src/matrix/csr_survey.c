/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/csr_survey.h"

#include "matrix/csr_survey.k.h"

static spl_status launch_both(spl__queue *queue, const spl_sparse *csr, struct csr_survey *survey)
{
    const spl__kernel *of_rows, *of_columns;
    struct csr_survey_rows_args rows = {csr->rows, csr->nnz, csr->offsets, survey};
    struct csr_survey_columns_args columns = {csr->cols, csr->nnz, csr->indices, survey};
    SPL__TRY(spl__queue_kernel(queue, "csr_survey_rows", csr->type, csr->offset_type, &of_rows));
    SPL__TRY(spl__queue_kernel(queue, "csr_survey_columns", csr->type, csr->offset_type, &of_columns));
    SPL__TRY(spl__queue_fill(queue, survey, 0, sizeof *survey));
    SPL__TRY(
        SPL__LAUNCH(queue, &rows, of_rows, spl__blocks_for(queue, csr->rows, CSR_SURVEY_THREADS), CSR_SURVEY_THREADS));
    return SPL__LAUNCH(queue, &columns, of_columns, spl__blocks_for(queue, csr->nnz, CSR_SURVEY_THREADS),
                       CSR_SURVEY_THREADS);
}

static spl_status judge(const spl_sparse *csr, const char *name, const struct csr_survey *s)
{
    if (s->bad_row)
        return spl__fail(SPL_INVALID_MATRIX,
                         "%s: row %s: its offsets decrease, or the first is not 0, or the last not nnz", name,
                         spl__thousands((int64_t)~s->bad_row));
    if (s->bad_entry)
        return spl__fail(SPL_INVALID_MATRIX, "%s: entry %s: its column is not in 0..%s", name,
                         spl__thousands((int64_t)~s->bad_entry), spl__thousands(csr->cols - 1));
    return SPL_OK;
}

spl_status spl__csr_survey(spl__queue *queue, const spl_sparse *csr, const char *name, spl__row_survey *survey)
{
    struct csr_survey found = {0};
    spl__device_array array;
    SPL__TRY(spl__queue_alloc(queue, 1, sizeof found, &array));
    spl_status status = launch_both(queue, csr, array.data);
    if (status == SPL_OK)
        status = spl__queue_fetch(queue, &found, array.data, sizeof found);
    spl__queue_free(queue, &array);
    if (status != SPL_OK)
        return status;
    *survey = (spl__row_survey){(double)found.squares, (double)found.longest, (double)found.empty};
    return judge(csr, name, &found);
}
