/* SPDX-License-Identifier: Apache-2.0 */
/* raise.c: statuses of Sparloom as errors of PETSc. */
#include "plugin.h"

static PetscErrorCode CodeOf(spl_status status)
{
    switch (status) {
    case SPL_OUT_OF_MEMORY:
    case SPL_OVER_BUDGET:
        return PETSC_ERR_MEM;
    case SPL_SHAPE_MISMATCH:
        return PETSC_ERR_ARG_SIZ;
    case SPL_INVALID_ARGUMENT:
        return PETSC_ERR_ARG_WRONG;
    case SPL_INVALID_MATRIX:
        return PETSC_ERR_ARG_CORRUPT;
    case SPL_UNSUPPORTED:
        return PETSC_ERR_SUP;
    case SPL_INDEX_OVERFLOW:
        return PETSC_ERR_INT_OVERFLOW;
    case SPL_INTERNAL:
        return PETSC_ERR_PLIB;
    default:
        return PETSC_ERR_LIB;
    }
}

PetscErrorCode Raise(spl_status status, const char *what)
{
    SETERRQ(PETSC_COMM_SELF, CodeOf(status), "Sparloom, %s: %s: %s", what,
            spl_status_message(status), spl_error_detail());
}
