/* SPDX-License-Identifier: Apache-2.0 */
/* symbolic/cpu/listed, and columns of C that one thread stores as they are found: rows of as many
 * products as registers hold and more, rows that repeat others, more columns than samples show. */
#include "lib/testing.h"

#include <stdlib.h>

/* A and B; each row of B has one entry. */
typedef struct product {
    int64_t rows, inner, cols;
    int32_t *a_offsets, *a_columns, *b_offsets, *b_columns;
    double *a_values, *b_values;
} product;

static product allocate(int64_t rows, int64_t cols, int64_t longest)
{
    product p = {.rows = rows, .inner = 4 * cols, .cols = cols};
    p.a_offsets = zoo_allocate((size_t)(rows + 1) * sizeof(int32_t));
    p.a_columns = zoo_allocate((size_t)(rows * longest) * sizeof(int32_t));
    p.a_values = zoo_allocate((size_t)(rows * longest) * sizeof(double));
    p.b_offsets = zoo_allocate((size_t)(p.inner + 1) * sizeof(int32_t));
    p.b_columns = zoo_allocate((size_t)p.inner * sizeof(int32_t));
    p.b_values = zoo_allocate((size_t)p.inner * sizeof(double));
    for (int64_t k = 0; k < rows * longest; k++)
        p.a_values[k] = 1;
    for (int64_t k = 0; k < p.inner; k++)
        p.b_values[k] = 1;
    p.a_offsets[0] = 0;
    return p;
}

static void release(product *p)
{
    free(p->a_offsets), free(p->a_columns), free(p->a_values);
    free(p->b_offsets), free(p->b_columns), free(p->b_values);
}

static void draw_b(product *p, zoo_random *random)
{
    for (int64_t k = 0; k < p->inner; k++) {
        p->b_offsets[k] = (int32_t)k;
        p->b_columns[k] = (int32_t)zoo_random_below(random, p->cols);
    }
    p->b_offsets[p->inner] = (int32_t)p->inner;
}

/* Row i of C has the columns that row i of A names in B, each once; in order unless `unsorted`. */
static void expect_row(const product *p, int64_t i, const int32_t *columns, int64_t count,
                       bool unsorted, int64_t *met)
{
    int64_t distinct = 0;
    for (int64_t k = 0; k < count; k++) {
        EXPECT(columns[k] >= 0 && columns[k] < p->cols && met[columns[k]] != 2 * i + 1);
        EXPECT(unsorted || k == 0 || columns[k - 1] < columns[k]);
        met[columns[k]] = 2 * i + 1;
    }
    for (int64_t q = p->a_offsets[i]; q < p->a_offsets[i + 1]; q++) {
        const int32_t column = p->b_columns[p->a_columns[q]];
        EXPECT(met[column] == 2 * i + 1 || met[column] == 2 * i + 2);
        distinct += met[column] == 2 * i + 1;
        met[column] = 2 * i + 2;
    }
    EXPECT(distinct == count);
}

static void expect_structure(const product *p, int threads, bool unsorted, const char *method)
{
    spl_context *context = testing_context(threads);
    const spl_sparse a = zoo_csr(SPL_F64, p->rows, p->inner, p->a_offsets, p->a_columns,
                                 p->a_values),
                     b = zoo_csr(SPL_F64, p->inner, p->cols, p->b_offsets, p->b_columns,
                                 p->b_values);
    spl_options options = SPL_OPTIONS_INIT;
    spl_result result = SPL_RESULT_INIT;
    spl_plan *plan;
    options.method = method;
    options.exact = 1;
    options.unsorted = unsorted;
    testing_case("%s, threads %d, unsorted %d", method, threads, unsorted);
    EXPECT_OK(spl_spgemm_plan(context, &a, &b, NULL, &options, &plan));
    EXPECT_OK(spl_spgemm_result(plan, &result));
    int32_t *offsets = zoo_allocate((size_t)(p->rows + 1) * sizeof(int32_t)),
            *columns = zoo_allocate((size_t)result.nnz * sizeof(int32_t));
    int64_t *met = calloc((size_t)p->cols, sizeof *met);
    EXPECT(met && result.exact && result.offset_type == SPL_I32);
    EXPECT_OK(spl_spgemm_export(plan, offsets, columns, NULL, NULL));
    EXPECT(offsets[0] == 0 && offsets[p->rows] == result.nnz);
    for (int64_t i = 0; i < p->rows; i++)
        expect_row(p, i, columns + offsets[i], offsets[i + 1] - offsets[i], unsorted, met);
    free(offsets), free(columns), free(met);
    spl_plan_destroy(plan);
    spl_context_destroy(context);
}

static void expect_structures(const product *p)
{
    for (int threads = 1; threads <= 2; threads++)
        for (int unsorted = 0; unsorted < 2; unsorted++)
            expect_structure(p, threads, unsorted, "spgemm/symbolic/cpu/listed");
    expect_structure(p, 1, false, "spgemm/symbolic/cpu/hash");
}

/* Numbers of products beside those at which rows are sorted otherwise, or no longer listed. */
static int64_t draw_length(zoo_random *random)
{
    static const int64_t near[] = {0, 4, 16, 32, 64, 128, 256};
    const int64_t drawn = near[zoo_random_below(random, (int64_t)(sizeof near / sizeof *near))] +
                          zoo_random_below(random, 3) - 1;
    return drawn < 0 ? 0 : drawn;
}

static void rows_of_all_lengths(void **state)
{
    (void)state;
    enum { ROWS = 700, COLS = 150, LONGEST = 257 };
    zoo_random random;
    zoo_random_seed(&random, testing_fresh_seed());
    for (int wide = 0; wide < 2; wide++) {
        product p = allocate(ROWS, wide ? 40 * COLS : COLS, LONGEST);
        draw_b(&p, &random);
        for (int64_t i = 0; i < ROWS; i++) {
            const bool repeats = i > 0 && zoo_random_below(&random, 4) == 0;
            const int32_t from = p.a_offsets[i > 0 ? i - 1 : 0], to = p.a_offsets[i];
            const int64_t length = repeats ? to - from : draw_length(&random);
            for (int64_t k = 0; k < length; k++)
                p.a_columns[to + k] =
                    repeats ? p.a_columns[from + k] : (int32_t)zoo_random_below(&random, p.inner);
            p.a_offsets[i + 1] = to + (int32_t)length;
        }
        expect_structures(&p);
        release(&p);
    }
}

/* Rows in the middle of each 128, which are sampled, have one column, as the first half has; others
 * one for each product. C is then far larger than what there is room for at first. */
static void more_columns_than_samples_show(void **state)
{
    (void)state;
    enum { ROWS = 8192, COLS = 5000, LENGTH = 20, STRIDE = 128 };
    zoo_random random;
    zoo_random_seed(&random, testing_fresh_seed());
    product p = allocate(ROWS, COLS, LENGTH);
    draw_b(&p, &random);
    for (int64_t i = 0; i < ROWS; i++) {
        for (int64_t k = 0; k < LENGTH; k++)
            p.a_columns[LENGTH * i + k] = (int32_t)(i < ROWS / 2 || i % STRIDE == STRIDE / 2
                                                        ? i
                                                        : zoo_random_below(&random, p.inner));
        p.a_offsets[i + 1] = (int32_t)(LENGTH * (i + 1));
    }
    expect_structures(&p);
    release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_all_lengths),
        cmocka_unit_test(more_columns_than_samples_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
