/* SPDX-License-Identifier: Apache-2.0 */
/* test_mpi_triple.c: P'*A*P and A*P over MPI by plans of ours against PETSc's own, element by
 * element.
 *
 *   mpirun -n 3 ./test_mpi_triple -dll_append ./libsparloom_petsc.so [-seed N]
 *
 * With -expect_failure a rank has too small a budget for it, with -expect_no_room too little
 * memory: all get the error, and go on. */
#include "support.h"

/* A problem's shape on each rank; random ones have ranks without rows or columns. */
typedef struct {
    PetscInt nodes, coarse; /* of this rank */
    PetscInt fine_size, coarse_size;
    PetscInt most; /* blocks in a row of A; few: other ranks' rows have columns that are new here */
    PetscInt most_of_p; /* 0: as usual */
} Shape;

static PetscErrorCode Draw(PetscInt below, PetscInt *drawn)
{
    double number;
    PetscFunctionBeginUser;
    PetscCall(Random(&number));
    *drawn = PetscMin((PetscInt)(number * (double)below), below - 1);
    PetscFunctionReturn(0);
}

/* Full blocks at random places, some rows without any. */
static PetscErrorCode FillBlocks(Mat matrix, PetscInt rows, PetscInt cols, PetscInt most)
{
    PetscInt first, last, all, blocks = 0, column = 0;
    PetscScalar values[36];
    PetscFunctionBeginUser;
    PetscCall(MatGetOwnershipRange(matrix, &first, &last));
    PetscCall(MatGetSize(matrix, NULL, &all));
    for (PetscInt node = first / rows; node < last / rows && all; node++) {
        PetscCall(Draw(most + 1, &blocks));
        for (PetscInt k = 0; k < blocks; k++) {
            PetscCall(Draw(all / cols, &column));
            for (PetscInt v = 0; v < rows * cols; v++) {
                PetscCall(Random(&values[v]));
                values[v] -= 0.5;
            }
            PetscCall(MatSetValuesBlocked(matrix, 1, &node, 1, &column, values, INSERT_VALUES));
        }
    }
    PetscCall(Assemble(matrix));
    PetscFunctionReturn(0);
}

static PetscErrorCode MakeMatrix(PetscInt nodes, PetscInt rows, PetscInt coarse, PetscInt cols,
                                 PetscInt most, Mat *matrix)
{
    PetscFunctionBeginUser;
    PetscCall(MatCreate(PETSC_COMM_WORLD, matrix));
    PetscCall(MatSetSizes(*matrix, nodes * rows, coarse * cols, PETSC_DETERMINE, PETSC_DETERMINE));
    PetscCall(MatSetType(*matrix, MATMPIAIJ));
    PetscCall(MatSetBlockSizes(*matrix, rows, cols));
    PetscCall(MatMPIAIJSetPreallocation(*matrix, most * cols, NULL, most * cols, NULL));
    PetscCall(FillBlocks(*matrix, rows, cols, most));
    PetscFunctionReturn(0);
}

static PetscErrorCode MakeFactors(const Shape *s, Mat *factors)
{
    PetscFunctionBeginUser;
    PetscCall(MakeMatrix(s->nodes, s->fine_size, s->nodes, s->fine_size, s->most, &factors[0]));
    PetscCall(MakeMatrix(s->nodes, s->fine_size, s->coarse, s->coarse_size,
                         s->most_of_p ? s->most_of_p : 5, &factors[1]));
    PetscFunctionReturn(0);
}

static PetscErrorCode DestroyAll(Mat *matrices, int count)
{
    PetscFunctionBeginUser;
    for (int k = 0; k < count; k++)
        PetscCall(MatDestroy(&matrices[k]));
    PetscFunctionReturn(0);
}

/* ---- comparison ---- */

static PetscErrorCode Absolute(Mat matrix, Mat *absolute)
{
    Mat blocks[2];
    PetscScalar *values;
    MatInfo info;
    PetscFunctionBeginUser;
    PetscCall(MatDuplicate(matrix, MAT_COPY_VALUES, absolute));
    PetscCall(MatMPIAIJGetSeqAIJ(*absolute, &blocks[0], &blocks[1], NULL));
    for (int k = 0; k < 2; k++) {
        PetscCall(MatGetInfo(blocks[k], MAT_LOCAL, &info));
        PetscCall(MatSeqAIJGetArray(blocks[k], &values));
        for (PetscInt p = 0; p < (PetscInt)info.nz_used; p++)
            values[p] = PetscAbsScalar(values[p]);
        PetscCall(MatSeqAIJRestoreArray(blocks[k], &values));
    }
    PetscCall(Assemble(*absolute));
    PetscFunctionReturn(0);
}

