/* SPDX-License-Identifier: Apache-2.0 */
/* csr_survey.h: checks the structure of a matrix on a device and measures its rows. */
#ifndef SPL_STRUCTURE_CSR_SURVEY_H
#define SPL_STRUCTURE_CSR_SURVEY_H

#include "device/device.h"

typedef struct spl__row_survey {
    /* sum of squares of row lengths, longest row, rows without entries */
    double squares, longest, empty;
    /* columns of every row are strictly ascending */
    bool ascends;
    /* the number that block sizes must divide, of all matrices that were searched together:
     * device_blocks.h; 0: not searched */
    int64_t block;
    /* share of a sample's entries in rows that equal the previous one; 0: not sampled */
    double repeated;
} spl__row_survey;

/* Additional searches: node blocks; or node blocks and identical rows. */
typedef enum spl__look {
    SPL__LOOK_NO_FURTHER,
    SPL__LOOK_FOR_BLOCKS,
    SPL__LOOK_FOR_GROUPS
} spl__look;

/* A matrix to be checked and measured: `view` is on the queue's device, has 32-bit indices and a
 * valid header. Its lines are measured (rows; for CSC columns; none for COO, where `survey` may
 * be NULL), and `look` selects additional searches. `source` is the matrix that the caller gave,
 * maybe with wider indices: faults are reported for its arrays, like those of spl__view_check. */
typedef struct spl__survey_task {
    const spl_sparse *view, *source;
    const char *name;
    spl__look look;
    spl__row_survey *survey;
} spl__survey_task;
enum { SPL__MOST_SURVEYS = 3 };

/* Work that is enqueued between the launch of surveys and the wait for them: kernels read what
 * they have found (csr_survey.k.h), of the task with that number, and must do nothing where it
 * tells of a fault. NULL: there is none. */
struct csr_survey;
typedef struct spl__meanwhile {
    spl_status (*enqueue)(void *context, const struct csr_survey *surveys, int count);
    void *context;
} spl__meanwhile;

/* Surveys several matrices on the device and fetches a few numbers: waits once for all, unless
 * there is a fault. SPL_INVALID_MATRIX with the position of the first fault; SPL_OUT_OF_MEMORY,
 * SPL_OVER_BUDGET, SPL_DEVICE_FAILURE. */
spl_status spl__device_surveys(spl__queue *queue, const spl__survey_task *tasks, int count,
                               const spl__meanwhile *meanwhile);
/* Surveys a single matrix. */
spl_status spl__device_survey(spl__queue *queue, const spl_sparse *view, const spl_sparse *source,
                              const char *name, spl__look look, spl__row_survey *survey);
/* Only the additional searches, in valid CSR matrices on the device; the rest of the surveys is
 * unchanged. Waits once. */
spl_status spl__device_looks(spl__queue *queue, const spl__survey_task *tasks, int count);

#endif
