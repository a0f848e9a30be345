/* SPDX-License-Identifier: Apache-2.0 */
/* convert_type.c: conversions between PETSc's AIJ types and ours. */
#include "plugin.h"

static PetscErrorCode KindOf(Mat matrix, const MatrixKind **kind)
{
    PetscBool over_mpi;
    PetscFunctionBegin;
    PetscCall(PetscObjectTypeCompareAny((PetscObject)matrix, &over_mpi, MATMPIAIJ, TYPE_MPI, ""));
    *kind = over_mpi ? &mpi_kind : &seq_kind;
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ConversionTarget(Mat matrix, MatReuse reuse, Mat *target)
{
    PetscFunctionBegin;
    if (reuse == MAT_INITIAL_MATRIX)
        PetscCall(MatDuplicate(matrix, MAT_COPY_VALUES, target));
    else if (reuse == MAT_REUSE_MATRIX)
        PetscCall(MatCopy(matrix, *target, DIFFERENT_NONZERO_PATTERN));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ConvertToPetsc(Mat matrix, MatType type, MatReuse reuse, Mat *target)
{
    const MatrixKind *kind = NULL;
    PetscBool ours;
    PetscFunctionBegin;
    (void)type;
    PetscCall(KindOf(matrix, &kind));
    PetscCall(ConversionTarget(matrix, reuse, target));
    PetscCall(PetscObjectTypeCompare((PetscObject)*target, kind->ours, &ours));
    if (!ours)
        PetscFunctionReturn(PETSC_SUCCESS);
    if (!settings.everywhere)
        PetscCall((*kind->give_back)(*target));
    PetscCall(ComposeBaseNames(*target, PETSC_FALSE));
    PetscCall(PetscObjectComposeFunction((PetscObject)*target, kind->to_petsc, NULL));
    PetscCall(PetscObjectComposeFunction((PetscObject)*target, kind->to_sparloom, NULL));
    PetscCall(PetscObjectChangeTypeName((PetscObject)*target, kind->petsc));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ConvertToSparloom(Mat matrix, MatType type, MatReuse reuse, Mat *target)
{
    const MatrixKind *kind = NULL;
    PetscFunctionBegin;
    (void)type;
    PetscCall(KindOf(matrix, &kind));
    PetscCall(ConversionTarget(matrix, reuse, target));
    PetscCall((*kind->take_over)(*target));
    PetscCall(PetscObjectChangeTypeName((PetscObject)*target, kind->ours));
    PetscCall(ComposeBaseNames(*target, PETSC_TRUE));
    PetscCall(PetscObjectComposeFunction((PetscObject)*target, kind->to_petsc, ConvertToPetsc));
    PetscCall(
        PetscObjectComposeFunction((PetscObject)*target, kind->to_sparloom, ConvertToSparloom));
    PetscFunctionReturn(PETSC_SUCCESS);
}
