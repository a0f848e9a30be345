/* SPDX-License-Identifier: Apache-2.0 */
/* features.h: cheap numbers that describe a problem; NaN until known. */
#ifndef SPL_PROBLEM_FEATURES_H
#define SPL_PROBLEM_FEATURES_H

#include "problem/problem.h"

typedef struct spl__features {
#define FEATURE(name, meaning) double name;
#include "problem/features.def"
#undef FEATURE
} spl__features;

enum {
#define FEATURE(name, meaning) SPL__FEATURE_##name,
#include "problem/features.def"
#undef FEATURE
    SPL__FEATURES
};

/* Fills the features that follow from the operands' offsets in one pass over A's, before they
 * are copied to a device. If A is stored by columns, features of rows describe columns. The rest
 * is NaN; operations fill it in. */
void spl__features_of_operands(const spl__problem *problem, spl__features *features);

/* On a device: block_size and repeated_sampled, if requested by spl__operand.look. Rows that
 * come from the host are surveyed now. */
spl_status spl__features_of_groups(spl__problem *problem, spl__features *features);

/* On a device: whether columns of A's rows ascend, as survey.ascends of the operand. Waits once
 * if A was on the host. */
spl_status spl__features_of_order(spl__problem *problem);

/* On a device: tile_fill_sampled and short_tile_fill_sampled, if options.accuracy is reduced.
 * Waits once or twice. */
spl_status spl__features_of_tiles(spl__problem *problem, spl__features *features);

/* value_bytes and the operand's value form. On a device only if executions can gain more than
 * the scan costs; waits once. On the host only where values may be narrow and choices may depend
 * on values. */
spl_status spl__features_of_values(spl_plan *plan);
/* Whether CPU methods should store values in fewer bytes: for several executions on values that
 * do not fit a cache. */
bool spl__values_may_be_narrow(const spl_plan *plan);

/* repeated_sampled and shifted_sampled, from a sample of neighbouring rows, if A was on the
 * host: for CPU methods. */
void spl__features_of_neighbours(const spl__problem *problem, spl__features *features);

/* Relative seconds of one thread per entry of A in blocks of `size`, of whose slots the share
 * `fill` are entries. */
typedef double (*spl__block_seconds)(const spl_plan *plan, double size, double fill);
/* holed_block_size (the size with the least seconds) and block_fill_a, for methods
 * that copy A into blocks (SPL__OF_BLOCKS). 1 if there are no blocks or they do not pay: on
 * devices, for a single execution, for rows as short as a diagonal's. Cost: a sample of A's rows;
 * if blocks are found, one pass over all columns. */
void spl__features_of_blocks(spl_plan *plan, spl__block_seconds seconds);

/* Feature `number` by name, for explanations. */
void spl__feature_get(const spl__features *features, int number, spl_feature *feature);

#endif
