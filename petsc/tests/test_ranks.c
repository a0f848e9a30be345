/* SPDX-License-Identifier: Apache-2.0 */
/* test_ranks.c: matrices over MPI against PETSc's own, and which algorithm multiplies them.
 *
 *   mpirun -n 2 ./test_ranks -dll_append ./libsparloom_petsc.so -mat_sparloom_plan_after 4 */
#include "support.h"

enum { NODES = 60, COARSE = 20, NEIGHBOURS = 4, MULTS = 12 };

/* `nodes` nodes of a rank, a block of rows x cols each; columns belong to `coarse` nodes a rank.
 * Blocks are full, so that rows of a node have equal columns. */
static PetscErrorCode MakeBlocksOf(MatType type, PetscInt nodes, PetscInt rows, PetscInt coarse,
                                   PetscInt cols, Mat *matrix)
{
    PetscInt first, last, all;
    PetscScalar values[36];
    double drawn = 0;
    PetscFunctionBeginUser;
    PetscCall(MatCreate(PETSC_COMM_WORLD, matrix));
    PetscCall(MatSetSizes(*matrix, nodes * rows, coarse * cols, PETSC_DETERMINE, PETSC_DETERMINE));
    PetscCall(MatSetType(*matrix, type));
    PetscCall(MatSetBlockSizes(*matrix, rows, cols));
    PetscCall(MatMPIAIJSetPreallocation(*matrix, NEIGHBOURS * cols, NULL, NEIGHBOURS * cols, NULL));
    PetscCall(MatGetOwnershipRange(*matrix, &first, &last));
    PetscCall(MatGetSize(*matrix, NULL, &all));
    for (PetscInt node = first / rows; node < last / rows; node++)
        for (int k = 0; k < NEIGHBOURS; k++) {
            PetscInt column;
            PetscCall(Random(&drawn));
            column = (PetscInt)(drawn * (double)(all / cols)) % (all / cols);
            for (PetscInt v = 0; v < rows * cols; v++) {
                PetscCall(Random(&drawn));
                values[v] = drawn - 0.5;
            }
            PetscCall(MatSetValuesBlocked(*matrix, 1, &node, 1, &column, values, INSERT_VALUES));
        }
    PetscCall(Assemble(*matrix));
    PetscFunctionReturn(0);
}

static PetscErrorCode MakeBlocks(PetscInt nodes, PetscInt rows, PetscInt coarse, PetscInt cols,
                                 Mat *matrix)
{
    return MakeBlocksOf(MATMPIAIJ, nodes, rows, coarse, cols, matrix);
}

static PetscErrorCode Ours(Mat matrix, Mat *ours)
{
    PetscFunctionBeginUser;
    PetscCall(MatConvert(matrix, "mpiaijsparloom", MAT_INITIAL_MATRIX, ours));
    PetscFunctionReturn(0);
}

/* The block sizes by which GAMG coarsens. */
static PetscErrorCode SameBlockSizes(Mat a, Mat b, PetscBool *same)
{
    PetscInt sizes[4];
    Mat diagonal;
    PetscFunctionBeginUser;
    PetscCall(MatGetBlockSizes(a, &sizes[0], &sizes[1]));
    PetscCall(MatGetBlockSizes(b, &sizes[2], &sizes[3]));
    *same = (PetscBool)(sizes[0] == sizes[2] && sizes[1] == sizes[3]);
    PetscCall(MatMPIAIJGetSeqAIJ(b, &diagonal, NULL, NULL));
    PetscCall(MatGetBlockSizes(diagonal, &sizes[2], &sizes[3]));
    *same = (PetscBool)(*same && sizes[0] == sizes[2] && sizes[1] == sizes[3]);
    PetscFunctionReturn(0);
}

/* backend: that algorithm is expected, and its sequential products by ours. P'AP is ours by
 * default, and AB, where B is narrow. */
