/* SPDX-License-Identifier: Apache-2.0 */
/* seq_view.c: PETSc's arrays as an operand, and what has changed since. */
#include "plugin.h"

PetscErrorCode ViewMatrix(Mat matrix, spl_sparse *view)
{
    const PetscInt *offsets, *columns;
    PetscScalar *values;
    PetscFunctionBegin;
    PetscCall(MatSeqAIJGetCSRAndMemType(matrix, &offsets, &columns, &values, NULL));
    *view = (spl_sparse)SPL_SPARSE_INIT;
    view->format = SPL_CSR;
    view->type = SPL_F64;
    view->offset_type = view->index_type = sizeof(PetscInt) == 8 ? SPL_I64 : SPL_I32;
    view->rows = matrix->rmap->n;
    view->cols = matrix->cmap->n;
    view->nnz = offsets ? offsets[matrix->rmap->n] : 0;
    view->offsets = offsets;
    view->indices = columns;
    view->values = values;
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LookAtOperand(Mat matrix, Operand *operand)
{
    PetscFunctionBegin;
    PetscCall(ViewMatrix(matrix, &operand->view));
    operand->matrix = matrix;
    operand->structure = matrix->nonzerostate;
    PetscCall(PetscObjectStateGet((PetscObject)matrix, &operand->values));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool SameArrays(const Operand *a, const Operand *b)
{
    return (PetscBool)(a->view.offsets == b->view.offsets && a->view.indices == b->view.indices &&
                       a->view.nnz == b->view.nnz && a->structure == b->structure);
}

/* Only while the known matrix still has the arrays that the plan borrowed. */
static PetscErrorCode SameStructure(const Operand *known, const Operand *now, PetscBool *same)
{
    Operand old;
    size_t width = sizeof(PetscInt);
    PetscFunctionBegin;
    *same = PETSC_FALSE;
    if (known->view.rows != now->view.rows || known->view.cols != now->view.cols ||
        known->view.nnz != now->view.nnz)
        PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(LookAtOperand(known->matrix, &old));
    if (!SameArrays(known, &old))
        PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PetscMemcmp(known->view.offsets, now->view.offsets,
                          (size_t)(known->view.rows + 1) * width, same));
    if (*same)
        PetscCall(PetscMemcmp(known->view.indices, now->view.indices,
                              (size_t)known->view.nnz * width, same));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CompareOperand(const Operand *known, const Operand *now, OperandChange *change)
{
    PetscBool same;
    PetscFunctionBegin;
    if (known->matrix == now->matrix && SameArrays(known, now)) {
        *change = known->values == now->values && known->view.values == now->view.values
                      ? OPERAND_SAME
                      : OPERAND_NEW_VALUES;
        PetscFunctionReturn(PETSC_SUCCESS);
    }
    if (known->matrix == now->matrix)
        same = PETSC_FALSE;
    else
        PetscCall(SameStructure(known, now, &same));
    *change = same ? OPERAND_MOVED : OPERAND_OTHER;
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HoldOperand(Operand *known, const Operand *now)
{
    PetscFunctionBegin;
    PetscCall(PetscObjectReference((PetscObject)now->matrix));
    PetscCall(MatDestroy(&known->matrix));
    *known = *now;
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CountNodes(Mat matrix, PetscInt *rows, PetscInt *nodes)
{
    PetscInt count = 0, limit, *sizes = NULL;
    PetscFunctionBegin;
    PetscCall(MatInodeGetInodeSizes(matrix, &count, &sizes, &limit));
    *rows = matrix->rmap->n;
    *nodes = sizes ? count : matrix->rmap->n;
    PetscFunctionReturn(PETSC_SUCCESS);
}
