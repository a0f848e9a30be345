/* SPDX-License-Identifier: Apache-2.0 */
/* device_product.h: C on a device: the counterpart of product.h for plans that a device computes. */
#ifndef SPL_SPGEMM_DEVICE_PRODUCT_H
#define SPL_SPGEMM_DEVICE_PRODUCT_H

#include "matrix/matrix.h"
#include "spgemm/product.h"
#include "spgemm/spgemm_hash.k.h"

enum { SPL__HASH_GROUPS = 6 };

/* All rows in the order of their groups; group g has rows[first[g]..first[g+1]). */
typedef struct spl__device_groups {
    spl__device_array rows; /* uint32_t[rows of C] */
    int64_t first[SPL__HASH_GROUPS + 2];
} spl__device_groups;

struct spl__device_product {
    spl__device_array offsets; /* int64_t[rows+1] */
    spl__device_array columns; /* int32_t[nnz] */
    spl__device_array values;  /* T[nnz], if the plan keeps them, or if it is staged */
    spl__device_array narrow;  /* int32_t[rows+1]: offsets of a staged plan for export, of a one-shot call to give */
    spl__device_groups groups; /* by the length of C's rows; made on demand */
    int64_t nnz;
};

/* The operation's plan, on a device. */
spl_status spl__device_product_plan(spl_plan *plan);
void spl__device_product_free(spl_plan *plan);

/* Structures of A, B and D for kernels. */
struct spgemm_structures spl__device_structures(const spl_plan *plan);

/* Groups rows by sizes[row], or, if that is NULL, by the length of C's rows; no size counts as more than the columns of C. Waits once. */
spl_status spl__device_groups_make(spl_plan *plan, const int64_t *sizes, spl__device_groups *groups);
void spl__device_groups_free(spl_plan *plan, spl__device_groups *groups);

/* How a group is launched, with `slot_bytes` bytes for each slot of a table. */
typedef struct spl__hash_shape {
    int32_t team, threads, shift;
    int64_t slots, blocks;
    size_t shared;
    bool global; /* the tables are in global memory, one per block */
} spl__hash_shape;

/* For `rows` rows of a group, of which none needs more than `longest` columns. */
spl__hash_shape spl__hash_shape_of(const spl_plan *plan, const spl__kernel *kernel, int group, int64_t rows,
                                   size_t slot_bytes, int64_t longest);
/* Memory for the tables of a shape with global tables: fewer blocks where the budget does not suffice for all. */
spl_status spl__hash_tables_make(spl_plan *plan, spl__hash_shape *shape, size_t slot_bytes, spl__device_array *tables);

/* For spl_spgemm_export: arrays of the caller, on the host or on the device. NULL: not wanted. */
spl_status spl__device_product_export(spl_plan *plan, void *offsets, void *indices, void *values);

/* C, computed on the device where A lives, as a matrix of the plan's account, with the plan's own arrays where their types are the header's. Waits;
 * the plan can only be freed afterwards. */
spl_status spl__device_product_give(spl_plan *plan, const spl_sparse *header, spl_matrix **c);

#endif
