/* SPDX-License-Identifier: Apache-2.0 */
/* problem.h: one operation on given matrices, types and options. */
#ifndef SPL_PROBLEM_PROBLEM_H
#define SPL_PROBLEM_PROBLEM_H

#include "device/device.h"
#include "problem/mask.h"
#include "problem/operand.h"
#include "problem/row_mask.h"
#include "problem/semiring.h"

/* Lower-case suffixes, because methods.def pastes them. */
typedef enum spl__kind {
    SPL__KIND_spmv,
    SPL__KIND_spmm,
    SPL__KIND_spgemm,
    SPL__KIND_triple,
    SPL__KIND_frontier,
    SPL__KINDS
} spl__kind;
/* form: in what form a device multiplies sparse matrices, before its other phases are planned. */
typedef enum spl__phase {
    SPL__PHASE_compute,
    SPL__PHASE_symbolic,
    SPL__PHASE_numeric,
    SPL__PHASE_form
} spl__phase;

/* What planning needs to know of an operation. One constant each, in its own folder. */
struct spl__problem;
typedef struct spl__traits {
    const char *name, *formula;
    bool sparse;   /* B, D and the result are sparse */
    bool triple;   /* C = op(B)'*op(A)*op(B), in one way: without methods */
    bool frontier; /* x and y are sparse: in one way, without methods, and A is used by columns */
    bool vectors;  /* x and y are vectors: no gaps between lines, and A may be used by columns */
    bool looks;    /* what is looked for in operands pays for a single execution */
    spl__look look_at_a, look_at_others;
    /* No more than what the state of a plan takes on the host and, *device, on a device. */
    double (*least_bytes)(const struct spl__problem *problem, double *device);
} spl__traits;

/* Whether methods get op(A)^T in CSR instead of op(A): never, if A is stored that way, always. */
typedef enum spl__columns { SPL__ROWS, SPL__COLUMNS_AS_STORED, SPL__COLUMNS } spl__columns;

typedef struct spl__problem {
    spl__kind kind;
    const spl__traits *traits;
    spl_context *context;
    spl_options options; /* checked */
    /* The queue of the device that computes; with several processors, of the one that holds A.
     * queue.device NULL: the CPU and host memory. */
    spl__queue queue;
    bool for_devices; /* prepared on the host, but for devices as well */
    bool checked;     /* the operands' arrays have been checked already */
    /* A's columns are checked after other processors have got their work:
     * spl__problem_check_deferred */
    bool defers_check;
    bool staged; /* a device computes on arrays of the caller on the host */
    int threads;
    bool once;          /* a one-shot call */
    bool factor_known;  /* the call's alpha is known while the plan is made */
    bool several;       /* several processors share the rows */
    const void *factor; /* it, as the caller gave it; NULL: 1 */
    /* what else is enqueued while operands on a device are checked; enqueue NULL: nothing */
    spl__meanwhile meanwhile;
    const char *unmeasured; /* why nothing is measured; NULL: that depends on the task */
    spl__columns columns;   /* spmv: whether A is used by columns */
    bool by_columns;        /* a.csr is op(A)^T */
    spl__operand a, b, d;   /* b only in spgemm; d only if has_d */
    bool has_d;
    spl__mask mask; /* spgemm */
    /* op(A) is rows x inner, the result rows x cols (spmv: 1, spmm: the dense columns) */
    int64_t rows, inner, cols;
    int combination; /* types of a, b and d: see core/combination.h */
} spl__problem;

/* Whether the problem is planned for a single execution. */
static inline bool spl__problem_is_single(const spl__problem *problem)
{
    return problem->once || problem->options.executions == 1;
}

/* Whether values are added and multiplied in another way than floating-point numbers are. */
static inline bool spl__problem_has_algebra(const spl__problem *problem)
{
    return problem->options.semiring || spl__type_is_integer(problem->a.csr.type);
}

/* spgemm: whether the positions of C are found before its values: for masks, semirings and
 * integers, which few numeric methods serve. */
static inline bool spl__needs_positions(const spl__problem *problem)
{
    return problem->mask.given || spl__problem_has_algebra(problem);
}

const char *spl__phase_name(spl__phase phase);

/* The number of threads that predictions assume. Methods differ in the order of sums or of
 * columns: where results must not depend on the number of threads, choices must not either. */
double spl__assumed_threads(const spl__problem *problem);

/* Reads and checks options. SPL_INVALID_ARGUMENT, SPL_UNSUPPORTED. */
spl_status spl__options_read(const spl_context *context, const spl_options *from,
                             spl_options *options);

/* Chooses the processor, by options and by the place of A. SPL_UNSUPPORTED: the context has no
 * such processor. */
spl_status spl__problem_place(spl__problem *problem, const spl_sparse *a);

/* Prepares the operands on the processor that holds them, for use by several processors.
 * SPL_UNSUPPORTED: the context has no such device. */
spl_status spl__problem_place_with_operands(spl__problem *problem, const spl_sparse *a);

/* No more than what preparing operands on the host takes, and their copies on the problem's device,
 * if it has one: *device. Leaves inner indices that no entry has out of problem->inner and of the
 * views, as spl__problem_make does. */
double spl__problem_bytes(spl__problem *problem, spl_sparse *const given[3], double *device);
/* Checks and prepares the operands: b and d may be NULL; `cols` is the number of dense columns
 * without b. On failure spl__problem_free cleans up. */
spl_status spl__problem_make(spl__problem *problem, spl__account *account, const spl_sparse *a,
                             const spl_sparse *b, const spl_sparse *d, int64_t cols);
/* The check of A's columns, which spl__problem_make has deferred because of defers_check, as
 * only A's offsets were needed. Nothing may use the columns before. SPL_INVALID_MATRIX. */
spl_status spl__problem_check_deferred(spl__problem *problem, spl__watch *watch);
/* Copies the operands of a staged problem to its device. */
spl_status spl__problem_upload(spl__problem *problem);
void spl__problem_free(spl__problem *problem);

#endif
