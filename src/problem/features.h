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

/* repeated_sampled and shifted_sampled, and for spmv the fill of diagonals, from samples of
 * neighbouring rows, if A was on the host: for CPU methods. */
void spl__features_of_neighbours(const spl__problem *problem, spl__features *features);

/* Feature `number` by name, for explanations. */
void spl__feature_get(const spl__features *features, int number, spl_feature *feature);

#endif
