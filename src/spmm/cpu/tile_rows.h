/* SPDX-License-Identifier: Apache-2.0 */
/* tile_rows.h: code shared by the register-blocked methods, besides their kernels. */
#ifndef SPL_SPMM_CPU_TILE_ROWS_H
#define SPL_SPMM_CPU_TILE_ROWS_H

#include "core/variant.h"
#include "matrix/merge_path.h"
#include "plan/sweep.h"

enum { SPL__PART_WORK = 2048 /* rows + entries of one part */ };

/* The state of such a method. runs[i]: length of the run of identical rows that begins with row
 * i of a part; undefined within runs. NULL: no runs. */
typedef struct spl__tile_rows {
    spl__row_parts parts;
    uint8_t *runs;
    bool far; /* B does not fit a thread's cache */
    /* rows of A have few columns near those of the rows before them: then rows of B that are far
     * are prefetched */
    bool apart;
    bool scattered; /* the same, but B fits a thread's second cache: see tile_rows.c */
    /* see whole_rows.h: most rows are as long as those before them; they have twelve entries or
     * more in the mean */
    bool even, longer;
    bool streams; /* C will not be in a cache when it is read next */
} spl__tile_rows;

static inline int spl__run_length(const uint8_t *runs, int64_t i)
{
    return runs ? runs[i] : 1;
}

/* Whether B does not fit a thread's cache. */
bool spl__spmm_rows_are_far(const spl_plan *plan);
/* The instruction set of kernels with tiles: AVX2 where the sums of a row of C fill one of its
 * registers at most. Masked registers of AVX-512 take twice as long there: AMD EPYC of family 26, K
 * = 8, f32. */
spl__variant spl__spmm_variant(const spl_plan *plan);

/* Makes step->state: parts, and runs of at most `most` rows if `most` is more than 1.
 * SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
spl_status spl__tile_rows_prepare(spl__step *step, int most);
void spl__tile_rows_destroy(spl__step *step);

/* Bytes of a row of B or C. */
double spl__spmm_row_bytes(const spl_plan *plan);
/* Seconds of a thread to load a byte of a row of B. */
double spl__spmm_load_seconds(const spl_plan *plan);

/* Predicts seconds and bytes; `fresh`: the share of entries that read a row of B; `row`: seconds
 * for each row besides. */
void spl__tile_rows_estimate(const spl__task *task, double fresh, double row,
                             spl__estimate *estimate);
/* Seconds of an execution of which C's traffic is a part, by one thread or all: `work`, without
 * that part, takes so long by one. */
void spl__spmm_predict(const spl__task *task, double work, spl__estimate *estimate);

#endif
