/* SPDX-License-Identifier: Apache-2.0 */
#include "traffic.h"

enum { ROWS, BYTES, RECEIVED, MESSAGES, COUNTS };

/* Ghost values by which owner they come from: columns ascend, and so do owners. */
static PetscErrorCode CountMessages(Mat matrix, const PetscInt *ghosts, PetscInt count,
                                    double *messages)
{
    const PetscInt *begin;
    PetscInt owner = 0, last = -1;
    PetscFunctionBeginUser;
    PetscCall(MatGetOwnershipRangesColumn(matrix, &begin));
    for (PetscInt k = 0; k < count; k++) {
        while (ghosts[k] >= begin[owner + 1])
            owner++;
        *messages += owner != last;
        last = owner;
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode CountTraffic(Mat matrix, double *counts)
{
    Mat diagonal = matrix, other = NULL;
    const PetscInt *ghosts;
    PetscBool over_mpi;
    PetscInt rows, count = 0;
    MatInfo info;
    PetscFunctionBeginUser;
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)matrix, MATMPIAIJ, &over_mpi));
    PetscCall(MatGetInfo(matrix, MAT_LOCAL, &info));
    PetscCall(MatGetLocalSize(matrix, &rows, NULL));
    if (over_mpi) {
        PetscCall(MatMPIAIJGetSeqAIJ(matrix, &diagonal, &other, &ghosts));
        PetscCall(MatGetLocalSize(other, NULL, &count));
        PetscCall(CountMessages(matrix, ghosts, count, &counts[MESSAGES]));
    }
    counts[ROWS] = (double)rows;
    counts[BYTES] = info.nz_used * (double)(sizeof(PetscScalar) + sizeof(PetscInt)) +
                    (double)rows * (double)(2 * sizeof(PetscScalar) + sizeof(PetscInt));
    counts[RECEIVED] = (double)count * (double)sizeof(PetscScalar);
    PetscFunctionReturn(0);
}

static PetscErrorCode PrintLevel(const char *name, PetscInt level, Mat matrix)
{
    double counts[COUNTS] = {0}, most[COUNTS];
    MPI_Comm all = PetscObjectComm((PetscObject)matrix);
    PetscFunctionBeginUser;
    PetscCall(CountTraffic(matrix, counts));
    PetscCallMPI(MPI_Allreduce(counts, most, COUNTS, MPI_DOUBLE, MPI_MAX, all));
    PetscCall(PetscPrintf(all,
                          "%s %" PetscInt_FMT
                          ": %.0f rows, %.3g bytes read, %.3g bytes in %.0f messages received\n",
                          name, level, most[ROWS], most[BYTES], most[RECEIVED], most[MESSAGES]));
    PetscFunctionReturn(0);
}

PetscErrorCode PrintTraffic(PC multigrid)
{
    PetscInt levels;
    PetscFunctionBeginUser;
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "a MatMult on the rank that has most, by levels\n"));
    PetscCall(PCMGGetLevels(multigrid, &levels));
    for (PetscInt level = levels - 1; level >= 0; level--) {
        KSP smoother;
        Mat a, p;
        PetscCall(PCMGGetSmoother(multigrid, level, &smoother));
        PetscCall(KSPGetOperators(smoother, &a, NULL));
        PetscCall(PrintLevel("  A", level, a));
        if (level == 0)
            continue;
        PetscCall(PCMGGetInterpolation(multigrid, level, &p));
        PetscCall(PrintLevel("  P", level, p));
    }
    PetscFunctionReturn(0);
}
