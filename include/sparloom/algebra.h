/* SPDX-License-Identifier: Apache-2.0 */
/* algebra.h: masks and semirings of sparse products, and operations on matrices that loops over
 * products need: what to keep of a matrix, sums and other reductions, and element by element union,
 * intersection and difference.
 *
 * The conventions of sparloom.h hold. Matrices are in CSR, CSC or COO, on the host or on a device,
 * with 32-bit indices there; results are where they are, and the same for any number of threads. */
#ifndef SPARLOOM_ALGEBRA_H
#define SPARLOOM_ALGEBRA_H

#include <sparloom/sparloom.h>

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------------------- masks and semirings */

/* Masks, spl_options.mask. C = alpha*op(A)*op(B) + beta*D is computed where the mask has entries,
 * or with options.mask_complement = 1 where it has none. Only positions count: values are not read
 * and may be NULL, its type may be any. The mask has the shape of C, any format and widths, and
 * equal positions count once. It is on the host or where A is, and not needed after planning.
 *   - options.mask_pattern = SPL_MASK_MEETS: C has the positions of op(A)*op(B) and of D that the
 *     mask leaves. SPL_MASK_FULL, not with mask_complement: exactly those of the mask; without
 *     products and D they get what the semiring makes of none. Then the structure is known at once.
 *   - Work and memory follow the mask: products of rows that it leaves empty are not looked at, and
 *     nothing is as large as the unmasked product. Either a row's products are added where C has a
 *     position, or positions are products of a row of op(A) and a column of op(B):
 *     spl_plan_explain says which.
 *   - For SpMV and SpMM see spl_row_mask. On a device a complement's positions are taken out of
 *     the unmasked product's, which are held meanwhile: in blocks of rows where memory for all is
 *     short and operands are on the host. Several processors cut the mask on the host. */
typedef enum spl_mask_pattern { SPL_MASK_MEETS = 0, SPL_MASK_FULL = 1 } spl_mask_pattern;

/* Semirings, options.semiring: "add" in place of sums and "multiply" in place of products, with
 * the value of elements that have no products. alpha is 1 outside plus_times. SPL_UNSUPPORTED:
 * another alpha, another beta than 0 and 1: those in host memory are read.
 *   - SpMV and SpMM: y = op(A)*x for beta = 0, the value without products in rows without entries;
 *     y = "add"(y, op(A)*x) for beta = 1. x or B must be there, even if "multiply" does not use it.
 *   - SpGEMM: the same with D in place of y: for beta = 1 its entries are "add"ed, each of them;
 *     for beta = 0, the default, only their positions count.
 *   - Values of A and of a sparse B that "multiply" does not use may be NULL: a pattern. Stored
 *     entries count one by one, also those of equal positions.
 *   - Rounded after each operation, in the type of the operands; f16 and bf16 in f32, and once at
 *     the end. SpGEMM: "add" in the order of the inner index if rows of op(A) ascend. SpMV, SpMM:
 *     in an order that structure and method fix. Bits do not depend on the number of threads.
 *   - min and max pass over NaN, in products and in y; if nothing else is there, Inf or -Inf.
 *     Inf - Inf and 0*Inf are NaN. Counts of plus_pair are exact up to 2^24 in f32 (and sums of f16
 *     and bf16), 2^53 in f64.
 *   - Integers: min has the type's largest number for Inf, max its smallest for -Inf. Inf + b is
 *     Inf and -Inf + b is -Inf; other sums that do not fit become the nearest that does. plus
 *     wraps. Words of bits, for or_second, are SPL_INT64 or SPL_INT32, whose sign is a bit like
 *     others. SPL_UNSUPPORTED: min_times and max_times of integers, or_second of others.
 *
 * Integers, SPL_INT32 and SPL_INT64: products, sums, alpha and beta are of the type and wrap in
 * two's complement: results are exact modulo 2^32 and 2^64, and a check compares every bit.
 * SPL_UNSUPPORTED: triple products. spl_convert rounds other types to nearest even; what is beyond
 * the type's limits becomes the limit, NaN 0; SPL_INT64 to SPL_INT32 likewise. */
