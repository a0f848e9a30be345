/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_triple.c: P'*A*P over MPI as PETSc's phases: see mpi_triple.h. */
#include "mpi_triple.h"

static PetscErrorCode DestroyTriple(void *attached)
{
    MPITriple *triple = ATTACHED(attached);
    PetscFunctionBegin;
    PetscCall(ReleaseMPITriple(triple));
    PetscCall(PetscFree(triple));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- values ---- */

static PetscErrorCode ComputePart(MPITriple *t, int which, const spl_sparse *a, const RowList *p,
                                  PetscBool new_a, PetscBool new_p)
{
    const TriplePart *part = &t->part[which];
    spl_sparse view;
    PetscFunctionBegin;
    if (!part->plan)
        PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(ViewRows(p, part->c.rows.count, &view));
    if (new_a || new_p)
        SparloomCall(
            spl_plan_update_values(part->plan, new_a ? a : NULL, new_p ? &view : NULL, NULL, NULL),
            "new values");
    SparloomCall(spl_spgemm_execute(part->plan, NULL, NULL, part->c.rows.values, NULL),
                 "triple product");
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* The edge's values while those of other ranks are on their way. */
static PetscErrorCode ComputeParts(Mat p, MPITriple *t, const OperandChange *changes,
                                   PetscBool new_p)
{
    spl_sparse edge_a;
    PetscFunctionBegin;
    if (new_p) {
        PetscCall(JoinValues(p, ORDER_OWN_FIRST, &t->p));
        PetscCall(BeginGather(t));
    }
    PetscCall(ComputePart(t, INNER, &t->block[A_DIAGONAL].view, &t->p,
                          (PetscBool)(changes[A_DIAGONAL] != OPERAND_SAME), new_p));
    if (new_p)
        PetscCall(EndGather(t));
    PetscCall(ViewEdge(t, &edge_a));
    PetscCall(ComputePart(t, EDGE, &edge_a, &t->edge_p,
                          (PetscBool)(changes[A_OTHER] != OPERAND_SAME), new_p));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static void AddOutgoing(MPITriple *t)
{
    for (int k = 0; k < PARTS; k++) {
        const Contribution *c = &t->part[k].c;
        for (PetscInt p = c->rows.offsets[t->columns.own]; p < c->rows.offsets[c->rows.count]; p++)
            t->outgoing.values[c->to[p]] += c->rows.values[p];
    }
}

static void AddOwn(const Contribution *c, PetscInt rows, PetscScalar *diagonal, PetscScalar *other)
{
    for (PetscInt p = 0; p < c->rows.offsets[rows]; p++) {
        PetscInt to = c->to[p];
        if (to >= 0)
            diagonal[to] += c->rows.values[p];
        else
            other[~to] += c->rows.values[p];
    }
}

static PetscErrorCode ClearValues(Mat block, PetscScalar **values)
{
    spl_sparse view;
    PetscFunctionBegin;
    PetscCall(ViewMatrix(block, &view));
    PetscCall(MatSeqAIJGetArrayWrite(block, values));
    PetscCall(PetscArrayzero(*values, view.nnz));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* The parts' own rows are added while outside rows are on their way. */
static PetscErrorCode AddContributions(MPITriple *t, Mat result)
{
    RowList *out = &t->outgoing, *in = &t->incoming.rows;
    PetscScalar *diagonal, *other;
    Mat blocks[2];
    PetscFunctionBegin;
    PetscCall(PetscArrayzero(out->values, out->offsets[out->count]));
    AddOutgoing(t);
    PetscCall(PetscSFBcastBegin(t->deliver, MPIU_SCALAR, out->values, in->values, MPI_REPLACE));
    PetscCall(MatMPIAIJGetSeqAIJ(result, &blocks[0], &blocks[1], NULL));
    PetscCall(ClearValues(blocks[0], &diagonal));
    PetscCall(ClearValues(blocks[1], &other));
    for (int k = 0; k < PARTS; k++)
        AddOwn(&t->part[k].c, t->columns.own, diagonal, other);
    PetscCall(PetscSFBcastEnd(t->deliver, MPIU_SCALAR, out->values, in->values, MPI_REPLACE));
    AddOwn(&t->incoming, in->count, diagonal, other);
    PetscCall(MatSeqAIJRestoreArrayWrite(blocks[0], &diagonal));
    PetscCall(MatSeqAIJRestoreArrayWrite(blocks[1], &other));
    PetscCall(MatAssemblyBegin(result, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(result, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- phases ---- */

static PetscErrorCode Replan(Mat result, MPITriple *triple)
{
    PetscErrorCode status;
    RowList c = {0};
    PetscFunctionBegin;
    Count(TALLY_REPLAN);
    PetscCall(MakeMPITriple(result->product->A, result->product->B, triple, &c));
    status = CheckStructure(result, &c);
    PetscCall(FreeRows(&c));
    PetscFunctionReturn(status);
}

static PetscErrorCode Numeric(Mat result)
{
    MPITriple *triple = result->product->data;
    OperandChange changes[BLOCKS];
    PetscBool new_p;
    int flags;
    PetscFunctionBegin;
    PetscCheck(triple, PETSC_COMM_SELF, PETSC_ERR_ORDER, "The symbolic phase has not been called");
    PetscCall(PetscLogEventBegin(events[EVENT_NUMERIC], result, NULL, NULL, NULL));
    PetscCall(CompareBlocks(result, triple->block, changes, &flags));
    if (flags & NEW_STRUCTURE)
        PetscCall(Replan(result, triple));
    new_p = (PetscBool)(flags == NEW_P);
    PetscCall(ComputeParts(result->product->B, triple, changes, new_p));
    PetscCall(AddContributions(triple, result));
    if (new_p)
        CountTraffic(&triple->gathered);
    CountTraffic(&triple->delivered);
    CountProduct(TALLY_NUMERIC, MATPRODUCT_PtAP);
    PetscCall(PetscLogEventEnd(events[EVENT_NUMERIC], result, NULL, NULL, NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MPITripleSymbolic(Mat result)
{
    Mat_Product *product = result->product;
    MPITriple *triple;
    RowList c = {0};
    PetscFunctionBegin;
    PetscCheck(!product->data, PETSC_COMM_SELF, PETSC_ERR_ORDER, "The product has data already");
    PetscCall(PetscLogEventBegin(events[EVENT_SYMBOLIC], result, NULL, NULL, NULL));
    PetscCall(PetscNew(&triple));
    product->data = triple;
    product->destroy = DestroyTriple;
    PetscCall(MakeMPITriple(product->A, product->B, triple, &c));
    PetscCall(MakeMPIResult(result, product->B->cmap, product->B->cmap, &c));
    PetscCall(FreeRows(&c));
    result->ops->productnumeric = Numeric;
    CountProduct(TALLY_SYMBOLIC, MATPRODUCT_PtAP);
    PetscCall(PetscLogEventEnd(events[EVENT_SYMBOLIC], result, NULL, NULL, NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
}
