/* SPDX-License-Identifier: Apache-2.0 */
/* Small one-shot SpGEMM is computed without a plan: few allocations, and right. What is wrong with
 * operands is said as for plans. */
#include "lib/cancelling.h"
#include "lib/hook_allocator.h"
#include "lib/once_products.h"
#include "lib/run_products.h"

#include <limits.h>
#include <string.h>

enum { FEW_ALLOCATIONS = ONCE_ALLOCATIONS, MAKERS = 8, SEVERAL_BLOCKS = 6 };

static zoo_matrix make(zoo_form form, int number)
{
    static const zoo_maker makers[MAKERS] = {
        {"uniform", zoo_uniform, {90, 90, 4}, false},
        {"duplicates", zoo_duplicates, {60, 60, 5}, false},
        {"unsorted", zoo_unsorted, {100, 100, 6}, false},
        {"half empty", zoo_half_empty, {150, 150, 3}, false},
        {"long rows", zoo_uniform, {300, 300, 14}, false},
        {"runs", zoo_banded, {150, 8}, false},
        {"several blocks", zoo_uniform, {1500, 1500, 5}, false},
        {"several threads", zoo_uniform, {2500, 2500, 8}, false}};
    zoo_matrix matrix;
    testing_case("%s, %s", makers[number].name, zoo_form_name(form));
    zoo_matrix_make(&matrix, &makers[number], form, testing_seed() + (uint64_t)number);
    return matrix;
}

static void products_need_no_plan(void **state)
{
    (void)state;
    hook_allocator hook;
    spl_context *context;
    hook_start(&hook);
    EXPECT_OK(hook_context(&hook, 3, 0, &context));
    for (int number = 0; number < MAKERS; number++)
        for (int form = 0; form < ZOO_FORMS; form++) {
            if (zoo_form_number(form).format != SPL_CSR)
                continue;
            zoo_matrix a = make(zoo_form_number(form), number);
            spgemm_run run = {.a = &a.view,
                              .b = &a.view,
                              .options = SPL_OPTIONS_INIT,
                              .scalars = testing_scalars_of(-1.5, 0),
                              .one_shot = true};
            for (int unsorted = 0; unsorted < 2; unsorted++) {
                spl_matrix *c;
                long long before = hook.allocations;
                run.options.unsorted = unsorted;
                EXPECT_OK(
                    spl_spgemm(context, NULL, &a.view, &a.view, NULL, NULL, &run.options, &c));
                EXPECT(hook.allocations - before <= FEW_ALLOCATIONS);
                spl_matrix_destroy(c);
                EXPECT_OK(run_spgemm(context, &run));
            }
            zoo_matrix_free(&a);
        }
    spl_context_destroy(context);
    EXPECT(hook_clean(&hook));
    hook_stop(&hook);
}

static void expect_product_of(spl_context *context, const spl_sparse *a, const spl_sparse *b)
{
    const spgemm_run run = {.a = a,
                            .b = b,
                            .options = SPL_OPTIONS_INIT,
                            .scalars = testing_scalars_of(1, 0),
                            .one_shot = true};
    EXPECT_OK(run_spgemm(context, &run));
}

/* Half a million products of rows of 250 are for a plan, unless several threads compute them. */
static void threads_need_fewer_plans(void **state)
{
    (void)state;
    static const zoo_maker makers[] = {{"A", zoo_uniform, {3000, 12000, 18}, false},
                                       {"B", zoo_uniform, {12000, 12000, 18}, false}};
    zoo_matrix a, b;
    zoo_matrix_make(&a, &makers[0], zoo_form_number(0), testing_seed());
    zoo_matrix_make(&b, &makers[1], zoo_form_number(0), testing_seed() + 1);
    EXPECT(once_allocations(&a.view, &b.view, 1) > FEW_ALLOCATIONS);
    EXPECT(once_allocations(&a.view, &b.view, 3) <= FEW_ALLOCATIONS);
    spl_context *context = testing_context(3);
    expect_product_of(context, &a.view, &b.view);
    spl_context_destroy(context);
    zoo_matrix_free(&a);
    zoo_matrix_free(&b);
}

/* Four hundred thousand products of thirty thousand entries are shared out, too. */
static void small_results_are_shared(void **state)
{
    (void)state;
    static const zoo_maker maker = {"dense", zoo_uniform, {170, 170, 50}, false};
    zoo_matrix a;
    zoo_matrix_make(&a, &maker, zoo_form_number(0), testing_seed());
    for (int unsorted = 0; unsorted < 2; unsorted++)
        expect_once_product(&a.view, &a.view, unsorted, ONCE_ALLOCATIONS);
    zoo_matrix_free(&a);
}

