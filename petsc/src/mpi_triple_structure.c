/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_triple_structure.c: the symbolic phase of P'*A*P over MPI. */
#include "mpi_triple.h"

static PetscErrorCode ReleaseContribution(Contribution *c)
{
    PetscFunctionBegin;
    PetscCall(FreeRows(&c->rows));
    PetscCall(PetscFree(c->to));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReleaseMPITriple(MPITriple *t)
{
    PetscFunctionBegin;
    for (int k = 0; k < PARTS; k++) {
        spl_plan_destroy(t->part[k].plan);
        PetscCall(ReleaseContribution(&t->part[k].c));
    }
    PetscCall(ReleaseContribution(&t->incoming));
    PetscCall(FreeRows(&t->outgoing));
    PetscCall(FreeRows(&t->p));
    PetscCall(FreeRows(&t->edge_a));
    PetscCall(FreeRows(&t->edge_p));
    PetscCall(PetscFree(t->edge_rows));
    PetscCall(PetscFree(t->outgoing_names));
    PetscCall(PetscFree(t->incoming_names));
    PetscCall(PetscFree(t->columns.names));
    PetscCall(PetscSFDestroy(&t->gather));
    PetscCall(PetscSFDestroy(&t->deliver));
    PetscCall(ReleaseBlocks(t->block));
    PetscCall(PetscMemzero(t, sizeof *t));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- operands ---- */

/* Rows of A_o that have entries, columns behind these rows. */
static PetscErrorCode MakeEdgeOfA(MPITriple *t)
{
    const spl_sparse *a = &t->block[A_OTHER].view;
    const PetscInt *offsets = a->offsets, *columns = a->indices, rows = (PetscInt)a->rows;
    RowList *edge = &t->edge_a;
    PetscFunctionBegin;
    for (PetscInt i = 0; i < rows; i++)
        t->edge_count += offsets[i + 1] > offsets[i];
    edge->count = t->edge_count + (PetscInt)a->cols;
    PetscCall(PetscMalloc1(t->edge_count, &t->edge_rows));
    PetscCall(PetscMalloc1(edge->count + 1, &edge->offsets));
    PetscCall(PetscMalloc1(a->nnz, &edge->columns));
    edge->offsets[0] = 0;
    for (PetscInt i = 0, e = 0; i < rows; i++)
        if (offsets[i + 1] > offsets[i]) {
            t->edge_rows[e++] = i;
            edge->offsets[e] = offsets[i + 1];
        }
    for (PetscInt g = t->edge_count; g < edge->count; g++)
        edge->offsets[g + 1] = edge->offsets[g];
    for (PetscInt p = 0; p < a->nnz; p++)
        edge->columns[p] = t->edge_count + columns[p];
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Their rows of P, then the ghosts. */
static PetscErrorCode MakeEdgeOfP(MPITriple *t, const RowList *ghosts)
{
    RowList *edge = &t->edge_p;
    PetscInt filled = 0;
    PetscFunctionBegin;
    edge->count = t->edge_count + ghosts->count;
    for (PetscInt e = 0; e < t->edge_count; e++)
        filled += t->p.offsets[t->edge_rows[e] + 1] - t->p.offsets[t->edge_rows[e]];
    filled += ghosts->offsets[ghosts->count];
    PetscCall(PetscMalloc1(edge->count + 1, &edge->offsets));
    PetscCall(PetscMalloc1(filled, &edge->columns));
    PetscCall(PetscMalloc1(filled, &edge->values));
    edge->offsets[0] = filled = 0;
    for (PetscInt e = 0; e < edge->count; e++) {
        const RowList *from = e < t->edge_count ? &t->p : ghosts;
        PetscInt row = e < t->edge_count ? t->edge_rows[e] : e - t->edge_count;
        for (PetscInt p = from->offsets[row]; p < from->offsets[row + 1]; p++)
            edge->columns[filled++] = from->columns[p];
        edge->offsets[e + 1] = filled;
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BeginGather(MPITriple *t)
{
    PetscScalar *ghosts = t->edge_p.values + t->edge_p.offsets[t->edge_count];
    PetscFunctionBegin;
    PetscCall(PetscSFBcastBegin(t->gather, MPIU_SCALAR, t->p.values, ghosts, MPI_REPLACE));
    for (PetscInt e = 0; e < t->edge_count; e++) {
        const PetscScalar *from = t->p.values + t->p.offsets[t->edge_rows[e]];
        for (PetscInt p = t->edge_p.offsets[e]; p < t->edge_p.offsets[e + 1]; p++)
            t->edge_p.values[p] = *from++;
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EndGather(MPITriple *t)
{
    PetscScalar *ghosts = t->edge_p.values + t->edge_p.offsets[t->edge_count];
    PetscFunctionBegin;
    PetscCall(PetscSFBcastEnd(t->gather, MPIU_SCALAR, t->p.values, ghosts, MPI_REPLACE));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TakeOperands(MPITriple *t, Mat a, Mat p)
{
    MPI_Comm comm = PetscObjectComm((PetscObject)a);
    RowList ghosts = {0};
    PetscFunctionBegin;
    PetscCall(TakeBlocks(a, p, t->block));
    PetscCall(GatherRows(a, p, ORDER_OWN_FIRST, &t->p, &ghosts, &t->columns, &t->gather));
    CallOnAll(comm, MakeEdgeOfA(t));
    CallOnAll(comm, MakeEdgeOfP(t, &ghosts));
    PetscCall(FreeRows(&ghosts));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- plans ---- */

static PetscErrorCode MakePart(MPITriple *t, int which, const spl_sparse *a, const spl_sparse *p,
                               const spl_options *options)
{
    TriplePart *part = &t->part[which];
    spl_result result;
    PetscInt *offsets, *columns;
    PetscFunctionBegin;
    SparloomCall(spl_triple_plan(context, a, p, options, &part->plan), "plan of a triple product");
    PetscCall(
        ShowPlan(part->plan, options->processors,
                 which == INNER ? "PtAP over MPI, within the rank" : "PtAP over MPI, its edge"));
    PetscCall(ResultOf(part->plan, &result));
    PetscCall(PetscMalloc1(result.rows + 1, &offsets));
    PetscCall(PetscMalloc1(result.nnz, &columns));
    PetscCall(PetscMalloc1(result.nnz, &part->c.rows.values));
    PetscCall(PetscMalloc1(result.nnz, &part->c.to));
    PetscCall(ExportStructure(part->plan, offsets, columns));
    part->c.rows.count = (PetscInt)result.rows;
    part->c.rows.offsets = offsets;
    part->c.rows.columns = columns;
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ViewEdge(const MPITriple *t, spl_sparse *a)
{
    PetscFunctionBegin;
    PetscCall(ViewRows(&t->edge_a, t->edge_a.count, a));
    a->values = t->block[A_OTHER].view.values;
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeParts(MPITriple *t, Mat a)
{
    PetscInt columns = t->columns.own + t->columns.outside;
    Choices choices;
    spl_options options;
    spl_sparse edge_a, p;
    PetscFunctionBegin;
    PetscCall(ChoicesFor(a, &choices));
    options = PlanOptions(&choices);
    options.result_offset_type = sizeof(PetscInt) == 8 ? SPL_I64 : SPL_I32;
    options.processors = ProductOn(&t->block[A_DIAGONAL].view);
    PetscCall(ViewRows(&t->p, columns, &p));
    PetscCall(MakePart(t, INNER, &t->block[A_DIAGONAL].view, &p, &options));
    if (!t->block[A_OTHER].view.nnz) {
        t->part[EDGE].c.rows.count = columns;
        PetscCall(PetscCalloc1(columns + 1, &t->part[EDGE].c.rows.offsets));
        PetscFunctionReturn(PETSC_SUCCESS);
    }
    options.processors = ON_CPU; /* little work for a device */
    PetscCall(ViewEdge(t, &edge_a));
    PetscCall(ViewRows(&t->edge_p, columns, &p));
    PetscCall(MakePart(t, EDGE, &edge_a, &p, &options));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- outside rows ---- */

/* Says to each owner of outgoing rows which of them are its: the first, and how many. */
static PetscErrorCode AnnounceRows(const MPITriple *t, PetscLayout owners, PetscMPIInt *count,
                                   PetscMPIInt **ranks, PetscInt **slices)
{
    const RowList *out = &t->outgoing;
    PetscMPIInt owner, last = -1, messages = 0, *to;
    PetscInt *mine;
    PetscFunctionBegin;
    PetscCall(PetscMalloc2(out->count, &to, 2 * out->count, &mine));
    for (PetscInt k = 0; k < out->count; k++) {
        PetscCall(PetscLayoutFindOwner(owners, t->outgoing_names[k], &owner));
        if (owner != last) {
            to[messages] = last = owner;
            mine[2 * messages] = k;
            mine[2 * messages++ + 1] = 0;
        }
        mine[2 * messages - 1]++;
    }
    PetscCall(PetscCommBuildTwoSided(owners->comm, 2, MPIU_INT, messages, to, mine, count, ranks,
                                     slices));
    PetscCall(PetscFree2(to, mine));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Slices come in any order: lower ranks' rows are first. */
static PetscErrorCode ExchangeOfSlices(const MPITriple *t, MPI_Comm comm, PetscMPIInt count,
                                       PetscMPIInt *ranks, const PetscInt *slices, PetscSF *rows)
{
    PetscMPIInt *order;
    PetscInt all = 0, filled = 0;
    PetscSFNode *row;
    PetscFunctionBegin;
    PetscCall(PetscMalloc1(count, &order));
    for (PetscMPIInt s = 0; s < count; s++) {
        order[s] = s;
        all += slices[2 * s + 1];
    }
    PetscCall(PetscSortMPIIntWithArray(count, ranks, order));
    PetscCall(PetscMalloc1(all, &row));
    for (PetscMPIInt s = 0; s < count; s++)
        for (PetscInt k = 0; k < slices[2 * order[s] + 1]; k++) {
            row[filled].rank = ranks[s];
            row[filled++].index = slices[2 * order[s]] + k;
        }
    PetscCall(PetscSFCreate(comm, rows));
    PetscCall(PetscSFSetGraph(*rows, t->outgoing.count, all, NULL, PETSC_OWN_POINTER, row,
                              PETSC_OWN_POINTER));
    PetscCall(PetscFree(order));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode DeliverRows(MPITriple *t, PetscLayout owners)
{
    PetscMPIInt count, *ranks;
    PetscInt *slices, entries;
    RowList *in = &t->incoming.rows;
    PetscSF rows;
    PetscFunctionBegin;
    PetscCall(AnnounceRows(t, owners, &count, &ranks, &slices));
    PetscCall(ExchangeOfSlices(t, owners->comm, count, ranks, slices, &rows));
    PetscCall(PetscFree(ranks));
    PetscCall(PetscFree(slices));
    PetscCall(ReceiveRows(rows, &t->outgoing, in, &t->deliver));
    PetscCall(PetscMalloc1(in->count, &t->incoming_names));
    PetscCall(PetscSFBcastBegin(rows, MPIU_INT, t->outgoing_names, t->incoming_names, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(rows, MPIU_INT, t->outgoing_names, t->incoming_names, MPI_REPLACE));
    PetscCall(PetscSFDestroy(&rows));
    entries = in->offsets[in->count];
    PetscCall(PetscMalloc1(entries, &in->values));
    PetscCall(PetscMalloc1(entries, &t->incoming.to));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Outside columns of the parts after some have been added. */
static PetscErrorCode RenumberParts(MPITriple *t, const ColumnNumbers *old)
{
    PetscInt *now, at = 0;
    PetscFunctionBegin;
    PetscCall(PetscMalloc1(old->outside, &now));
    for (PetscInt k = 0; k < old->outside; k++) {
        while (t->columns.names[at] != old->names[k])
            at++;
        now[k] = old->own + at;
    }
    for (int k = 0; k < PARTS; k++) {
        RowList *rows = &t->part[k].c.rows;
        for (PetscInt p = 0; p < rows->offsets[old->own]; p++)
            if (rows->columns[p] >= old->own)
                rows->columns[p] = now[rows->columns[p] - old->own];
    }
    PetscCall(PetscFree(now));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NumberIncoming(MPITriple *t)
{
    ColumnNumbers old = t->columns;
    PetscFunctionBegin;
    PetscCall(PetscMalloc1(old.outside, &old.names));
    PetscCall(PetscArraycpy(old.names, t->columns.names, old.outside));
    PetscCall(AddColumns(&t->columns, &t->incoming.rows));
    PetscCall(NumberColumns(&t->columns, &t->incoming.rows));
    if (t->columns.outside > old.outside)
        PetscCall(RenumberParts(t, &old));
    PetscCall(PetscFree(old.names));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the numeric phase does not need. */
static PetscErrorCode FreeSymbolic(MPITriple *t)
{
    PetscFunctionBegin;
    for (int k = 0; k < PARTS; k++)
        PetscCall(PetscFree(t->part[k].c.rows.columns));
    PetscCall(PetscFree(t->outgoing.columns));
    PetscCall(PetscFree(t->outgoing_names));
    PetscCall(PetscFree(t->incoming.rows.columns));
    PetscCall(PetscFree(t->incoming_names));
    PetscCall(PetscFree(t->columns.names));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeMPITriple(Mat a, Mat p, MPITriple *t, RowList *c)
{
    MPI_Comm comm = PetscObjectComm((PetscObject)a);
    PetscErrorCode status;
    PetscFunctionBegin;
    PetscCall(ReleaseMPITriple(t));
    PetscCall(TakeOperands(t, a, p));
    PetscCall(BeginGather(t));
    status = MakeParts(t, a); /* where a budget may not suffice */
    PetscCall(EndGather(t));
    PetscCall(RaiseOnAll(comm, status));
    CallOnAll(comm, JoinOutgoing(t));
    PetscCall(DeliverRows(t, p->cmap));
    CallOnAll(comm, NumberIncoming(t));
    CallOnAll(comm, JoinOwn(t, c));
    PetscCall(MeasureTraffic(t->gather, &t->gathered));
    PetscCall(MeasureTraffic(t->deliver, &t->delivered));
    PetscCall(FreeSymbolic(t));
    PetscFunctionReturn(PETSC_SUCCESS);
}
