/* SPDX-License-Identifier: Apache-2.0 */
/* test_mult.c: products with vectors against PETSc's own, and when they are planned: what a matrix
 * waits for, what reads PETSc's arrays where they are, and when new values are announced.
 *
 *   ./test_mult -dll_append ./libsparloom_petsc.so -mat_sparloom_plan_after 16 \
 *     -mat_sparloom_plan_transposed
 */
#include "support.h"

enum { ROWS = 211 };

static PetscErrorCode Apply(Mat matrix, int operation, Vec x, Vec y, Vec z)
{
    PetscFunctionBeginUser;
    switch (operation) {
    case 0:
        PetscCall(MatMult(matrix, x, z));
        break;
    case 1:
        PetscCall(MatMultTranspose(matrix, x, z));
        break;
    case 2:
        PetscCall(MatMultAdd(matrix, x, y, z));
        break;
    case 3:
        PetscCall(MatMultTransposeAdd(matrix, x, y, z));
        break;
    default:
        PetscCall(MatMultHermitianTranspose(matrix, x, z));
    }
    PetscFunctionReturn(0);
}

/* Often enough that a plan is made; values change in between, and `in_place` adds to z itself. */
static PetscErrorCode TestMult(int operation, PetscBool in_place)
{
    Mat a, ours;
    Vec x, y, z, expected;
    PetscReal error;
    PetscInt plans = 0, updates = 0;
    PetscFunctionBeginUser;
    PetscCall(MakeSeqRandom(ROWS, ROWS, &a));
    PetscCall(ConvertSeq(a, &ours));
    PetscCall(MatCreateVecs(a, &x, &y));
    PetscCall(VecDuplicate(y, &z));
    PetscCall(VecDuplicate(y, &expected));
    PetscCall(VecSetRandom(x, numbers));
    PetscCall(VecSetRandom(y, numbers));
    (void)Growth(ours, "mult_plan", &plans);
    (void)Growth(ours, "mult_update", &updates);
    for (int k = 0; k < 40; k++) {
        if (k == 30) {
            PetscCall(MatScale(a, 5));
            PetscCall(MatScale(ours, 5));
        }
        if (in_place)
            PetscCall(VecCopy(y, z));
        else
            PetscCall(VecSet(z, 7)); /* not to be read */
        PetscCall(Apply(a, operation, x, y, expected));
        PetscCall(Apply(ours, operation, x, in_place ? z : y, z));
        PetscCall(VecAXPY(z, -1, expected));
        PetscCall(VecNorm(z, NORM_INFINITY, &error));
        EXPECT(error < 1e-13);
    }
    EXPECT(Growth(ours, "mult_plan", &plans) == 1);
    EXPECT(Growth(ours, "mult_update", &updates) == 1);
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(VecDestroy(&z));
    PetscCall(VecDestroy(&expected));
    PetscCall(MatDestroy(&a));
    PetscCall(MatDestroy(&ours));
    PetscFunctionReturn(0);
}

/* Multiplies a copy of the matrix so often, and destroys it. */
static PetscErrorCode MultiplyCopy(Mat a, int calls, PetscInt *plans)
{
    Mat ours;
    Vec x, y;
    PetscFunctionBeginUser;
    PetscCall(ConvertSeq(a, &ours));
    PetscCall(MatSetOptionsPrefix(ours, "shape_"));
    PetscCall(MatCreateVecs(ours, &x, &y));
    *plans = 0;
    (void)Growth(ours, "mult_plan", plans);
    for (int k = 0; k < calls; k++)
        PetscCall(MatMult(ours, x, y));
    *plans = Growth(ours, "mult_plan", plans);
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(MatDestroy(&ours));
    PetscFunctionReturn(0);
}

/* A matrix of a shape that was multiplied often is planned at its first call; one of a shape that
 * was not, is not, and neither is one of another shape. */
static PetscErrorCode TestRemembered(void)
{
    const PetscInt n = 3000;
    const int often = 24 * 5 + 1; /* 10000 / n + 1 is 4.3 */
    Mat a, b;
    PetscInt plans;
    PetscFunctionBeginUser;
    PetscCall(PetscOptionsSetValue(NULL, "-shape_mat_sparloom_plan_after", "-1"));
    PetscCall(MakeSeqSingles(n, 0, 1, &a));
    PetscCall(MakeSeqSingles(n + 1, 0, 1, &b));
    PetscCall(MultiplyCopy(a, often, &plans));
    EXPECT(plans == 0);
    PetscCall(MultiplyCopy(b, 1, &plans));
    EXPECT(plans == 0);
    PetscCall(MultiplyCopy(a, 1, &plans));
    EXPECT(plans == 1);
    PetscCall(MultiplyCopy(a, 1, &plans)); /* the last was multiplied once */
    EXPECT(plans == 0);
    PetscCall(MatDestroy(&a));
    PetscCall(MatDestroy(&b));
    PetscFunctionReturn(0);
}

