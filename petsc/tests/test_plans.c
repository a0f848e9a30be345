/* SPDX-License-Identifier: Apache-2.0 */
/* test_plans.c: results against PETSc's own types, and what is planned anew and what is not.
 *
 *   ./test_plans -dll_append ./libsparloom_petsc.so -mat_sparloom_plan_after 16 \
 *     -mat_sparloom_plan_transposed
 *
 * Matrices are random. What a change of values or structure costs is read from the plug-in's
 * counts. */
#include "support.h"

enum { ROWS = 211, LONGEST = 9 };

static PetscErrorCode MakeRandom(PetscInt rows, PetscInt cols, Mat *matrix)
{
    double drawn = 0;
    PetscFunctionBeginUser;
    PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, rows, cols, LONGEST + 1, NULL, matrix));
    for (PetscInt row = 0; row < rows; row++) {
        PetscCall(Random(&drawn));
        for (PetscInt k = (PetscInt)(drawn * LONGEST); k > 0; k--) {
            PetscInt column;
            PetscCall(Random(&drawn));
            column = (PetscInt)(drawn * cols) % cols;
            PetscCall(MatSetValue(*matrix, row, column, drawn - 0.5, INSERT_VALUES));
        }
    }
    PetscCall(Assemble(*matrix));
    PetscFunctionReturn(0);
}

static PetscErrorCode Ours(Mat matrix, Mat *ours)
{
    PetscFunctionBeginUser;
    PetscCall(MatConvert(matrix, "seqaijsparloom", MAT_INITIAL_MATRIX, ours));
    PetscFunctionReturn(0);
}

/* New values of each factor. */
static PetscErrorCode TestNewValues(Mat *plain, Mat *ours, Mat expected, Mat result)
{
    PetscBool close;
    PetscFunctionBeginUser;
    for (int k = 0; k < 3; k++) {
        PetscCall(MatScale(plain[k], 3));
        PetscCall(MatScale(ours[k], 3));
        PetscCall(MatProductNumeric(expected));
        PetscCall(MatProductNumeric(result));
        PetscCall(Close(expected, result, &close));
        EXPECT(close);
    }
    PetscFunctionReturn(0);
}

/* prefix: of the first factor's options, of which "two" have a forced method */
static PetscErrorCode TestProduct(MatProductType type, const char *prefix)
{
    Mat a, b, c, ours[3], expected, result;
    PetscBool close;
    PetscInt planned = 0, symbolic = 0, triple = 0;
    const PetscBool galerkin = (PetscBool)(type == MATPRODUCT_PtAP || type == MATPRODUCT_RARt);
    PetscFunctionBeginUser;
    PetscCall(MakeRandom(ROWS, ROWS, &a));
    PetscCall(MakeRandom(ROWS, ROWS, &b));
    PetscCall(MakeRandom(ROWS, ROWS, &c));
    PetscCall(Ours(a, &ours[0]));
    PetscCall(Ours(b, &ours[1]));
    PetscCall(Ours(c, &ours[2]));
    PetscCall(MatSetOptionsPrefix(ours[0], prefix));
    (void)Growth(ours[0], "symbolic", &symbolic);
    (void)Growth(ours[0], "replan", &planned);
    (void)Growth(ours[0], "triple", &triple);
    PetscCall(Multiply(type, a, b, c, &expected));
    PetscCall(Multiply(type, ours[0], ours[1], ours[2], &result));
    PetscCall(Close(expected, result, &close));
    EXPECT(close);
    EXPECT(Growth(ours[0], "symbolic", &symbolic) == 1);
    EXPECT(Growth(ours[0], "triple", &triple) == (galerkin && !prefix));
    PetscCall(TestNewValues((Mat[]){a, b, c}, ours, expected, result));
    EXPECT(Growth(ours[0], "replan", &planned) == 0);
    EXPECT(Growth(ours[0], "symbolic", &symbolic) == 0);
    PetscCall(MatDestroy(&expected));
    PetscCall(MatDestroy(&result));
    for (int k = 0; k < 3; k++)
        PetscCall(MatDestroy(&ours[k]));
    PetscCall(MatDestroy(&a));
    PetscCall(MatDestroy(&b));
    PetscCall(MatDestroy(&c));
    PetscFunctionReturn(0);
}

