/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_triple_join.c: rows of P'*A*P from contributions of the parts and of other ranks: their
 * columns, and where each entry is added. */
#include "mpi_triple.h"

/* A row that is joined. */
typedef struct {
    PetscInt row, count;
    PetscInt *columns; /* ascending when joined */
    PetscInt *stamps;  /* the last row that met a column */
    PetscInt *places;  /* where entries of a column go */
} Join;

/* A contribution's row. */
typedef struct {
    const Contribution *from;
    PetscInt row;
} Source;

static PetscErrorCode StartJoin(PetscInt columns, Join *join)
{
    PetscFunctionBegin;
    join->row = -1;
    PetscCall(
        PetscMalloc3(columns, &join->columns, columns, &join->stamps, columns, &join->places));
    for (PetscInt k = 0; k < columns; k++)
        join->stamps[k] = -1;
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EndJoin(Join *join)
{
    PetscFunctionBegin;
    PetscCall(PetscFree3(join->columns, join->stamps, join->places));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* The columns of some rows, each once, in order. */
static PetscErrorCode JoinSources(Join *join, const Source *sources, int count)
{
    PetscBool sorted = PETSC_TRUE;
    PetscFunctionBegin;
    join->row++;
    join->count = 0;
    for (int s = 0; s < count; s++) {
        const RowList *rows = &sources[s].from->rows;
        PetscInt row = sources[s].row;
        for (PetscInt p = rows->offsets[row]; p < rows->offsets[row + 1]; p++) {
            PetscInt column = rows->columns[p];
            if (join->stamps[column] == join->row)
                continue;
            join->stamps[column] = join->row;
            if (join->count && column < join->columns[join->count - 1])
                sorted = PETSC_FALSE;
            join->columns[join->count++] = column;
        }
    }
    if (!sorted)
        PetscCall(PetscSortInt(join->count, join->columns));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static void SetPlaces(const Join *join, const Source *sources, int count)
{
    for (int s = 0; s < count; s++) {
        const RowList *rows = &sources[s].from->rows;
        PetscInt row = sources[s].row;
        for (PetscInt p = rows->offsets[row]; p < rows->offsets[row + 1]; p++)
            sources[s].from->to[p] = join->places[rows->columns[p]];
    }
}

/* ---- outside rows ---- */

static PetscErrorCode OutsideEntries(const MPITriple *t, PetscInt *entries)
{
    PetscFunctionBegin;
    *entries = 0;
    for (int k = 0; k < PARTS; k++) {
        const RowList *rows = &t->part[k].c.rows;
        *entries += rows->offsets[rows->count] - rows->offsets[t->columns.own];
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode JoinOutgoing(MPITriple *t)
{
    const ColumnNumbers *numbers = &t->columns;
    PetscInt room, filled = 0;
    RowList *out = &t->outgoing;
    Join join;
    PetscFunctionBegin;
    PetscCall(OutsideEntries(t, &room));
    PetscCall(StartJoin(numbers->own + numbers->outside, &join));
    PetscCall(PetscMalloc1(numbers->outside + 1, &out->offsets));
    PetscCall(PetscMalloc1(numbers->outside, &t->outgoing_names));
    PetscCall(PetscMalloc1(room, &out->columns));
    out->offsets[0] = out->count = 0;
    for (PetscInt k = 0; k < numbers->outside; k++) {
        const PetscInt row = numbers->own + k;
        const Source sources[PARTS] = {{&t->part[INNER].c, row}, {&t->part[EDGE].c, row}};
        PetscCall(JoinSources(&join, sources, PARTS));
        if (!join.count)
            continue;
        for (PetscInt m = 0; m < join.count; m++) {
            join.places[join.columns[m]] = filled;
            out->columns[filled++] = NameOf(numbers, join.columns[m]);
        }
        SetPlaces(&join, sources, PARTS);
        t->outgoing_names[out->count] = numbers->names[k];
        out->offsets[++out->count] = filled;
    }
    PetscCall(EndJoin(&join));
    PetscCall(PetscMalloc1(filled, &out->values));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- own rows ---- */

/* Incoming rows by rows of C, those of a lower rank first: list[begins[row]], ... */
static PetscErrorCode SortIncoming(const MPITriple *t, PetscInt **begins, PetscInt **list)
{
    const PetscInt own = t->columns.own, count = t->incoming.rows.count;
    PetscFunctionBegin;
    PetscCall(PetscCalloc1(own + 2, begins));
    PetscCall(PetscMalloc1(count, list));
    for (PetscInt k = 0; k < count; k++)
        (*begins)[t->incoming_names[k] - t->columns.first + 2]++;
    for (PetscInt i = 0; i < own; i++)
        (*begins)[i + 2] += (*begins)[i + 1];
    for (PetscInt k = 0; k < count; k++)
        (*list)[(*begins)[t->incoming_names[k] - t->columns.first + 1]++] = k;
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Own columns are the diagonal block's, in order, outside ones the other's. `next`: the first free
 * places there. */
static void PlaceOwnRow(Join *join, PetscInt own, PetscInt *next)
{
    for (PetscInt m = 0; m < join->count; m++) {
        PetscInt column = join->columns[m];
        join->places[column] = column < own ? next[0]++ : ~next[1]++;
    }
}

/* By names: outside columns before the own ones come first. */
static void NameOwnRow(const ColumnNumbers *numbers, PetscInt before, const Join *join,
                       PetscInt *names)
{
    PetscInt filled = 0, outside = 0;
    while (outside < join->count && join->columns[outside] < numbers->own)
        outside++;
    for (PetscInt m = outside; m < join->count && join->columns[m] < before; m++)
        names[filled++] = NameOf(numbers, join->columns[m]);
    for (PetscInt m = 0; m < outside; m++)
        names[filled++] = NameOf(numbers, join->columns[m]);
    for (PetscInt m = outside; m < join->count; m++)
        if (join->columns[m] >= before)
            names[filled++] = NameOf(numbers, join->columns[m]);
}

/* Room for the columns of C: no more than all contributions have. */
static PetscErrorCode StartOwn(const MPITriple *t, RowList *c)
{
    PetscInt room = t->incoming.rows.offsets[t->incoming.rows.count];
    PetscFunctionBegin;
    for (int k = 0; k < PARTS; k++)
        room += t->part[k].c.rows.offsets[t->columns.own];
    c->count = t->columns.own;
    PetscCall(PetscMalloc1(c->count + 1, &c->offsets));
    PetscCall(PetscMalloc1(room, &c->columns));
    c->offsets[0] = 0;
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode JoinRows(MPITriple *t, const PetscInt *begins, const PetscInt *list,
                               RowList *c)
{
    const ColumnNumbers *numbers = &t->columns;
    PetscInt before = numbers->own, next[2] = {0, 0};
    Join join;
    Source *sources;
    PetscFunctionBegin;
    while (before < numbers->own + numbers->outside && NameOf(numbers, before) < numbers->first)
        before++;
    PetscCall(StartJoin(numbers->own + numbers->outside, &join));
    PetscCall(PetscMalloc1(PARTS + t->incoming.rows.count, &sources));
    for (PetscInt i = 0; i < c->count; i++) {
        int count = 0;
        for (int k = 0; k < PARTS; k++)
            sources[count++] = (Source){&t->part[k].c, i};
        for (PetscInt k = begins[i]; k < begins[i + 1]; k++)
            sources[count++] = (Source){&t->incoming, list[k]};
        PetscCall(JoinSources(&join, sources, count));
        PlaceOwnRow(&join, numbers->own, next);
        SetPlaces(&join, sources, count);
        NameOwnRow(numbers, before, &join, c->columns + c->offsets[i]);
        c->offsets[i + 1] = c->offsets[i] + join.count;
    }
    PetscCall(PetscFree(sources));
    PetscCall(EndJoin(&join));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode JoinOwn(MPITriple *t, RowList *c)
{
    PetscInt *begins, *list;
    PetscFunctionBegin;
    PetscCall(SortIncoming(t, &begins, &list));
    PetscCall(StartOwn(t, c));
    PetscCall(JoinRows(t, begins, list, c));
    PetscCall(PetscFree(begins));
    PetscCall(PetscFree(list));
    PetscFunctionReturn(PETSC_SUCCESS);
}