/* What is larger than caches is soon multiplied by a plan that reads PETSc's arrays; a plan that
 * copies follows. New values need no announcement before. */
static PetscErrorCode TestInPlace(void)
{
    const PetscInt n = 1100000, calls = 70;
    Mat ours;
    Vec x, y;
    PetscInt early = 0, plans = 0, mine = 0;
    const PetscScalar *values;
    PetscFunctionBeginUser;
    PetscCall(MakeSeqSingles(n, 1, 1, &ours));
    PetscCall(MatSetOptionsPrefix(ours, "shape_"));
    PetscCall(MatCreateVecs(ours, &x, &y));
    PetscCall(VecSet(x, 3));
    (void)Growth(ours, "mult_in_place", &early);
    (void)Growth(ours, "mult_plan", &plans);
    (void)Growth(ours, "mult", &mine);
    for (PetscInt k = 0; k < calls; k++) {
        if (k == 3)
            PetscCall(MatScale(ours, 2));
        PetscCall(MatMult(ours, x, y));
        if (k == 3)
            EXPECT(Growth(ours, "mult_plan", &plans) == 0);
    }
    EXPECT(Growth(ours, "mult_in_place", &early) == 1);
    EXPECT(Growth(ours, "mult_plan", &plans) == 1);
    EXPECT(Growth(ours, "mult", &mine) == calls - 2);
    PetscCall(VecGetArrayRead(y, &values));
    EXPECT(values[n - 1] == 6. * n);
    PetscCall(VecRestoreArrayRead(y, &values));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(MatDestroy(&ours));
    PetscFunctionReturn(0);
}

/* Plans in place, and others, that a matrix of one entry a row has after so many calls. step: 0 for
 * rows in nodes */
static PetscErrorCode ExpectPlans(PetscInt n, PetscInt step, int calls, PetscInt early,
                                  PetscInt copies)
{
    Mat a;
    PetscInt in_place = 0, plans;
    PetscFunctionBeginUser;
    PetscCall(MakeSeqSingles(n, 0, step, &a));
    (void)Growth(a, "mult_in_place", &in_place);
    PetscCall(MultiplyCopy(a, calls, &plans));
    EXPECT(Growth(a, "mult_in_place", &in_place) == early);
    EXPECT(plans == copies);
    PetscCall(MatDestroy(&a));
    PetscFunctionReturn(0);
}

/* A large matrix of nodes in full blocks. */
static PetscErrorCode FullBlocks(PetscInt n, PetscInt unknowns, Mat *a)
{
    enum { ENTRIES = 80 }; /* of a row */
    PetscInt columns[ENTRIES];
    PetscScalar values[ENTRIES];
    PetscFunctionBeginUser;
    PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, ENTRIES, NULL, a));
    for (PetscInt i = 0; i < n; i++) {
        for (PetscInt k = 0; k < ENTRIES; k++) {
            const PetscInt node = (i / unknowns + 3 * (k / unknowns)) % (n / unknowns);
            columns[k] = node * unknowns + k % unknowns;
            values[k] = i + k;
        }
        PetscCall(MatSetValues(*a, 1, &i, ENTRIES, columns, values, INSERT_VALUES));
    }
    PetscCall(Assemble(*a));
    PetscCall(MatConvert(*a, "seqaijsparloom", MAT_INPLACE_MATRIX, a));
    PetscFunctionReturn(0);
}

/* One of two unknowns a node is never copied, however often it was multiplied; one of four is. */
static PetscErrorCode TestStaysInPlace(void)
{
    enum { CALLS = 70 };
    PetscFunctionBeginUser;
    PetscCall(PetscOptionsSetValue(NULL, "-shape_mat_sparloom_policy", "cost"));
    for (PetscInt unknowns = 2; unknowns <= 4; unknowns += 2) {
        PetscInt early = 0, plans;
        Mat a;
        PetscCall(FullBlocks(16000 + 40 * unknowns, unknowns, &a));
        (void)Growth(a, "mult_in_place", &early);
        PetscCall(MultiplyCopy(a, CALLS, &plans));
        EXPECT(Growth(a, "mult_in_place", &early) == 1);
        EXPECT(plans == (unknowns == 2 ? 0 : 1));
        if (unknowns == 2) { /* nor is the next one of that shape */
            PetscCall(MultiplyCopy(a, CALLS, &plans));
            EXPECT(Growth(a, "mult_in_place", &early) == 1);
            EXPECT(plans == 0);
        }
        PetscCall(MatDestroy(&a));
    }
    PetscCall(PetscOptionsClearValue(NULL, "-shape_mat_sparloom_policy"));
    PetscFunctionReturn(0);
}

