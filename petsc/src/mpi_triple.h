/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_triple.h: C = P'*A*P over MPI.
 *
 * A rank multiplies its rows of A, the blocks [A_d A_o], by its rows of P and by G, the rows of P
 * on other ranks that its columns of A name:
 *
 *   P'*A_d*P          the inner part: one plan, which reads PETSc's block where it is
 *   [P;G]'*A_e*[P;G]  the edge: A_e = [0 A_o; 0 0], of the rows of A and P where A_o has entries
 *
 * Columns of P and G are numbered anew, own ones before outside ones, and so are rows and columns
 * of both parts. Their own rows are added into C, outside rows are sent to the ranks that own them.
 * The symbolic phase fixes what is sent and where it is added, so that the numeric phase exchanges
 * values only: those of G if P has changed, and those of outside rows. They are added in an order
 * that does not depend on the arrival of messages.
 *
 * Source: one pass over rows of A whose outer products go to the owners of rows of C: F. Kong et
 * al., Parallel memory-efficient all-at-once algorithms for the sparse matrix triple products in
 * multigrid methods, arXiv:1905.08423, 2019. Differs: rows of C come one after the other from two
 * plans, P' is not stored, A*P only where that is faster, and values are added where the symbolic
 * phase said. */
#ifndef SPARLOOM_PETSC_MPI_TRIPLE_H
#define SPARLOOM_PETSC_MPI_TRIPLE_H

#include "mpi_rows.h"

/* Entries that are added up: where each goes. */
typedef struct {
    RowList rows;
    PetscInt *to; /* own rows of C: in its diagonal block, or ~ in the other; else outgoing */
} Contribution;

typedef struct {
    spl_plan *plan;
    Contribution c; /* columns: in the symbolic phase only */
} TriplePart;
enum { INNER, EDGE, PARTS };

typedef struct {
    Operand block[BLOCKS];
    ColumnNumbers columns;  /* of P and G */
    RowList p;              /* the rank's */
    RowList edge_a, edge_p; /* A_e, whose values are A_o's; [P;G] of the edge */
    PetscInt *edge_rows, edge_count;
    PetscSF gather, deliver;     /* values of G; of outside rows */
    Traffic gathered, delivered; /* in these */
    TriplePart part[PARTS];
    RowList outgoing; /* outside rows */
    PetscInt *outgoing_names;
    Contribution incoming; /* those of other ranks */
    PetscInt *incoming_names;
} MPITriple;

/* Collective: plans, exchanges, and the structure of C by names of columns. */
PETSC_INTERN PetscErrorCode MakeMPITriple(Mat a, Mat p, MPITriple *triple, RowList *c);
PETSC_INTERN PetscErrorCode ReleaseMPITriple(MPITriple *triple);
/* Values of rows of P for the edge, of which other ranks have some: those that it has. Collective.
 */
PETSC_INTERN PetscErrorCode BeginGather(MPITriple *triple);
PETSC_INTERN PetscErrorCode EndGather(MPITriple *triple);
/* A_e with A_o's values. */
PETSC_INTERN PetscErrorCode ViewEdge(const MPITriple *triple, spl_sparse *a);

/* ---- mpi_triple_join.c: rows of C from their contributions ---- */

/* Outside rows of the parts are joined. */
PETSC_INTERN PetscErrorCode JoinOutgoing(MPITriple *triple);
PETSC_INTERN PetscErrorCode JoinOwn(MPITriple *triple, RowList *c);

#endif
