/* SPDX-License-Identifier: Apache-2.0 */
/* problem.h: one operation on given matrices, types and options. */
#ifndef SPL_PLAN_PROBLEM_H
#define SPL_PLAN_PROBLEM_H

#include "device/device.h"
#include "plan/operand.h"

/* Lower-case tails, because methods.def pastes them together. */
typedef enum spl__kind { SPL__KIND_spmv, SPL__KIND_spmm, SPL__KIND_spgemm, SPL__KINDS } spl__kind;
typedef enum spl__phase { SPL__PHASE_compute, SPL__PHASE_symbolic, SPL__PHASE_numeric } spl__phase;

/* Whether methods are to find op(A)^T in CSR instead of op(A): never, if that is how A is stored,
 * always. */
typedef enum spl__columns { SPL__ROWS, SPL__COLUMNS_AS_STORED, SPL__COLUMNS } spl__columns;

typedef struct spl__problem {
    spl__kind kind;
    spl_context *context;
    spl_options options; /* checked */
    /* Of the device that computes, of several processors that which holds A; queue.device NULL: the
     * CPU, the host. */
    spl__queue queue;
    bool for_devices; /* made on the host, for devices too */
    bool checked;     /* the operands' arrays were, before */
    /* A's columns are checked when other processors have theirs: spl__problem_check_late */
    bool defers_check;
    bool staged; /* a device computes, the caller's arrays are on the host */
    int threads;
    bool once; /* one execution, then forgotten */
    /* why the policy measure leaves the choice to cost; NULL: it does not */
    const char *unmeasured;
    spl__columns columns; /* spmv: is A wanted by columns? */
    bool by_columns;      /* a.csr is op(A)^T */
    spl__operand a, b, d; /* b only in spgemm; d only if has_d */
    bool has_d;
    /* op(A) is rows x inner, the result rows x cols (spmv: 1, spmm: the dense columns) */
    int64_t rows, inner, cols;
    int combination; /* types of a, b and d: see core/combination.h */
} spl__problem;

/* Is the problem planned as if for one execution? */
static inline bool spl__problem_is_single(const spl__problem *problem)
{
    return problem->once || problem->options.executions == 1;
}

const char *spl__kind_name(spl__kind kind);
const char *spl__phase_name(spl__phase phase);

/* The threads that predictions assume. Methods differ in the order of sums or of columns: where
 * results must not depend on the number of threads, choices must not either. */
double spl__assumed_threads(const spl__problem *problem);

/* Reads and checks options. SPL_INVALID_ARGUMENT, SPL_UNSUPPORTED. */
spl_status spl__options_read(const spl_context *context, const spl_options *from,
                             spl_options *options);

/* Decides, by options and by where A lives, who computes. SPL_UNSUPPORTED: the context has no such
 * processor. */
spl_status spl__problem_place(spl__problem *problem, const spl_sparse *a);

/* Lets the operands be made ready where they live, on the host or on a device, for others to
 * compute with. SPL_UNSUPPORTED: the context has no such device. */
spl_status spl__problem_place_at_home(spl__problem *problem, const spl_sparse *a);

/* Takes (checks fully) and prepares the operands: b and d may be NULL; `cols` is the number of
 * dense columns without b. On failure spl__problem_free cleans up. */
spl_status spl__problem_make(spl__problem *problem, spl__account *account, const spl_sparse *a,
                             const spl_sparse *b, const spl_sparse *d, int64_t cols);
/* What spl__problem_make has left for later: A's columns, where whoever makes the problem said
 * `late` and nothing but A's offsets was needed. Nothing may follow them before.
 * SPL_INVALID_MATRIX. */
spl_status spl__problem_check_late(spl__problem *problem, spl__watch *watch);
/* Copies the operands of a staged problem to its device. */
spl_status spl__problem_upload(spl__problem *problem);
void spl__problem_free(spl__problem *problem);

#endif
