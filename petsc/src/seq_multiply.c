/* SPDX-License-Identifier: Apache-2.0 */
/* seq_multiply.c: MatMult, MatMultTranspose, their relatives that add, and the plans behind them.
 *
 * A plan that copies the matrix costs as much as 3 to 20 of PETSc's products, and its products take
 * a quarter to a half of PETSc's time. One that reads PETSc's arrays costs 1 to 3, and its products
 * take a third (nodes) to three quarters. So PETSc multiplies first, then a plan in place, last one
 * that copies: each comes late enough to cost about an eighth where it is the last one's end. A
 * matrix of the same shape as one that was multiplied often is expected to be multiplied as often,
 * and has at once what pays then. A large one whose nodes have few unknowns and full blocks is
 * never copied: in place these are read about as fast.
 *
 * New values are announced to the plan, which takes 1 to 4 products, after some calls if the values
 * before had few; another structure discards it. There are plans for A and its transpose, and for
 * products with dense matrices. */
#include "plugin.h"

typedef struct {
    spl_plan *plan;
    PetscBool early;   /* the plan reads in place, and is to be followed by another */
    PetscBool stale;   /* it has not been told of the present values */
    PetscInt calls;    /* with this structure */
    PetscInt after;    /* how many there are to be before a plan */
    PetscInt in_place; /* ... before a plan that reads in place */
    PetscInt epoch;    /* calls with the present values, ... */
    PetscInt previous; /* ... with those before */
    PetscInt columns;  /* of dense plans */
    PetscInt unknowns; /* of a node of A, in the mean */
    uint64_t on;       /* processors of plans */
    Operand operand;   /* without a reference: the plan goes when the matrix does */
} KeptPlan;

/* Measured on 1,000 to 3 million entries, Poisson and elasticity, relative to PETSc's products. */
enum {
    AFTER = 64,         /* calls before a plan, ... */
    DENSE_AFTER = 16,   /* ... of dense matrices, ... */
    PAYS = 24,          /* ... calls that pay for one made at once, ... */
    PAYS_TWICE = 48,    /* ... where one in place would do, but for nodes, ... */
    EXTRA = 10000,      /* ... and all that many times more, over entries: small matrices */
    IN_PLACE = 2 << 20, /* bytes of entries from which on there are plans that read in place, ... */
    IN_PLACE_AFTER = 16,   /* ... calls before such a plan, ... */
    NODES_AFTER = 8,       /* ... where rows come in nodes, ... */
    NODES_EXECUTIONS = 16, /* ... for which that plan is made then, ... */
    FAR_AFTER = 2,         /* ... and from so many bytes on: PETSc waits for memory then; ... */
    FAR = 12 << 20,
    IN_PLACE_PAYS = 12, /* ... calls that pay for one made at once */
    UPDATE_PAYS = 8     /* calls with values that pay for announcing them */
};

enum { PLAN_VECTOR, PLAN_DENSE, PLAN_KINDS };
typedef struct {
    KeptPlan kept[PLAN_KINDS][2]; /* of A, of its transpose */
} Plans;

static const char plans_name[] = "SparloomPlans";

/* Shapes of matrices, and how often they were multiplied by vectors until they were destroyed. */
enum { SHAPES = 64 };
typedef struct {
    int64_t rows, cols, nnz;
    PetscInt calls;
} Shape;
static Shape shapes[SHAPES];
static int next_shape;

/* NULL: none like it. */
static Shape *FindShape(const spl_sparse *view)
{
    for (Shape *s = shapes; s < shapes + SHAPES; s++)
        if (s->calls && s->rows == view->rows && s->cols == view->cols && s->nnz == view->nnz)
            return s;
    return NULL;
}

static void RememberShape(const KeptPlan *kept)
{
    const spl_sparse *view = &kept->operand.view;
    Shape *shape;
    if (!kept->calls)
        return;
    shape = FindShape(view);
    if (!shape)
        shape = &shapes[next_shape++ % SHAPES];
    *shape = (Shape){view->rows, view->cols, view->nnz, kept->calls};
}

