/* SPDX-License-Identifier: Apache-2.0 */
/* eigenvalues.c: the smallest eigenvalues of Poisson's equation or elasticity, by SLEPc.
 *
 *   mpirun -n 2 ./eigenvalues -elasticity -n 12
 *   mpirun -n 2 ./eigenvalues -elasticity -n 12 \
 *     -dll_append ./libsparloom_petsc.so -sparloom -mat_sparloom_view
 *
 * Krylov-Schur on the inverse, which conjugate gradients with GAMG apply: set up once, then solved
 * with in every step, so that MatMults are many and plans pay. Nothing in it knows of Sparloom. */
#include "grid_problem.h"

#include <slepceps.h>

static PetscErrorCode MakeSolver(Mat matrix, EPS *solver)
{
    ST inverse;
    KSP linear;
    PC preconditioner;
    PetscFunctionBeginUser;
    PetscCall(EPSCreate(PETSC_COMM_WORLD, solver));
    PetscCall(EPSSetOperators(*solver, matrix, NULL));
    PetscCall(EPSSetProblemType(*solver, EPS_HEP));
    PetscCall(EPSSetWhichEigenpairs(*solver, EPS_TARGET_MAGNITUDE));
    PetscCall(EPSSetTarget(*solver, 0));
    PetscCall(EPSSetDimensions(*solver, 4, PETSC_DEFAULT, PETSC_DEFAULT));
    PetscCall(EPSSetTolerances(*solver, 1e-7, PETSC_DEFAULT));
    PetscCall(EPSGetST(*solver, &inverse));
    PetscCall(STSetType(inverse, STSINVERT));
    PetscCall(STGetKSP(inverse, &linear));
    PetscCall(KSPSetType(linear, KSPCG));
    PetscCall(KSPSetTolerances(linear, 1e-9, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
    PetscCall(KSPGetPC(linear, &preconditioner));
    PetscCall(PCSetType(preconditioner, PCGAMG));
    PetscCall(EPSSetFromOptions(*solver));
    PetscFunctionReturn(0);
}

static PetscErrorCode Print(EPS solver, PetscLogDouble seconds)
{
    PetscInt found, steps;
    PetscFunctionBeginUser;
    PetscCall(EPSGetConverged(solver, &found));
    PetscCall(EPSGetIterationNumber(solver, &steps));
    PetscCheck(found >= 4, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED, "%d eigenvalues, not 4",
               (int)found);
    for (PetscInt k = 0; k < 4; k++) {
        PetscScalar value;
        PetscReal error;
        PetscCall(EPSGetEigenvalue(solver, k, &value, NULL));
        PetscCall(EPSComputeError(solver, k, EPS_ERROR_RELATIVE, &error));
        PetscCheck(error < 1e-5, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED, "residual %g",
                   (double)error);
        PetscCall(PetscPrintf(PETSC_COMM_WORLD, "eigenvalue %.6g\n", (double)value));
    }
    PetscCall(
        PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " restarts, %.3f s\n", steps, seconds));
    PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
    PetscBool elasticity = PETSC_FALSE;
    PetscInt n = 12;
    PetscLogDouble start, end;
    DM grid;
    Mat matrix;
    EPS solver;
    PetscFunctionBeginUser;
    PetscCall(SlepcInitialize(&argc, &argv, NULL, NULL));
    PetscCall(PetscOptionsGetBool(NULL, NULL, "-elasticity", &elasticity, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
    PetscCall(MakeProblem(elasticity, n, NULL, &grid, &matrix));
    PetscCall(FillProblem(elasticity, grid, matrix, 1));
    PetscCall(MakeSolver(matrix, &solver));
    PetscCall(PetscTime(&start));
    PetscCall(EPSSolve(solver));
    PetscCall(PetscTime(&end));
    PetscCall(Print(solver, end - start));
    PetscCall(EPSDestroy(&solver));
    PetscCall(MatDestroy(&matrix));
    PetscCall(DMDestroy(&grid));
    PetscCall(SlepcFinalize());
    return 0;
}