/* Rows of one term are rows of B, unless these are not in order or have a column twice. */
static void rows_of_one_term_are_sorted(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    int32_t offsets[] = {0, 1, 2, 3}, indices[] = {0, 1, 2}, b_offsets[] = {0, 2, 4, 6},
            b_indices[] = {2, 0, 1, 1, 0, 2};
    double values[] = {2, 3, 4, 5, 6, 7};
    spl_sparse a = zoo_csr(SPL_F64, 3, 3, offsets, indices, values),
               b = zoo_csr(SPL_F64, 3, 3, b_offsets, b_indices, values);
    spgemm_run run = {.a = &a,
                      .b = &b,
                      .options = SPL_OPTIONS_INIT,
                      .scalars = testing_scalars_of(1, 0),
                      .one_shot = true};
    EXPECT_OK(run_spgemm(context, &run));
    spl_context_destroy(context);
}

/* B as in plain aggregation: a column for three rows; each empty-th row is empty. */
static void multiply_by_singles(spl_context *context, const spl_sparse *a, int empty,
                                const char *method, bool unsorted)
{
    enum { ROWS = 1500, SIZE = 3 };
    static int32_t offsets[ROWS + 1], indices[ROWS];
    static double values[ROWS];
    for (int k = 0; k < ROWS; k++) {
        indices[offsets[k]] = k / SIZE;
        values[offsets[k]] = 1 + 0.125 * (k % SIZE);
        offsets[k + 1] = offsets[k] + (k % empty != 0 || empty == 1);
    }
    const spl_sparse b = zoo_csr(SPL_F64, ROWS, ROWS / SIZE, offsets, indices, values);
    spgemm_run run = {.a = a,
                      .b = &b,
                      .options = SPL_OPTIONS_INIT,
                      .scalars = testing_scalars_of(-1.5, 0),
                      .one_shot = !method};
    run.options.method = method;
    run.options.unsorted = unsorted;
    testing_case("%s, empty %d, unsorted %d", method ? method : "one-shot", empty, unsorted);
    EXPECT_OK(run_spgemm(context, &run));
}

