/* SPDX-License-Identifier: Apache-2.0 */
/* algebra.h: masks and semirings of sparse products, and operations on matrices that loops over
 * products need: what to keep of a matrix, sums and other reductions, and element by element union,
 * intersection and difference.
 *
 * The conventions of sparloom.h hold. Matrices are on the host, in CSR, CSC or COO; results are the
 * same for any number of threads. */
#ifndef SPARLOOM_ALGEBRA_H
#define SPARLOOM_ALGEBRA_H

#include <sparloom/sparloom.h>

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------------------- masks and semirings */

/* Masks, spl_options.mask. C = alpha*op(A)*op(B) is computed where the mask has entries, or with
 * options.mask_complement = 1 where it has none. Only positions count: values are not read and may
 * be NULL, its type may be any. The mask has the shape of C, any format and widths, and equal
 * positions count once. It is read when the plan is made, and not needed afterwards.
 *   - options.mask_pattern = SPL_MASK_MEETS: C has the places of op(A)*op(B) that the mask leaves.
 *     SPL_MASK_FULL, not with mask_complement: exactly those of the mask; without products they get
 *     what the semiring makes of none. Then the structure is known at once.
 *   - Work and memory follow the mask: products of rows that it leaves empty are not looked at, and
 *     nothing is as large as the unmasked product. Either a row's products are added where C has a
 *     place, or places are products of a row of op(A) and a column of op(B): explain says which.
 *   - SpGEMM on the CPU. SPL_UNSUPPORTED: SpMV, SpMM, devices, several processors, D. */
typedef enum spl_mask_pattern { SPL_MASK_MEETS = 0, SPL_MASK_FULL = 1 } spl_mask_pattern;

/* Semirings, options.semiring: "add" in place of sums and "multiply" in place of products, with
 * the value of elements that have no products (SPL_MASK_FULL). alpha is 1 outside plus_times, and
 * scope and statuses are those of masks.
 *   - Values that "multiply" does not use may be NULL: a pattern. Stored entries count one by one,
 *     also those of equal positions.
 *   - Rounded after each operation, in the type of the operands; "add" in the order of the inner
 *     index if rows of op(A) ascend. min and max pass over NaN. Counts of plus_pair are exact up to
 *     2^24 in f32, 2^53 in f64. */
typedef enum spl_semiring {
    SPL_PLUS_TIMES = 0,  /* sum of a*b; 0 */
    SPL_PLUS_PAIR = 1,   /* number of products; 0 */
    SPL_PLUS_FIRST = 2,  /* sum of a; 0 */
    SPL_PLUS_SECOND = 3, /* sum of b; 0 */
    SPL_MIN_PLUS = 4,    /* least a+b; Inf */
    SPL_MAX_PLUS = 5,    /* largest a+b; -Inf */
    SPL_MIN_SECOND = 6,  /* least b; Inf */
    SPL_MAX_SECOND = 7   /* largest b; -Inf */
} spl_semiring;

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
 * for SPL_SELECT_ROWS. Free with spl_matrix_destroy. SPL_INVALID_*, SPL_UNSUPPORTED,
 * SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_CANCELLED. */
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
 * times the sum of |v| before it is rounded. Cost: one pass. Workspace: f64 per element of the
 * result. SPL_INVALID_*, SPL_UNSUPPORTED, SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_CANCELLED. */
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
 * are summed before. Values are computed in the type of sums and rounded once. Cost: two passes
 * over the rows of both; an operand in another form than C's is converted first, into a copy.
 * SPL_DIFFERENCE uses no operation: 0. Free with spl_matrix_destroy. SPL_INVALID_*,
 * SPL_SHAPE_MISMATCH, SPL_UNSUPPORTED, SPL_INDEX_OVERFLOW, SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET,
 * SPL_CANCELLED. */
SPARLOOM_API spl_status spl_elementwise(spl_context *context, const spl_sparse *a,
                                        const spl_sparse *b, spl_positions positions,
                                        spl_operation operation, spl_matrix **c);

#ifdef __cplusplus
}
#endif
#endif