/* The product that is tested, and what counts it. */
static MatProductType tested = MATPRODUCT_PtAP;
static const char *counter = "mpi_triple";

/* Sums of |P|'*|A|*|P| or |A|*|P|, of which results may be off by rounding. */
static PetscErrorCode MakeBound(Mat *factors, Mat *bound)
{
    Mat absolute[2];
    PetscFunctionBeginUser;
    for (int k = 0; k < 2; k++)
        PetscCall(Absolute(factors[k], &absolute[k]));
    PetscCall(Multiply(tested, absolute[0], absolute[1], NULL, bound));
    PetscCall(DestroyAll(absolute, 2));
    PetscFunctionReturn(0);
}

static PetscErrorCode CompareRow(PetscInt row, Mat *three)
{
    enum { TERMS = 60 }; /* of a sum, about: 2*gamma_n is twice n rounding errors */
    const PetscReal gamma = 2 * TERMS * PETSC_MACHINE_EPSILON;
    const PetscInt *columns[3];
    const PetscScalar *values[3];
    PetscInt lengths[3];
    PetscFunctionBeginUser;
    for (int k = 0; k < 3; k++)
        PetscCall(MatGetRow(three[k], row, &lengths[k], &columns[k], &values[k]));
    EXPECT(lengths[0] == lengths[1]);
    for (PetscInt p = 0; p < PetscMin(lengths[0], lengths[1]); p++) {
        EXPECT(columns[0][p] == columns[1][p]);
        EXPECT(PetscAbsScalar(values[0][p] - values[1][p]) <= gamma * values[2][p]);
    }
    for (int k = 0; k < 3; k++)
        PetscCall(MatRestoreRow(three[k], row, &lengths[k], &columns[k], &values[k]));
    PetscFunctionReturn(0);
}

/* PETSc's product, computed anew, against ours: structure, values and block sizes. */
static PetscErrorCode CheckProduct(Mat *factors, Mat result)
{
    Mat three[3];
    PetscInt first, last, sizes[2];
    PetscFunctionBeginUser;
    PetscCall(Multiply(tested, factors[0], factors[1], NULL, &three[0]));
    three[1] = result;
    PetscCall(MakeBound(factors, &three[2]));
    PetscCall(MatGetOwnershipRange(result, &first, &last));
    for (PetscInt row = first; row < last; row++)
        PetscCall(CompareRow(row, three));
    for (int k = 0; k < 2; k++)
        PetscCall(MatGetBlockSize(three[k], &sizes[k]));
    EXPECT(sizes[0] == sizes[1]);
    PetscCall(MatDestroy(&three[0]));
    PetscCall(MatDestroy(&three[2]));
    PetscFunctionReturn(0);
}

/* ---- what happens to a product ---- */

static PetscErrorCode Convert(Mat *factors, Mat *ours)
{
    PetscFunctionBeginUser;
    for (int k = 0; k < 2; k++)
        PetscCall(MatConvert(factors[k], "mpiaijsparloom", MAT_INITIAL_MATRIX, &ours[k]));
    PetscFunctionReturn(0);
}

