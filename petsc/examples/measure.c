/* SPDX-License-Identifier: Apache-2.0 */
/* measure.c: PETSc's AIJ against ours, in one process, in turn.
 *
 *   mpirun -n 2 ./measure [-elasticity] [-only_mult] [-no_mult] -n 30 -dll_append
 * ./libsparloom_petsc.so
 *
 * A is a problem's matrix, P the interpolation that GAMG makes of it. Both sides run in every one
 * of `-repeat` rounds. Prints medians of seconds, PETSc's and ours, how many times faster ours is,
 * and the same of the least times, which other programs on the machine disturb less.
 *
 * -dm_mat_type aijmkl: PETSc's side has that type, if PETSc was built with MKL.
 * -petsc_ab NAME and -petsc_ptap NAME: PETSc's algorithms for its side's products, for the best of
 * them. A second set-up makes coarse matrices that GAMG has moved between ranks anew; from the
 * third on only values change. */
#include "grid_problem.h"

enum {
    MULT_8,
    MULT_32,
    MULT_128,
    MULT_1000,
    PRODUCT_SYMBOLIC,
    PRODUCT_NUMERIC,
    PRODUCT_AGAIN,
    GALERKIN_SYMBOLIC,
    GALERKIN_NUMERIC,
    GALERKIN_AGAIN,
    SET_UP,
    SET_UP_AGAIN,
    SET_UP_LATER,
    SOLVE,
    QUANTITIES
};
static const char *const names[QUANTITIES] = {"MatMult, 8 calls with any plan",
                                              "MatMult, 32 calls",
                                              "MatMult, 128 calls",
                                              "MatMult, 1000 calls",
                                              "A*P symbolic",
                                              "A*P numeric",
                                              "A*P, new values",
                                              "P'AP symbolic",
                                              "P'AP numeric",
                                              "P'AP, new values",
                                              "GAMG set-up",
                                              "GAMG second set-up, new values",
                                              "GAMG third set-up, new values",
                                              "CG solve"};
static const int multiplications[] = {8, 32, 128, 1000}; /* MULT_8 to MULT_1000 */
enum { ROUNDS = 32 };
static double seconds[2][QUANTITIES][ROUNDS];

static double Now(void)
{
    MPI_Barrier(PETSC_COMM_WORLD);
    return MPI_Wtime();
}

static int Compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static PetscErrorCode MeasureProduct(MatProductType type, Mat a, Mat p, const char *algorithm,
                                     double *times)
{
    Mat result;
    double start;
    PetscFunctionBeginUser;
    PetscCall(MatProductCreate(a, p, NULL, &result));
    PetscCall(MatProductSetType(result, type));
    PetscCall(MatProductSetAlgorithm(result, algorithm));
    PetscCall(MatProductSetFill(result, PETSC_DEFAULT));
    PetscCall(MatProductSetFromOptions(result));
    start = Now();
    PetscCall(MatProductSymbolic(result));
    times[0] = Now() - start;
    for (int k = 1; k < 3; k++) {
        PetscCall(MatScale(a, k == 1 ? 2 : 0.5)); /* new values */
        start = Now();
        PetscCall(MatProductNumeric(result));
        times[k] = Now() - start;
    }
    PetscCall(MatDestroy(&result));
    PetscFunctionReturn(0);
}

/* A copy each time, so that its plan is made each time. */
static PetscErrorCode MeasureMult(Mat a, int calls, double *time)
{
    Mat copy;
    Vec x, y;
    double start;
    PetscFunctionBeginUser;
    PetscCall(MatDuplicate(a, MAT_COPY_VALUES, &copy));
    PetscCall(MatCreateVecs(copy, &x, &y));
    PetscCall(VecSet(x, 1));
    start = Now();
    for (int k = 0; k < calls; k++)
        PetscCall(MatMult(copy, x, y));
    *time = Now() - start;
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(MatDestroy(&copy));
    PetscFunctionReturn(0);
}

