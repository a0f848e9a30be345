/* SPDX-License-Identifier: Apache-2.0 */
/* same_values.h: are all values of a matrix on the host the same? Bits count, as in matrix/value_forms.h: -0 is not 0, a NaN is itself. */
#ifndef SPL_MATRIX_SAME_VALUES_H
#define SPL_MATRIX_SAME_VALUES_H

#include "matrix/matrix.h"

#include <stdbool.h>

/* False without entries. Ends at the first difference that a thread meets: values that differ cost next to nothing, except where the difference
 * comes late; then they are read once. */
bool spl__values_are_same(const spl_sparse *csr, int threads);

#endif
