/* SPDX-License-Identifier: Apache-2.0 */
/* structure.h: the structure of C as a plan of SpGEMM has it, for libraries that keep matrices of
 * their own.
 *
 * The conventions of sparloom.h hold. */
#ifndef SPARLOOM_STRUCTURE_H
#define SPARLOOM_STRUCTURE_H

#include <sparloom/sparloom.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fills `view` with the plan's own arrays of C, which live until spl_plan_destroy and must not be
 * written: nothing is copied. Its values are those that the plan keeps (NULL without
 * options.keep_result), as of the last execution. Offsets may be wider than those that
 * spl_spgemm_export writes. The view may be an operand of other plans, which are destroyed before
 * this one; after an execution of this one spl_plan_update_values announces the view to them.
 * SPL_INVALID_ARGUMENT: only a bound of C is known. SPL_UNSUPPORTED: the plan has no such arrays,
 * export them: rows of C had a bound (options.exact avoids it), the operands are on the host and C
 * on a device, several processors, or P'*A*P in nodes of several unknowns. */
SPARLOOM_API spl_status spl_spgemm_view(spl_plan *plan, spl_sparse *view);

/* Writes the entries of each row of C to lengths[rows], on the host, in the given type; for
 * operands on the host. Else as spl_spgemm_export of offsets. SPL_INVALID_ARGUMENT,
 * SPL_UNSUPPORTED, SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_CANCELLED. */
SPARLOOM_API spl_status spl_spgemm_row_lengths(spl_plan *plan, spl_index type, void *lengths);

#ifdef __cplusplus
}
#endif
#endif
