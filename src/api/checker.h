/* SPDX-License-Identifier: Apache-2.0 */
/* checker.h: what checks of all operations share: see check_api.c. */
#ifndef SPL_API_CHECKER_H
#define SPL_API_CHECKER_H

#include "api/check_algebra.h"

/* What elements are judged by. */
typedef struct spl__check_standard {
    spl_type type; /* of stored values */
    bool reduced;  /* for SPL_ACCURACY_REDUCED */
    double alpha;  /* 1 if it is not finite */
    /* alpha is not finite and was read on a device: alpha times a sum of 0 is then 0 */
    bool unseen;
} spl__check_standard;

/* A problem whose result is checked; its memory comes from malloc. */
typedef struct spl__checker {
    spl_context context;
    spl__problem problem;
    spl__check_scalars scalars;
    bool device_scalars; /* the product read scalars on a device */
} spl__checker;

/* Reads operands and scalars. On failure nothing is left. */
spl_status spl__checker_begin(spl__checker *c, spl__kind kind, const spl_sparse *const operands[3],
                              int64_t cols, const void *alpha, const void *beta,
                              const spl_options *options);
void spl__checker_end(spl__checker *c);
spl__check_standard spl__checker_standard(const spl__checker *c);

spl_check spl__check_start(void);
/* |error|/bound of element i of an array: 0 if exact, above 1 if too large, Inf if a NaN or Inf is
 * not where it must be, negative if undecided. */
double spl__check_ratio(const spl__ref_element *e, const void *values, int64_t i,
                        spl__check_standard s);
/* Counts the ratio of element (i, j). */
void spl__check_note(spl_check *check, double ratio, int64_t i, int64_t j);
/* Writes the verdict to the caller's struct. */
spl_status spl__check_finish(spl_check *check, spl_check *out);

#endif
