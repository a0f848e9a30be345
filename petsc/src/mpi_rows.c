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

PetscErrorCode JoinBlocks(Mat matrix, RowList *rows)
{
    Mat blocks[2];
    spl_sparse view[2];
    const PetscInt *names;
    PetscInt filled = 0;
    PetscFunctionBegin;
    PetscCall(MatMPIAIJGetSeqAIJ(matrix, &blocks[0], &blocks[1], &names));
    for (int k = 0; k < 2; k++)
        PetscCall(ViewMatrix(blocks[k], &view[k]));
    rows->count = matrix->rmap->n;
    PetscCall(PetscMalloc1(rows->count + 1, &rows->offsets));
    PetscCall(PetscMalloc1(view[0].nnz + view[1].nnz, &rows->columns));
    PetscCall(PetscMalloc1(view[0].nnz + view[1].nnz, &rows->values));
    rows->offsets[0] = 0;
    for (PetscInt i = 0; i < rows->count; i++) {
        for (int k = 0; k < 2; k++) {
            const PetscInt *offsets = view[k].offsets, *columns = view[k].indices;
            for (PetscInt p = offsets[i]; p < offsets[i + 1]; p++)
                rows->columns[filled++] = k ? names[columns[p]] : matrix->cmap->rstart + columns[p];
        }
        rows->offsets[i + 1] = filled;
    }
    PetscCall(JoinValues(matrix, rows));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode JoinValues(Mat matrix, RowList *rows)
{
    Mat blocks[2];
    spl_sparse view[2];
    PetscScalar *to = rows->values;
    PetscFunctionBegin;
    PetscCall(MatMPIAIJGetSeqAIJ(matrix, &blocks[0], &blocks[1], NULL));
    for (int k = 0; k < 2; k++)
        PetscCall(ViewMatrix(blocks[k], &view[k]));
    for (PetscInt i = 0; i < rows->count; i++)
        for (int k = 0; k < 2; k++) {
            const PetscInt *offsets = view[k].offsets;
            const PetscScalar *from = view[k].values;
            for (PetscInt p = offsets[i]; p < offsets[i + 1]; p++)
                *to++ = from[p];
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

PetscErrorCode AddColumns(ColumnNumbers *numbers, const RowList *rows)
{
    PetscInt count = numbers->outside, *names, entries = rows->offsets[rows->count];
    PetscFunctionBegin;
    for (PetscInt p = 0; p < entries; p++)
        count += IsOutside(numbers, rows->columns[p]);
    PetscCall(PetscMalloc1(count, &names));
    PetscCall(PetscArraycpy(names, numbers->names, numbers->outside));
    count = numbers->outside;
    for (PetscInt p = 0; p < entries; p++)
        if (IsOutside(numbers, rows->columns[p]))
            names[count++] = rows->columns[p];
    PetscCall(PetscSortRemoveDupsInt(&count, names));
    PetscCall(PetscFree(numbers->names));
    numbers->names = names;
    numbers->outside = count;
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NumberColumns(const ColumnNumbers *numbers, RowList *rows)
{
    PetscFunctionBegin;
    for (PetscInt p = 0; p < rows->offsets[rows->count]; p++) {
        PetscInt name = rows->columns[p], at;
        if (IsOutside(numbers, name)) {
            PetscCall(PetscFindInt(name, numbers->outside, numbers->names, &at));
            rows->columns[p] = numbers->own + at;
        } else
            rows->columns[p] = name - numbers->first;
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}