typedef enum spl_semiring {
    SPL_PLUS_TIMES = 0,  /* sum of a*b; 0 */
    SPL_PLUS_PAIR = 1,   /* number of products; 0 */
    SPL_PLUS_FIRST = 2,  /* sum of a; 0 */
    SPL_PLUS_SECOND = 3, /* sum of b; 0 */
    SPL_MIN_PLUS = 4,    /* least a+b; Inf */
    SPL_MAX_PLUS = 5,    /* largest a+b; -Inf */
    SPL_MIN_SECOND = 6,  /* least b; Inf */
    SPL_MAX_SECOND = 7,  /* largest b; -Inf */
    SPL_MIN_TIMES = 8,   /* least a*b; Inf */
    SPL_MAX_TIMES = 9,   /* largest a*b; -Inf */
    SPL_OR_SECOND = 10   /* bitwise or of b; 0. Integers only */
} spl_semiring;

/* Rows of y = op(A)*x or C = op(A)*B, B and C dense, that an execution computes; another mask may
 * come with each. Exactly one of bits and bytes is given, of as many rows as y or C has.
 *   - complement = 1: rows are computed whose bit or byte is 0, instead of those where it is not.
 *   - The other rows keep their values; clear = 1: they get what the semiring makes of none, in
 *     plus_times 0, whatever beta is.
 *   - Of A nothing is read in rows that are left out, unless A is used by columns (a single SpMV
 *     of columns): each costs its bit or byte. Results are those of spl_spmv_execute but for
 *     rounding: rows are summed in an order of their own, which only structure fixes.
 *   - Plans of any method and semiring; the array is where y or C is. Several processors get a byte
 *     for each of their rows, by way of the host. */
typedef struct spl_row_mask {
    uint32_t size;
    int32_t complement, clear; /* 0 or 1 */
    const uint64_t *bits;      /* row i: bit i % 64 of word i / 64 */
    const uint8_t *bytes;      /* row i: byte i */
} spl_row_mask;
#define SPL_ROW_MASK_INIT SPL_SIZED(spl_row_mask)

/* spl_spmv_execute of the rows that `mask` names; NULL: all rows. The same statuses;
 * SPL_INVALID_ARGUMENT: a mask with both bits and bytes or neither, not aligned, or overlapping
 * y. */
SPARLOOM_API spl_status spl_spmv_execute_masked(spl_plan *plan, const void *alpha, const void *x,
                                                const void *beta, void *y, const spl_row_mask *mask,
                                                const spl_stream *stream);
/* spl_spmm_execute of the rows of C that `mask` names, in the same way. */
SPARLOOM_API spl_status spl_spmm_execute_masked(spl_plan *plan, const void *alpha,
                                                const spl_dense *b, const void *beta,
                                                const spl_dense *c, const spl_row_mask *mask,
                                                const spl_stream *stream);

/* C = op(A)*B over a min_ or max_ semiring, and which rows of B won, as pooling in graph networks
 * needs them: winners[i*ld + j] is the k of a product of C(i,j) that is least or largest, of equal
 * ones the least k; -1 where there are no products, or only NaN. Rows that the mask (NULL: none)
 * leaves out keep their winners, or get -1 with `clear`. `winners`, where C is, has rows(C) lines
 * of ld >= columns. Compares before results are rounded to f16 or bf16. Statuses as
 * spl_spmm_execute_masked; SPL_INVALID_ARGUMENT: another semiring, ld, winners over B or C;
 * SPL_UNSUPPORTED: several processors. */
SPARLOOM_API spl_status spl_spmm_execute_winners(spl_plan *plan, const spl_dense *b,
                                                 const spl_dense *c, int64_t *winners, int64_t ld,
                                                 const spl_row_mask *mask,
                                                 const spl_stream *stream);

/* ------------------------------------------------------------------------------- sparse vectors */

/* A sparse vector: its entries, of the plan below. Or several: the rows of a matrix in CSR. */
typedef struct spl_frontier {
    uint32_t size;
    int64_t count;    /* entries, of all vectors */
    int64_t capacity; /* of a result: how many the arrays have room for */
    void *indices;    /* ascending, each once in a vector; of the width of A's */
    void *values;     /* of A's type */
    int64_t vectors;  /* read if `offsets` are given */
    int64_t *offsets; /* NULL: one vector. Vector k has the entries offsets[k]..offsets[k + 1] */
} spl_frontier;
#define SPL_FRONTIER_INIT SPL_SIZED(spl_frontier)

