/* SPDX-License-Identifier: Apache-2.0 */
/* seq_dense.c: A*B and A'*B for a dense B.
 *
 * PETSc sets the product up; ours takes the place of its numeric function, and calls it until a
 * plan is worth it. */
#include "plugin.h"

static PetscErrorCode (*petsc_numeric[2])(Mat, Mat, Mat);
static PetscErrorCode (*petsc_symbolic[2])(Mat);

static PetscErrorCode ViewDense(Mat matrix, PetscScalar *values, spl_dense *view)
{
    PetscInt stride;
    PetscFunctionBegin;
    PetscCall(MatDenseGetLDA(matrix, &stride));
    *view = (spl_dense)SPL_DENSE_INIT;
    view->type = SPL_F64;
    view->order = SPL_COLUMN_MAJOR;
    view->rows = matrix->rmap->n;
    view->cols = matrix->cmap->n;
    view->ld = stride;
    view->values = values;
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MultiplyDense(spl_plan *plan, Mat b, Mat c)
{
    const PetscScalar *from;
    PetscScalar *to;
    spl_dense b_view, c_view;
    PetscFunctionBegin;
    PetscCall(MatDenseGetArrayRead(b, &from));
    PetscCall(MatDenseGetArrayWrite(c, &to));
    PetscCall(ViewDense(b, (PetscScalar *)from, &b_view));
    PetscCall(ViewDense(c, to, &c_view));
    SparloomCall(spl_spmm_execute(plan, NULL, &b_view, NULL, &c_view, NULL),
                 "product with a dense matrix");
    PetscCall(MatDenseRestoreArrayWrite(c, &to));
    PetscCall(MatDenseRestoreArrayRead(b, &from));
    PetscCall(MatAssemblyBegin(c, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(c, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Numeric(Mat a, Mat b, Mat c, int transposed)
{
    spl_plan *plan = NULL;
    MatInfo info;
    PetscFunctionBegin;
    if (b->cmap->n)
        PetscCall(DensePlan(a, (PetscBool)transposed, b->cmap->n, &plan));
    Count(plan ? TALLY_DENSE : TALLY_DENSE_PETSC);
    if (!plan) {
        PetscCall((*petsc_numeric[transposed])(a, b, c));
        PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(MultiplyDense(plan, b, c));
    PetscCall(MatGetInfo(a, MAT_LOCAL, &info));
    PetscCall(PetscLogFlops(2.0 * info.nz_used * b->cmap->n));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NumericAB(Mat a, Mat b, Mat c)
{
    return Numeric(a, b, c, 0);
}

static PetscErrorCode NumericAtB(Mat a, Mat b, Mat c)
{
    return Numeric(a, b, c, 1);
}

static PetscErrorCode Symbolic(Mat result)
{
    int transposed = result->product->type == MATPRODUCT_AtB;
    PetscErrorCode (**numeric)(Mat, Mat, Mat) =
        transposed ? &result->ops->transposematmultnumeric : &result->ops->matmultnumeric;
    PetscErrorCode (*ours)(Mat, Mat, Mat) = transposed ? NumericAtB : NumericAB;
    PetscFunctionBegin;
    PetscCall((*petsc_symbolic[transposed])(result));
    if (*numeric && *numeric != ours) {
        petsc_numeric[transposed] = *numeric;
        *numeric = ours;
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* After PETSc's own function has set the product up. */
PetscErrorCode SeqDenseSetFromOptions(Mat result)
{
    MatProductType type = result->product->type;
    int transposed = type == MATPRODUCT_AtB;
    Choices choices;
    PetscFunctionBegin;
    PetscCall(ChoicesFor(result->product->A, &choices));
    if ((type == MATPRODUCT_AB || transposed) && result->ops->productsymbolic &&
        choices.products != CHOOSE_NEVER) {
        petsc_symbolic[transposed] = result->ops->productsymbolic;
        result->ops->productsymbolic = Symbolic;
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}
