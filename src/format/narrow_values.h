/* SPDX-License-Identifier: Apache-2.0 */
/* narrow_values.h: the least bytes in which the values of a matrix on the host can be stored
 * exactly: the counterpart of device_narrow_values.h. Values are compared by bits: -0 differs from
 * 0; NaN is allowed only if all values have the same bits.
 *
 * All values equal: nothing is stored. 16-bit integers times a common power of two: 2 bytes. f64
 * that f32 represents: 4. There is no form with codes of distinct values: on a CPU a table
 * lookup takes longer than reading 8 bytes. */
#ifndef SPL_FORMAT_NARROW_VALUES_H
#define SPL_FORMAT_NARROW_VALUES_H

#include "format/device_narrow_values.h"
#include "matrix/matrix.h"

#include <stdbool.h>

/* Scans a sample first, then all values until one does not fit, so that values without a form
 * cost almost nothing unless the counterexample comes late. Without `narrow` only tests whether
 * all values are equal. */
spl__narrow_form spl__narrow_values_find(const spl_sparse *csr, bool narrow, int threads);
/* The number of distinct values; -1: more than SPL__DISTINCT_MOST. One thread, which stops at
 * that limit. */
enum { SPL__DISTINCT_MOST = 256 };
int64_t spl__distinct_values(spl__watch *watch, const spl_sparse *csr);
/* The least bytes per value for `distinct` values in that form. */
double spl__fewest_value_bytes(const spl__narrow_form *form, int64_t distinct, spl_type type);

/* Stores `count` values, a multiple of SPL__NARROWED_AT_ONCE, in that form, in place; not for
 * equal values. */
enum { SPL__NARROWED_AT_ONCE = 16 };
void spl__narrow_values_store(const spl__narrow_form *form, spl_type type, void *values,
                              int64_t count);

#endif