/* Plans y = op(A)*x over options.semiring, x and y sparse: steps of searches, of which there are
 * thousands on one matrix. `vectors` is how many x an execution usually has; any number may come.
 * To follow edges (i, j) out of the entries i of x, op_a is SPL_TRANSPOSE.
 *   - An execution costs what the rows and columns that x meets have, never the dimensions of A. A
 *     heavy x, whose columns have many of A's entries, is multiplied by rows of op(A) instead: for
 *     this the plan keeps A in both orders, unless the budget forbids or options.executions is 1.
 *   - Memory: 9 bytes a row of A and 9 a column for f64; a copy of A, two if it has another form.
 *     With several vectors, 9 bytes a row for each thread, as far as the budget allows.
 *   - Types f32, f64, i32, i64. There are no methods to choose from: options.method is NULL.
 *   - On a device, if A is there: all arrays of an execution are there, too. It takes memory for
 * its products, some 40 bytes each, and waits twice: for thousands of products, not for a hundred.
 * Results are the same bits for any number of threads, and on a device. spl_plan_update_values,
 * spl_plan_explain, spl_plan_counters and spl_plan_destroy serve the plan. SPL_UNSUPPORTED: several
 * processors, a device for an A of the host, f16 and bf16, more than 2^31-1 rows or columns with
 * indices of 32 bits. Other statuses as spl_spmv_plan. */
SPARLOOM_API spl_status spl_frontier_plan(spl_context *context, const spl_sparse *a,
                                          int64_t vectors, const spl_options *options,
                                          spl_plan **plan);

/* y has an entry where a row of op(A) meets one of x, and the mask (NULL: none) names the row;
 * mask->clear is 0. Allocates nothing on the host; y's arrays are the caller's.
 *   - x->values may be NULL if "multiply" does not use them; with min_second and max_second of
 *     integers an entry's value is then its index, so that min_second finds the least neighbour.
 *   - `into` (NULL: none) has an element for each row of op(A), of A's type: it becomes
 *     "add"(into, op(A)*x), and y gets only the entries that change it, with their new values. So
 *     the entries of a step of shortest paths over min_plus are the next step's x.
 *   - y->values may be NULL: positions only. y->count is written at the end.
 *   - Of several vectors (x->offsets) each gets the result of an execution of its own, bit by bit:
 *     Y = X*op(A)', rows by rows. y has as many, and offsets, which are written. `into` and the
 *     mask have one after another what each vector has: the words of a mask's bits begin anew with
 *     each. Where y has room for the products of all vectors (or all rows, where there are more
 *     products), threads share out vectors of few products.
 * SPL_INVALID_ARGUMENT (x's indices do not ascend or are none of A's columns, arrays overlap, ...;
 * y has no room: the detail names how many entries there are, and nothing is written; of several
 * vectors those before are), SPL_INDEX_OVERFLOW (vectors times rows), SPL_BUSY, SPL_STALE,
 * SPL_CANCELLED. */
SPARLOOM_API spl_status spl_frontier_execute(spl_plan *plan, const spl_frontier *x, void *into,
                                             const spl_row_mask *mask, spl_frontier *y);

/* Compares y, and `into` before and after, with the executable specification, as spl_check_spmv
 * does: elements are (vector, row of op(A)). NULL: neither of both, no mask. */
SPARLOOM_API spl_status spl_check_frontier(const spl_sparse *a, const spl_frontier *x,
                                           const void *into_before, const void *into,
                                           const spl_row_mask *mask, const spl_frontier *y,
                                           const spl_options *options, spl_check *check);

/* -------------------------------------------------------------------------------------- entries */

/* What is asked of an entry (row, col) with a value. */
typedef enum spl_selector {
    SPL_SELECT_LOWER = 1,    /* col - row <= diagonal */
    SPL_SELECT_UPPER = 2,    /* col - row >= diagonal */
    SPL_SELECT_DIAGONAL = 3, /* col - row == diagonal */
    SPL_SELECT_AT_LEAST = 4, /* value >= threshold; never NaN */
    SPL_SELECT_AT_MOST = 5,  /* value <= threshold; never NaN */
    SPL_SELECT_ROWS = 6      /* row is one of `rows` */
} spl_selector;

