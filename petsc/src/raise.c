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

/* Sparloom's words for the error that is being raised; "": it is PETSc's. */
static char said[512];

PetscErrorCode Raise(spl_status status, const char *what)
{
    (void)PetscStrncpy(said, spl_error_detail(), sizeof said);
    SETERRQ(PETSC_COMM_SELF, CodeOf(status), "Sparloom, %s: %s: %s", what,
            spl_status_message(status), spl_error_detail());
}

/* The first rank that failed says why. */
static PetscErrorCode RaiseOther(MPI_Comm comm, PetscMPIInt failed, PetscErrorCode here)
{
    char sentence[sizeof said] = "";
    const char *words = said;
    PetscMPIInt rank;
    int code = (int)here;
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_rank(comm, &rank));
    if (rank == failed && !said[0])
        PetscCall(PetscErrorMessage(here, &words, NULL));
    if (rank == failed && words)
        PetscCall(PetscStrncpy(sentence, words, sizeof sentence));
    said[0] = 0;
    PetscCallMPI(MPI_Bcast(&code, 1, MPI_INT, failed, comm));
    PetscCallMPI(MPI_Bcast(sentence, sizeof sentence, MPI_CHAR, failed, comm));
    if (here) /* has been raised */
        PetscFunctionReturn(here);
    SETERRQ(PETSC_COMM_SELF, (PetscErrorCode)code, "Sparloom, on rank %d: %s", (int)failed,
            sentence);
}

PetscErrorCode RaiseOnAll(MPI_Comm comm, PetscErrorCode here)
{
    PetscMPIInt rank, size, failed;
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_rank(comm, &rank));
    PetscCallMPI(MPI_Comm_size(comm, &size));
    rank = here ? rank : size;
    PetscCallMPI(MPI_Allreduce(&rank, &failed, 1, MPI_INT, MPI_MIN, comm));
    if (failed < size)
        PetscCall(RaiseOther(comm, failed, here));
    said[0] = 0;
    PetscFunctionReturn(PETSC_SUCCESS);
}