static void rows_of_b_have_one_entry(void **state)
{
    (void)state;
    static const char *const methods[] = {NULL, "spgemm/numeric/cpu/dense",
                                          "spgemm/numeric/cpu/hash",
                                          "spgemm/numeric/cpu/hash_chained"};
    spl_context *context = testing_context(2);
    zoo_matrix a = make(zoo_form_number(0), SEVERAL_BLOCKS);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (int empty = 1; empty < 8; empty += 6)
            for (int unsorted = 0; unsorted < 2; unsorted++)
                multiply_by_singles(context, &a.view, empty, methods[m], unsorted);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

static void expect_product(const spl_sparse *a, const spl_sparse *b, bool unsorted)
{
    expect_once_product(a, b, unsorted, FEW_ALLOCATIONS);
}

/* The squares of a matrix in some forms, sorted or not; frees the entries. */
static void expect_squares(zoo_triples *triples, long long allocations)
{
    enum { EACH = 3 };
    for (int form = 0, number = 0; form < ZOO_FORMS; form++) {
        if (zoo_form_number(form).format != SPL_CSR || number++ % EACH != 0)
            continue;
        zoo_matrix a;
        testing_case("%s", zoo_form_name(zoo_form_number(form)));
        zoo_build(&a, triples, zoo_form_number(form));
        expect_once_product(&a.view, &a.view, false, allocations);
        expect_once_product(&a.view, &a.view, true, allocations);
        zoo_matrix_free(&a);
    }
    zoo_triples_free(triples);
}

/* Rows of C of many products, whose columns are near each other, and some that are long and
 * scattered. */
static void long_rows_are_placed(void **state)
{
    (void)state;
    enum { ROWS = 4000 /* or C is flat */, TERMS = 18, NEAR = 60, FAR = 300, SELDOM = 97 };
    zoo_triples triples;
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    zoo_triples_start(&triples, ROWS, ROWS);
    for (int64_t i = 0; i < ROWS; i++) {
        for (int k = 0; k < TERMS; k++)
            zoo_triples_add(&triples, i, (i + zoo_random_below(&random, NEAR)) % ROWS,
                            zoo_random_unit(&random));
        for (int k = 0; i % SELDOM == 1 && k < FAR; k++)
            zoo_triples_add(&triples, i, zoo_random_below(&random, ROWS), zoo_random_unit(&random));
    }
    expect_squares(&triples, FEW_ALLOCATIONS);
}

/* Long rows of C, of stretches of columns with gaps and without, and of rows of B of one to three
 * entries: words of 64 columns that are full, that have some, and that have few. */
static void long_rows_are_stretches(void **state)
{
    (void)state;
    enum { ROWS = 333, MOST = 200, TERMS = 4, GAP = 3, WIDE = 8000 /* or rows are flat */ };
    zoo_triples triples;
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    zoo_triples_start(&triples, WIDE, WIDE);
    for (int64_t i = 0; i < ROWS; i++) {
        const int64_t first = zoo_random_below(&random, ROWS),
                      count = i % 8 == 7   ? MOST
                              : i % 8 == 6 ? 2 * MOST / 3
                                           : i % TERMS,
                      gap = i % 8 == 6 ? GAP : 0;
        for (int64_t k = 0; k < count && first + k < ROWS; k++)
            if (gap == 0 || k % gap != 0)
                zoo_triples_add(&triples, i, first + k, zoo_random_unit(&random));
        for (int64_t k = 0; i == ROWS / 3 && k < ROWS; k++) /* only of short rows of B */
            if (k % 8 < 6 && k != ROWS / 3 && k != ROWS / 2)
                zoo_triples_add(&triples, i, k, zoo_random_unit(&random));
        for (int64_t k = 0; i == ROWS / 2 && k < ROWS; k++)
            zoo_triples_add(&triples, i, k, zoo_random_unit(&random));
    }
    expect_squares(&triples, LLONG_MAX); /* some have a plan, by their predictions */
}

/* A matrix of some entries in each row, the first ones in a stretch of columns. */
static zoo_matrix drawn(zoo_random *random, int64_t rows, int64_t cols, int64_t entries,
                        int64_t stretch)
{
    zoo_triples triples;
    zoo_matrix m;
    zoo_triples_start(&triples, rows, cols);
    for (int64_t i = 0; i < rows; i++) {
        const int64_t first = zoo_random_below(random, cols - entries);
        for (int64_t k = 0; k < entries; k++)
            zoo_triples_add(&triples, i, k < stretch ? first + k : zoo_random_below(random, cols),
                            zoo_random_unit(random));
    }
    zoo_build(&m, &triples, zoo_form_number(0));
    zoo_triples_free(&triples);
    return m;
}

/* Few rows of C, each of hundreds of products: of rows of B of two entries, and of stretches that
 * begin and end as if they had no gap. */
static void few_rows_are_long(void **state)
{
    (void)state;
    enum { ROWS = 12, INNER = 300, COLS = 8000, ENTRIES = 280, FEW = 2, MANY = 9 };
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    for (int many = 0; many < 2; many++) {
        zoo_matrix a = drawn(&random, ROWS, INNER, many ? ENTRIES / 4 : ENTRIES, 0),
                   b = drawn(&random, INNER, COLS, many ? MANY : FEW, many ? MANY : 0);
        if (many) /* a column twice, and not the one before */
            for (int64_t i = 0; i < INNER; i++)
                ((int32_t *)b.view.indices)[i * MANY + 1]++;
        expect_product(&a.view, &b.view, false);
        zoo_matrix_free(&a);
        zoo_matrix_free(&b);
    }
}

/* Products whose C is narrow: rows of B that are stretches, that are none though they begin and end
 * as if, and in no order; words of 64 columns of C that are full, and that have few; several
 * blocks. */
static void narrow_products_are_flat(void **state)
{
    (void)state;
    enum { DRAWS = 6, INNER = 90, TERMS = 12, ENTRIES = 17, LEAST = 20, WIDTHS = 400, MANY = 900 };
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    for (int draw = 0; draw < DRAWS; draw++) {
        const int64_t rows = draw == 0 ? MANY : 1 + zoo_random_below(&random, INNER),
                      cols = LEAST + zoo_random_below(&random, WIDTHS);
        zoo_matrix a = drawn(&random, rows, INNER, TERMS, 0),
                   b = drawn(&random, INNER, cols, ENTRIES, draw % 3 == 0 ? 0 : ENTRIES);
        for (int64_t i = 0; draw % 3 == 1 && i < INNER; i += 2) /* a column twice, one missing */
            ((int32_t *)b.view.indices)[i * ENTRIES + 1]++;
        testing_case("%lld rows, %lld columns, draw %d", (long long)rows, (long long)cols, draw);
        expect_product(&a.view, &b.view, draw % 2);
        zoo_matrix_free(&a);
        zoo_matrix_free(&b);
    }
}

/* A grid of 9 points, of `size` unknowns a node, of which a third are fixed: their rows and columns
 * have the diagonal, or nothing. */
static void make_fixed(zoo_triples *triples, zoo_random *random, int64_t nodes, int64_t size)
{
    enum { MOST = 3000, THIRD = 3, NOTHING = 2 };
    const int64_t rows = nodes * nodes * size;
    int64_t fixed[MOST];
    zoo_triples_start(triples, rows, rows);
    for (int64_t i = 0; i < rows; i++)
        fixed[i] = zoo_random_below(random, THIRD) == 0 ? 1 + zoo_random_below(random, 2) : 0;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < rows; j++) {
            const int64_t one = i / size, other = j / size, x = one % nodes - other % nodes,
                          y = one / nodes - other / nodes;
            if (i == j ? fixed[i] != NOTHING : !fixed[i] && !fixed[j] && x * x <= 1 && y * y <= 1)
                zoo_triples_add(triples, i, j, zoo_random_unit(random));
        }
}

