/* SPDX-License-Identifier: Apache-2.0 */
/* solve.c: conjugate gradients with GAMG, twice with new values, as a time step or Newton's method
 * does. Nothing in it knows of Sparloom:
 *
 *   mpirun -n 2 ./solve -elasticity -n 20                           PETSc alone
 *   mpirun -n 2 ./solve -elasticity -n 20 \
 *     -dll_append ./libsparloom_petsc.so -sparloom -mat_sparloom_view
 *
 * -traffic prints what a rank reads and receives in a MatMult of each level.
 *
 * -pc_gamg_reuse_interpolation keeps P when values change. Then the coarse matrices P'AP keep their
 * structure, and the second set-up computes only values: this is what plans are for. */
#include "grid_problem.h"
#include "traffic.h"

static PetscErrorCode Solve(KSP solver, Mat matrix, Vec b, Vec x)
{
    PetscLogDouble start, ready, end;
    KSPConvergedReason reason;
    PetscInt iterations;
    PetscReal error, size;
    Vec residual;
    PetscFunctionBeginUser;
    PetscCall(PetscTime(&start));
    PetscCall(KSPSetOperators(solver, matrix, matrix));
    PetscCall(KSPSetUp(solver));
    PetscCall(PetscTime(&ready));
    PetscCall(KSPSolve(solver, b, x));
    PetscCall(PetscTime(&end));
    PetscCall(KSPGetIterationNumber(solver, &iterations));
    PetscCall(KSPGetConvergedReason(solver, &reason));
    PetscCall(VecDuplicate(b, &residual));
    PetscCall(MatMult(matrix, x, residual));
    PetscCall(VecAXPY(residual, -1, b));
    PetscCall(VecNorm(residual, NORM_2, &error));
    PetscCall(VecNorm(b, NORM_2, &size));
    PetscCall(VecDestroy(&residual));
    PetscCheck(reason > 0 && error < 1e-5 * size, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED,
               "%d iterations, residual %g", (int)iterations, (double)(error / size));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "%" PetscInt_FMT " iterations, set-up %.3f s, solve %.3f s\n", iterations,
                          ready - start, end - ready));
    PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
    PetscBool elasticity = PETSC_FALSE, traffic = PETSC_FALSE;
    PetscInt n = 20, steps = 3;
    DM grid;
    Mat matrix;
    Vec b, x;
    KSP solver;
    PC preconditioner;
    PetscFunctionBeginUser;
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(PetscOptionsGetBool(NULL, NULL, "-elasticity", &elasticity, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-steps", &steps, NULL));
    PetscCall(PetscOptionsGetBool(NULL, NULL, "-traffic", &traffic, NULL));
    PetscCall(MakeProblem(elasticity, n, NULL, &grid, &matrix));
    PetscCall(MatCreateVecs(matrix, &x, &b));
    PetscCall(VecSet(b, 1));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &solver));
    PetscCall(KSPSetType(solver, KSPCG));
    PetscCall(KSPSetNormType(solver, KSP_NORM_UNPRECONDITIONED));
    PetscCall(KSPSetTolerances(solver, 1e-6, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
    PetscCall(KSPGetPC(solver, &preconditioner));
    PetscCall(PCSetType(preconditioner, PCGAMG));
    PetscCall(PCGAMGSetReuseInterpolation(preconditioner, PETSC_TRUE));
    PetscCall(KSPSetFromOptions(solver));
    for (PetscInt step = 0; step < steps; step++) {
        PetscCall(FillProblem(elasticity, grid, matrix, 1 + 0.5 * (PetscReal)step));
        PetscCall(Solve(solver, matrix, b, x));
    }
    if (traffic)
        PetscCall(PrintTraffic(preconditioner));
    PetscCall(KSPDestroy(&solver));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&b));
    PetscCall(MatDestroy(&matrix));
    PetscCall(DMDestroy(&grid));
    PetscCall(PetscFinalize());
    return 0;
}