/* The same structure in another matrix is bound again; the old one's arrays may go. */
static PetscErrorCode TestReplaced(void)
{
    Mat plain, a, b, other, expected, result;
    PetscBool close;
    PetscInt replan = 0, rebind = 0;
    PetscFunctionBeginUser;
    PetscCall(MakeRandom(ROWS, ROWS, &plain));
    PetscCall(Ours(plain, &a));
    PetscCall(Ours(plain, &b));
    PetscCall(Multiply(MATPRODUCT_AB, a, b, NULL, &result));
    (void)Growth(b, "replan", &replan);
    (void)Growth(b, "rebind", &rebind);
    PetscCall(MatDuplicate(a, MAT_COPY_VALUES, &other));
    PetscCall(MatScale(other, -2));
    PetscCall(MatProductReplaceMats(other, NULL, NULL, result));
    PetscCall(MatDestroy(&a));
    for (int k = 0; k < 2; k++) { /* the second time nothing has changed */
        PetscCall(MatProductNumeric(result));
        PetscCall(MatMatMult(plain, plain, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &expected));
        PetscCall(MatScale(expected, -2));
        PetscCall(Close(expected, result, &close));
        EXPECT(close);
        PetscCall(MatDestroy(&expected));
    }
    EXPECT(Growth(b, "replan", &replan) == 0);
    EXPECT(Growth(b, "rebind", &rebind) == 1);
    PetscCall(MatDestroy(&result));
    PetscCall(MatDestroy(&other));
    PetscCall(MatDestroy(&b));
    PetscCall(MatDestroy(&plain));
    PetscFunctionReturn(0);
}

/* A has a new entry in a row whose product had all columns that it brings. */
static PetscErrorCode TestStructure(void)
{
    const PetscInt n = 3;
    Mat a, b, result;
    PetscScalar value;
    PetscInt replan = 0;
    PetscFunctionBeginUser;
    PetscCall(MatCreate(PETSC_COMM_SELF, &a));
    PetscCall(MatSetSizes(a, n, n, n, n));
    PetscCall(MatSetType(a, "seqaijsparloom"));
    PetscCall(MatSeqAIJSetPreallocation(a, 1, NULL));
    PetscCall(MatSetOption(a, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    for (PetscInt i = 0; i < n; i++)
        PetscCall(MatSetValue(a, i, i, 1, INSERT_VALUES));
    PetscCall(Assemble(a));
    PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, n, NULL, &b));
    for (PetscInt i = 0; i < n; i++)
        PetscCall(MatSetValue(b, i, 0, 1, INSERT_VALUES));
    PetscCall(Assemble(b));
    PetscCall(MatConvert(b, "seqaijsparloom", MAT_INPLACE_MATRIX, &b));
    PetscCall(Multiply(MATPRODUCT_AB, a, b, NULL, &result));
    (void)Growth(a, "replan", &replan);
    PetscCall(MatSetValue(a, 0, 2, 10, INSERT_VALUES));
    PetscCall(Assemble(a));
    PetscCall(MatProductNumeric(result));
    PetscCall(MatGetValue(result, 0, 0, &value));
    EXPECT(value == 11);
    EXPECT(Growth(a, "replan", &replan) == 1);
    PetscCall(MatDestroy(&result));
    PetscCall(MatDestroy(&a));
    PetscCall(MatDestroy(&b));
    PetscFunctionReturn(0);
}

/* One entry a row: i + 1 in the column first + step*i, modulo n. */
static PetscErrorCode MakeSingles(PetscInt n, PetscInt first, PetscInt step, Mat *matrix)
{
    PetscFunctionBeginUser;
    PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 1, NULL, matrix));
    for (PetscInt i = 0; i < n; i++)
        PetscCall(MatSetValue(*matrix, i, (first + step * i) % n, i + 1., INSERT_VALUES));
    PetscCall(Assemble(*matrix));
    PetscCall(MatConvert(*matrix, "seqaijsparloom", MAT_INPLACE_MATRIX, matrix));
    PetscFunctionReturn(0);
}

