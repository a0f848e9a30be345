/* SPDX-License-Identifier: Apache-2.0 */
/* seq_multiply.c: MatMult, MatMultTranspose, their relatives that add, and the plans behind them.
 *
 * A plan costs as much as several products. So PETSc multiplies first; a matrix that is multiplied
 * again and again gets a plan, one for each of A and its transpose, and one for products with dense
 * matrices. New values are announced to the plan; another structure discards it. */
#include "plugin.h"

typedef struct {
    spl_plan *plan;
    PetscInt calls;   /* by PETSc, of this structure */
    PetscInt after;   /* how many there are to be */
    PetscInt columns; /* of dense plans */
    Operand operand;  /* without a reference: the plan goes when the matrix does */
} KeptPlan;

enum { PLAN_VECTOR, PLAN_DENSE, PLAN_KINDS };
typedef struct {
    KeptPlan kept[PLAN_KINDS][2]; /* of A, of its transpose */
} Plans;

static const char plans_name[] = "SparloomPlans";

static PetscErrorCode DestroyPlans(void *attached)
{
    Plans *plans = ATTACHED(attached);
    PetscFunctionBegin;
    for (int kind = 0; kind < PLAN_KINDS; kind++)
        for (int t = 0; t < 2; t++)
            spl_plan_destroy(plans->kept[kind][t].plan);
    PetscCall(PetscFree(plans));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Attached to the matrix as PETSc's container, so that they go with it whatever its type. */
static PetscErrorCode PlansOf(Mat matrix, Plans **plans)
{
    PetscContainer container;
    PetscFunctionBegin;
    PetscCall(PetscObjectQuery((PetscObject)matrix, plans_name, (PetscObject *)&container));
    if (container) {
        PetscCall(PetscContainerGetPointer(container, (void **)plans));
        PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(PetscNew(plans));
    PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
    PetscCall(PetscContainerSetPointer(container, *plans));
#if PETSC_VERSION_LT(3, 23, 0)
    PetscCall(PetscContainerSetUserDestroy(container, DestroyPlans));
#else
    PetscCall(PetscContainerSetCtxDestroy(container, DestroyPlans));
#endif
    PetscCall(PetscObjectCompose((PetscObject)matrix, plans_name, (PetscObject)container));
    PetscCall(PetscContainerDestroy(&container));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ForgetPlans(Mat matrix)
{
    PetscFunctionBegin;
    PetscCall(PetscObjectCompose((PetscObject)matrix, plans_name, NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* columns: 0 for a vector */
static PetscErrorCode MakePlan(KeptPlan *kept, const Operand *now, int transposed, PetscInt columns)
{
    Choices choices;
    spl_options options;
    PetscFunctionBegin;
    PetscCall(PetscLogEventBegin(events[EVENT_MULT_PLAN], now->matrix, NULL, NULL, NULL));
    PetscCall(ChoicesFor(now->matrix, &choices));
    options = PlanOptions(&choices);
    options.op_a = transposed ? SPL_TRANSPOSE : SPL_NONE;
    options.dense_order = SPL_COLUMN_MAJOR;
    if (columns)
        SparloomCall(spl_spmm_plan(context, &now->view, columns, &options, &kept->plan),
                     "plan of a product with a dense matrix");
    else
        SparloomCall(spl_spmv_plan(context, &now->view, &options, &kept->plan), "plan of MatMult");
    kept->columns = columns;
    kept->operand = *now;
    Count(TALLY_MULT_PLAN);
    PetscCall(ShowPlan(kept->plan, transposed ? "MatMultTranspose" : "MatMult"));
    PetscCall(PetscLogEventEnd(events[EVENT_MULT_PLAN], now->matrix, NULL, NULL, NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Multiplying by a transpose fast takes a copy of it. In multigrid it is one product of many, and
 * not of the largest matrix: unless the user wants it, vectors are multiplied by PETSc in place. */
static PetscErrorCode StartCounting(Mat matrix, KeptPlan *kept, PetscBool transposed,
                                    PetscInt columns)
{
    Choices choices;
    PetscFunctionBegin;
    spl_plan_destroy(kept->plan);
    kept->plan = NULL;
    kept->calls = 0;
    kept->columns = columns;
    PetscCall(ChoicesFor(matrix, &choices));
    kept->after = transposed && !choices.transposed ? PETSC_MAX_INT : choices.plan_after;
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* *plan is NULL as long as PETSc multiplies. */
static PetscErrorCode KeepPlan(Mat matrix, int kind, int transposed, PetscInt columns,
                               spl_plan **plan)
{
    Plans *plans;
    KeptPlan *kept;
    Operand now;
    OperandChange change;
    PetscFunctionBegin;
    PetscCall(PlansOf(matrix, &plans));
    PetscCall(LookAtOperand(matrix, &now));
    kept = &plans->kept[kind][transposed];
    kept->operand.matrix = matrix; /* PETSc may have moved its insides to another object */
    PetscCall(CompareOperand(&kept->operand, &now, &change));
    if (change == OPERAND_OTHER || kept->columns != columns)
        PetscCall(
            StartCounting(matrix, kept, (PetscBool)(kind == PLAN_VECTOR && transposed), columns));
    if (!kept->plan) {
        if (kept->calls++ >= kept->after)
            PetscCall(MakePlan(kept, &now, transposed, columns));
    } else if (change == OPERAND_NEW_VALUES) {
        SparloomCall(spl_plan_update_values(kept->plan, &now.view, NULL, NULL, NULL),
                     "new values for MatMult");
        Count(TALLY_MULT_UPDATE);
    }
    kept->operand = now;
    *plan = kept->plan;
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DensePlan(Mat matrix, PetscBool transposed, PetscInt columns, spl_plan **plan)
{
    PetscFunctionBegin;
    PetscCall(KeepPlan(matrix, PLAN_DENSE, transposed, columns, plan));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* z = op(A)*x, or y + op(A)*x, where y may be z. */
static PetscErrorCode MultiplyBySparloom(spl_plan *plan, Vec x, Vec y, Vec z)
{
    const PetscScalar *from;
    const double one = 1;
    PetscScalar *to;
    PetscFunctionBegin;
    if (y && y != z)
        PetscCall(VecCopy(y, z));
    PetscCall(VecGetArrayRead(x, &from));
    if (y)
        PetscCall(VecGetArray(z, &to));
    else
        PetscCall(VecGetArrayWrite(z, &to));
    SparloomCall(spl_spmv_execute(plan, NULL, from, y ? &one : NULL, to, NULL), "MatMult");
    if (y)
        PetscCall(VecRestoreArray(z, &to));
    else
        PetscCall(VecRestoreArrayWrite(z, &to));
    PetscCall(VecRestoreArrayRead(x, &from));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MultiplyByPetsc(Mat matrix, int transposed, Vec x, Vec y, Vec z)
{
    PetscFunctionBegin;
    if (y && transposed)
        PetscCall((*seq_base.multtransposeadd)(matrix, x, y, z));
    else if (y)
        PetscCall((*seq_base.multadd)(matrix, x, y, z));
    else if (transposed)
        PetscCall((*seq_base.multtranspose)(matrix, x, z));
    else
        PetscCall((*seq_base.mult)(matrix, x, z));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Multiply(Mat matrix, int transposed, Vec x, Vec y, Vec z)
{
    spl_plan *plan;
    MatInfo info;
    PetscFunctionBegin;
    PetscCall(KeepPlan(matrix, PLAN_VECTOR, transposed, 0, &plan));
    Count(plan ? TALLY_MULT : TALLY_MULT_PETSC);
    if (!plan) {
        PetscCall(MultiplyByPetsc(matrix, transposed, x, y, z));
        PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(MultiplyBySparloom(plan, x, y, z));
    PetscCall(MatGetInfo(matrix, MAT_LOCAL, &info));
    PetscCall(PetscLogFlops(2.0 * info.nz_used));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Mult(Mat matrix, Vec x, Vec y)
{
    return Multiply(matrix, 0, x, NULL, y);
}

static PetscErrorCode MultAdd(Mat matrix, Vec x, Vec y, Vec z)
{
    return Multiply(matrix, 0, x, y, z);
}

static PetscErrorCode MultTranspose(Mat matrix, Vec x, Vec y)
{
    return Multiply(matrix, 1, x, NULL, y);
}

static PetscErrorCode MultTransposeAdd(Mat matrix, Vec x, Vec y, Vec z)
{
    return Multiply(matrix, 1, x, y, z);
}

/* MatMultHermitianTranspose and its relative are the transposed ones where numbers are real. */
void SetMultiply(Mat matrix)
{
    matrix->ops->mult = Mult;
    matrix->ops->multadd = MultAdd;
    matrix->ops->multtranspose = MultTranspose;
    matrix->ops->multtransposeadd = MultTransposeAdd;
}