typedef struct spl_selection {
    uint32_t size;
    spl_selector selector;
    int32_t invert;      /* 1: keep those that the selector would not */
    int64_t diagonal;    /* 0: the main one, -1: the one below */
    double threshold;    /* not NaN */
    const int64_t *rows; /* row_count rows of the matrix, in any order, also more than once */
    int64_t row_count;
} spl_selection;
#define SPL_SELECTION_INIT SPL_SIZED(spl_selection)

/* The entries of `source` that `selection` keeps, in their order, format, types and shape. Cost:
 * two passes. Workspace: an integer per row (CSC: column; COO: 4096 entries), and a byte per row
 * for SPL_SELECT_ROWS. On a device the result is complete when this returns. Free with
 * spl_matrix_destroy. SPL_INVALID_*, SPL_UNSUPPORTED, SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET,
 * SPL_DEVICE_FAILURE, SPL_CANCELLED. */
SPARLOOM_API spl_status spl_select(spl_context *context, const spl_sparse *source,
                                   const spl_selection *selection, spl_matrix **result);

/* ----------------------------------------------------------------------------------- reductions */

/* Operations that combine any number of values, and what they make of none. */
typedef enum spl_monoid {
    SPL_PLUS = 1,  /* 0 */
    SPL_TIMES = 2, /* 1 */
    SPL_MIN = 3,   /* Inf; passes over NaN */
    SPL_MAX = 4    /* -Inf; passes over NaN */
} spl_monoid;

typedef enum spl_reduction {
    SPL_REDUCE_ALL = 1,    /* one number */
    SPL_REDUCE_ROWS = 2,   /* a number per row */
    SPL_REDUCE_COLUMNS = 3 /* a number per column */
} spl_reduction;

/* Combines the stored values of all entries, or of each row or column. `result` has 1, rows or cols
 * elements of the type of `matrix`, f32 for f16 and bf16. Combined in f64, in stored order (all:
 * piece by piece of 65536 entries), and rounded once; each sum of n values v is within 1.01*n*2^-53
 * times the sum of |v| before it is rounded. Integers wrap; without entries SPL_MIN gives the
 * largest of the type, SPL_MAX the smallest. Cost: one pass. Workspace: f64 per element of the
 * result. On a device `result` is there, too, complete when this returns; sums have an order of
 * their own, which only structure fixes, and other lines than those of the format are sorted
 * first, into a copy. SPL_INVALID_*, SPL_UNSUPPORTED, SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET,
 * SPL_DEVICE_FAILURE, SPL_CANCELLED. */
SPARLOOM_API spl_status spl_reduce(spl_context *context, const spl_sparse *matrix,
                                   spl_monoid monoid, spl_reduction reduction, void *result);

/* -------------------------------------------------------------------------- element by element */

/* Which positions an element by element result has. */
typedef enum spl_positions {
    SPL_UNION = 1,        /* those of A and of B */
    SPL_INTERSECTION = 2, /* those that A and B have */
    SPL_DIFFERENCE = 3    /* those of A that B has not */
} spl_positions;

/* What becomes of a and b where A and B have a position. Elsewhere the value that is there stays.
 */
typedef enum spl_operation {
    SPL_OP_PLUS = 1,
    SPL_OP_MINUS = 2,
    SPL_OP_TIMES = 3,
    SPL_OP_MIN = 4, /* of NaN and a number the number */
    SPL_OP_MAX = 5, /* the same */
    SPL_OP_FIRST = 6,
    SPL_OP_SECOND = 7,
    SPL_OP_PAIR = 8 /* 1 */
} spl_operation;

/* C = A op B, element by element; A and B have one shape and one type of values. C is in CSR, each
 * row's columns ascend, each once; its indices are the wider ones. Equal positions of an operand
 * are summed before. Values are computed in the type of sums and rounded once; integers wrap. Cost:
 * two passes over the rows of both; an operand in another form than C's is converted first, into a
 * copy. SPL_DIFFERENCE uses no operation: 0. Of two matrices on a device C is there, complete when
 * this returns. Free with spl_matrix_destroy. SPL_INVALID_*, SPL_SHAPE_MISMATCH, SPL_UNSUPPORTED,
 * SPL_INDEX_OVERFLOW, SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_DEVICE_FAILURE, SPL_CANCELLED. */
SPARLOOM_API spl_status spl_elementwise(spl_context *context, const spl_sparse *a,
                                        const spl_sparse *b, spl_positions positions,
                                        spl_operation operation, spl_matrix **c);

#ifdef __cplusplus
}
#endif
#endif
