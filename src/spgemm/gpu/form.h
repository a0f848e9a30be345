/* SPDX-License-Identifier: Apache-2.0 */
/* form.h: a form of a product on a device: the matrices that its symbolic and numeric phase
 * multiply. They are the operands as they are, or compact: node blocks, holed blocks, or A and D
 * with identical rows merged. Each form is one file, form_*.c: a method of the phase `form`, which
 * the planner chooses before the others, and a table of what sets it apart, which is all that the
 * rest of the product asks. */
#ifndef SPL_SPGEMM_GPU_FORM_H
#define SPL_SPGEMM_GPU_FORM_H

#include "plan/plan.h"
#include "spgemm/kernels/spgemm_structures.h"

struct spl__value_kernels;
typedef struct spl__form spl__form;

/* What a numeric method adds up at a time. */
typedef enum spl__family {
    SPL__BY_ENTRIES,
    SPL__BY_BLOCKS,
    SPL__BY_ROWS,  /* groups of identical rows */
    SPL__BY_TERMS, /* the terms of C's entries */
    SPL__FAMILIES
} spl__family;

/* What sets a form apart. Functions may be NULL: there is nothing to do. */
typedef struct spl__form_kind {
    const char *id;
    unsigned attribute;                 /* of the numeric methods that need the form; 0: none */
    const char *refuses[SPL__FAMILIES]; /* why methods of the family cannot serve; NULL: they can */
    bool borrows[3]; /* A, B, D are the operands, whose arrays may move until an execution */
    bool full;       /* rows are the operands', shorter by the size of a block: full blocks */
    /* per block size: kernels of the family SPL__BY_BLOCKS */
    const struct spl__value_kernels *block_values;
    /* Once the rows of C are counted in the form: enqueues the count of C's own entries. */
    spl_status (*count)(spl_plan *plan, int64_t *entries);
    /* nnz(C), if it is not nnz_c; 0: not known yet */
    int64_t (*entries)(const spl__form *form, int64_t counted);
    /* Expands C, whose structure in the form has been found; NULL: it is C's structure. */
    spl_status (*expand)(spl_plan *plan);
    /* For forms that know C only by the kernels of the numeric method: after it was prepared, and
     * once it was chosen. The latter waits. */
    spl_status (*find)(const spl__step *step);
    spl_status (*complete)(spl_plan *plan);
    /* Writes columns of C that are still to be expanded. */
    spl_status (*settle)(spl_plan *plan);
    /* Around an execution; both enqueue. */
    spl_status (*begin)(spl_plan *plan, const spl__call *call);
    spl_status (*end)(spl_plan *plan, const spl__call *call);
    /* Replaces the operands' values; adds what kernels must know besides. */
    void (*values)(const spl_plan *plan, struct spgemm_operands *operands);
    void (*arguments)(spl_plan *plan, struct spgemm_values *values);
    void (*free)(spl_plan *plan);
} spl__form_kind;

/* The average number of rows, entries (of A, B and C) and products of the operands that one row,
 * entry or product of the form represents. */
typedef struct spl__form_times {
    double rows, a, b, c, products;
} spl__form_times;

struct spl__form {
    const spl__form_kind *kind;
    spl_sparse a, b, d; /* d has no rows if the product has no D */
    int32_t block;      /* rows and columns of a block; 1: no blocks */
    spl__form_times times;
    double products;       /* of the operands, if making the form has counted them; else NaN */
    bool ordered;          /* making the form has shown that columns of B's and D's rows ascend */
    const int32_t *firsts; /* [rows of A + 1] first row of each merged row; NULL: none are merged */
    /* C's structure in the form, once C has its own; its offsets while it has not */
    spl__device_array offsets, columns, c_offsets;
    int64_t nnz_c; /* entries of C in the form */
    void *state;   /* owned by the kind */
};

/* The holed blocks that take the fewest steps of a warp per product, with products of holes; size
 * 1: none were found, or looked for. */
typedef struct spl__holed_guess {
    int32_t size;
    double steps;
} spl__holed_guess;

/* What is found in the operands before forms are predicted. */
typedef struct spl__form_survey {
    int32_t node_block;    /* the largest size of node blocks that all operands have; 1: none */
    double distinct_share; /* of A's rows in a sample: those unlike the row before */
    spl__holed_guess holed;
} spl__form_survey;

spl__form *spl__form_of(const spl_plan *plan);
/* Why methods of the family cannot serve the plan's form; NULL: they can. */
const char *spl__form_refuses(const spl__task *task, spl__family family);
/* The same for methods that work entry by entry. */
const char *spl__form_refuses_entries(const spl__task *task);

/* Structures of the form, for kernels; and of the operands themselves. */
struct spgemm_structures spl__form_structures(const spl_plan *plan);
struct spgemm_structures spl__own_structures(const spl_plan *plan);
/* The structures and all that the numeric phase reads besides. Offsets and columns are those of C
 * in the form; with merged rows the columns are C's own. */
struct spgemm_operands spl__form_operands(const spl_plan *plan, const spl__call *call);
/* Offsets of C in the form, as far as they are known. */
const int64_t *spl__form_offsets(const spl_plan *plan);
/* nnz(C) after nnz_c is known and `count` has found `counted`; 0: not known yet. */
int64_t spl__form_entries_of_c(const spl_plan *plan, int64_t counted);
/* Expands C from its form. */
spl_status spl__form_expand(spl_plan *plan);
spl_status spl__form_settle(spl_plan *plan);
/* Frees C's structure in the form. */
void spl__form_forget(spl_plan *plan);

#endif
