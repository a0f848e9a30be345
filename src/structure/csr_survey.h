/* SPDX-License-Identifier: Apache-2.0 */
/* csr_survey.h: checks the structure of a matrix on a device and measures its rows. */
#ifndef SPL_STRUCTURE_CSR_SURVEY_H
#define SPL_STRUCTURE_CSR_SURVEY_H

#include "device/device.h"

typedef struct spl__row_survey {
    /* sum of squares of row lengths, longest row, rows without entries */
    double squares, longest, empty;
    /* columns of every row ascend, each greater than the one before */
    bool ascends;
    /* what block sizes divide: device_blocks.h; 0: not looked for */
    int64_t block;
    /* share of a sample's entries in rows with the columns of the row before:
     * device_identical_rows.h */
    double repeated;
} spl__row_survey;

/* What is looked for beside: dense blocks; these, and rows with the columns of the row before. */
typedef enum spl__look {
    SPL__LOOK_NO_FURTHER,
    SPL__LOOK_FOR_BLOCKS,
    SPL__LOOK_FOR_GROUPS
} spl__look;

/* A matrix to be checked and measured: `view` is on the queue's device, has 32-bit indices, and a
 * valid header. Its lines are measured (rows, of CSC columns; of COO none, `survey` may be NULL),
 * and what `look` says is looked for. `source` is the same matrix as the caller gave it, maybe
 * wider: faults are told of its arrays, as spl__view_check tells them. */
typedef struct spl__survey_task {
    const spl_sparse *view, *source;
    const char *name;
    spl__look look;
    spl__row_survey *survey;
} spl__survey_task;
enum { SPL__MOST_SURVEYS = 3 };

/* Surveys several matrices. Arrays are read on the device, a few numbers come back: waits once for
 * all, unless there is a fault. SPL_INVALID_MATRIX with the place of the first fault;
 * SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_DEVICE_FAILURE. */
spl_status spl__device_surveys(spl__queue *queue, const spl__survey_task *tasks, int count);
/* One of them. */
spl_status spl__device_survey(spl__queue *queue, const spl_sparse *view, const spl_sparse *source,
                              const char *name, spl__look look, spl__row_survey *survey);
/* Looks for groups, and nothing else, in a sound CSR matrix on the device; changes nothing else of
 * the survey. Waits once. */
spl_status spl__device_survey_groups(spl__queue *queue, const spl_sparse *csr,
                                     spl__row_survey *survey);

#endif
