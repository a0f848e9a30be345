/* SPDX-License-Identifier: Apache-2.0 */
/* once_bundles.h: rows of a one-shot product where many rows of A have the columns of the row
 * before, as those of the unknowns of a mesh node have: a bundle of them is computed at once, as by
 * the numeric method blocks. spgemm_once_cpu.c has its stages follow each other.
 *
 * Columns of a row of C are united from runs of neighbouring columns of distinct rows of B, once
 * for a bundle; rows of B that repeat the one before count once, too. So all that is done before
 * rows are found is one comparison of neighbouring rows, the runs, and a bound of C that is near
 * it. */
#ifndef SPL_SPGEMM_CPU_ONCE_BUNDLES_H
#define SPL_SPGEMM_CPU_ONCE_BUNDLES_H

#include "spgemm/cpu/once_rows.h"

/* Looks at A and B. c->bundled is false, and all that was allocated is freed, where other ways are
 * thought to take less time. SPL_OUT_OF_MEMORY, SPL_CANCELLED. */
spl_status spl__bundles_find(spl__account *account, spl__once_product *c);
void spl__bundles_free(spl__once_product *c);
/* Bytes of a worker's workspace. */
size_t spl__bundles_space(const spl__once_product *c);
/* The stages from SPL__ONCE_COUNT on; c->work is what distinct rows of B have. */
spl__once_pass spl__once_bundles_pass_of(const spl_sparse *a);

#endif