/* A copy is multiplied as often as the one before, as matrices of a program are: the plug-in
 * expects it from the second round on. -mat_sparloom_remember 0 shows what the first costs. */
static PetscErrorCode MeasureMults(Mat *a, PetscInt rounds)
{
    PetscFunctionBeginUser;
    for (int q = MULT_8; q <= MULT_1000; q++)
        for (PetscInt round = 0; round < rounds; round++)
            for (int who = 0; who < 2; who++)
                PetscCall(MeasureMult(a[who], multiplications[q], &seconds[who][q][round]));
    PetscFunctionReturn(0);
}

static PetscErrorCode MakeSolver(Mat a, KSP *solver)
{
    PC preconditioner;
    PetscFunctionBeginUser;
    PetscCall(KSPCreate(PETSC_COMM_WORLD, solver));
    PetscCall(KSPSetType(*solver, KSPCG));
    PetscCall(KSPSetOperators(*solver, a, a));
    PetscCall(KSPSetTolerances(*solver, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
    PetscCall(KSPGetPC(*solver, &preconditioner));
    PetscCall(PCSetType(preconditioner, PCGAMG));
    PetscCall(PCGAMGSetReuseInterpolation(preconditioner, PETSC_TRUE));
    PetscCall(KSPSetFromOptions(*solver));
    PetscFunctionReturn(0);
}

static PetscErrorCode MeasureSolver(Mat a, double (*times)[ROUNDS], int round, PetscInt *iterations)
{
    KSP solver;
    Vec b, x;
    double start;
    PetscFunctionBeginUser;
    PetscCall(MatCreateVecs(a, &x, &b));
    PetscCall(VecSet(b, 1));
    PetscCall(MakeSolver(a, &solver));
    start = Now();
    PetscCall(KSPSetUp(solver));
    times[SET_UP][round] = Now() - start;
    for (int q = SET_UP_AGAIN; q <= SET_UP_LATER; q++) {
        PetscCall(MatScale(a, 2)); /* new values; then the old ones, for the same iterations */
        PetscCall(MatScale(a, 0.5));
        PetscCall(KSPSetOperators(solver, a, a));
        start = Now();
        PetscCall(KSPSetUp(solver));
        times[q][round] = Now() - start;
    }
    start = Now();
    PetscCall(KSPSolve(solver, b, x));
    times[SOLVE][round] = Now() - start;
    PetscCall(KSPGetIterationNumber(solver, iterations));
    PetscCall(KSPDestroy(&solver));
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&x));
    PetscFunctionReturn(0);
}

static PetscErrorCode Interpolation(Mat a, Mat *p)
{
    KSP solver;
    PC preconditioner;
    PetscInt levels;
    PetscFunctionBeginUser;
    PetscCall(MakeSolver(a, &solver));
    PetscCall(KSPSetUp(solver));
    PetscCall(KSPGetPC(solver, &preconditioner));
    PetscCall(PCMGGetLevels(preconditioner, &levels));
    PetscCall(PCMGGetInterpolation(preconditioner, levels - 1, p));
    PetscCall(PetscObjectReference((PetscObject)*p));
    PetscCall(KSPDestroy(&solver));
    PetscFunctionReturn(0);
}

/* Ours are always the default. */
static PetscErrorCode Algorithm(const char *option, int who, char *name)
{
    enum { LENGTH = 64 };
    PetscFunctionBeginUser;
    PetscCall(PetscStrncpy(name, MATPRODUCTALGORITHMDEFAULT, LENGTH));
    if (who == 0)
        PetscCall(PetscOptionsGetString(NULL, NULL, option, name, LENGTH, NULL));
    PetscFunctionReturn(0);
}

