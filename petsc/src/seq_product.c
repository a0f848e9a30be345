/* SPDX-License-Identifier: Apache-2.0 */
/* seq_product.c: PETSc's products of sequential AIJ matrices, symbolic and numeric phase.
 *
 * The symbolic phase makes the plan and writes its structure into the arrays of C. The numeric
 * phase announces the operands whose values have changed and computes into C. The plan lives in
 * the product's data, where PETSc frees it. */
#include "plugin.h"

static PetscErrorCode DestroyPlan(void *attached)
{
    ProductPlan *plan = ATTACHED(attached);
    PetscFunctionBegin;
    PetscCall(ReleaseProductPlan(plan));
    PetscCall(PetscFree(plan));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* As PETSc's own symbolic phases set them. */
static PetscErrorCode SetBlockSizes(Mat result)
{
    const Mat_Product *product = result->product;
    Mat a = product->A, b = product->B;
    PetscFunctionBegin;
    switch (product->type) {
    case MATPRODUCT_PtAP:
        PetscCall(MatSetBlockSizes(result, b->cmap->bs, b->cmap->bs));
        break;
    case MATPRODUCT_RARt:
        PetscCall(MatSetBlockSizes(result, b->rmap->bs, b->rmap->bs));
        break;
    case MATPRODUCT_AtB:
        PetscCall(MatSetBlockSizes(result, a->cmap->bs, b->cmap->bs));
        break;
    case MATPRODUCT_ABt:
        PetscCall(MatSetBlockSizes(result, a->rmap->bs, b->rmap->bs));
        break;
    case MATPRODUCT_ABC:
        PetscCall(MatSetBlockSizesFromMats(result, a, product->C));
        break;
    default:
        PetscCall(MatSetBlockSizesFromMats(result, a, b));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Allocate(Mat result, spl_plan *plan, PetscInt rows)
{
    PetscInt *lengths;
    PetscFunctionBegin;
    PetscCall(PetscMalloc1(rows, &lengths));
    SparloomCall(spl_spgemm_row_lengths(plan, sizeof(PetscInt) == 8 ? SPL_I64 : SPL_I32, lengths),
                 "rows of a product");
    PetscCall(MatSeqAIJSetPreallocation(result, 0, lengths));
    PetscCall(PetscFree(lengths));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns go straight into the array of C; PETSc is told by being given its own array. Values are
 * the numeric phase's: memory that is new is not touched for them before. */
static PetscErrorCode WriteStructure(Mat result, spl_plan *plan)
{
    spl_result shape;
    spl_sparse view;
    PetscFunctionBegin;
    PetscCall(ResultOf(plan, &shape));
    PetscCall(MatSetSizes(result, (PetscInt)shape.rows, (PetscInt)shape.cols, (PetscInt)shape.rows,
                          (PetscInt)shape.cols));
    PetscCall(MatSetType(result, ((PetscObject)result->product->A)->type_name));
    PetscCall(TakeOverSeq(result));
    PetscCall(SetBlockSizes(result));
    PetscCall(Allocate(result, plan, (PetscInt)shape.rows));
    PetscCall(ViewMatrix(result, &view));
    if (shape.nnz) {
        PetscCall(ExportColumns(plan, (PetscInt *)view.indices));
        PetscCall(MatSeqAIJSetColumnIndices(result, (PetscInt *)view.indices));
    }
    PetscCall(MatAssemblyBegin(result, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(result, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Another structure of the factors is fine as long as C keeps its own. */
static PetscErrorCode Replan(Mat result, ProductPlan *plan)
{
    spl_result shape;
    spl_sparse old;
    PetscInt *offsets, *columns;
    PetscBool same;
    PetscFunctionBegin;
    Count(TALLY_REPLAN);
    PetscCall(MakeProductPlan(result, plan));
    PetscCall(ResultOf(plan->outer, &shape));
    PetscCall(ViewMatrix(result, &old));
    same = (PetscBool)(shape.nnz == old.nnz && shape.rows == old.rows);
    if (same) {
        PetscCall(PetscMalloc2(shape.rows + 1, &offsets, shape.nnz, &columns));
        PetscCall(ExportStructure(plan->outer, offsets, columns));
        PetscCall(PetscArraycmp(offsets, (const PetscInt *)old.offsets, shape.rows + 1, &same));
        if (same)
            PetscCall(PetscArraycmp(columns, (const PetscInt *)old.indices, shape.nnz, &same));
        PetscCall(PetscFree2(offsets, columns));
    }
    PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
               "The factors have another structure now, and so has their product (%lld entries, "
               "not %lld): call MatProductSymbolic or MAT_INITIAL_MATRIX again",
               (long long)shape.nnz, (long long)old.nnz);
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Numeric(Mat result)
{
    ProductPlan *plan = result->product->data;
    MatProductType type = result->product->type;
    PetscScalar *values;
    PetscBool same;
    PetscFunctionBegin;
    PetscCheck(plan, PETSC_COMM_SELF, PETSC_ERR_ORDER, "The symbolic phase has not been called");
    PetscCall(PetscLogEventBegin(events[EVENT_NUMERIC], result, NULL, NULL, NULL));
    PetscCall(RefreshProductPlan(result, plan, &same));
    if (!same)
        PetscCall(Replan(result, plan));
    PetscCall(MatSeqAIJGetArrayWrite(result, &values));
    PetscCall(ComputeProduct(plan, type, values));
    PetscCall(MatSeqAIJRestoreArrayWrite(result, &values));
    PetscCall(MatAssemblyBegin(result, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(result, MAT_FINAL_ASSEMBLY));
    CountProduct(TALLY_NUMERIC, type);
    PetscCall(PetscLogEventEnd(events[EVENT_NUMERIC], result, NULL, NULL, NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Symbolic(Mat result)
{
    Mat_Product *product = result->product;
    ProductPlan *plan;
    PetscFunctionBegin;
    PetscCheck(!product->data, PETSC_COMM_SELF, PETSC_ERR_ORDER, "The product has data already");
    PetscCall(PetscLogEventBegin(events[EVENT_SYMBOLIC], result, NULL, NULL, NULL));
    PetscCall(PetscNew(&plan));
    product->data = plan;
    product->destroy = DestroyPlan;
    PetscCall(MakeProductPlan(result, plan));
    PetscCall(WriteStructure(result, plan->outer));
    result->ops->productnumeric = Numeric;
    CountProduct(TALLY_SYMBOLIC, product->type);
    PetscCall(PetscLogEventEnd(events[EVENT_SYMBOLIC], result, NULL, NULL, NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AllAreAIJ(const Mat_Product *product, PetscBool *all)
{
    PetscFunctionBegin;
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)product->A, MATSEQAIJ, all));
    if (*all)
        PetscCall(PetscObjectBaseTypeCompare((PetscObject)product->B, MATSEQAIJ, all));
    if (*all && product->type == MATPRODUCT_ABC)
        PetscCall(PetscObjectBaseTypeCompare((PetscObject)product->C, MATSEQAIJ, all));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SeqProductSetFromOptions(Mat result)
{
    const Mat_Product *product = result->product;
    PetscBool all;
    Choices choices;
    PetscFunctionBegin;
    PetscCall(AllAreAIJ(product, &all));
    if (!all)
        PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall((*seq_base.productsetfromoptions)(result)); /* reads PETSc's own options, too */
    PetscCall(ChoicesFor(product->A, &choices));
    if (choices.products == CHOOSE_NEVER || product->type < MATPRODUCT_AB ||
        product->type > MATPRODUCT_ABC)
        Count(TALLY_PRODUCT_PETSC);
    else
        result->ops->productsymbolic = Symbolic;
    PetscFunctionReturn(PETSC_SUCCESS);
}
