/* SPDX-License-Identifier: Apache-2.0 */
/* features.h: cheap numbers describing a problem; NaN until known. */
#ifndef SPL_PLAN_FEATURES_H
#define SPL_PLAN_FEATURES_H

#include "plan/problem.h"

typedef struct spl__features {
#define FEATURE(name, meaning) double name;
#include "plan/features.def"
#undef FEATURE
} spl__features;

enum {
#define FEATURE(name, meaning) SPL__FEATURE_##name,
#include "plan/features.def"
#undef FEATURE
    SPL__FEATURES
};

/* Everything known from the operands themselves: one pass over A's offsets, before they go to a
 * device. If A is kept by columns, figures on rows are of those. The rest is NaN; operations fill
 * it in. */
void spl__features_of_operands(const spl__problem *problem, spl__features *features);

/* On a device, block_size and repeated_sampled, if they are wanted: see spl__operand.look. Rows
 * that were on the host are looked at now. */
spl_status spl__features_of_groups(spl__problem *problem, spl__features *features);

/* On a device, whether columns of A's rows ascend, as survey.ascends of the operand. Waits once, if
 * A was on the host. */
spl_status spl__features_of_order(spl__problem *problem);

/* On a device, tile_fill_sampled, if options.accuracy is reduced. Waits once or twice. */
spl_status spl__features_of_tiles(spl__problem *problem, spl__features *features);

/* value_bytes and the operand's form: on a device if the executions can gain more than the look
 * costs, which waits once; on the host where values may be narrow, unless choices must not depend
 * on them. */
spl_status spl__features_of_values(spl_plan *plan);
/* Whether methods of the CPU are to store values in fewer bytes: those that do not stay in a cache,
 * for several executions. */
bool spl__values_may_be_narrow(const spl_plan *plan);

/* Those of a sample of neighbouring rows, repeated_sampled and shifted_sampled, if A was on the
 * host: they guide methods of the CPU. */
void spl__features_of_neighbours(const spl__problem *problem, spl__features *features);

/* Seconds of one thread for an entry of A in blocks of `size`, relative to those of other sizes,
 * where `fill` of the places of such blocks are entries. */
typedef double (*spl__block_seconds)(const spl_plan *plan, double size, double fill);
/* holed_block_size, the size with the least seconds, and block_fill_a, for a method of that id on
 * CPUs that copies A into blocks; 1 if there are none, or if nobody gains by them: on devices, for
 * one execution, of rows as short as a diagonal's. Cost: a sample of A's rows; where blocks are
 * found, one look at all columns. */
void spl__features_of_blocks(spl_plan *plan, const char *method, spl__block_seconds seconds);

/* Feature `number` by name, for explanations. */
void spl__feature_get(const spl__features *features, int number, spl_feature *feature);

#endif
