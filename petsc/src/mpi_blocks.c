/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_blocks.c: what products over MPI share: the factors' blocks, and the structure of C. */
#include "mpi_rows.h"

/* ---- factors ---- */

PetscErrorCode LookAtBlocks(Mat a, Mat p, Operand *blocks)
{
    Mat four[BLOCKS];
    PetscFunctionBegin;
    PetscCall(MatMPIAIJGetSeqAIJ(a, &four[A_DIAGONAL], &four[A_OTHER], NULL));
    PetscCall(MatMPIAIJGetSeqAIJ(p, &four[P_DIAGONAL], &four[P_OTHER], NULL));
    for (int k = 0; k < BLOCKS; k++)
        PetscCall(LookAtOperand(four[k], &blocks[k]));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TakeBlocks(Mat a, Mat p, Operand *blocks)
{
    PetscFunctionBegin;
    PetscCall(LookAtBlocks(a, p, blocks));
    for (int k = 0; k < BLOCKS; k++)
        PetscCall(PetscObjectReference((PetscObject)blocks[k].matrix));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReleaseBlocks(Operand *blocks)
{
    PetscFunctionBegin;
    for (int k = 0; k < BLOCKS; k++)
        PetscCall(MatDestroy(&blocks[k].matrix));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CompareBlocks(Mat result, Operand *known, OperandChange *changes, int *flags)
{
    Operand now[BLOCKS];
    int here = 0;
    PetscFunctionBegin;
    PetscCall(LookAtBlocks(result->product->A, result->product->B, now));
    for (int k = 0; k < BLOCKS; k++) {
        PetscCall(CompareOperand(&known[k], &now[k], &changes[k]));
        if (changes[k] == OPERAND_OTHER)
            here |= NEW_STRUCTURE;
        else if (changes[k] != OPERAND_SAME && k >= P_DIAGONAL)
            here |= NEW_P;
    }
    PetscCallMPI(
        MPI_Allreduce(&here, flags, 1, MPI_INT, MPI_BOR, PetscObjectComm((PetscObject)result)));
    if (*flags & NEW_STRUCTURE)
        PetscFunctionReturn(PETSC_SUCCESS);
    for (int k = 0; k < BLOCKS; k++) {
        if (changes[k] == OPERAND_SAME)
            continue;
        Count(changes[k] == OPERAND_MOVED ? TALLY_REBIND : TALLY_UPDATE);
        PetscCall(HoldOperand(&known[k], &now[k]));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the structure of C ---- */

/* Entries of each row in the two blocks. */
static PetscErrorCode Preallocate(Mat result, const RowList *c)
{
    PetscInt first = result->cmap->rstart, end = result->cmap->rend, *lengths[2];
    PetscFunctionBegin;
    PetscCall(PetscMalloc2(c->count, &lengths[0], c->count, &lengths[1]));
    for (PetscInt i = 0; i < c->count; i++) {
        PetscInt own = 0;
        for (PetscInt p = c->offsets[i]; p < c->offsets[i + 1]; p++)
            own += c->columns[p] >= first && c->columns[p] < end;
        lengths[0][i] = own;
        lengths[1][i] = c->offsets[i + 1] - c->offsets[i] - own;
    }
    PetscCall(MatMPIAIJSetPreallocation(result, 0, lengths[0], 0, lengths[1]));
    PetscCall(PetscFree2(lengths[0], lengths[1]));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc is told of columns by being given its own array; on all ranks, even if it is empty. */
static PetscErrorCode FinishBlock(Mat block, const spl_sparse *view)
{
    PetscInt none = 0, *columns = view->nnz ? (PetscInt *)view->indices : &none;
    PetscScalar *values;
    PetscFunctionBegin;
    PetscCall(MatSeqAIJSetColumnIndices(block, columns));
    PetscCall(MatSeqAIJGetArrayWrite(block, &values));
    PetscCall(PetscArrayzero(values, view->nnz));
    PetscCall(MatSeqAIJRestoreArrayWrite(block, &values));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Before a matrix is assembled, its other block has names of columns. */
static PetscErrorCode WriteColumns(Mat result, const RowList *c)
{
    PetscInt first = result->cmap->rstart, end = result->cmap->rend, *next[2];
    spl_sparse view[2];
    Mat blocks[2];
    PetscFunctionBegin;
    PetscCall(MatMPIAIJGetSeqAIJ(result, &blocks[0], &blocks[1], NULL));
    for (int k = 0; k < 2; k++) {
        PetscCall(ViewMatrix(blocks[k], &view[k]));
        next[k] = (PetscInt *)view[k].indices;
    }
    for (PetscInt p = 0; p < c->offsets[c->count]; p++) {
        PetscInt name = c->columns[p];
        if (name >= first && name < end)
            *next[0]++ = name - first;
        else
            *next[1]++ = name;
    }
    for (int k = 0; k < 2; k++)
        PetscCall(FinishBlock(blocks[k], &view[k]));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeMPIResult(Mat result, PetscLayout rows, PetscLayout columns, const RowList *c)
{
    PetscFunctionBegin;
    PetscCall(MatSetSizes(result, rows->n, columns->n, rows->N, columns->N));
    PetscCall(MatSetType(result, ((PetscObject)result->product->A)->type_name));
    PetscCall(TakeOverMPI(result));
    PetscCall(MatSetBlockSizes(result, rows->bs, columns->bs));
    PetscCall(PetscLayoutSetUp(result->rmap));
    PetscCall(PetscLayoutSetUp(result->cmap));
    PetscCall(Preallocate(result, c));
    PetscCall(WriteColumns(result, c));
    PetscCall(MatSetOption(result, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
    PetscCall(MatAssemblyBegin(result, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(result, MAT_FINAL_ASSEMBLY));
    PetscCall(MatSetOption(result, MAT_NO_OFF_PROC_ENTRIES, PETSC_FALSE));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckStructure(Mat result, const RowList *c)
{
    MPI_Comm comm = PetscObjectComm((PetscObject)result);
    RowList old = {0};
    PetscInt entries = c->offsets[c->count];
    PetscBool same;
    int here, all;
    PetscFunctionBegin;
    CallOnAll(comm, JoinBlocks(result, ORDER_BY_NAME, &old));
    same = (PetscBool)(old.offsets[old.count] == entries);
    if (same)
        PetscCall(PetscArraycmp(old.offsets, c->offsets, c->count + 1, &same));
    if (same)
        PetscCall(PetscArraycmp(old.columns, c->columns, entries, &same));
    PetscCall(FreeRows(&old));
    here = same;
    PetscCallMPI(MPI_Allreduce(&here, &all, 1, MPI_INT, MPI_LAND, comm));
    PetscCheck(all, comm, PETSC_ERR_ARG_WRONGSTATE,
               "The factors have another structure now, and so has their product: call "
               "MatProductSymbolic or MAT_INITIAL_MATRIX again");
    PetscFunctionReturn(PETSC_SUCCESS);
}
