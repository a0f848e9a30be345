/* SPDX-License-Identifier: Apache-2.0 */
/* row_steps.h: the common part of SpMV methods that distribute whole rows, and of predictions. */
#ifndef SPL_SPMV_ROW_STEPS_H
#define SPL_SPMV_ROW_STEPS_H

#include "core/threads/parallel.h"
#include "core/threads/team.h"
#include "matrix/merge_path.h"
#include "plan/sweep.h"

/* prepare, explain and destroy of a method whose only state is parts of whole rows: step->state
 * is a spl__row_parts. */
spl_status spl__row_steps_prepare(spl__step *step);
/* Bytes of that state. */
double spl__row_steps_bytes(const spl__task *task);
void spl__row_steps_explain(const spl__step *step, spl__text *text);
void spl__row_steps_destroy(spl__step *step);

/* Work of one execution of SpMV, for a prediction. */
typedef struct spl__spmv_work {
    double seconds; /* arithmetic on one thread with everything in cache */
    double largest; /* the largest part of it that one thread must do */
    double bytes;   /* streamed: the matrix in the method's format; x and y are added */
    /* their rate from the caches as a multiple of the machine's cache_bandwidth; 0: 1 */
    double stream;
    double other_bytes; /* allocated bytes, see spl__estimate */
    double converted;   /* entries that are copied into another format */
} spl__spmv_work;

void spl__spmv_predict(const spl__task *task, const spl__spmv_work *work, spl__estimate *estimate);

/* The variation of row lengths without the longest row, at most 1: how often a row length is
 * unexpected. A single full row is, once. */
double spl__spmv_uneven(const spl__task *task);
/* Seconds per row for branch mispredictions at row ends. If most rows are empty, or few, only
 * the others cause them. */
double spl__spmv_misprediction(const spl__task *task);
/* The same of rows of which none is empty. */
double spl__spmv_row_misprediction(const spl__task *task);

/* Bytes of A in CSR, and entries times value and column alone. */
double spl__spmv_csr_bytes(const spl__task *task);
double spl__spmv_entry_bytes(const spl__task *task);

/* Why a method that needs row numbers in A's index type is not applicable; NULL: it is. */
const char *spl__spmv_needs_row_numbers(const spl__task *task);

#endif
