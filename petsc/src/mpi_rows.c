/* SPDX-License-Identifier: Apache-2.0 */
#include "mpi_rows.h"

PetscErrorCode FreeRows(RowList *rows)
{
    PetscFunctionBegin;
    PetscCall(PetscFree(rows->offsets));
    PetscCall(PetscFree(rows->columns));
    PetscCall(PetscFree(rows->values));
    rows->count = 0;
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ViewRows(const RowList *rows, PetscInt columns, spl_sparse *view)
{
    PetscFunctionBegin;
    *view = (spl_sparse)SPL_SPARSE_INIT;
    view->format = SPL_CSR;
    view->type = SPL_F64;
    view->offset_type = view->index_type = sizeof(PetscInt) == 8 ? SPL_I64 : SPL_I32;
    view->rows = rows->count;
    view->cols = columns;
    view->nnz = rows->offsets[rows->count];
    view->offsets = rows->offsets;
    view->indices = rows->columns;
    view->values = rows->values;
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the rank's rows ---- */

/* The two blocks of a matrix. */
typedef struct {
    spl_sparse view[2];
    const PetscInt *names; /* of the other block's columns; NULL: they are numbered */
    PetscInt own;
    PetscInt first; /* name of the first own column */
    RowOrder order;
} Blocks;

/* Entries of a row that follow each other in a block. */
typedef struct {
    int block;
    PetscInt begin, end;
} Piece;
enum { PIECES = 3 };

static PetscErrorCode LookAtBoth(Mat matrix, RowOrder order, Blocks *blocks)
{
    Mat mats[2];
    PetscFunctionBegin;
    PetscCall(MatMPIAIJGetSeqAIJ(matrix, &mats[0], &mats[1], &blocks->names));
    for (int k = 0; k < 2; k++)
        PetscCall(ViewMatrix(mats[k], &blocks->view[k]));
    blocks->first = matrix->cmap->rstart;
    blocks->own = matrix->cmap->n;
    if (order == ORDER_NUMBERED) {
        blocks->first = 0;
        blocks->names = NULL;
    }
    blocks->order = order;
    PetscFunctionReturn(PETSC_SUCCESS);
}

static inline int CutRow(const Blocks *blocks, PetscInt row, Piece *pieces)
{
    const PetscInt *own = blocks->view[0].offsets, *other = blocks->view[1].offsets,
                   *columns = blocks->view[1].indices;
    PetscInt cut = other[row];
    int count = 0;
    if (blocks->order == ORDER_BY_NAME)
        while (cut < other[row + 1] && blocks->names[columns[cut]] < blocks->first)
            cut++;
    if (cut > other[row])
        pieces[count++] = (Piece){1, other[row], cut};
    pieces[count++] = (Piece){0, own[row], own[row + 1]};
    if (cut < other[row + 1])
        pieces[count++] = (Piece){1, cut, other[row + 1]};
    return count;
}

/* Entries of the row from `to` on; returns where the next one's begin. */
static inline PetscInt JoinRow(const Blocks *blocks, PetscInt row, RowList *rows, PetscInt to)
{
    Piece pieces[PIECES];
    int count = CutRow(blocks, row, pieces);
    for (int k = 0; k < count; k++) {
        const int which = pieces[k].block;
        const PetscInt *columns = blocks->view[which].indices,
                       *names = which ? blocks->names : NULL;
        const PetscScalar *values = blocks->view[which].values;
        PetscInt first = which ? blocks->own : blocks->first;
        for (PetscInt p = pieces[k].begin; p < pieces[k].end; p++, to++) {
            rows->columns[to] = names ? names[columns[p]] : first + columns[p];
            rows->values[to] = values[p];
        }
    }
    return to;
}

PetscErrorCode JoinBlocks(Mat matrix, RowOrder order, RowList *rows)
{
    Blocks blocks;
    PetscInt entries;
    PetscFunctionBegin;
    PetscCall(LookAtBoth(matrix, order, &blocks));
    entries = (PetscInt)(blocks.view[0].nnz + blocks.view[1].nnz);
    rows->count = matrix->rmap->n;
    PetscCall(PetscMalloc1(rows->count + 1, &rows->offsets));
    PetscCall(PetscMalloc1(entries, &rows->columns));
    PetscCall(PetscMalloc1(entries, &rows->values));
    rows->offsets[0] = 0;
    for (PetscInt i = 0; i < rows->count; i++)
        rows->offsets[i + 1] = JoinRow(&blocks, i, rows, rows->offsets[i]);
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows from `row` on that have entries in the first block only, which follow each other there:
 * their end. */
static PetscInt EndOfOwnRows(const Blocks *blocks, PetscInt row, PetscInt rows)
{
    const PetscInt *other = blocks->view[1].offsets, begin = other[row];
    while (row < rows && other[row + 1] == begin)
        row++;
    return row;
}

PetscErrorCode JoinValues(Mat matrix, RowOrder order, RowList *rows)
{
    Blocks blocks;
    PetscScalar *to = rows->values;
    const PetscInt count = matrix->rmap->n, *own;
    PetscFunctionBegin;
    PetscCall(LookAtBoth(matrix, order, &blocks));
    own = blocks.view[0].offsets;
    for (PetscInt i = 0; i < count; i++) {
        const PetscInt end = EndOfOwnRows(&blocks, i, count);
        Piece pieces[PIECES];
        PetscCall(PetscArraycpy(to, (const PetscScalar *)blocks.view[0].values + own[i],
                                own[end] - own[i]));
        to += own[end] - own[i];
        if (end == count)
            break;
        i = end;
        for (int k = 0, cuts = CutRow(&blocks, i, pieces); k < cuts; k++) {
            const PetscScalar *from = blocks.view[pieces[k].block].values;
            for (PetscInt p = pieces[k].begin; p < pieces[k].end; p++)
                *to++ = from[p];
        }
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- other ranks' rows ---- */

/* Where each of the leaves' rows begins, there and here. */
static PetscErrorCode ReceiveOffsets(PetscSF exchange, const RowList *from, RowList *to,
                                     PetscInt **begins)
{
    PetscInt roots, leaves, *own, *other;
    PetscFunctionBegin;
    PetscCall(PetscSFGetGraph(exchange, &roots, &leaves, NULL, NULL));
    PetscCall(PetscMalloc2(2 * roots, &own, 2 * leaves, &other));
    for (PetscInt i = 0; i < roots; i++) {
        own[2 * i] = from->offsets[i];
        own[2 * i + 1] = from->offsets[i + 1] - from->offsets[i];
    }
    PetscCall(PetscSFBcastBegin(exchange, MPIU_2INT, own, other, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(exchange, MPIU_2INT, own, other, MPI_REPLACE));
    to->count = leaves;
    PetscCall(PetscMalloc1(leaves + 1, &to->offsets));
    PetscCall(PetscMalloc1(leaves, begins));
    to->offsets[0] = 0;
    for (PetscInt i = 0; i < leaves; i++) {
        (*begins)[i] = other[2 * i];
        to->offsets[i + 1] = to->offsets[i] + other[2 * i + 1];
    }
    PetscCall(PetscFree2(own, other));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReceiveRows(PetscSF exchange, const RowList *from, RowList *to, PetscSF *entries)
{
    const PetscSFNode *row;
    PetscSFNode *entry;
    PetscInt leaves, *begins;
    PetscFunctionBegin;
    PetscCall(ReceiveOffsets(exchange, from, to, &begins));
    PetscCall(PetscSFGetGraph(exchange, NULL, &leaves, NULL, &row));
    PetscCall(PetscMalloc1(to->offsets[leaves], &entry));
    for (PetscInt i = 0; i < leaves; i++)
        for (PetscInt p = to->offsets[i]; p < to->offsets[i + 1]; p++) {
            entry[p].rank = row[i].rank;
            entry[p].index = begins[i] + p - to->offsets[i];
        }
    PetscCall(PetscFree(begins));
    PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)exchange), entries));
    PetscCall(PetscSFSetGraph(*entries, from->offsets[from->count], to->offsets[leaves], NULL,
                              PETSC_OWN_POINTER, entry, PETSC_OWN_POINTER));
    PetscCall(PetscMalloc1(to->offsets[leaves], &to->columns));
    PetscCall(PetscSFBcastBegin(*entries, MPIU_INT, from->columns, to->columns, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(*entries, MPIU_INT, from->columns, to->columns, MPI_REPLACE));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- columns ---- */

static PetscBool IsOutside(const ColumnNumbers *numbers, PetscInt name)
{
    return (PetscBool)(name < numbers->first || name >= numbers->first + numbers->own);
}

/* Names recur within a few rows: a column that a slot knows need not be looked for. */
enum { SLOTS = 1024 };
typedef struct {
    PetscInt name[SLOTS], number[SLOTS];
} Recent;

static void Forget(Recent *recent)
{
    for (int k = 0; k < SLOTS; k++)
        recent->name[k] = -1;
}

PetscErrorCode AddColumns(ColumnNumbers *numbers, const RowList *rows)
{
    PetscInt count = numbers->outside, room = count + 64, *names;
    Recent recent;
    PetscFunctionBegin;
    Forget(&recent);
    PetscCall(PetscMalloc1(room, &names));
    PetscCall(PetscArraycpy(names, numbers->names, count));
    for (PetscInt p = 0; p < rows->offsets[rows->count]; p++) {
        PetscInt name = rows->columns[p];
        if (!IsOutside(numbers, name) || recent.name[name % SLOTS] == name)
            continue;
        recent.name[name % SLOTS] = name;
        if (count == room) {
            room *= 2;
            PetscCall(PetscRealloc((size_t)room * sizeof *names, &names));
        }
        names[count++] = name;
    }
    PetscCall(PetscSortRemoveDupsInt(&count, names));
    PetscCall(PetscFree(numbers->names));
    numbers->names = names;
    numbers->outside = count;
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NumberOf(const ColumnNumbers *numbers, PetscInt name, PetscInt *number)
{
    PetscInt at;
    PetscFunctionBegin;
    PetscCall(PetscFindInt(name, numbers->outside, numbers->names, &at));
    *number = at < numbers->before ? at : numbers->own + at;
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NumberColumns(const ColumnNumbers *numbers, RowList *rows)
{
    Recent recent;
    PetscFunctionBegin;
    Forget(&recent);
    for (PetscInt p = 0; p < rows->offsets[rows->count]; p++) {
        PetscInt name = rows->columns[p], slot = name % SLOTS;
        if (!IsOutside(numbers, name)) {
            rows->columns[p] = numbers->before + name - numbers->first;
            continue;
        }
        if (recent.name[slot] != name) {
            recent.name[slot] = name;
            PetscCall(NumberOf(numbers, name, &recent.number[slot]));
        }
        rows->columns[p] = recent.number[slot];
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- traffic ---- */

PetscErrorCode MeasureTraffic(PetscSF exchange, Traffic *traffic)
{
    const PetscSFNode *from; /* sorted by ranks */
    PetscFunctionBegin;
    traffic->messages = 0;
    PetscCall(PetscSFGetGraph(exchange, NULL, &traffic->values, NULL, &from));
    for (PetscInt k = 0; k < traffic->values; k++)
        traffic->messages += k == 0 || from[k].rank != from[k - 1].rank;
    PetscFunctionReturn(PETSC_SUCCESS);
}

void CountTraffic(const Traffic *traffic)
{
    CountMany(TALLY_VALUES, traffic->values);
    CountMany(TALLY_MESSAGES, traffic->messages);
}

/* ---- rows of two factors ---- */

/* Numbers of columns ascend in the rows of other ranks, too, as plans want them: entries come in
 * that order. */
static PetscErrorCode SortGhosts(RowList *ghosts, PetscSF *gather)
{
    MPI_Comm comm = PetscObjectComm((PetscObject)*gather);
    const PetscSFNode *from;
    PetscSFNode *sorted;
    PetscInt own, entries, *places;
    PetscFunctionBegin;
    PetscCall(PetscSFGetGraph(*gather, &own, &entries, NULL, &from));
    PetscCall(PetscMalloc1(entries, &places));
    PetscCall(PetscMalloc1(entries, &sorted));
    for (PetscInt p = 0; p < entries; p++)
        places[p] = p;
    for (PetscInt i = 0; i < ghosts->count; i++) {
        const PetscInt begin = ghosts->offsets[i];
        PetscCall(PetscSortIntWithArray(ghosts->offsets[i + 1] - begin, ghosts->columns + begin,
                                        places + begin));
    }
    for (PetscInt p = 0; p < entries; p++)
        sorted[p] = from[places[p]];
    PetscCall(PetscFree(places));
    PetscCall(PetscSFDestroy(gather));
    PetscCall(PetscSFCreate(comm, gather));
    PetscCall(
        PetscSFSetGraph(*gather, own, entries, NULL, PETSC_OWN_POINTER, sorted, PETSC_OWN_POINTER));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GatherRows(Mat a, Mat p, RowOrder order, RowList *own, RowList *ghosts,
                          ColumnNumbers *numbers, PetscSF *gather)
{
    const PetscInt *names;
    Mat other;
    MPI_Comm comm = PetscObjectComm((PetscObject)a);
    PetscSF rows;
    PetscFunctionBegin;
    CallOnAll(comm, JoinBlocks(p, order, own));
    PetscCall(MatMPIAIJGetSeqAIJ(a, NULL, &other, &names));
    PetscCall(PetscSFCreate(comm, &rows));
    PetscCall(PetscSFSetGraphLayout(rows, p->rmap, other->cmap->n, NULL, PETSC_OWN_POINTER, names));
    PetscCall(ReceiveRows(rows, own, ghosts, gather));
    PetscCall(PetscSFDestroy(&rows));
    numbers->first = p->cmap->rstart;
    numbers->own = p->cmap->n;
    PetscCall(AddColumns(numbers, own));
    PetscCall(AddColumns(numbers, ghosts));
    while (order == ORDER_BY_NAME && numbers->before < numbers->outside &&
           numbers->names[numbers->before] < numbers->first)
        numbers->before++;
    PetscCall(NumberColumns(numbers, own));
    PetscCall(NumberColumns(numbers, ghosts));
    if (order == ORDER_OWN_FIRST)
        PetscCall(SortGhosts(ghosts, gather));
    PetscFunctionReturn(PETSC_SUCCESS);
}