/* Another structure in the same numbers of entries a row is seen. Every row of B has the column 0
 * alone, so that the product keeps its structure whatever A's is. */
static PetscErrorCode TestOtherColumns(void)
{
    const PetscInt n = 5;
    Mat a, other, b, result;
    PetscInt replan = 0;
    PetscScalar value;
    PetscFunctionBeginUser;
    PetscCall(MakeSingles(n, 0, 1, &a));
    PetscCall(MakeSingles(n, 1, 1, &other));
    PetscCall(MakeSingles(n, 0, 0, &b));
    PetscCall(Multiply(MATPRODUCT_AB, a, b, NULL, &result));
    (void)Growth(a, "replan", &replan);
    PetscCall(MatProductReplaceMats(other, NULL, NULL, result));
    PetscCall(MatProductNumeric(result));
    EXPECT(Growth(a, "replan", &replan) == 1);
    for (PetscInt i = 0; i < n; i++) { /* row i of `other` has the column i + 1 */
        PetscCall(MatGetValue(result, i, 0, &value));
        EXPECT(value == (i + 1) * (1. + (i + 1) % n));
    }
    PetscCall(MatDestroy(&result));
    PetscCall(MatDestroy(&a));
    PetscCall(MatDestroy(&other));
    PetscCall(MatDestroy(&b));
    PetscFunctionReturn(0);
}

/* A product that would need another structure is an error, in place of wrong numbers. */
static PetscErrorCode TestOtherResult(void)
{
    const PetscInt n = 5;
    Mat a, other, result;
    PetscErrorCode status;
    PetscFunctionBeginUser;
    PetscCall(MakeSingles(n, 0, 1, &a));
    PetscCall(MakeSingles(n, 1, 1, &other));
    PetscCall(Multiply(MATPRODUCT_AB, a, a, NULL, &result));
    PetscCall(MatProductReplaceMats(other, NULL, NULL, result));
    PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
    status = MatProductNumeric(result);
    PetscCall(PetscPopErrorHandler());
    EXPECT(status == PETSC_ERR_ARG_WRONGSTATE);
    PetscCall(MatDestroy(&result));
    PetscCall(MatDestroy(&a));
    PetscCall(MatDestroy(&other));
    PetscFunctionReturn(0);
}

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
    PetscCall(MakeRandom(ROWS, ROWS, &a));
    PetscCall(Ours(a, &ours));
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

/* Options with a prefix are for matrices of that prefix alone. */
static PetscErrorCode TestPrefix(void)
{
    Mat a, b, ours, result;
    Vec x, y;
    PetscInt plans = 0, symbolic = 0;
    PetscFunctionBeginUser;
    PetscCall(PetscOptionsSetValue(NULL, "-early_mat_sparloom_plan_after", "2"));
    PetscCall(PetscOptionsSetValue(NULL, "-early_mat_sparloom_products", "never"));
    PetscCall(MakeRandom(ROWS, ROWS, &a));
    PetscCall(MatCreateVecs(a, &x, &y));
    PetscCall(Ours(a, &b));
    for (int early = 0; early < 2; early++) {
        PetscCall(Ours(a, &ours));
        if (early)
            PetscCall(MatSetOptionsPrefix(ours, "early_"));
        (void)Growth(ours, "mult_plan", &plans);
        (void)Growth(ours, "symbolic", &symbolic);
        for (int k = 0; k < 3; k++)
            PetscCall(MatMult(ours, x, y));
        PetscCall(Multiply(MATPRODUCT_AB, ours, b, NULL, &result));
        EXPECT(Growth(ours, "mult_plan", &plans) == early);
        EXPECT(Growth(ours, "symbolic", &symbolic) == !early);
        PetscCall(MatDestroy(&result));
        PetscCall(MatDestroy(&ours));
    }
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(MatDestroy(&a));
    PetscCall(MatDestroy(&b));
    PetscFunctionReturn(0);
}

