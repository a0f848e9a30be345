/* SPDX-License-Identifier: Apache-2.0 */
/* resident_rows.h: rows of a matrix on a device, for dense products of several processors.
 *
 * Its offsets are copied to the host, where rows are divided. The device that holds the matrix
 * reads its rows in place; those of other processors are copied to the host, once and whenever
 * new values are announced, and kept there like rows of any matrix on the host. */
#ifndef SPL_PARTITION_RESIDENT_ROWS_H
#define SPL_PARTITION_RESIDENT_ROWS_H

#include "partition/parts.h"

/* Makes division->a. If a device holds A, only its offsets are copied; waits for them. */
spl_status spl__resident_rows_look(spl_plan *plan, spl__division *division);
/* Copies the part's rows to the host, from where they are cut then. Waits. */
spl_status spl__resident_rows_make(spl__part *part);
/* Takes A's new values, for all parts. Waits. */
spl_status spl__resident_rows_update(spl_plan *plan);

#endif