static PetscErrorCode DestroyPlans(void *attached)
{
    Plans *plans = ATTACHED(attached);
    PetscFunctionBegin;
    RememberShape(&plans->kept[PLAN_VECTOR][0]);
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

/* For one execution no copy is made, and nothing is looked for. For more with new values in each
 * none pays, either, but nodes are looked for. */
static void ReadInPlace(const KeptPlan *kept, spl_options *options)
{
    const PetscBool nodes = (PetscBool)(kept->unknowns > 1);
    options->executions = nodes ? NODES_EXECUTIONS : 1;
    options->updates = nodes ? NODES_EXECUTIONS : 0;
}

/* columns: 0 for a vector */
static PetscErrorCode MakePlan(KeptPlan *kept, const Operand *now, int transposed, PetscInt columns)
{
    Choices choices;
    spl_options options;
    PetscFunctionBegin;
    PetscCall(PetscLogEventBegin(events[EVENT_MULT_PLAN], now->matrix, NULL, NULL, NULL));
    spl_plan_destroy(kept->plan);
    kept->plan = NULL;
    PetscCall(ChoicesFor(now->matrix, &choices));
    options = PlanOptions(&choices);
    options.op_a = transposed ? SPL_TRANSPOSE : SPL_NONE;
    options.dense_order = SPL_COLUMN_MAJOR;
    options.processors = kept->on;
    if (kept->early || !(choices.copy || columns || transposed))
        ReadInPlace(kept, &options);
    if (columns)
        SparloomCall(spl_spmm_plan(context, &now->view, columns, &options, &kept->plan),
                     "plan of a product with a dense matrix");
    else
        SparloomCall(spl_spmv_plan(context, &now->view, &options, &kept->plan), "plan of MatMult");
    kept->stale = PETSC_FALSE;
    Count(kept->early ? TALLY_MULT_IN_PLACE : TALLY_MULT_PLAN);
    PetscCall(ShowPlan(kept->plan, kept->on, transposed ? "MatMultTranspose" : "MatMult"));
    PetscCall(PetscLogEventEnd(events[EVENT_MULT_PLAN], now->matrix, NULL, NULL, NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static size_t EntryBytes(const spl_sparse *view)
{
    return (size_t)view->nnz * (sizeof(PetscScalar) + sizeof(PetscInt));
}

/* How many calls there will be, as far as that is known. columns: 0 for a vector */
static PetscInt ExpectedCalls(const Choices *choices, const spl_sparse *view, PetscInt columns)
{
    const Shape *shape = choices->remember && !columns ? FindShape(view) : NULL;
    return choices->executions ? choices->executions : shape ? shape->calls : 0;
}

/* How many there are to be before a plan is made, which pays for so many. */
static PetscInt CallsBefore(const Choices *choices, const spl_sparse *view, PetscInt columns,
                            PetscInt pays)
{
    const double more = 1 + EXTRA / (double)PetscMax(view->nnz, 1);
    if (choices->plan_after >= 0)
        return choices->plan_after;
    if (ExpectedCalls(choices, view, columns) >= pays * more)
        return 0;
    return (PetscInt)((columns ? DENSE_AFTER : AFTER) * more);
}

/* Whether full blocks in place would do for good. A copy of 4 unknowns a node takes .8 of the time,
 * one of 6 .7, of 3 .95, of 2 .9 to 1.2 (one thread of an AMD EPYC). */
static PetscBool MaySuffice(const KeptPlan *kept, const spl_sparse *view)
{
    enum { FEW_UNKNOWNS = 3 };
    return (PetscBool)(kept->unknowns > 1 && kept->unknowns <= FEW_UNKNOWNS &&
                       EntryBytes(view) >= FAR);
}

/* Whether a plan in place is about as good as one that copies a matrix too large for caches. */
static PetscErrorCode StaysInPlace(const KeptPlan *kept, const spl_sparse *view, PetscBool *stays)
{
    spl_step step = SPL_STEP_INIT;
    PetscFunctionBegin;
    SparloomCall(spl_plan_step(kept->plan, 0, &step), "method of MatMult");
    PetscCall(PetscStrendswith(step.method, "/full_blocks", stays));
    *stays = (PetscBool)(*stays && MaySuffice(kept, view));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* How many before one that reads in place. */
static PetscInt CallsBeforeInPlace(const spl_sparse *view, PetscInt expected, PetscBool nodes)
{
    if (expected >= IN_PLACE_PAYS)
        return 0;
    if (EntryBytes(view) >= FAR)
        return FAR_AFTER;
    return nodes ? NODES_AFTER : IN_PLACE_AFTER;
}

/* Multiplying by a transpose fast takes a copy of it. In multigrid it is one product of many, and
 * not of the largest matrix: unless the user wants it, vectors are multiplied by PETSc in place. */
static PetscErrorCode StartCounting(const Operand *now, KeptPlan *kept, int transposed,
                                    PetscInt columns)
{
    Choices choices;
    PetscBool vector = (PetscBool)(columns == 0), in_place, in_nodes;
    PetscInt rows, nodes;
    PetscFunctionBegin;
    spl_plan_destroy(kept->plan);
    *kept = (KeptPlan){.columns = columns, .in_place = PETSC_MAX_INT};
    PetscCall(ChoicesFor(now->matrix, &choices));
    kept->on = MultiplyOn(&now->view, columns);
    in_place = (PetscBool)(vector && !transposed && choices.plan_after < 0 && IsOnCPU(kept->on) &&
                           EntryBytes(&now->view) >= IN_PLACE);
    PetscCall(CountNodes(now->matrix, &rows, &nodes));
    in_nodes = (PetscBool)(rows >= 2 * nodes);
    kept->unknowns = in_nodes && nodes ? (rows + nodes - 1) / nodes : 1;
    kept->after =
        CallsBefore(&choices, &now->view, columns, in_place && !in_nodes ? PAYS_TWICE : PAYS);
    if (in_place && !choices.copy)
        kept->after = PETSC_MAX_INT;
    if (vector && transposed && !choices.transposed)
        kept->after = PETSC_MAX_INT;
    if (in_place)
        kept->in_place =
            CallsBeforeInPlace(&now->view, ExpectedCalls(&choices, &now->view, columns), in_nodes);
    if (in_place && MaySuffice(kept, &now->view))
        kept->after = PetscMax(kept->after, kept->in_place + 1);
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* New values are announced at once where those before were used often, else when they have been. */
static PetscErrorCode KeepValues(KeptPlan *kept, const Operand *now, OperandChange change)
{
    PetscFunctionBegin;
    if (change == OPERAND_NEW_VALUES) {
        kept->previous = kept->epoch;
        kept->epoch = 0;
        kept->stale = PETSC_TRUE;
    }
    kept->epoch++;
    if (!kept->plan || !kept->stale)
        PetscFunctionReturn(PETSC_SUCCESS);
    if (!kept->early && kept->previous < UPDATE_PAYS && kept->epoch <= UPDATE_PAYS)
        PetscFunctionReturn(PETSC_SUCCESS);
    SparloomCall(spl_plan_update_values(kept->plan, &now->view, NULL, NULL, NULL),
                 "new values for MatMult");
    kept->stale = PETSC_FALSE;
    Count(TALLY_MULT_UPDATE);
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
    PetscBool stays = PETSC_FALSE;
    PetscFunctionBegin;
    PetscCall(PlansOf(matrix, &plans));
    PetscCall(LookAtOperand(matrix, &now));
    kept = &plans->kept[kind][transposed];
    kept->operand.matrix = matrix; /* PETSc may have moved its insides to another object */
    PetscCall(CompareOperand(&kept->operand, &now, &change));
    if (change == OPERAND_OTHER || kept->columns != columns)
        PetscCall(StartCounting(&now, kept, transposed, columns));
    PetscCall(KeepValues(kept, &now, change));
    if (kept->calls == kept->after || (kept->calls == kept->in_place && !kept->plan)) {
        kept->early = (PetscBool)(kept->calls < kept->after);
        PetscCall(MakePlan(kept, &now, transposed, columns));
        if (kept->early)
            PetscCall(StaysInPlace(kept, &now.view, &stays));
        if (stays)
            kept->after = PETSC_MAX_INT;
    }
    kept->calls++;
    kept->operand = now;
    *plan = kept->stale ? NULL : kept->plan;
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