/* Blocks of which more than half are holes: no plan is made for them, whether C is narrow, or only
 * its rows are, and those of B in order. */
static void holes_are_flat(void **state)
{
    (void)state;
    static const struct {
        int64_t nodes, size;
    } draw[] = {{14, 3}, {20, 3}, {28, 3}};
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    for (size_t k = 0; k < sizeof draw / sizeof *draw; k++) {
        zoo_triples triples;
        zoo_matrix a;
        make_fixed(&triples, &random, draw[k].nodes, draw[k].size);
        zoo_build(&a, &triples, zoo_form_number(0));
        testing_case("%lld rows, %lld entries", (long long)triples.rows, (long long)triples.nnz);
        expect_product(&a.view, &a.view, false);
        int32_t *columns = (int32_t *)a.view.indices;
        for (int64_t p = 0; p + 1 < triples.nnz; p++) /* a row has two entries in another order */
            if (columns[p] + 1 == columns[p + 1]) {
                columns[p]++;
                columns[p + 1]--;
                p += triples.nnz / 4;
            }
        expect_once_product(&a.view, &a.view, false, LLONG_MAX);
        zoo_matrix_free(&a);
        zoo_triples_free(&triples);
    }
}

/* Small workspaces are on the stack, where anything may have been. */
static __attribute__((noinline)) void fill_the_stack(void)
{
    unsigned char bytes[1 << 17];
    memset(bytes, 0x5a, sizeof bytes);
    __asm__ volatile("" : : "r"(bytes) : "memory");
}

/* Columns of a narrow C are looked at 64 at a time, also where it has fewer. */
static void few_columns_are_flat(void **state)
{
    (void)state;
    enum { ROWS = 40, INNER = 60, TERMS = 20, LEAST = 6, MOST = 70 };
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    for (int64_t cols = LEAST; cols < MOST; cols += 5) {
        zoo_matrix a = drawn(&random, ROWS, INNER, TERMS, 0),
                   b = drawn(&random, INNER, cols, (int)cols * 3 / 4, 0);
        testing_case("%lld columns", (long long)cols);
        fill_the_stack();
        expect_product(&a.view, &b.view, false);
        zoo_matrix_free(&a);
        zoo_matrix_free(&b);
    }
}

/* On a grid processors foresee which columns are new: rows are placed with a branch from the second
 * block on. B has one column for three rows, or two. */
static void new_columns_are_foreseen(void **state)
{
    (void)state;
    enum { ROWS = 27999, LINE = 95, SIZE = 3 };
    static const int64_t steps[] = {-LINE, -1, 0, 1, LINE};
    for (int columns = 1; columns <= 2; columns++) {
        zoo_triples grid, groups;
        zoo_triples_start(&grid, ROWS, ROWS);
        zoo_triples_start(&groups, ROWS, ROWS / SIZE + 1);
        for (int64_t i = 0; i < ROWS; i++) {
            for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
                if (i + steps[k] >= 0 && i + steps[k] < ROWS)
                    zoo_triples_add(&grid, i, i + steps[k], 1 + 0.125 * (double)(i % SIZE));
            for (int k = 0; k < columns; k++)
                zoo_triples_add(&groups, i, i / SIZE + k, 0.25 + (double)(i % 5));
        }
        zoo_matrix a, b;
        zoo_build(&a, &grid, zoo_form_number(0));
        zoo_build(&b, &groups, zoo_form_number(0));
        expect_product(&a.view, &b.view, false);
        expect_product(&a.view, &b.view, true);
        zoo_matrix_free(&a);
        zoo_matrix_free(&b);
        zoo_triples_free(&grid);
        zoo_triples_free(&groups);
    }
}

