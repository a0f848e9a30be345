/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_rows.h: rows of matrices over MPI: those of a rank, those that other ranks have, and numbers
 * of their columns. */
#ifndef SPARLOOM_PETSC_MPI_ROWS_H
#define SPARLOOM_PETSC_MPI_ROWS_H

#include "plugin.h"

#include <petscsf.h>

/* Rows of a matrix in arrays of ours. */
typedef struct {
    PetscInt count, *offsets, *columns;
    PetscScalar *values;
} RowList;

/* Columns of all ranks as a rank numbers them: its own first, then the *outside* ones. */
typedef struct {
    PetscInt first, own;      /* own columns */
    PetscInt outside, *names; /* the others, ascending */
} ColumnNumbers;

PETSC_INTERN PetscErrorCode FreeRows(RowList *rows);
PETSC_INTERN PetscErrorCode ViewRows(const RowList *rows, PetscInt columns, spl_sparse *view);

/* The rank's rows, those of its two blocks joined; columns have their names. */
PETSC_INTERN PetscErrorCode JoinBlocks(Mat matrix, RowList *rows);
PETSC_INTERN PetscErrorCode JoinValues(Mat matrix, RowList *rows);

/* Other ranks' rows, as `exchange` says: offsets and columns, and the exchange of their values.
 * Collective. */
PETSC_INTERN PetscErrorCode ReceiveRows(PetscSF exchange, const RowList *from, RowList *to,
                                        PetscSF *entries);

/* Adds outside columns that are new; numbers that were given may change. */
PETSC_INTERN PetscErrorCode AddColumns(ColumnNumbers *numbers, const RowList *rows);
/* Names become numbers. */
PETSC_INTERN PetscErrorCode NumberColumns(const ColumnNumbers *numbers, RowList *rows);
static inline PetscInt NameOf(const ColumnNumbers *numbers, PetscInt column)
{
    return column < numbers->own ? numbers->first + column : numbers->names[column - numbers->own];
}

#endif
