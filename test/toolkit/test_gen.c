/* SPDX-License-Identifier: Apache-2.0 */
/* Generated matrices: the published sizes, order, symmetry, independence of threads. Parameters
 * that make no sense: test_gen_refusals.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <thread_count.h>
#include <typed_array.h>

static gen_matrix made(const char *name, uint64_t seed, spl_type type)
{
    gen_matrix matrix;
    gen_message message;
    if (gen_make(name, seed, type, &matrix, &message) != GEN_OK)
        fail_msg("%s: %s", name, message.text);
    return matrix;
}

static int64_t start_of(const gen_matrix *matrix, int64_t row)
{
    return matrix->offset_type == SPL_I32 ? ((const int32_t *)matrix->offsets)[row]
                                          : ((const int64_t *)matrix->offsets)[row];
}

static int64_t products_of(const gen_matrix *matrix)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < matrix->nnz; i++)
        sum += start_of(matrix, matrix->indices[i] + 1) - start_of(matrix, matrix->indices[i]);
    return sum;
}

/* Valid, and columns of each row strictly ascending. */
static void check_order(const gen_matrix *matrix, const char *name)
{
    spl_sparse view = gen_view(matrix);
    if (spl_validate(&view) != SPL_OK)
        fail_msg("%s: %s", name, spl_error_detail());
    for (int64_t row = 0; row < matrix->rows; row++)
        for (int64_t i = start_of(matrix, row) + 1; i < start_of(matrix, row + 1); i++)
            if (matrix->indices[i] <= matrix->indices[i - 1])
                fail_msg("%s: row %lld is not sorted", name, (long long)row);
}