/* New values of one factor, on one rank only: others must learn of them. */
static PetscErrorCode Change(Mat *factors, Mat *ours, int which)
{
    PetscMPIInt rank, ranks;
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
    for (int side = 0; side < 2; side++) {
        Mat blocks[2], matrix = side ? ours[which] : factors[which];
        PetscCall(MatMPIAIJGetSeqAIJ(matrix, &blocks[0], &blocks[1], NULL));
        for (int k = 0; k < 2 && rank == ranks - 1; k++)
            PetscCall(MatScale(blocks[k], 3));
        PetscCall(Assemble(matrix));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode TestValues(Mat *factors, Mat *ours, Mat result)
{
    Mat before;
    PetscInt numeric = 0, update = 0, replan = 0;
    PetscBool same = PETSC_FALSE;
    PetscFunctionBeginUser;
    (void)Growth(ours[0], "numeric", &numeric);
    (void)Growth(ours[0], "update", &update);
    (void)Growth(ours[0], "replan", &replan);
    PetscCall(MatDuplicate(result, MAT_COPY_VALUES, &before));
    PetscCall(MatProductNumeric(result));
    PetscCall(MatEqual(before, result, &same));
    EXPECT(same);
    EXPECT(Growth(ours[0], "update", &update) == 0);
    for (int which = 0; which < 2; which++) {
        PetscCall(Change(factors, ours, which));
        PetscCall(MatProductNumeric(result));
        PetscCall(CheckProduct(factors, result));
    }
    EXPECT(Growth(ours[0], "numeric", &numeric) == 3);
    EXPECT(Growth(ours[0], "replan", &replan) == 0);
    PetscCall(MatDestroy(&before));
    PetscFunctionReturn(0);
}

/* The same structure elsewhere is bound again. */
static PetscErrorCode TestReplaced(Mat *factors, Mat *ours, Mat result)
{
    Mat others[2];
    PetscInt rebind = 0, replan = 0;
    PetscFunctionBeginUser;
    (void)Growth(ours[0], "rebind", &rebind);
    (void)Growth(ours[0], "replan", &replan);
    for (int k = 0; k < 2; k++)
        PetscCall(MatDuplicate(ours[k], MAT_COPY_VALUES, &others[k]));
    PetscCall(Change(factors, others, 0));
    PetscCall(Change(factors, others, 1));
    PetscCall(MatProductReplaceMats(others[0], others[1], NULL, result));
    PetscCall(MatProductNumeric(result));
    PetscCall(CheckProduct(factors, result));
    EXPECT(Growth(others[0], "rebind", &rebind) == 4);
    EXPECT(Growth(others[0], "replan", &replan) == 0);
    PetscCall(DestroyAll(others, 2)); /* the product holds them */
    PetscCall(MatProductNumeric(result));
    PetscCall(CheckProduct(factors, result));
    PetscFunctionReturn(0);
}

/* Entries of A's first row in all columns, or in those that meet empty rows of P of that rank. */
static PetscErrorCode FillFirstRow(Mat *factors, PetscBool idle)
{
    PetscInt first, last, all, length;
    PetscFunctionBeginUser;
    PetscCall(MatGetOwnershipRange(factors[0], &first, &last));
    PetscCall(MatGetSize(factors[0], NULL, &all));
    PetscCall(MatSetOption(factors[0], MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    for (PetscInt column = 0; column < (idle ? last : all) && first == 0 && last > 0; column++) {
        length = 0;
        if (idle) {
            PetscCall(MatGetRow(factors[1], column, &length, NULL, NULL));
            PetscCall(MatRestoreRow(factors[1], column, NULL, NULL, NULL));
        }
        if (!length)
            PetscCall(MatSetValue(factors[0], first, column, 0.5, INSERT_VALUES));
    }
    PetscCall(Assemble(factors[0]));
    PetscFunctionReturn(0);
}

/* Another structure on one rank is planned anew on all, and is an error if C has another. */
static PetscErrorCode TestOtherStructure(Mat *factors, Mat result, PetscBool idle)
{
    Mat others[2];
    PetscInt all, replan = 0;
    PetscErrorCode error;
    PetscFunctionBeginUser;
    PetscCall(Convert(factors, others));
    (void)Growth(others[0], "replan", &replan);
    PetscCall(MatGetSize(others[0], NULL, &all));
    PetscCall(FillFirstRow(others, idle));
    PetscCall(MatProductReplaceMats(others[0], others[1], NULL, result));
    PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
    error = MatProductNumeric(result);
    PetscCall(PetscPopErrorHandler());
    EXPECT(error == 0 || (!idle && error == PETSC_ERR_ARG_WRONGSTATE));
    if (!error)
        PetscCall(CheckProduct(others, result));
    EXPECT(Growth(others[0], "replan", &replan) == (all > 0) || idle);
    PetscCall(DestroyAll(others, 2));
    PetscFunctionReturn(0);
}

/* After another structure, the first one again. */
static PetscErrorCode TestFirstStructure(Mat *factors, Mat result)
{
    Mat others[2];
    PetscFunctionBeginUser;
    PetscCall(Convert(factors, others));
    PetscCall(MatProductReplaceMats(others[0], others[1], NULL, result));
    PetscCall(MatProductNumeric(result));
    PetscCall(CheckProduct(factors, result));
    PetscCall(DestroyAll(others, 2));
    PetscFunctionReturn(0);
}

static PetscErrorCode TestShape(const Shape *shape)
{
    Mat factors[2], ours[2], result;
    PetscInt count = 0;
    PetscFunctionBeginUser;
    PetscCall(MakeFactors(shape, factors));
    PetscCall(Convert(factors, ours));
    (void)Growth(ours[0], counter, &count);
    PetscCall(Multiply(tested, ours[0], ours[1], NULL, &result));
    EXPECT(Growth(ours[0], counter, &count) == 1);
    PetscCall(CheckProduct(factors, result));
    PetscCall(TestValues(factors, ours, result));
    PetscCall(TestReplaced(factors, ours, result));
    PetscCall(TestOtherStructure(factors, result, PETSC_TRUE));
    PetscCall(TestFirstStructure(factors, result));
    PetscCall(TestOtherStructure(factors, result, PETSC_FALSE));
    PetscCall(MatDestroy(&result));
    PetscCall(DestroyAll(factors, 2));
    PetscCall(DestroyAll(ours, 2));
    PetscFunctionReturn(0);
}

/* Of matrices with nodes, and without where rows of P have one entry at most. */
static PetscErrorCode TestPair(const Shape *shape)
{
    Shape s = *shape;
    PetscFunctionBeginUser;
    tested = MATPRODUCT_AB;
    counter = "mpi_pair";
    if (s.fine_size == 1)
        s.most_of_p = 1;
    PetscCall(TestShape(&s));
    tested = MATPRODUCT_PtAP;
    counter = "mpi_triple";
    PetscFunctionReturn(0);
}

/* Every rank has nodes: rows of P on other ranks come in messages, and these are counted. */
static PetscErrorCode TestTraffic(MatProductType type, const Shape *shape)
{
    Mat factors[2], ours[2], result;
    PetscInt before = 0, here, all;
    PetscMPIInt ranks;
    PetscFunctionBeginUser;
    PetscCall(MakeFactors(shape, factors));
    PetscCall(Convert(factors, ours));
    PetscCall(Multiply(type, ours[0], ours[1], NULL, &result));
    (void)Growth(ours[0], "messages", &before);
    PetscCall(Change(factors, ours, 1));
    PetscCall(MatProductNumeric(result));
    here = Growth(ours[0], "messages", &before);
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
    PetscCallMPI(MPI_Allreduce(&here, &all, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
    EXPECT((all > 0) == (ranks > 1));
    PetscCall(MatDestroy(&result));
    PetscCall(DestroyAll(factors, 2));
    PetscCall(DestroyAll(ours, 2));
    PetscFunctionReturn(0);
}

/* An algorithm that is named is PETSc's. */
static PetscErrorCode TestNamed(void)
{
    const Shape shape = {20, 5, 1, 1, 5};
    Mat factors[2], ours[2], result;
    PetscInt count = 0;
    PetscFunctionBeginUser;
    PetscCall(MakeFactors(&shape, factors));
    PetscCall(Convert(factors, ours));
    (void)Growth(ours[0], "mpi_triple", &count);
    PetscCall(MultiplyVia("allatonce", MATPRODUCT_PtAP, ours[0], ours[1], &result));
    PetscCall(MatDestroy(&result));
    PetscCall(PetscOptionsSetValue(NULL, "-matptap_via", "scalable"));
    PetscCall(MatPtAP(ours[0], ours[1], MAT_INITIAL_MATRIX, PETSC_DEFAULT, &result));
    PetscCall(PetscOptionsClearValue(NULL, "-matptap_via"));
    EXPECT(Growth(ours[0], "mpi_triple", &count) == 0);
    PetscCall(CheckProduct(factors, result));
    PetscCall(MatDestroy(&result));
    PetscCall(MatPtAP(ours[0], ours[1], MAT_INITIAL_MATRIX, PETSC_DEFAULT, &result));
    EXPECT(Growth(ours[0], "mpi_triple", &count) == 1);
    PetscCall(MatPtAP(ours[0], ours[1], MAT_REUSE_MATRIX, PETSC_DEFAULT, &result));
    PetscCall(CheckProduct(factors, result));
    PetscCall(MatDestroy(&result));
    PetscCall(DestroyAll(factors, 2));
    PetscCall(DestroyAll(ours, 2));
    PetscFunctionReturn(0);
}

/* The next allocation of many bytes that a file makes fails, on one rank. */
static const char *failing_file;
static PetscErrorCode (*petsc_malloc)(size_t, PetscBool, int, const char *, const char *, void **);

static PetscErrorCode FailingMalloc(size_t bytes, PetscBool clear, int line, const char *function,
                                    const char *file, void **result)
{
    enum { MANY = 2000 };
    if (failing_file && bytes > MANY && strstr(file, failing_file)) {
        failing_file = NULL;
        return PetscError(PETSC_COMM_SELF, line, function, file, PETSC_ERR_MEM, PETSC_ERROR_INITIAL,
                          "no room for %zu bytes", bytes);
    }
    return (*petsc_malloc)(bytes, clear, line, function, file, result);
}

/* Starts to fail on the last rank. */
static PetscErrorCode FailIn(const char *file)
{
    PetscMPIInt rank, size;
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    failing_file = rank == size - 1 ? file : NULL;
    PetscFunctionReturn(0);
}

/* Errors are returned, so that a rank without one would go on, and wait for the others. */
static PetscErrorCode TestFailure(const Shape *shape, MatProductType type, const char *file)
{
    Mat factors[2], ours[2], result = NULL;
    PetscErrorCode status;
    PetscFunctionBeginUser;
    PetscCall(MakeFactors(shape, factors));
    PetscCall(Convert(factors, ours));
    PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
    PetscCall(FailIn(file));
    status = type == MATPRODUCT_AB
                 ? MatMatMult(ours[0], ours[1], MAT_INITIAL_MATRIX, PETSC_DEFAULT, &result)
                 : MatPtAP(ours[0], ours[1], MAT_INITIAL_MATRIX, PETSC_DEFAULT, &result);
    PetscCall(PetscPopErrorHandler());
    EXPECT(status == PETSC_ERR_MEM && !failing_file);
    PetscCall(DestroyAll(factors, 2));
    PetscCall(DestroyAll(ours, 2));
    PetscFunctionReturn(0);
}

/* What a rank runs out of is its budget, unless files say where PETSc's memory ends. */
static PetscErrorCode TestFailures(PetscBool budget)
{
    static const char *const triple[] = {"mpi_rows.c", "mpi_triple_structure.c",
                                         "mpi_triple_join.c"},
                             *const pair[] = {"mpi_rows.c", "mpi_pair.c"};
    PetscFunctionBeginUser;
    for (int k = 0; k < (budget ? 1 : 3); k++)
        PetscCall(
            TestFailure(&(Shape){400, 100, 1, 1, 5}, MATPRODUCT_PtAP, budget ? NULL : triple[k]));
    for (int k = 0; k < (budget ? 1 : 2); k++)
        PetscCall(TestFailure(&(Shape){140, 30, 3, 6, 5}, MATPRODUCT_AB, budget ? NULL : pair[k]));
    PetscFunctionReturn(0);
}

/* Numbers are new in each run, unless an option names those of another. */
static PetscErrorCode Seed(PetscInt *seed)
{
    PetscMPIInt rank;
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    *seed = (PetscInt)((long long)(MPI_Wtime() * 1e3) % 1000000000);
    PetscCallMPI(MPI_Bcast(seed, 1, MPIU_INT, 0, PETSC_COMM_WORLD));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-seed", seed, NULL));
    PetscCall(PetscRandomSetSeed(numbers, (unsigned long)(*seed + rank)));
    PetscCall(PetscRandomSeed(numbers));
    PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
    static const Shape shapes[] = {{30, 8, 1, 1, 5}, {30, 40, 1, 1, 1}, {60, 600, 1, 1, 5},
                                   {20, 6, 3, 6, 5}, {20, 6, 2, 3, 5},  {12, 5, 6, 6, 5}};
    enum { SHAPES = sizeof shapes / sizeof *shapes, RANDOM = 4 };
    PetscInt seed;
    PetscBool fails = PETSC_FALSE, full = PETSC_FALSE;
    PetscFunctionBeginUser;
    PetscCall(Start(&argc, &argv));
    PetscCall(Seed(&seed));
    PetscCall(PetscOptionsGetBool(NULL, NULL, "-expect_failure", &fails, NULL));
    if (fails) {
        PetscCall(TestFailures(PETSC_TRUE));
        return Finish();
    }
    PetscCall(PetscOptionsGetBool(NULL, NULL, "-expect_no_room", &full, NULL));
    if (full) {
        petsc_malloc = PetscTrMalloc;
        PetscTrMalloc = FailingMalloc;
        PetscCall(TestFailures(PETSC_FALSE));
        PetscTrMalloc = petsc_malloc;
        return Finish();
    }
    for (int k = 0; k < SHAPES; k++) {
        PetscCall(TestShape(&shapes[k]));
        PetscCall(TestPair(&shapes[k]));
    }
    for (int k = 0; k < RANDOM; k++) {
        Shape shape = {0, 0, k % 2 ? 1 : 3, k % 2 ? 1 : 6, 5};
        PetscCall(Draw(3, &shape.coarse));
        PetscCall(Draw(2, &shape.nodes));
        shape.nodes *= 15;
        PetscCall(TestShape(&shape));
        PetscCall(TestPair(&shape));
    }
    PetscCall(TestTraffic(MATPRODUCT_PtAP, &shapes[3]));
    PetscCall(TestTraffic(MATPRODUCT_AB, &shapes[3]));
    PetscCall(TestNamed());
    if (failures)
        PetscCall(PetscPrintf(PETSC_COMM_SELF, "failed with -seed %" PetscInt_FMT "\n", seed));
    return Finish();
}