static PetscErrorCode MeasureRound(Mat *a, Mat *p, int round, PetscInt *iterations)
{
    char name[64];
    PetscFunctionBeginUser;
    for (int who = 0; who < 2; who++) {
        double(*times)[ROUNDS] = seconds[who], three[3];
        PetscCall(Algorithm("-petsc_ab", who, name));
        PetscCall(MeasureProduct(MATPRODUCT_AB, a[who], p[who], name, three));
        times[PRODUCT_SYMBOLIC][round] = three[0];
        times[PRODUCT_NUMERIC][round] = three[1];
        times[PRODUCT_AGAIN][round] = three[2];
        PetscCall(Algorithm("-petsc_ptap", who, name));
        PetscCall(MeasureProduct(MATPRODUCT_PtAP, a[who], p[who], name, three));
        times[GALERKIN_SYMBOLIC][round] = three[0];
        times[GALERKIN_NUMERIC][round] = three[1];
        times[GALERKIN_AGAIN][round] = three[2];
        PetscCall(MeasureSolver(a[who], times, round, &iterations[who]));
    }
    PetscFunctionReturn(0);
}

/* Quantities from `begin` to before `end`. */
static PetscErrorCode Print(int begin, int end, PetscInt rounds, const PetscInt *iterations)
{
    PetscFunctionBeginUser;
    for (int q = begin; q < end; q++) {
        double median[2], least[2];
        for (int who = 0; who < 2; who++) {
            qsort(seconds[who][q], (size_t)rounds, sizeof(double), Compare);
            median[who] = seconds[who][q][rounds / 2];
            least[who] = seconds[who][q][0];
        }
        PetscCall(PetscPrintf(PETSC_COMM_WORLD, "| %s | %.4f | %.4f | %.2f | %.2f |\n", names[q],
                              median[0], median[1], median[0] / median[1], least[0] / least[1]));
    }
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "| CG iterations | %" PetscInt_FMT " | %" PetscInt_FMT " | | |\n",
                          iterations[0], iterations[1]));
    PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
    PetscBool elasticity = PETSC_FALSE, only = PETSC_FALSE, none = PETSC_FALSE;
    PetscInt n = 20, rounds = 5, iterations[2] = {0, 0};
    DM grid;
    Mat a[2], p[2];
    PetscFunctionBeginUser;
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(PetscOptionsGetBool(NULL, NULL, "-elasticity", &elasticity, NULL));
    PetscCall(PetscOptionsGetBool(NULL, NULL, "-only_mult", &only, NULL));
    PetscCall(PetscOptionsGetBool(NULL, NULL, "-no_mult", &none, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-repeat", &rounds, NULL));
    rounds = PetscMin(rounds, ROUNDS);
    PetscCall(MakeProblem(elasticity, n, NULL, &grid, &a[0]));
    PetscCall(FillProblem(elasticity, grid, a[0], 1));
    PetscCall(MatConvert(a[0], MATAIJ, MAT_INITIAL_MATRIX, &a[1]));
    PetscCall(MatConvert(a[1], "aijsparloom", MAT_INPLACE_MATRIX, &a[1]));
    PetscCall(MatSetBlockSizesFromMats(a[1], a[0], a[0]));
    PetscCall(MatSetOption(a[1], MAT_SPD, PETSC_TRUE));
    if (elasticity) {
        MatNullSpace motions;
        PetscCall(MatGetNearNullSpace(a[0], &motions));
        PetscCall(MatSetNearNullSpace(a[1], motions));
    }
    PetscCall(Interpolation(a[0], &p[0]));
    PetscCall(MatConvert(p[0], MATAIJ, MAT_INITIAL_MATRIX, &p[1]));
    PetscCall(MatConvert(p[1], "aijsparloom", MAT_INPLACE_MATRIX, &p[1]));
    if (!none)
        PetscCall(MeasureMults(a, rounds));
    for (int round = 0; round < rounds && !only; round++)
        PetscCall(MeasureRound(a, p, round, iterations));
    PetscCall(
        Print(none ? MULT_1000 + 1 : 0, only ? MULT_1000 + 1 : QUANTITIES, rounds, iterations));
    for (int who = 0; who < 2; who++) {
        PetscCall(MatDestroy(&a[who]));
        PetscCall(MatDestroy(&p[who]));
    }
    PetscCall(DMDestroy(&grid));
    PetscCall(PetscFinalize());
    return 0;
}