static PetscErrorCode TestProduct(MatProductType type, const char *algorithm, PetscInt size,
                                  PetscInt coarse, PetscBool backend)
{
    Mat a, p, ours[2], expected, result;
    PetscBool close = PETSC_FALSE, same = PETSC_FALSE;
    PetscInt before = 0, pairs = 0, numeric = 0, replan = 0;
    PetscFunctionBeginUser;
    PetscCall(MakeBlocks(NODES, size, type == MATPRODUCT_AtB ? COARSE : NODES,
                         type == MATPRODUCT_AtB ? coarse : size, &a));
    PetscCall(MakeBlocks(NODES, size, COARSE, coarse, &p));
    PetscCall(Ours(a, &ours[0]));
    PetscCall(Ours(p, &ours[1]));
    (void)Growth(ours[0], "backend", &before);
    (void)Growth(ours[0], "mpi_pair", &pairs);
    (void)Growth(ours[0], "numeric", &numeric);
    (void)Growth(ours[0], "replan", &replan);
    PetscCall(MultiplyVia(NULL, type, a, p, &expected));
    PetscCall(MultiplyVia(algorithm, type, ours[0], ours[1], &result));
    EXPECT((Growth(ours[0], "backend", &before) == 1) == backend);
    EXPECT((Growth(ours[0], "mpi_pair", &pairs) == 1) == (type == MATPRODUCT_AB && !algorithm));
    PetscCall(SameBlockSizes(expected, result, &same));
    EXPECT(same);
    for (int k = 0; k < 3; k++) { /* as they are, then new values of each factor */
        if (k) {
            PetscCall(MatScale(k == 1 ? a : p, 3));
            PetscCall(MatScale(ours[k - 1], 3));
            PetscCall(MatProductNumeric(expected));
            PetscCall(MatProductNumeric(result));
        }
        PetscCall(Close(expected, result, &close));
        EXPECT(close);
        EXPECT(Growth(ours[0], "numeric", &numeric) > 0 || !backend);
    }
    EXPECT(Growth(ours[0], "replan", &replan) == 0);
    PetscCall(MatDestroy(&expected));
    PetscCall(MatDestroy(&result));
    for (int k = 0; k < 2; k++)
        PetscCall(MatDestroy(&ours[k]));
    PetscCall(MatDestroy(&a));
    PetscCall(MatDestroy(&p));
    PetscFunctionReturn(0);
}

static PetscErrorCode MakeDiagonal(PetscInt rows, Mat *matrix)
{
    PetscInt first, last;
    PetscFunctionBeginUser;
    PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, rows, rows, PETSC_DETERMINE, PETSC_DETERMINE, 1, NULL,
                           0, NULL, matrix));
    PetscCall(MatGetOwnershipRange(*matrix, &first, &last));
    for (PetscInt i = first; i < last; i++)
        PetscCall(MatSetValue(*matrix, i, i, 2, INSERT_VALUES));
    PetscCall(Assemble(*matrix));
    PetscFunctionReturn(0);
}

/* AB of square matrices is ours where A has nodes, or rows of B single entries. */
static PetscErrorCode TestSquare(PetscInt size, PetscBool diagonal)
{
    Mat a, b, ours[2], expected, result;
    PetscBool close = PETSC_FALSE;
    PetscInt pairs = 0;
    PetscFunctionBeginUser;
    PetscCall(MakeBlocks(NODES, size, NODES, size, &a));
    if (diagonal)
        PetscCall(MakeDiagonal(NODES * size, &b));
    else
        PetscCall(MatDuplicate(a, MAT_COPY_VALUES, &b));
    PetscCall(Ours(a, &ours[0]));
    PetscCall(Ours(b, &ours[1]));
    (void)Growth(ours[0], "mpi_pair", &pairs);
    PetscCall(Multiply(MATPRODUCT_AB, a, b, NULL, &expected));
    PetscCall(Multiply(MATPRODUCT_AB, ours[0], ours[1], NULL, &result));
    EXPECT((Growth(ours[0], "mpi_pair", &pairs) == 1) == (size > 1 || diagonal));
    PetscCall(Close(expected, result, &close));
    EXPECT(close);
    PetscCall(MatDestroy(&expected));
    PetscCall(MatDestroy(&result));
    for (int k = 0; k < 2; k++)
        PetscCall(MatDestroy(&ours[k]));
    PetscCall(MatDestroy(&a));
    PetscCall(MatDestroy(&b));
    PetscFunctionReturn(0);
}

