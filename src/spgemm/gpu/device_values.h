/* SPDX-License-Identifier: Apache-2.0 */
/* device_values.h: the numeric phase on a device, for methods that share its kernels. */
#ifndef SPL_SPGEMM_GPU_DEVICE_VALUES_H
#define SPL_SPGEMM_GPU_DEVICE_VALUES_H

#include "spgemm/gpu/device_product.h"
#include "spgemm/kernels/blocks/spgemm_blocks.k.h"

/* Kernels of a numeric method: one per enum spgemm_kind, and one for shapes of few rows. sums:
 * the number of sums per column of C in shared memory, at most most_rows for merged rows (0:
 * these are not supported). own_bytes: shared memory of a team for anything else. */
typedef struct spl__value_kernels {
    const char *of_kind[SPGEMM_KINDS], *of_few_rows;
    int32_t sums, most_rows, own_bytes;
} spl__value_kernels;
extern const spl__value_kernels spl__entry_values;
/* The same kernel for blocks of `size`, however rows are found; A's block is where all lanes see
 * it. */
#define SPL__BLOCK_KERNELS(size, kernel)                                                           \
    [size] = {.of_kind = {[SPGEMM_WINDOW] = (kernel), [SPGEMM_HASH] = (kernel)},                   \
              .sums = (size) * (size),                                                             \
              .own_bytes = SPGEMM_MOST_BLOCK * SPGEMM_MOST_BLOCK * sizeof(double)},
/* form_node_blocks.c: for full blocks, per size; 1: entries. */
extern const spl__value_kernels spl__node_block_values[SPGEMM_MOST_BLOCK + 1];

/* The parameters of a numeric method. */
typedef struct spl__values_method {
    spl__row_shapes shapes;
    const spl__value_kernels *kernels; /* NULL: those for the blocks of the plan's form */
    spl__device_costs costs;
    spl__family family;
    bool in_any_order; /* of C's columns */
} spl__values_method;
/* The functions of a method. Its state: kernels and bins. */
const char *spl__device_values_applicable(const spl__task *task);
/* Whether neighbouring rows of C use neighbouring rows of B, as in meshes in order: then threads of
 * a warp find in the cache what others have loaded. */
bool spl__device_rows_are_near(const spl_plan *plan);
void spl__device_values_estimate(const spl__task *task, spl__estimate *estimate);
spl_status spl__device_values_prepare(spl__step *step);
spl_status spl__device_values_enqueue_early(const spl__task *task);
spl_status spl__device_values_execute(spl__step *step, const spl__call *call);
/* Launches the step's kernels for the given values of the same structures. `instead` replaces
 * each kernel; it must need no more shared memory. */
spl_status spl__device_values_launch(const spl__step *step, const struct spgemm_operands *operands,
                                     const spl__kernel *instead);
void spl__device_values_explain(const spl__step *step, spl__text *text);
void spl__device_values_destroy(spl__step *step);

#endif
