/* SPDX-License-Identifier: Apache-2.0 */
/* seq_type.c: the type seqaijsparloom, and how a sequential AIJ matrix is taken over. */
#include "plugin.h"

static const char product_of_two[] = "MatProductSetFromOptions_seqaij_seqaij_C";
static const char product_with_dense[] = "MatProductSetFromOptions_seqaij_seqdense_C";

/* PETSc's own function is the dense matrix's. */
static PetscErrorCode WithDense(Mat result)
{
    PetscErrorCode (*set)(Mat);
    PetscFunctionBegin;
    PetscCall(PetscObjectQueryFunction((PetscObject)result->product->B, product_with_dense, &set));
    if (set) {
        PetscCall((*set)(result));
        PetscCall(SeqDenseSetFromOptions(result));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TakeOverSeq(Mat matrix)
{
    PetscObject object = (PetscObject)matrix;
    PetscFunctionBegin;
    if (matrix->ops->productsetfromoptions == SeqProductSetFromOptions)
        PetscFunctionReturn(PETSC_SUCCESS);
    SetMultiply(matrix);
    matrix->ops->productsetfromoptions = SeqProductSetFromOptions;
    PetscCall(PetscObjectComposeFunction(object, product_of_two, SeqProductSetFromOptions));
    PetscCall(PetscObjectComposeFunction(object, product_with_dense, WithDense));
    PetscCall(PetscObjectComposeFunction(object, "MatSparloomGetTally_C", GetTally));
    Count(TALLY_TAKEN_OVER);
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GiveBack(Mat matrix)
{
    PetscObject object = (PetscObject)matrix;
    PetscFunctionBegin;
    PetscCall(ForgetPlans(matrix));
    matrix->ops->mult = seq_base.mult;
    matrix->ops->multadd = seq_base.multadd;
    matrix->ops->multtranspose = seq_base.multtranspose;
    matrix->ops->multtransposeadd = seq_base.multtransposeadd;
    matrix->ops->productsetfromoptions = seq_base.productsetfromoptions;
    PetscCall(PetscObjectComposeFunction(object, product_of_two, seq_base.productsetfromoptions));
    PetscCall(PetscObjectComposeFunction(object, product_with_dense, NULL));
    PetscCall(PetscObjectComposeFunction(object, "MatSparloomGetTally_C", NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
}

const MatrixKind seq_kind = {
    MATSEQAIJ,   TYPE_SEQ, "MatConvert_" TYPE_SEQ "_seqaij_C", "MatConvert_seqaij_" TYPE_SEQ "_C",
    TakeOverSeq, GiveBack};

static PetscErrorCode CreateSeq(Mat matrix)
{
    PetscFunctionBegin;
    PetscCall(MatSetType(matrix, MATSEQAIJ));
    PetscCall(ConvertToSparloom(matrix, TYPE_SEQ, MAT_INPLACE_MATRIX, &matrix));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RegisterSeqType(void)
{
    PetscFunctionBegin;
    PetscCall(MatRegister(TYPE_SEQ, CreateSeq));
    PetscCall(MatSeqAIJRegister(TYPE_SEQ, ConvertToSparloom)); /* for -mat_seqaij_type */
    PetscFunctionReturn(PETSC_SUCCESS);
}