/* Multiplications of a matrix by plans, in both blocks of the rank. */
static PetscErrorCode TestMult(Mat a, Mat ours)
{
    Vec x, y, expected;
    PetscReal error;
    PetscInt mults = 0, petsc = 0;
    PetscFunctionBeginUser;
    PetscCall(MatCreateVecs(a, &x, &y));
    PetscCall(VecDuplicate(y, &expected));
    PetscCall(VecSetRandom(x, numbers));
    (void)Growth(ours, "mult", &mults);
    (void)Growth(ours, "mult_petsc", &petsc);
    for (int k = 0; k < MULTS; k++) {
        if (k == MULTS - 2) {
            PetscCall(MatScale(a, 3));
            PetscCall(MatScale(ours, 3));
        }
        PetscCall(MatMult(a, x, expected));
        PetscCall(MatMult(ours, x, y));
        PetscCall(VecAXPY(y, -1, expected));
        PetscCall(VecNorm(y, NORM_INFINITY, &error));
        EXPECT(error < 1e-12);
    }
    EXPECT(Growth(ours, "mult_petsc", &petsc) == 2 * 4);
    EXPECT(Growth(ours, "mult", &mults) == 2 * (MULTS - 4));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(VecDestroy(&expected));
    PetscFunctionReturn(0);
}

