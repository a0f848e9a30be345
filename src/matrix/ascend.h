/* SPDX-License-Identifier: Apache-2.0 */
/* ascend.h: whether rows are in order. */
#ifndef SPL_MATRIX_ASCEND_H
#define SPL_MATRIX_ASCEND_H

#include "sparloom/sparloom.h"

#include <stdbool.h>

/* Whether columns of each row ascend, each once. Offsets must have been checked. */
bool spl__rows_ascend(const spl_sparse *csr, int threads);

#endif
