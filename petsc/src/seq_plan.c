/* SPDX-License-Identifier: Apache-2.0 */
/* seq_plan.c: plans of a sparse product of two or three factors.
 *
 *   AB, A'B, AB'   one plan
 *   P'AP, RAR'     one plan, which stores the product of two where that is faster; with forced
 *                  methods two: middle = A*P, then P'*middle
 *   ABC            middle = A*B, then middle*C
 *
 * Plans are made as for few executions, with new values in each of them. */
#include "plugin.h"

#include <string.h>

enum { FEW_EXECUTIONS = 5 };

PetscErrorCode ResultOf(spl_plan *plan, spl_result *result)
{
    PetscFunctionBegin;
    *result = (spl_result)SPL_RESULT_INIT;
    SparloomCall(spl_spgemm_result(plan, result), "structure of a product");
    PetscCheck(result->nnz <= PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_INT_OVERFLOW,
               "A product has %lld entries, more than PetscInt can count: PETSc must be configured "
               "with 64-bit indices",
               (long long)result->nnz);
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Plans on devices have columns of 32 bits. */
static void Widen(PetscInt *columns, int64_t count)
{
    const char *narrow = (const char *)columns;
    for (int64_t p = count; p-- > 0;) {
        int32_t column;
        memcpy(&column, narrow + p * (int64_t)sizeof column, sizeof column);
        columns[p] = column;
    }
}

PetscErrorCode ExportColumns(spl_plan *plan, PetscInt *columns)
{
    spl_result result;
    PetscFunctionBegin;
    PetscCall(ResultOf(plan, &result));
    SparloomCall(spl_spgemm_export(plan, NULL, columns, NULL, NULL), "columns of a product");
    if (result.index_type == SPL_I32 && sizeof(PetscInt) > sizeof(int32_t))
        Widen(columns, result.nnz);
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ExportStructure(spl_plan *plan, PetscInt *offsets, PetscInt *columns)
{
    PetscFunctionBegin;
    SparloomCall(spl_spgemm_export(plan, offsets, NULL, NULL, NULL), "offsets of a product");
    PetscCall(ExportColumns(plan, columns));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReleaseProductPlan(ProductPlan *plan)
{
    PetscFunctionBegin;
    spl_plan_destroy(plan->outer);
    spl_plan_destroy(plan->inner);
    plan->inner = plan->outer = NULL;
    if (!plan->borrows) {
        PetscCall(PetscFree(plan->middle.offsets));
        PetscCall(PetscFree(plan->middle.indices));
        PetscCall(PetscFree(plan->middle.values));
    }
    plan->middle = (spl_sparse)SPL_SPARSE_INIT;
    for (int k = 0; k < 3; k++)
        PetscCall(MatDestroy(&plan->operand[k].matrix));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static void Factors(Mat result, Mat *factors)
{
    const Mat_Product *product = result->product;
    factors[0] = product->A;
    factors[1] = product->B;
    factors[2] = product->type == MATPRODUCT_ABC ? product->C : NULL;
}

static PetscErrorCode TakeFactors(Mat result, ProductPlan *plan)
{
    Mat factors[3];
    PetscFunctionBegin;
    Factors(result, factors);
    for (int k = 0; k < 3; k++) {
        if (!factors[k])
            continue;
        PetscCall(LookAtOperand(factors[k], &plan->operand[k]));
        PetscCall(PetscObjectReference((PetscObject)factors[k]));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* The result of the inner plan as an operand of the outer one: that plan's own arrays, or copies
 * where it computes on a device. */
static PetscErrorCode MakeMiddle(ProductPlan *plan)
{
    spl_result result;
    PetscInt *offsets, *columns;
    PetscScalar *values;
    PetscFunctionBegin;
    if (plan->borrows) {
        SparloomCall(spl_spgemm_view(plan->inner, &plan->middle),
                     "structure of the product of the first two factors");
        PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(ResultOf(plan->inner, &result));
    PetscCall(PetscMalloc1(result.rows + 1, &offsets));
    PetscCall(PetscMalloc1(result.nnz, &columns));
    PetscCall(PetscMalloc1(result.nnz, &values));
    plan->middle = plan->operand[0].view;
    plan->middle.rows = result.rows;
    plan->middle.cols = result.cols;
    plan->middle.nnz = result.nnz;
    plan->middle.offsets = offsets;
    plan->middle.indices = columns;
    plan->middle.values = values;
    PetscCall(ExportStructure(plan->inner, offsets, columns));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeInner(ProductPlan *plan, spl_options options)
{
    PetscFunctionBegin;
    options.unsorted = 1;
    plan->borrows = IsOnCPU(options.processors);
    options.keep_result = plan->borrows;
    SparloomCall(spl_spgemm_plan(context, &plan->operand[0].view, &plan->operand[1].view, NULL,
                                 &options, &plan->inner),
                 "plan of the product of the first two factors");
    PetscCall(ShowPlan(plan->inner, options.processors, "the first two factors"));
    PetscCall(MakeMiddle(plan));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the last plan multiplies. */
static void OuterFactors(const ProductPlan *plan, MatProductType type, const spl_sparse **left,
                         const spl_sparse **right)
{
    switch (type) {
    case MATPRODUCT_PtAP:
    case MATPRODUCT_RARt:
        *left = &plan->operand[1].view;
        *right = &plan->middle;
        break;
    case MATPRODUCT_ABC:
        *left = &plan->middle;
        *right = &plan->operand[2].view;
        break;
    default:
        *left = &plan->operand[0].view;
        *right = &plan->operand[1].view;
    }
}

/* Triple products are planned in one where no method is forced. */
static PetscErrorCode MakeTriple(ProductPlan *plan, spl_options options, PetscBool *made)
{
    PetscFunctionBegin;
    *made = (PetscBool)!options.method;
    if (!*made)
        PetscFunctionReturn(PETSC_SUCCESS);
    SparloomCall(spl_triple_plan(context, &plan->operand[0].view, &plan->operand[1].view, &options,
                                 &plan->outer),
                 "plan of a triple product");
    Count(TALLY_TRIPLE);
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* As one plan or two products. */
static PetscErrorCode MakePlans(ProductPlan *plan, MatProductType type, spl_options options)
{
    PetscBool galerkin = (PetscBool)(type == MATPRODUCT_PtAP || type == MATPRODUCT_RARt),
              made = PETSC_FALSE;
    const spl_sparse *left, *right;
    PetscFunctionBegin;
    options.op_b = type == MATPRODUCT_RARt ? SPL_TRANSPOSE : SPL_NONE;
    if (galerkin)
        PetscCall(MakeTriple(plan, options, &made));
    if (made)
        PetscFunctionReturn(PETSC_SUCCESS);
    if (galerkin || type == MATPRODUCT_ABC)
        PetscCall(MakeInner(plan, options));
    options.op_a = type == MATPRODUCT_AtB || type == MATPRODUCT_PtAP ? SPL_TRANSPOSE : SPL_NONE;
    options.op_b = type == MATPRODUCT_ABt ? SPL_TRANSPOSE : SPL_NONE;
    OuterFactors(plan, type, &left, &right);
    SparloomCall(spl_spgemm_plan(context, left, right, NULL, &options, &plan->outer),
                 "plan of a sparse product");
    PetscFunctionReturn(PETSC_SUCCESS);
}

spl_options ProductOptions(const Choices *choices, const spl_sparse *a)
{
    spl_options options = PlanOptions(choices);
    if (!choices->executions)
        options.executions = FEW_EXECUTIONS;
    options.updates = options.executions;
    options.exact = 1;
    options.processors = ProductOn(a);
    options.result_offset_type = sizeof(PetscInt) == 8 ? SPL_I64 : SPL_I32;
    options.method = choices->method[0] ? choices->method : NULL;
    return options;
}

PetscErrorCode MakeProductPlan(Mat result, ProductPlan *plan)
{
    MatProductType type = result->product->type;
    Choices choices;
    spl_options options;
    PetscFunctionBegin;
    PetscCall(PetscLogEventBegin(events[EVENT_PLAN], result, NULL, NULL, NULL));
    PetscCall(ReleaseProductPlan(plan));
    PetscCall(TakeFactors(result, plan));
    PetscCall(ChoicesFor(result->product->A, &choices));
    options = ProductOptions(&choices, &plan->operand[0].view);
    PetscCall(MakePlans(plan, type, options));
    PetscCall(ShowPlan(plan->outer, options.processors, MatProductTypes[type]));
    PetscCall(PetscLogEventEnd(events[EVENT_PLAN], result, NULL, NULL, NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Announce(ProductPlan *plan, const PetscBool *changed, MatProductType type)
{
    const spl_sparse *views[3];
    spl_plan *first = plan->inner ? plan->inner : plan->outer;
    PetscFunctionBegin;
    for (int k = 0; k < 3; k++)
        views[k] = changed[k] ? &plan->operand[k].view : NULL;
    if (views[0] || views[1])
        SparloomCall(spl_plan_update_values(first, views[0], views[1], NULL, NULL), "new values");
    /* The middle's values are announced when they are computed. */
    if (plan->inner && type == MATPRODUCT_ABC && views[2])
        SparloomCall(spl_plan_update_values(plan->outer, NULL, views[2], NULL, NULL), "new values");
    if (plan->inner && type != MATPRODUCT_ABC && views[1])
        SparloomCall(spl_plan_update_values(plan->outer, views[1], NULL, NULL, NULL), "new values");
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RefreshProductPlan(Mat result, ProductPlan *plan, PetscBool *same)
{
    Mat factors[3];
    Operand now[3];
    OperandChange change[3] = {OPERAND_SAME, OPERAND_SAME, OPERAND_SAME};
    PetscBool changed[3];
    PetscFunctionBegin;
    Factors(result, factors);
    *same = PETSC_TRUE;
    for (int k = 0; k < 3; k++) {
        if (!factors[k])
            continue;
        PetscCall(LookAtOperand(factors[k], &now[k]));
        PetscCall(CompareOperand(&plan->operand[k], &now[k], &change[k]));
        if (change[k] == OPERAND_OTHER)
            *same = PETSC_FALSE;
    }
    if (!*same)
        PetscFunctionReturn(PETSC_SUCCESS);
    for (int k = 0; k < 3; k++) {
        changed[k] = (PetscBool)(change[k] != OPERAND_SAME);
        if (!changed[k])
            continue;
        Count(change[k] == OPERAND_MOVED ? TALLY_REBIND : TALLY_UPDATE);
        PetscCall(HoldOperand(&plan->operand[k], &now[k]));
    }
    PetscCall(Announce(plan, changed, result->product->type));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ComputeProduct(ProductPlan *plan, MatProductType type, void *values)
{
    PetscFunctionBegin;
    if (plan->inner) {
        const spl_sparse *middle = &plan->middle;
        PetscBool left = (PetscBool)(type == MATPRODUCT_ABC);
        void *kept = plan->borrows ? NULL : (void *)middle->values;
        SparloomCall(spl_spgemm_execute(plan->inner, NULL, NULL, kept, NULL),
                     "product of the first two factors");
        SparloomCall(spl_plan_update_values(plan->outer, left ? middle : NULL, left ? NULL : middle,
                                            NULL, NULL),
                     "values of the first two factors' product");
    }
    SparloomCall(spl_spgemm_execute(plan->outer, NULL, NULL, values, NULL), "sparse product");
    PetscFunctionReturn(PETSC_SUCCESS);
}