/* The same statuses and words as from a plan. */
static void expect_same_fault(spl_context *context, const spl_sparse *a, const spl_sparse *b,
                              spl_status expected)
{
    char said[512];
    spl_plan *plan = NULL;
    spl_matrix *c = NULL;
    EXPECT_STATUS(expected, spl_spgemm(context, NULL, a, b, NULL, NULL, NULL, &c));
    strcpy(said, spl_error_detail());
    EXPECT(!c);
    EXPECT_STATUS(expected, spl_spgemm_plan(context, a, b, NULL, NULL, &plan));
    EXPECT(strcmp(said, spl_error_detail()) == 0);
}

/* Of operands of which rows are looked at before they are checked. */
static void expect_faults_of_long_rows(spl_context *context)
{
    enum { ROWS = 200, ALL = ROWS * ROWS };
    static int32_t offsets[ROWS + 1], indices[ALL], bad_offsets[ROWS + 1], bad_indices[ALL],
        far_indices[ALL];
    static double values[ALL];
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    for (int k = 0; k <= ROWS; k++)
        bad_offsets[k] = (offsets[k] = k * ROWS) * (k % 2 ? -1 : 1);
    for (int k = 0; k < ALL; k++)
        bad_indices[k] = (indices[k] = k % ROWS) * (k % 2 ? 1 << 20 : -(1 << 20));
    for (int k = 0; k < ALL; k++) { /* gigabytes away; rows that are alike are not sampled */
        const int32_t below = (int32_t)zoo_random_below(&random, 1 << 20);
        far_indices[k] = k % 2 ? INT32_MAX - below : INT32_MIN + below;
    }
    const spl_sparse good = zoo_csr(SPL_F64, ROWS, ROWS, offsets, indices, values);
    spl_sparse bad = good, far = good, worse = good;
    bad.indices = bad_indices;
    far.indices = far_indices;
    worse.offsets = bad_offsets;
    expect_same_fault(context, &good, &bad, SPL_INVALID_MATRIX);
    expect_same_fault(context, &bad, &good, SPL_INVALID_MATRIX);
    expect_same_fault(context, &good, &far, SPL_INVALID_MATRIX);
    expect_same_fault(context, &far, &good, SPL_INVALID_MATRIX);
    expect_same_fault(context, &good, &worse, SPL_INVALID_MATRIX);
    expect_same_fault(context, &worse, &good, SPL_INVALID_MATRIX);
}

static void faults_are_told(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    int32_t offsets[] = {0, 2, 3}, indices[] = {0, 1, 1}, wrong[] = {0, 1, 2}, far[] = {0, 4, 3};
    double values[] = {1, 2, 3};
    spl_sparse good = zoo_csr(SPL_F64, 2, 2, offsets, indices, values), bad, worse;
    bad = worse = good;
    bad.indices = wrong;
    worse.offsets = far;
    expect_same_fault(context, &good, &bad, SPL_INVALID_MATRIX);
    expect_same_fault(context, &bad, &good, SPL_INVALID_MATRIX);
    expect_same_fault(context, &bad, &bad, SPL_INVALID_MATRIX);
    expect_same_fault(context, &good, &worse, SPL_INVALID_MATRIX);
    expect_same_fault(context, &worse, &good, SPL_INVALID_MATRIX);
    expect_faults_of_long_rows(context);
    bad = good;
    bad.rows = 1;
    bad.nnz = 2;
    expect_same_fault(context, &good, &bad, SPL_SHAPE_MISMATCH);
    spl_context_destroy(context);
}

static void progress_cancels(void **state)
{
    (void)state;
    spl_context *context = cancelling_context();
    spl_matrix *c = NULL;
    zoo_matrix a = make(zoo_form_number(0), 0);
    EXPECT_STATUS(SPL_CANCELLED, spl_spgemm(context, NULL, &a.view, &a.view, NULL, NULL, NULL, &c));
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_need_no_plan),    cmocka_unit_test(rows_of_one_term_are_sorted),
        cmocka_unit_test(rows_of_b_have_one_entry), cmocka_unit_test(long_rows_are_placed),
        cmocka_unit_test(new_columns_are_foreseen), cmocka_unit_test(faults_are_told),
        cmocka_unit_test(progress_cancels),         cmocka_unit_test(long_rows_are_stretches),
        cmocka_unit_test(few_rows_are_long),        cmocka_unit_test(narrow_products_are_flat),
        cmocka_unit_test(few_columns_are_flat),     cmocka_unit_test(holes_are_flat),
        cmocka_unit_test(threads_need_fewer_plans), cmocka_unit_test(small_results_are_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
