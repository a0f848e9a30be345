/* SPDX-License-Identifier: Apache-2.0 */
/* cancelling.h: an observer that cancels at a chosen report, and matrices for calls that take many
 * pieces. */
#ifndef SPL_TEST_CANCELLING_H
#define SPL_TEST_CANCELLING_H

#include "lib/hook_allocator.h"
#include "zoo/zoo.h"

#include <pthread.h>
#include <stdbool.h>

typedef struct cancel_observer {
    pthread_t caller;
    long long calls, cancel_at; /* -1: never */
    bool bad;                   /* wrong thread, no stage, senseless numbers */
} cancel_observer;

/* A context with two threads that reports to the observer. */
spl_context *cancel_context(hook_allocator *hook, cancel_observer *o);

/* A context that cancels every call at its first report. */
spl_context *cancelling_context(void);

/* ---- longer calls on drawn matrices: every piece of the calling thread reports ---- */

enum { CANCEL_ROWS = 20000, CANCEL_COLUMNS = 24 };

typedef struct cancelled_work {
    hook_allocator hook;
    cancel_observer observer;
    spl_context *context;
    zoo_random random;
    zoo_matrix a, by_columns, square; /* square: fewer rows, for sparse products */
    /* the one of the first two that is multiplied by dense operands */
    const spl_sparse *dense_by;
    double *x, *y;
    char path[64];
    double usual; /* seconds between reports */
} cancelled_work;

void cancelled_work_start(cancelled_work *w);
void cancelled_work_stop(cancelled_work *w);
/* Whether a method, or the operation that begins it, is of "spmv/", "spmm/" or "spgemm/". */
bool cancel_is_of(const char *method, const char *operation);
/* Plans A times a vector, A times CANCEL_COLUMNS columns, or the square matrix times itself. */
spl_status cancelled_plan(const cancelled_work *w, const char *method, const spl_options *options,
                          spl_plan **plan);

#endif