/* Columns that are new to the off-diagonal block: PETSc makes it anew. */
static PetscErrorCode FillFirstRow(Mat matrix)
{
    PetscInt first, all;
    PetscFunctionBeginUser;
    PetscCall(MatSetOption(matrix, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscCall(MatGetOwnershipRange(matrix, &first, NULL));
    PetscCall(MatGetSize(matrix, NULL, &all));
    for (PetscInt column = 0; column < all; column++)
        PetscCall(MatSetValue(matrix, first, column, 0.5, INSERT_VALUES));
    PetscCall(Assemble(matrix));
    PetscFunctionReturn(0);
}

/* The blocks are taken over in matrices that are converted, copied or assembled. */
static PetscErrorCode TestMults(void)
{
    Mat a, ours, copy;
    PetscFunctionBeginUser;
    PetscCall(MakeBlocks(NODES, 3, NODES, 3, &a));
    PetscCall(Ours(a, &ours));
    PetscCall(TestMult(a, ours));
    PetscCall(MatDuplicate(ours, MAT_COPY_VALUES, &copy));
    PetscCall(TestMult(a, copy));
    PetscCall(MatDestroy(&copy));
    PetscCall(MatDestroy(&a));
    PetscCall(MatDestroy(&ours));
    PetscCall(MakeBlocksOf("aijsparloom", NODES, 3, NODES, 3, &ours));
    PetscCall(FillFirstRow(ours));
    PetscCall(MatConvert(ours, MATMPIAIJ, MAT_INITIAL_MATRIX, &a));
    PetscCall(MatDuplicate(a, MAT_COPY_VALUES, &copy)); /* MatConvert leaves the blocks ours */
    PetscCall(TestMult(copy, ours));
    PetscCall(MatDestroy(&copy));
    PetscCall(MatDestroy(&a));
    PetscCall(MatDestroy(&ours));
    PetscFunctionReturn(0);
}

/* With a dense matrix: found under the base type's name. */
static PetscErrorCode TestDense(void)
{
    Mat a, ours, dense;
    PetscInt rows;
    PetscFunctionBeginUser;
    PetscCall(MakeBlocks(NODES, 3, NODES, 3, &a));
    PetscCall(Ours(a, &ours));
    PetscCall(MatGetLocalSize(a, NULL, &rows));
    PetscCall(
        MatCreateDense(PETSC_COMM_WORLD, rows, PETSC_DECIDE, PETSC_DETERMINE, 7, NULL, &dense));
    PetscCall(CheckDense(MATPRODUCT_AB, a, ours, dense, MULTS));
    PetscCall(MatDestroy(&a));
    PetscCall(MatDestroy(&ours));
    PetscCall(MatDestroy(&dense));
    PetscFunctionReturn(0);
}

/* A prefix of the matrix is meant for its blocks, too. */
static PetscErrorCode TestPrefix(void)
{
    Mat a, ours, product;
    Vec x, y;
    PetscInt petsc = 0, backend = 0;
    PetscFunctionBeginUser;
    PetscCall(PetscOptionsSetValue(NULL, "-early_mat_sparloom_plan_after", "2"));
    PetscCall(PetscOptionsSetValue(NULL, "-early_mat_sparloom_backend", "always"));
    PetscCall(MakeBlocks(NODES, 3, NODES, 3, &a));
    PetscCall(Ours(a, &ours));
    PetscCall(MatSetOptionsPrefix(ours, "early_"));
    PetscCall(Assemble(ours));
    PetscCall(MatCreateVecs(ours, &x, &y));
    (void)Growth(ours, "mult_petsc", &petsc);
    (void)Growth(ours, "backend", &backend);
    for (int k = 0; k < MULTS; k++)
        PetscCall(MatMult(ours, x, y));
    PetscCall(Multiply(MATPRODUCT_AB, ours, ours, NULL, &product));
    EXPECT(Growth(ours, "mult_petsc", &petsc) == 2 * 2);
    EXPECT(Growth(ours, "backend", &backend) == 1);
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(MatDestroy(&product));
    PetscCall(MatDestroy(&a));
    PetscCall(MatDestroy(&ours));
    PetscFunctionReturn(0);
}

/* Back: PETSc's alone, which multiplies products by its own default. */
static PetscErrorCode TestConversion(void)
{
    Mat a, ours, back, product;
    PetscInt before = 0;
    PetscFunctionBeginUser;
    PetscCall(MakeBlocks(NODES, 3, NODES, 3, &a));
    PetscCall(Ours(a, &ours));
    PetscCall(CheckBack(a, ours, MATMPIAIJ, &back));
    (void)Growth(ours, "mpi_pair", &before);
    PetscCall(Multiply(MATPRODUCT_AB, back, back, NULL, &product));
    EXPECT(Growth(ours, "mpi_pair", &before) == 0);
    PetscCall(MatDestroy(&product));
    PetscCall(MatDestroy(&a));
    PetscCall(MatDestroy(&ours));
    PetscCall(MatDestroy(&back));
    PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
    PetscFunctionBeginUser;
    PetscCall(Start(&argc, &argv));
    for (int k = 0; k < 3; k++) {
        static const MatProductType types[3] = {MATPRODUCT_AB, MATPRODUCT_AtB, MATPRODUCT_PtAP};
        PetscCall(TestProduct(types[k], NULL, 3, 6, (PetscBool)(types[k] == MATPRODUCT_AtB)));
        PetscCall(TestProduct(types[k], NULL, 1, 1, PETSC_FALSE)); /* no nodes */
        PetscCall(TestProduct(types[k], "backend", 1, 1, PETSC_TRUE));
        PetscCall(TestProduct(types[k], "nonscalable", 3, 6, PETSC_FALSE));
    }
    PetscCall(TestSquare(1, PETSC_FALSE));
    PetscCall(TestSquare(1, PETSC_TRUE));
    PetscCall(TestSquare(3, PETSC_FALSE));
    PetscCall(TestMults());
    PetscCall(TestDense());
    PetscCall(TestPrefix());
    PetscCall(TestConversion());
    return Finish();
}