/* Multiplies a copy of the matrix so often, and destroys it. */
static PetscErrorCode MultiplyCopy(Mat a, int calls, PetscInt *plans)
{
    Mat ours;
    Vec x, y;
    PetscFunctionBeginUser;
    PetscCall(Ours(a, &ours));
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
    PetscCall(MakeSingles(n, 0, 1, &a));
    PetscCall(MakeSingles(n + 1, 0, 1, &b));
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
    PetscCall(MakeSingles(n, 1, 1, &ours));
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
    PetscCall(MakeSingles(n, 0, step, &a));
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
    PetscCall(MakeRandom(ROWS, ROWS, &a));
    PetscCall(Ours(a, &ours));
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
    PetscCall(MakeRandom(ROWS, ROWS, &a));
    PetscCall(MatCreateVecs(a, &x, &y));
    PetscCall(Ours(a, &ours));
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

static PetscErrorCode TestColumns(MatProductType type, Mat a, Mat ours, PetscInt columns)
{
    Mat dense;
    PetscFunctionBeginUser;
    PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, ROWS, columns, NULL, &dense));
    PetscCall(CheckDense(type, a, ours, dense, 20));
    PetscCall(MatDestroy(&dense));
    PetscFunctionReturn(0);
}

static PetscErrorCode TestDense(MatProductType type)
{
    Mat a, ours;
    PetscFunctionBeginUser;
    PetscCall(MakeRandom(ROWS, ROWS, &a));
    PetscCall(Ours(a, &ours));
    PetscCall(TestColumns(type, a, ours, 7));
    PetscCall(TestColumns(type, a, ours, 12)); /* a plan of its own */
    PetscCall(MatDestroy(&a));
    PetscCall(MatDestroy(&ours));
    PetscFunctionReturn(0);
}

/* There and back; the copy that went back is PETSc's alone. */
static PetscErrorCode TestConversion(void)
{
    Mat a, ours, back, dense;
    PetscBool same;
    PetscReal size;
    PetscFunctionBeginUser;
    PetscCall(MakeRandom(ROWS, ROWS, &a));
    PetscCall(Ours(a, &ours));
    PetscCall(PetscObjectTypeCompare((PetscObject)ours, "seqaijsparloom", &same));
    EXPECT(same);
    PetscCall(CheckBack(a, ours, MATSEQAIJ, &back));
    PetscCall(MatConvert(ours, MATSEQDENSE, MAT_INITIAL_MATRIX, &dense));
    PetscCall(MatAXPY(dense, -1, a, DIFFERENT_NONZERO_PATTERN));
    PetscCall(MatNorm(dense, NORM_FROBENIUS, &size));
    EXPECT(size == 0);
    PetscCall(MatDestroy(&dense));
    PetscCall(MatDestroy(&a));
    PetscCall(MatDestroy(&ours));
    PetscCall(MatDestroy(&back));
    PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
    PetscBool device;
    PetscFunctionBeginUser;
    PetscCall(Start(&argc, &argv));
    PetscCall(PetscOptionsHasName(NULL, NULL, "-mat_sparloom_device", &device));
    PetscCall(PetscOptionsSetValue(NULL, "-two_mat_sparloom_method", "spgemm/numeric/cpu/hash"));
    for (int type = MATPRODUCT_AB; type <= MATPRODUCT_ABC; type++) {
        PetscCall(TestProduct((MatProductType)type, NULL));
        if (!device) /* a method of the CPU is forced */
            PetscCall(TestProduct((MatProductType)type, "two_"));
    }
    PetscCall(TestReplaced());
    PetscCall(TestStructure());
    PetscCall(TestOtherColumns());
    PetscCall(TestOtherResult());
    for (int operation = 0; operation < 5; operation++)
        PetscCall(TestMult(operation, PETSC_FALSE));
    PetscCall(TestMult(2, PETSC_TRUE));
    PetscCall(TestMult(3, PETSC_TRUE));
    PetscCall(TestDense(MATPRODUCT_AB));
    PetscCall(TestDense(MATPRODUCT_AtB));
    PetscCall(TestPrefix());
    PetscCall(TestTransposed());
    PetscCall(TestRemembered());
    PetscCall(TestShortEpochs());
    if (!device) {
        PetscCall(TestInPlace());
        PetscCall(TestWaits());
        PetscCall(TestStaysInPlace());
    }
    PetscCall(TestConversion());
    return Finish();
}