static int by_value(const void *left, const void *right)
{
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

static void check_symmetry(const gen_matrix *matrix, const char *name)
{
    for (int64_t row = 0; row < matrix->rows; row++)
        for (int64_t i = start_of(matrix, row); i < start_of(matrix, row + 1); i++) {
            int64_t other = matrix->indices[i];
            int32_t key = (int32_t)row;
            size_t count = (size_t)(start_of(matrix, other + 1) - start_of(matrix, other));
            if (!bsearch(&key, matrix->indices + start_of(matrix, other), count, sizeof key,
                         by_value))
                fail_msg("%s: (%lld, %lld) is there, its mirror image is not", name, (long long)row,
                         (long long)other);
        }
}

static void check_size(const gen_stand_in *expected)
{
    gen_matrix matrix = made(expected->name, 1, SPL_F32);
    assert_int_equal(matrix.rows, expected->rows);
    double tolerance = expected->exact ? 0 : 0.02;
    double nnz = (double)matrix.nnz,
           products = expected->products > 0 ? (double)products_of(&matrix) : 0;
    if (fabs(nnz - expected->nnz) > tolerance * expected->nnz)
        fail_msg("%s has %.0f entries, not %.0f", expected->name, nnz, expected->nnz);
    if (fabs(products - expected->products) > tolerance * expected->products)
        fail_msg("%s has %.0f products, not %.0f", expected->name, products, expected->products);
    check_order(&matrix, expected->name);
    if (strncmp(expected->spec, "box", 3) == 0 || strncmp(expected->spec, "rmat", 4) == 0)
        check_symmetry(&matrix, expected->name);
    gen_free(&matrix);
}

/* All twelve of S3; of the others those that are small. */
static void test_stand_ins(void **state)
{
    (void)state;
    int checked = 0;
    for (const gen_stand_in *row = gen_stand_ins; row->name; row++)
        if (strcmp(row->set, "s3") == 0 || row->nnz < 4e6) {
            check_size(row);
            checked++;
        }
    assert_int_equal(checked, 12 + 4);
}

/* The square of the real matrix of lattice quantum chromodynamics is known: our couplings are the
 * right ones. */
static void test_lattice_square(void **state)
{
    (void)state;
    gen_matrix matrix = made("qcd", 1, SPL_F64);
    spl_sparse a = gen_view(&matrix);
    spl_context *context = NULL;
    spl_plan *plan = NULL;
    spl_options options = SPL_OPTIONS_INIT;
    spl_result shape = SPL_RESULT_INIT;
    options.method = "spgemm/symbolic/cpu/hash";
    assert_int_equal(spl_context_create(NULL, &context), SPL_OK);
    assert_int_equal(spl_spgemm_plan(context, &a, &a, NULL, &options, &plan), SPL_OK);
    assert_int_equal(spl_spgemm_result(plan, &shape), SPL_OK);
    assert_true(shape.exact && shape.nnz == 10911744);
    spl_plan_destroy(plan);
    spl_context_destroy(context);
    gen_free(&matrix);
}

static const char *const small[] = {
    "box2d:5,7,2,drop=0.3",
    "box3d:4,5,6,2,0.1,1",
    "box2d:1,1",
    "stencil5:9,4",
    "stencil9:9,4",
    "stencil7:3,4,5",
    "stencil27:3,4,5",
    "lattice:3,2",
    "periodic:3,3",
    "periodic:7,5",
    "powerlaw:50,400,1.5,50,near=0.5,hubs=0.5",
    "powerlaw:1000,9000,2,400,.2,.3,.5",
    "powerlaw:9,81,3,9",
    "rmat:100,300",
    "rmat:5,10,.25,.25",
    "random:40,30,8",
    "random:20,3,3",
    "random:0,5,0",
    "banded:20,3,1",
    "banded:4,9,9",
    "hypersparse:1000,7",
    "hypersparse:5,0",
    "denserow:30",
    "densecolumn:30",
    "arrow:30",
    "diagonal:30",
    "empty:4,9",
    "empty:0,0",
    "denserow:1",
    "rmat:131,5000,.5,.2",
    "box2d:9,8,3,fixed=0.1,nodes=3",
    "powerlaw:1000,9000,2,400,nodes=1",
    "lattice:3,2,fixed=0.02,nodes=12",
    "box2d:9,8,3,holes=0.2,nodes=3",
};

static uint64_t checksum(const gen_matrix *matrix)
{
    uint64_t hash = TOOL_HASH_START;
    hash = tool_hash(hash, matrix->offsets,
                     (size_t)(matrix->rows + 1) * tool_index_bytes(matrix->offset_type));
    hash = tool_hash(hash, matrix->indices, (size_t)matrix->nnz * sizeof *matrix->indices);
    return tool_hash(hash, matrix->values, (size_t)matrix->nnz * tool_type_bytes(matrix->type));
}

static uint64_t checksum_of(const char *name, uint64_t seed, int threads)
{
    tool_use_threads(threads);
    gen_matrix matrix = made(name, seed, SPL_F64);
    check_order(&matrix, name);
    uint64_t hash = checksum(&matrix);
    gen_free(&matrix);
    return hash;
}

/* A smoothed prolongation has the pattern of A times the plain one, which is what (I - w D^-1 A) P
 * means. */
static void check_prolongation(spl_context *context, const char *fine, const char *plain,
                               const char *smoothed)
{
    gen_matrix a = made(fine, 1, SPL_F64), p = made(plain, 1, SPL_F64),
               s = made(smoothed, 1, SPL_F64);
    spl_sparse left = gen_view(&a), right = gen_view(&p), product = SPL_SPARSE_INIT;
    spl_matrix *c = NULL;
    check_order(&p, plain);
    check_order(&s, smoothed);
    assert_int_equal(p.nnz, p.rows);
    assert_int_equal(spl_spgemm(context, NULL, &left, &right, NULL, NULL, NULL, &c), SPL_OK);
    assert_int_equal(spl_matrix_view(c, &product), SPL_OK);
    assert_true(product.rows == s.rows && product.cols == s.cols && product.nnz == s.nnz);
    assert_memory_equal(product.offsets, s.offsets, (size_t)(s.rows + 1) * sizeof(int32_t));
    assert_memory_equal(product.indices, s.indices, (size_t)s.nnz * sizeof(int32_t));
    spl_matrix_destroy(c);
    gen_free(&a);
    gen_free(&p);
    gen_free(&s);
}

static void test_prolongations(void **state)
{
    (void)state;
    spl_context *context = NULL;
    assert_int_equal(spl_context_create(NULL, &context), SPL_OK);
    check_prolongation(context, "stencil5:11,8", "prolong2d:11,8,3,0", "prolong2d:11,8,3,1");
    check_prolongation(context, "box2d:7,9,2", "prolong2d:7,9,2,0,2", "prolong2d:7,9,2,2,2");
    check_prolongation(context, "stencil7:5,6,7", "prolong3d:5,6,7,smooth=0", "prolong3d:5,6,7");
    check_prolongation(context, "box3d:4,5,3,3", "prolong3d:4,5,3,1,0,3", "prolong3d:4,5,3,1,2,3");
    check_prolongation(context, "stencil27:5,5,5", "prolong3d:5,5,5,9,0", "prolong3d:5,5,5,9,2");
    spl_context_destroy(context);
}

static void test_threads_and_seeds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof small / sizeof small[0]; i++) {
        uint64_t one = checksum_of(small[i], 7, 1);
        assert_true(one == checksum_of(small[i], 7, 3));
        char seeded[128];
        snprintf(seeded, sizeof seeded, "%s,seed=7", small[i]);
        assert_true(one == checksum_of(seeded, 99, 2));
    }
    assert_true(checksum_of("rmat:100,300", 1, 2) != checksum_of("rmat:100,300", 2, 2));
    assert_true(checksum_of("box2d:9,9,1,0.5", 1, 2) != checksum_of("box2d:9,9,1,0.5", 2, 2));
    assert_true(checksum_of("rmat17", 1, 1) == checksum_of("rmat17", 1, 4));
}

