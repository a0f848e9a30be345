/* SPDX-License-Identifier: Apache-2.0 */
/* test_plans.c: products of matrices against PETSc's own types, and what is planned anew and what
 * is not.
 *
 *   ./test_plans -dll_append ./libsparloom_petsc.so -mat_sparloom_plan_after 16
 *
 * Matrices are random. What a change of values or structure costs is read from the plug-in's
 * counts. */
#include "support.h"

enum { ROWS = 211 };

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
    PetscCall(MakeSeqRandom(ROWS, ROWS, &a));
    PetscCall(MakeSeqRandom(ROWS, ROWS, &b));
    PetscCall(MakeSeqRandom(ROWS, ROWS, &c));
    PetscCall(ConvertSeq(a, &ours[0]));
    PetscCall(ConvertSeq(b, &ours[1]));
    PetscCall(ConvertSeq(c, &ours[2]));
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
    PetscCall(MakeSeqRandom(ROWS, ROWS, &plain));
    PetscCall(ConvertSeq(plain, &a));
    PetscCall(ConvertSeq(plain, &b));
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

/* Another structure in the same numbers of entries a row is seen. Every row of B has the column 0
 * alone, so that the product keeps its structure whatever A's is. */
static PetscErrorCode TestOtherColumns(void)
{
    const PetscInt n = 5;
    Mat a, other, b, result;
    PetscInt replan = 0;
    PetscScalar value;
    PetscFunctionBeginUser;
    PetscCall(MakeSeqSingles(n, 0, 1, &a));
    PetscCall(MakeSeqSingles(n, 1, 1, &other));
    PetscCall(MakeSeqSingles(n, 0, 0, &b));
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
    PetscCall(MakeSeqSingles(n, 0, 1, &a));
    PetscCall(MakeSeqSingles(n, 1, 1, &other));
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

/* Options with a prefix are for matrices of that prefix alone. */
static PetscErrorCode TestPrefix(void)
{
    Mat a, b, ours, result;
    Vec x, y;
    PetscInt plans = 0, symbolic = 0;
    PetscFunctionBeginUser;
    PetscCall(PetscOptionsSetValue(NULL, "-early_mat_sparloom_plan_after", "2"));
    PetscCall(PetscOptionsSetValue(NULL, "-early_mat_sparloom_products", "never"));
    PetscCall(MakeSeqRandom(ROWS, ROWS, &a));
    PetscCall(MatCreateVecs(a, &x, &y));
    PetscCall(ConvertSeq(a, &b));
    for (int early = 0; early < 2; early++) {
        PetscCall(ConvertSeq(a, &ours));
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
    PetscCall(MakeSeqRandom(ROWS, ROWS, &a));
    PetscCall(ConvertSeq(a, &ours));
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
    PetscCall(MakeSeqRandom(ROWS, ROWS, &a));
    PetscCall(ConvertSeq(a, &ours));
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
    PetscCall(TestDense(MATPRODUCT_AB));
    PetscCall(TestDense(MATPRODUCT_AtB));
    PetscCall(TestPrefix());
    PetscCall(TestConversion());
    return Finish();
}
