/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

PetscRandom numbers;
PetscInt failures;

void Expect(PetscBool holds, const char *function, int line, const char *what)
{
    if (holds)
        return;
    failures++;
    PetscCallVoid(PetscPrintf(PETSC_COMM_SELF, "FAIL %s:%d: %s\n", function, line, what));
}

PetscErrorCode Start(int *argc, char ***argv)
{
    PetscMPIInt rank;
    PetscFunctionBeginUser;
    PetscCall(PetscInitialize(argc, argv, NULL, NULL));
    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &numbers));
    PetscCall(PetscRandomSetFromOptions(numbers));
    PetscCall(PetscRandomSetSeed(numbers, 20261127 + (unsigned long)rank));
    PetscCall(PetscRandomSeed(numbers));
    PetscFunctionReturn(0);
}

int Finish(void)
{
    PetscInt all = 0;
    PetscFunctionBeginUser;
    PetscCall(PetscRandomDestroy(&numbers));
    PetscCallMPI(MPI_Allreduce(&failures, &all, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d failures\n", (int)all));
    PetscCall(PetscFinalize());
    PetscFunctionReturn(all > 0);
}

static PetscErrorCode Tally(Mat matrix, const char *name, PetscInt *count)
{
    PetscErrorCode (*get)(Mat, const char *, PetscInt *);
    PetscFunctionBeginUser;
    PetscCall(PetscObjectQueryFunction((PetscObject)matrix, "MatSparloomGetTally_C", &get));
    PetscCheck(get, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "The matrix is not Sparloom's");
    PetscCall((*get)(matrix, name, count));
    PetscFunctionReturn(0);
}

PetscInt Growth(Mat matrix, const char *name, PetscInt *before)
{
    PetscInt now = -1, grown;
    PetscCallAbort(PETSC_COMM_SELF, Tally(matrix, name, &now));
    grown = now - *before;
    *before = now;
    return grown;
}

PetscErrorCode Random(double *number)
{
    PetscScalar drawn;
    PetscFunctionBeginUser;
    PetscCall(PetscRandomGetValue(numbers, &drawn));
    *number = PetscRealPart(drawn);
    PetscFunctionReturn(0);
}

PetscErrorCode Close(Mat a, Mat b, PetscBool *close)
{
    Mat difference;
    PetscReal error, size;
    PetscFunctionBeginUser;
    PetscCall(MatDuplicate(a, MAT_COPY_VALUES, &difference));
    PetscCall(MatAXPY(difference, -1, b, DIFFERENT_NONZERO_PATTERN));
    PetscCall(MatNorm(difference, NORM_FROBENIUS, &error));
    PetscCall(MatNorm(a, NORM_FROBENIUS, &size));
    PetscCall(MatDestroy(&difference));
    *close = (PetscBool)(size > 0 && error <= 1e-13 * size);
    PetscFunctionReturn(0);
}

PetscErrorCode MultiplyVia(const char *algorithm, MatProductType type, Mat a, Mat b, Mat *result)
{
    PetscFunctionBeginUser;
    PetscCall(MatProductCreate(a, b, NULL, result));
    PetscCall(MatProductSetType(*result, type));
    if (algorithm)
        PetscCall(MatProductSetAlgorithm(*result, algorithm));
    PetscCall(MatProductSetFromOptions(*result));
    PetscCall(MatProductSymbolic(*result));
    PetscCall(MatProductNumeric(*result));
    PetscFunctionReturn(0);
}

PetscErrorCode Multiply(MatProductType type, Mat a, Mat b, Mat c, Mat *result)
{
    PetscFunctionBeginUser;
    PetscCall(MatProductCreate(a, b, c, result));
    PetscCall(MatProductSetType(*result, type));
    PetscCall(MatProductSetFromOptions(*result));
    PetscCall(MatProductSymbolic(*result));
    PetscCall(MatProductNumeric(*result));
    PetscFunctionReturn(0);
}

PetscErrorCode Assemble(Mat matrix)
{
    PetscFunctionBeginUser;
    PetscCall(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

PetscErrorCode CheckDense(MatProductType type, Mat a, Mat ours, Mat dense, int repeats)
{
    Mat expected, result;
    PetscReal error;
    PetscInt calls = 0;
    PetscFunctionBeginUser;
    PetscCall(MatSetRandom(dense, numbers));
    PetscCall(Multiply(type, a, dense, NULL, &expected));
    PetscCall(Multiply(type, ours, dense, NULL, &result));
    (void)Growth(ours, "dense", &calls);
    for (int k = 0; k < repeats; k++)
        PetscCall(MatProductNumeric(result));
    EXPECT(Growth(ours, "dense", &calls) > 0);
    PetscCall(MatAXPY(result, -1, expected, SAME_NONZERO_PATTERN));
    PetscCall(MatNorm(result, NORM_FROBENIUS, &error));
    EXPECT(error < 1e-12);
    PetscCall(MatDestroy(&expected));
    PetscCall(MatDestroy(&result));
    PetscFunctionReturn(0);
}

PetscErrorCode CheckBack(Mat a, Mat ours, MatType type, Mat *back)
{
    PetscBool same = PETSC_FALSE;
    PetscErrorCode (*get)(Mat, const char *, PetscInt *);
    PetscFunctionBeginUser;
    PetscCall(MatConvert(ours, type, MAT_INITIAL_MATRIX, back));
    PetscCall(PetscObjectTypeCompare((PetscObject)*back, type, &same));
    EXPECT(same);
    PetscCall(MatEqual(a, *back, &same));
    EXPECT(same);
    PetscCall(PetscObjectQueryFunction((PetscObject)*back, "MatSparloomGetTally_C", &get));
    EXPECT(!get);
    PetscFunctionReturn(0);
}

PetscErrorCode MakeSeqRandom(PetscInt rows, PetscInt cols, Mat *matrix)
{
    enum { LONGEST = 9 };
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

PetscErrorCode MakeSeqSingles(PetscInt n, PetscInt first, PetscInt step, Mat *matrix)
{
    PetscFunctionBeginUser;
    PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 1, NULL, matrix));
    for (PetscInt i = 0; i < n; i++)
        PetscCall(MatSetValue(*matrix, i, (first + step * i) % n, i + 1., INSERT_VALUES));
    PetscCall(Assemble(*matrix));
    PetscCall(MatConvert(*matrix, "seqaijsparloom", MAT_INPLACE_MATRIX, matrix));
    PetscFunctionReturn(0);
}

PetscErrorCode ConvertSeq(Mat matrix, Mat *ours)
{
    PetscFunctionBeginUser;
    PetscCall(MatConvert(matrix, "seqaijsparloom", MAT_INITIAL_MATRIX, ours));
    PetscFunctionReturn(0);
}