/* Numbers that must never change: results published with a name stay comparable. */
static void test_same_everywhere(void **state)
{
    (void)state;
    static const struct pinned {
        const char *name;
        uint64_t checksum;
    } pinned[] = {
        {"box3d:4,5,6,2,0.1,1", UINT64_C(0x1d670c071ac20f8e)},
        {"powerlaw:1000,9000,2,400,.2,.3,.5", UINT64_C(0xb1f34f4c89bb88ec)},
        {"rmat:100,300", UINT64_C(0x975ef2bb0f75d8df)},
        {"random:40,30,8", UINT64_C(0xd723a06e33c6c3c3)},
    };
    for (size_t i = 0; i < sizeof pinned / sizeof pinned[0]; i++) {
        uint64_t found = checksum_of(pinned[i].name, 1, 2);
        if (found != pinned[i].checksum)
            fail_msg("%s: 0x%llx", pinned[i].name, (unsigned long long)found);
    }
}

static void test_shapes(void **state)
{
    (void)state;
    gen_matrix matrix = made("arrow:30", 1, SPL_F64);
    assert_int_equal(matrix.nnz, 30 + 29 + 29);
    gen_free(&matrix);
    matrix = made("banded:20,3,1", 1, SPL_F64);
    assert_int_equal(matrix.nnz, 20 * 5 - (3 + 2 + 1) - 1);
    gen_free(&matrix);
    matrix = made("hypersparse:1000,7", 1, SPL_F64);
    assert_int_equal(matrix.nnz, 7);
    gen_free(&matrix);
    matrix = made("powerlaw:9,81,3,9", 1, SPL_F64);
    assert_int_equal(matrix.nnz, 81);
    gen_free(&matrix);
    matrix = made("empty:4,9", 1, SPL_F64);
    assert_true(matrix.nnz == 0 && matrix.rows == 4 && matrix.cols == 9);
    gen_free(&matrix);
}

/* Renumbering the nodes of a mesh does not change the size of its square. A fixed row has only
 * its diagonal, and no other row has entries in its column. */
