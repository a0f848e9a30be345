/* SPDX-License-Identifier: Apache-2.0 */
/* row_steps.h: what methods of SpMV that hand out whole rows, or predict times, have in common. */
#ifndef SPL_SPMV_ROW_STEPS_H
#define SPL_SPMV_ROW_STEPS_H

#include "matrix/merge_path.h"
#include "plan/plan.h"

/* State, prepare, explain and destroy of a method that needs nothing but parts of whole rows:
 * step->state is a spl__row_parts. */
spl_status spl__row_steps_prepare(spl__step *step);
void spl__row_steps_explain(const spl__step *step, spl__text *text);
void spl__row_steps_destroy(spl__step *step);

/* Work of one execution of SpMV, for a prediction. */
typedef struct spl__spmv_work {
    double seconds; /* arithmetic on one thread with everything in cache */
    double largest; /* the part of it that cannot be shared between threads */
    double bytes;   /* streamed: the matrix in the method's format; x and y are added */
    /* how many times as fast as the machine's cache_bandwidth they come from the caches; 0: once */
    double stream;
    double other_bytes; /* what stays allocated, see spl__estimate */
    double converted;   /* entries that are copied into another format */
} spl__spmv_work;

void spl__spmv_predict(const spl__task *task, const spl__spmv_work *work, spl__estimate *estimate);

/* Variation of row lengths, at most 1: how often a row is not as long as expected. */
double spl__spmv_uneven(const spl__task *task);
/* Seconds that a row's end costs more because the processor did not predict it. Where most rows are
 * empty, or few, the others alone surprise. */
double spl__spmv_surprise(const spl__task *task);

/* Bytes of A in CSR, and entries times value and column alone. */
double spl__spmv_csr_bytes(const spl__task *task);
double spl__spmv_entry_bytes(const spl__task *task);

/* Why a method with row numbers of A's index type cannot serve; NULL if it can. */
const char *spl__spmv_needs_row_numbers(const spl__task *task);

#endif
