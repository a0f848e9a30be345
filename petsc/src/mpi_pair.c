/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_pair.c: C = A*P over MPI.
 *
 * A rank multiplies its rows of A, the blocks [A_d A_o] joined, by its rows of P and by those on
 * other ranks that its columns of A name, in one plan. Columns are numbered in the order of their
 * names, so that a row of C is what PETSc's blocks have, in three pieces: outside columns before
 * the own ones, own columns, those behind. The numeric phase exchanges values of P if these have
 * changed, and copies the pieces.
 *
 * The plan reads a copy of the rank's rows of A and P: their nodes are found whole, and reading
 * it costs less than joining two products. */
#include "mpi_rows.h"

typedef struct {
    Operand block[BLOCKS];
    ColumnNumbers columns;
    RowList a, p;   /* p: own rows, then those of other ranks */
    PetscSF gather; /* of the latter's values */
    Traffic gathered;
    PetscInt own_entries;
    spl_plan *plan;
    RowList c;        /* columns: in the symbolic phase only */
    PetscInt *before; /* entries of C's rows in the first piece */
} MPIPair;

static PetscErrorCode ReleasePair(MPIPair *t)
{
    PetscFunctionBegin;
    spl_plan_destroy(t->plan);
    PetscCall(FreeRows(&t->a));
    PetscCall(FreeRows(&t->p));
    PetscCall(FreeRows(&t->c));
    PetscCall(PetscFree(t->columns.names));
    PetscCall(PetscFree(t->before));
    PetscCall(PetscSFDestroy(&t->gather));
    PetscCall(ReleaseBlocks(t->block));
    PetscCall(PetscMemzero(t, sizeof *t));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode DestroyPair(void *attached)
{
    MPIPair *pair = ATTACHED(attached);
    PetscFunctionBegin;
    PetscCall(ReleasePair(pair));
    PetscCall(PetscFree(pair));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- operands ---- */

static PetscErrorCode AppendRows(RowList *rows, const RowList *more)
{
    PetscInt old = rows->offsets[rows->count], added = more->offsets[more->count];
    PetscFunctionBegin;
    PetscCall(PetscRealloc((size_t)(rows->count + more->count + 1) * sizeof *rows->offsets,
                           &rows->offsets));
    PetscCall(PetscRealloc((size_t)(old + added) * sizeof *rows->columns, &rows->columns));
    PetscCall(PetscRealloc((size_t)(old + added) * sizeof *rows->values, &rows->values));
    for (PetscInt i = 0; i < more->count; i++)
        rows->offsets[rows->count + i + 1] = old + more->offsets[i + 1];
    PetscCall(PetscArraycpy(rows->columns + old, more->columns, added));
    rows->count += more->count;
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TakeOperands(MPIPair *t, Mat a, Mat p)
{
    MPI_Comm comm = PetscObjectComm((PetscObject)a);
    RowList ghosts = {0};
    PetscFunctionBegin;
    PetscCall(TakeBlocks(a, p, t->block));
    CallOnAll(comm, JoinBlocks(a, ORDER_NUMBERED, &t->a)); /* as rows of P are */
    PetscCall(GatherRows(a, p, ORDER_BY_NAME, &t->p, &ghosts, &t->columns, &t->gather));
    t->own_entries = t->p.offsets[t->p.count];
    CallOnAll(comm, AppendRows(&t->p, &ghosts));
    PetscCall(FreeRows(&ghosts));
    PetscCall(MeasureTraffic(t->gather, &t->gathered));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Exchange(MPIPair *t)
{
    PetscScalar *own = t->p.values, *others = own + t->own_entries;
    PetscFunctionBegin;
    PetscCall(PetscSFBcastBegin(t->gather, MPIU_SCALAR, own, others, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(t->gather, MPIU_SCALAR, own, others, MPI_REPLACE));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- plan ---- */

static PetscErrorCode MakePlan(MPIPair *t, Mat a)
{
    PetscInt columns = t->columns.own + t->columns.outside;
    Choices choices;
    spl_options options;
    spl_sparse left, right;
    spl_result shape;
    PetscFunctionBegin;
    PetscCall(ChoicesFor(a, &choices));
    PetscCall(ViewRows(&t->a, t->p.count, &left));
    options = ProductOptions(&choices, &left);
    PetscCall(ViewRows(&t->p, columns, &right));
    SparloomCall(spl_spgemm_plan(context, &left, &right, NULL, &options, &t->plan),
                 "plan of a sparse product");
    PetscCall(ShowPlan(t->plan, options.processors, "AB over MPI"));
    PetscCall(ResultOf(t->plan, &shape));
    t->c.count = (PetscInt)shape.rows;
    PetscCall(PetscMalloc1(shape.rows + 1, &t->c.offsets));
    PetscCall(PetscMalloc1(shape.nnz, &t->c.columns));
    PetscCall(PetscMalloc1(shape.nnz, &t->c.values));
    PetscCall(ExportStructure(t->plan, t->c.offsets, t->c.columns));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns of C get their names. */
static PetscErrorCode NameColumns(MPIPair *t)
{
    RowList *c = &t->c;
    PetscFunctionBegin;
    PetscCall(PetscCalloc1(c->count, &t->before));
    for (PetscInt i = 0; i < c->count; i++)
        for (PetscInt p = c->offsets[i]; p < c->offsets[i + 1]; p++) {
            t->before[i] += c->columns[p] < t->columns.before;
            c->columns[p] = NameOf(&t->columns, c->columns[p]);
        }
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective: the plan, and the structure of C. */
static PetscErrorCode MakePair(MPIPair *t, Mat a, Mat p)
{
    MPI_Comm comm = PetscObjectComm((PetscObject)a);
    PetscFunctionBegin;
    PetscCall(ReleasePair(t));
    PetscCall(TakeOperands(t, a, p));
    PetscCall(Exchange(t));
    CallOnAll(comm, MakePlan(t, a)); /* where a budget may not suffice */
    CallOnAll(comm, NameColumns(t));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FreeSymbolic(MPIPair *t)
{
    PetscFunctionBegin;
    PetscCall(PetscFree(t->c.columns));
    PetscCall(PetscFree(t->columns.names));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- values ---- */

static PetscErrorCode Refresh(MPIPair *t, Mat a, Mat p, const OperandChange *changes,
                              PetscBool new_p)
{
    PetscBool new_a =
        (PetscBool)(changes[A_DIAGONAL] != OPERAND_SAME || changes[A_OTHER] != OPERAND_SAME);
    spl_sparse left, right;
    PetscFunctionBegin;
    if (new_a)
        PetscCall(JoinValues(a, ORDER_NUMBERED, &t->a));
    if (new_p) {
        PetscCall(JoinValues(p, ORDER_BY_NAME, &t->p));
        PetscCall(Exchange(t));
        CountTraffic(&t->gathered);
    }
    PetscCall(ViewRows(&t->a, t->p.count, &left));
    PetscCall(ViewRows(&t->p, t->columns.own + t->columns.outside, &right));
    if (new_a || new_p)
        SparloomCall(spl_plan_update_values(t->plan, new_a ? &left : NULL, new_p ? &right : NULL,
                                            NULL, NULL),
                     "new values");
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of C from `row` on whose columns are own ones: their end. */
static PetscInt EndOfOwnRows(const MPIPair *t, const PetscInt *own, PetscInt row)
{
    const PetscInt *all = t->c.offsets, others = all[row] - own[row];
    while (row < t->c.count && all[row + 1] - own[row + 1] == others)
        row++;
    return row;
}

/* The pieces of C's rows go to its blocks. */
static PetscErrorCode Distribute(const MPIPair *t, Mat result)
{
    const PetscInt *own;
    const PetscScalar *from = t->c.values;
    PetscScalar *diagonal, *other;
    spl_sparse view;
    Mat blocks[2];
    PetscFunctionBegin;
    PetscCall(MatMPIAIJGetSeqAIJ(result, &blocks[0], &blocks[1], NULL));
    PetscCall(ViewMatrix(blocks[0], &view));
    own = view.offsets;
    PetscCall(MatSeqAIJGetArrayWrite(blocks[0], &diagonal));
    PetscCall(MatSeqAIJGetArrayWrite(blocks[1], &other));
    for (PetscInt i = 0, p = 0, to = 0; i < t->c.count; i++) {
        const PetscInt end = EndOfOwnRows(t, own, i);
        PetscCall(PetscArraycpy(diagonal + own[i], from + p, own[end] - own[i]));
        p += own[end] - own[i];
        if (end == t->c.count)
            break;
        i = end;
        for (PetscInt last = p + t->before[i]; p < last; p++)
            other[to++] = from[p];
        for (PetscInt q = own[i]; q < own[i + 1]; q++)
            diagonal[q] = from[p++];
        for (; p < t->c.offsets[i + 1]; p++)
            other[to++] = from[p];
    }
    PetscCall(MatSeqAIJRestoreArrayWrite(blocks[0], &diagonal));
    PetscCall(MatSeqAIJRestoreArrayWrite(blocks[1], &other));
    PetscCall(MatAssemblyBegin(result, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(result, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- phases ---- */

static PetscErrorCode Replan(Mat result, MPIPair *pair)
{
    PetscFunctionBegin;
    Count(TALLY_REPLAN);
    PetscCall(MakePair(pair, result->product->A, result->product->B));
    PetscCall(CheckStructure(result, &pair->c));
    PetscCall(FreeSymbolic(pair));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Numeric(Mat result)
{
    const Mat_Product *product = result->product;
    MPIPair *pair = product->data;
    OperandChange changes[BLOCKS];
    int flags;
    PetscFunctionBegin;
    PetscCheck(pair, PETSC_COMM_SELF, PETSC_ERR_ORDER, "The symbolic phase has not been called");
    PetscCall(PetscLogEventBegin(events[EVENT_NUMERIC], result, NULL, NULL, NULL));
    PetscCall(CompareBlocks(result, pair->block, changes, &flags));
    if (flags & NEW_STRUCTURE)
        PetscCall(Replan(result, pair));
    else
        PetscCall(Refresh(pair, product->A, product->B, changes, (PetscBool)(flags == NEW_P)));
    SparloomCall(spl_spgemm_execute(pair->plan, NULL, NULL, pair->c.values, NULL),
                 "sparse product");
    PetscCall(Distribute(pair, result));
    CountProduct(TALLY_NUMERIC, MATPRODUCT_AB);
    PetscCall(PetscLogEventEnd(events[EVENT_NUMERIC], result, NULL, NULL, NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MPIPairSymbolic(Mat result)
{
    Mat_Product *product = result->product;
    MPIPair *pair;
    PetscFunctionBegin;
    PetscCheck(!product->data, PETSC_COMM_SELF, PETSC_ERR_ORDER, "The product has data already");
    PetscCall(PetscLogEventBegin(events[EVENT_SYMBOLIC], result, NULL, NULL, NULL));
    PetscCall(PetscNew(&pair));
    product->data = pair;
    product->destroy = DestroyPair;
    PetscCall(MakePair(pair, product->A, product->B));
    PetscCall(MakeMPIResult(result, product->A->rmap, product->B->cmap, &pair->c));
    PetscCall(FreeSymbolic(pair));
    result->ops->productnumeric = Numeric;
    CountProduct(TALLY_SYMBOLIC, MATPRODUCT_AB);
    PetscCall(PetscLogEventEnd(events[EVENT_SYMBOLIC], result, NULL, NULL, NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
}