/* What pays after so many calls, or at once if so many are expected. Shapes are remembered: another
 * n for each. */
static PetscErrorCode TestWaits(void)
{
    const PetscInt n = 200000, small = 100000;
    PetscFunctionBeginUser;
    PetscCall(ExpectPlans(n, 1, 9, 0, 0));
    PetscCall(ExpectPlans(n + 1, 1, 17, 1, 0));
    PetscCall(ExpectPlans(n + 2, 0, 9, 1, 0));
    PetscCall(ExpectPlans(small, 1, 60, 0, 0));
    PetscCall(ExpectPlans(n + 1, 1, 5, 1, 0));  /* 17 were expected */
    PetscCall(ExpectPlans(n + 1, 1, 50, 1, 0)); /* 5 */
    PetscCall(ExpectPlans(n + 1, 1, 60, 1, 0)); /* 50 */
    PetscCall(ExpectPlans(n + 1, 1, 1, 0, 1));  /* 60 */
    PetscCall(PetscOptionsSetValue(NULL, "-shape_mat_sparloom_copy", "0"));
    PetscCall(ExpectPlans(n + 3, 1, 80, 1, 0));
    PetscCall(PetscOptionsClearValue(NULL, "-shape_mat_sparloom_copy"));
    PetscFunctionReturn(0);
}

/* Values that change every other call are not announced, and PETSc multiplies; once they stay, they
 * are. */
static PetscErrorCode TestShortEpochs(void)
{
    Mat a, ours;
    Vec x, y, expected;
    PetscInt updates = 0;
    PetscReal error;
    PetscFunctionBeginUser;
    PetscCall(MakeSeqRandom(ROWS, ROWS, &a));
    PetscCall(ConvertSeq(a, &ours));
    PetscCall(MatCreateVecs(a, &x, &y));
    PetscCall(VecDuplicate(y, &expected));
    PetscCall(VecSetRandom(x, numbers));
    (void)Growth(ours, "mult_update", &updates);
    for (int k = 0; k < 50; k++) {
        if (k >= 20 && k < 32 && k % 2 == 0) {
            PetscCall(MatScale(a, 1.5));
            PetscCall(MatScale(ours, 1.5));
        }
        PetscCall(MatMult(a, x, expected));
        PetscCall(MatMult(ours, x, y));
        PetscCall(VecAXPY(y, -1, expected));
        PetscCall(VecNorm(y, NORM_INFINITY, &error));
        EXPECT(error < 1e-11);
        if (k == 31) /* only the first, as the values before had many calls */
            EXPECT(Growth(ours, "mult_update", &updates) == 1);
    }
    EXPECT(Growth(ours, "mult_update", &updates) == 1);
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(VecDestroy(&expected));
    PetscCall(MatDestroy(&a));
    PetscCall(MatDestroy(&ours));
    PetscFunctionReturn(0);
}

/* Transposes are planned where the user wants them. */
static PetscErrorCode TestTransposed(void)
{
    Mat a, ours;
    Vec x, y;
    PetscInt plans = 0;
    PetscFunctionBeginUser;
    PetscCall(PetscOptionsSetValue(NULL, "-lean_mat_sparloom_plan_transposed", "0"));
    PetscCall(MakeSeqRandom(ROWS, ROWS, &a));
    PetscCall(MatCreateVecs(a, &x, &y));
    PetscCall(ConvertSeq(a, &ours));
    PetscCall(MatSetOptionsPrefix(ours, "lean_"));
    (void)Growth(ours, "mult_plan", &plans);
    for (int k = 0; k < 40; k++)
        PetscCall(MatMultTranspose(ours, x, y));
    EXPECT(Growth(ours, "mult_plan", &plans) == 0);
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(MatDestroy(&ours));
    PetscCall(MatDestroy(&a));
    PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
    PetscBool device;
    PetscFunctionBeginUser;
    PetscCall(Start(&argc, &argv));
    PetscCall(PetscOptionsHasName(NULL, NULL, "-mat_sparloom_device", &device));
    for (int operation = 0; operation < 5; operation++)
        PetscCall(TestMult(operation, PETSC_FALSE));
    PetscCall(TestMult(2, PETSC_TRUE));
    PetscCall(TestMult(3, PETSC_TRUE));
    PetscCall(TestTransposed());
    PetscCall(TestRemembered());
    PetscCall(TestShortEpochs());
    if (!device) {
        PetscCall(TestInPlace());
        PetscCall(TestWaits());
        PetscCall(TestStaysInPlace());
    }
    return Finish();
}
