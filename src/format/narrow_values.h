/* SPDX-License-Identifier: Apache-2.0 */
/* narrow_values.h: in how few bytes the values of a matrix on the host can be stored, exactly: what
 * value_forms.h is for devices. Bits count: -0 is not 0, a NaN is itself if all are, and else no
 * number.
 *
 * All the same: nothing is stored. Whole numbers of 16 bits, times a power of two that all share: 2
 * bytes. f64 that f32 holds: 4. Codes of distinct values are no form here: a processor takes longer
 * to look each of them up than to read 8 bytes. */
#ifndef SPL_FORMAT_NARROW_VALUES_H
#define SPL_FORMAT_NARROW_VALUES_H

#include "format/value_forms.h"
#include "matrix/matrix.h"

#include <stdbool.h>

/* Looks at a sample first, then at all values until one is wrong: what has no form costs next to
 * nothing, unless what is wrong comes late. `narrow`: else only whether all are the
 * same is asked. */
spl__value_form spl__narrow_values_find(const spl_sparse *csr, bool narrow, int threads);
/* How many distinct values there are; -1: more than SPL__DISTINCT_MOST. By one thread, which ends
 * with the first beyond. */
enum { SPL__DISTINCT_MOST = 256 };
int64_t spl__distinct_values(spl__watch *watch, const spl_sparse *csr);
/* The fewest bytes of the type's values that hold `distinct` of them, of that form. */
double spl__fewest_value_bytes(const spl__value_form *form, int64_t distinct, spl_type type);

/* Stores `count` values, a multiple of SPL__NARROWED_AT_ONCE, in that form, one behind the other,
 * where they begin; not where all are the same. */
enum { SPL__NARROWED_AT_ONCE = 16 };
void spl__narrow_values_store(const spl__value_form *form, spl_type type, void *values,
                              int64_t count);

#endif
