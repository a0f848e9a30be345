/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_rows.h: rows of matrices over MPI: those of a rank, those that other ranks have, and numbers
 * of their columns; and what products over MPI share: factors as blocks, the structure of C. */
#ifndef SPARLOOM_PETSC_MPI_ROWS_H
#define SPARLOOM_PETSC_MPI_ROWS_H

#include "plugin.h"

#include <petscsf.h>

/* Rows of a matrix in arrays of ours. */
typedef struct {
    PetscInt count, *offsets, *columns;
    PetscScalar *values;
} RowList;

/* Columns of all ranks as a rank numbers them: its own and the *outside* ones. Own ones are first,
 * or stand where their names belong, so that numbers ascend as names do. */
typedef struct {
    PetscInt first, own;      /* own columns */
    PetscInt outside, *names; /* the others, ascending */
    PetscInt before;          /* outside ones that are numbered before the own ones */
} ColumnNumbers;

/* In which order a rank's row has its entries, and whether columns have names, or numbers: own ones
 * first, then those of the other block. */
typedef enum { ORDER_OWN_FIRST, ORDER_BY_NAME, ORDER_NUMBERED } RowOrder;

PETSC_INTERN PetscErrorCode FreeRows(RowList *rows);
PETSC_INTERN PetscErrorCode ViewRows(const RowList *rows, PetscInt columns, spl_sparse *view);

/* The rank's rows, those of its two blocks joined. */
PETSC_INTERN PetscErrorCode JoinBlocks(Mat matrix, RowOrder order, RowList *rows);
PETSC_INTERN PetscErrorCode JoinValues(Mat matrix, RowOrder order, RowList *rows);

/* Other ranks' rows, as `exchange` says: offsets and columns, and the exchange of their values.
 * Collective. */
PETSC_INTERN PetscErrorCode ReceiveRows(PetscSF exchange, const RowList *from, RowList *to,
                                        PetscSF *entries);

/* The rank's rows of P, those of other ranks that its columns of A name, numbers of the columns of
 * both, and the exchange of the latter's values. Collective. */
PETSC_INTERN PetscErrorCode GatherRows(Mat a, Mat p, RowOrder order, RowList *own, RowList *ghosts,
                                       ColumnNumbers *numbers, PetscSF *gather);

/* What the rank receives in an exchange. */
typedef struct {
    PetscInt values, messages;
} Traffic;
PETSC_INTERN PetscErrorCode MeasureTraffic(PetscSF exchange, Traffic *traffic);
PETSC_INTERN void CountTraffic(const Traffic *traffic);

/* Adds outside columns that are new; numbers that were given may change. */
PETSC_INTERN PetscErrorCode AddColumns(ColumnNumbers *numbers, const RowList *rows);
/* Names become numbers. */
PETSC_INTERN PetscErrorCode NumberColumns(const ColumnNumbers *numbers, RowList *rows);
static inline PetscInt NameOf(const ColumnNumbers *numbers, PetscInt column)
{
    PetscInt own = column - numbers->before;
    if (own < 0)
        return numbers->names[column];
    return own < numbers->own ? numbers->first + own : numbers->names[column - numbers->own];
}

/* ---- mpi_blocks.c ---- */

enum { A_DIAGONAL, A_OTHER, P_DIAGONAL, P_OTHER, BLOCKS }; /* of two factors, A and P */
enum { NEW_STRUCTURE = 1, NEW_P = 2 };                     /* flags, joined over all ranks */

PETSC_INTERN PetscErrorCode LookAtBlocks(Mat a, Mat p, Operand *blocks);
/* Looks, and holds what it sees. */
PETSC_INTERN PetscErrorCode TakeBlocks(Mat a, Mat p, Operand *blocks);
PETSC_INTERN PetscErrorCode ReleaseBlocks(Operand *blocks);
/* Compares the factors' blocks with what plans know, and holds those that are new. Collective. */
PETSC_INTERN PetscErrorCode CompareBlocks(Mat result, Operand *known, OperandChange *changes,
                                          int *flags);
/* C with zeros: rows by names of columns, ascending. Collective. */
PETSC_INTERN PetscErrorCode MakeMPIResult(Mat result, PetscLayout rows, PetscLayout columns,
                                          const RowList *c);
/* An error, unless C has this structure already on all ranks. */
PETSC_INTERN PetscErrorCode CheckStructure(Mat result, const RowList *c);

#endif