static void test_nodes_and_fixed_unknowns(void **state)
{
    (void)state;
    gen_matrix as_it_is = made("box2d:30,20,3", 1, SPL_F64),
               mixed = made("box2d:30,20,3,nodes=3", 1, SPL_F64);
    gen_matrix fixed = made("box2d:30,20,3,nodes=3,fixed=0.03", 1, SPL_F64);
    int64_t singles = 0;
    assert_true(mixed.nnz == as_it_is.nnz && products_of(&mixed) == products_of(&as_it_is));
    assert_memory_not_equal(mixed.indices, as_it_is.indices, (size_t)mixed.nnz * sizeof(int32_t));
    for (int64_t row = 0; row < mixed.rows; row++) /* nodes stay whole */
        assert_int_equal(start_of(&mixed, row + 1) - start_of(&mixed, row),
                         start_of(&mixed, row / 3 * 3 + 1) - start_of(&mixed, row / 3 * 3));
    check_symmetry(&mixed, "mixed nodes");
    check_symmetry(&fixed, "fixed unknowns");
    for (int64_t row = 0; row < fixed.rows; row++)
        if (start_of(&fixed, row + 1) - start_of(&fixed, row) == 1) {
            assert_int_equal(fixed.indices[start_of(&fixed, row)], row);
            singles++;
        }
    assert_in_range(singles, 1800 * 2 / 100, 1800 * 4 / 100);
    gen_free(&as_it_is);
    gen_free(&mixed);
    gen_free(&fixed);
}

/* holes=SHARE: so many entries are missing, on both sides of the diagonal, which is whole. */
static void test_holes(void **state)
{
    (void)state;
    gen_matrix without_holes = made("box2d:30,20,3", 1, SPL_F64),
               holes = made("box2d:30,20,3,holes=0.2", 1, SPL_F64);
    int64_t diagonal = 0;
    check_symmetry(&holes, "holes");
    for (int64_t row = 0; row < holes.rows; row++)
        for (int64_t p = start_of(&holes, row); p < start_of(&holes, row + 1); p++)
            diagonal += holes.indices[p] == row;
    assert_int_equal(diagonal, holes.rows);
    assert_in_range(holes.nnz, without_holes.nnz * 79 / 100, without_holes.nnz * 82 / 100);
    gen_free(&without_holes);
    gen_free(&holes);
}

/* values=N: whole numbers up to N, each of them, in the same pattern. Without it hardly any
 * value fits f32. */
static void test_distinct_values(void **state)
{
    (void)state;
    gen_matrix random = made("stencil5:30,20", 1, SPL_F64),
               few = made("stencil5:30,20,values=5", 1, SPL_F64);
    int64_t count[6] = {0}, narrow = 0;
    assert_memory_equal(random.indices, few.indices, (size_t)few.nnz * sizeof(int32_t));
    for (int64_t p = 0; p < few.nnz; p++) {
        double value = ((const double *)few.values)[p], other = ((const double *)random.values)[p];
        assert_true(value >= 1 && value <= 5 && value == floor(value));
        count[(int)value]++;
        narrow += (double)(float)other == other;
    }
    for (int v = 1; v <= 5; v++)
        assert_true(count[v] > few.nnz / 10);
    assert_true(narrow < 5);
    gen_free(&random);
    gen_free(&few);
    few = made("stencil5:30,20,values=1", 1, SPL_F32);
    for (int64_t p = 0; p < few.nnz; p++)
        assert_true(((const float *)few.values)[p] == 1);
    gen_free(&few);
}

static void test_values(void **state)
{
    (void)state;
    gen_matrix wide = made("random:1000,1000,20", 3, SPL_F64),
               narrow = made("random:1000,1000,20", 3, SPL_F32);
    double sum = 0;
    for (int64_t i = 0; i < wide.nnz; i++) {
        double value = ((const double *)wide.values)[i];
        /* digits that f32 has no room for */
        double rest = value - (double)((const float *)narrow.values)[i];
        assert_true(value >= -1 && value < 1 && rest >= 0 && rest < 0x1p-23);
        sum += value;
    }
    assert_true(fabs(sum) < 4 * sqrt((double)wide.nnz / 3));
    assert_true(llabs(wide.nnz - 20000) < 1000);
    gen_free(&wide);
    gen_free(&narrow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stand_ins),       cmocka_unit_test(test_lattice_square),
        cmocka_unit_test(test_prolongations),   cmocka_unit_test(test_threads_and_seeds),
        cmocka_unit_test(test_same_everywhere), cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_values),          cmocka_unit_test(test_nodes_and_fixed_unknowns),
        cmocka_unit_test(test_distinct_values), cmocka_unit_test(test_holes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
