/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_type.c: the type mpiaijsparloom, and how an AIJ matrix over MPI is taken over.
 *
 * A rank's rows are two sequential matrices: the diagonal block and the rest. PETSc multiplies by
 * calling their functions, so that they are taken over, keeping their type's name: PETSc gives
 * matrices that it derives from them that type. They are made anew when the matrix is preallocated,
 * copied or assembled. */
#include "plugin.h"

typedef PetscErrorCode (*Preallocate)(Mat, PetscInt, const PetscInt[], PetscInt, const PetscInt[]);

static const char preallocation[] = "MatMPIAIJSetPreallocation_C";
static const char product_of_two[] = "MatProductSetFromOptions_mpiaij_mpiaij_C";

static Preallocate petsc_preallocate;

PetscErrorCode TakeOverBlocks(Mat matrix)
{
    Mat blocks[2];
    PetscBool plain;
    PetscFunctionBegin;
    PetscCall(MatMPIAIJGetSeqAIJ(matrix, &blocks[0], &blocks[1], NULL));
    for (int k = 0; k < 2; k++) {
        if (!blocks[k])
            continue;
        PetscCall(PetscObjectTypeCompare((PetscObject)blocks[k], MATSEQAIJ, &plain));
        if (plain)
            PetscCall(TakeOverSeq(blocks[k]));
        if (!((PetscObject)blocks[k])->prefix) /* options of the matrix are meant for its blocks */
            PetscCall(MatSetOptionsPrefix(blocks[k], ((PetscObject)matrix)->prefix));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetPreallocation(Mat matrix, PetscInt diagonal, const PetscInt *diagonals,
                                       PetscInt other, const PetscInt *others)
{
    PetscFunctionBegin;
    PetscCall((*petsc_preallocate)(matrix, diagonal, diagonals, other, others));
    PetscCall(TakeOverBlocks(matrix));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AssemblyEnd(Mat matrix, MatAssemblyType mode)
{
    PetscFunctionBegin;
    PetscCall((*mpi_base.assemblyend)(matrix, mode));
    if (mode == MAT_FINAL_ASSEMBLY)
        PetscCall(TakeOverBlocks(matrix));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Duplicate(Mat matrix, MatDuplicateOption option, Mat *copy)
{
    PetscFunctionBegin;
    PetscCall((*mpi_base.duplicate)(matrix, option, copy));
    if ((*copy)->preallocated)
        PetscCall(TakeOverBlocks(*copy));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TakeOverMPI(Mat matrix)
{
    PetscObject object = (PetscObject)matrix;
    PetscFunctionBegin;
    if (matrix->ops->productsetfromoptions == MPIProductSetFromOptions)
        PetscFunctionReturn(PETSC_SUCCESS);
    if (!petsc_preallocate)
        PetscCall(PetscObjectQueryFunction(object, preallocation, &petsc_preallocate));
    matrix->ops->productsetfromoptions = MPIProductSetFromOptions;
    matrix->ops->assemblyend = AssemblyEnd;
    matrix->ops->duplicate = Duplicate;
    PetscCall(PetscObjectComposeFunction(object, preallocation, SetPreallocation));
    PetscCall(PetscObjectComposeFunction(object, product_of_two, MPIProductSetFromOptions));
    PetscCall(PetscObjectComposeFunction(object, "MatSparloomGetTally_C", GetTally));
    if (matrix->preallocated)
        PetscCall(TakeOverBlocks(matrix));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* The blocks stay taken over: they give the same results. */
static PetscErrorCode GiveBack(Mat matrix)
{
    PetscObject object = (PetscObject)matrix;
    PetscFunctionBegin;
    matrix->ops->productsetfromoptions = mpi_base.productsetfromoptions;
    matrix->ops->assemblyend = mpi_base.assemblyend;
    matrix->ops->duplicate = mpi_base.duplicate;
    PetscCall(PetscObjectComposeFunction(object, preallocation, petsc_preallocate));
    PetscCall(PetscObjectComposeFunction(object, product_of_two, mpi_base.productsetfromoptions));
    PetscCall(PetscObjectComposeFunction(object, "MatSparloomGetTally_C", NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
}

const MatrixKind mpi_kind = {
    MATMPIAIJ,   TYPE_MPI, "MatConvert_" TYPE_MPI "_mpiaij_C", "MatConvert_mpiaij_" TYPE_MPI "_C",
    TakeOverMPI, GiveBack};

static PetscErrorCode CreateMPI(Mat matrix)
{
    PetscFunctionBegin;
    PetscCall(MatSetType(matrix, MATMPIAIJ));
    PetscCall(ConvertToSparloom(matrix, TYPE_MPI, MAT_INPLACE_MATRIX, &matrix));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RegisterMPIType(void)
{
    PetscFunctionBegin;
    PetscCall(MatRegister(TYPE_MPI, CreateMPI));
    PetscFunctionReturn(PETSC_SUCCESS);
}
