/* SPDX-License-Identifier: Apache-2.0 */
/* symbolic/cpu/listed, and columns of C that one thread stores as they are found: rows of as many
 * products as registers hold and more, rows that repeat others, rows of B with one entry each, with
 * one at most, with more, indices of 32 and 64 bits, more columns than samples show. */
#include "lib/testing.h"

#include <stdlib.h>

typedef struct product {
    int64_t rows, inner, cols;
    int32_t *a_offsets, *a_columns, *b_offsets, *b_columns;
    double *a_values, *b_values;
} product;

enum { MOST_OF_B = 2 };

static product allocate(int64_t rows, int64_t cols, int64_t longest)
{
    product p = {.rows = rows, .inner = 4 * cols, .cols = cols};
    p.a_offsets = zoo_allocate((size_t)(rows + 1) * sizeof(int32_t));
    p.a_columns = zoo_allocate((size_t)(rows * longest) * sizeof(int32_t));
    p.a_values = zoo_allocate((size_t)(rows * longest) * sizeof(double));
    p.b_offsets = zoo_allocate((size_t)(p.inner + 1) * sizeof(int32_t));
    p.b_columns = zoo_allocate((size_t)(MOST_OF_B * p.inner) * sizeof(int32_t));
    p.b_values = zoo_allocate((size_t)(MOST_OF_B * p.inner) * sizeof(double));
    for (int64_t k = 0; k < rows * longest; k++)
        p.a_values[k] = 1;
    for (int64_t k = 0; k < MOST_OF_B * p.inner; k++)
        p.b_values[k] = 1;
    p.a_offsets[0] = 0;
    return p;
}

static void release(product *p)
{
    free(p->a_offsets), free(p->a_columns), free(p->a_values);
    free(p->b_offsets), free(p->b_columns), free(p->b_values);
}

/* Rows of B have least to most entries. */
static void draw_b(product *p, zoo_random *random, int64_t least, int64_t most)
{
    p->b_offsets[0] = 0;
    for (int64_t k = 0; k < p->inner; k++) {
        const int32_t from = p->b_offsets[k],
                      length = (int32_t)(least + zoo_random_below(random, most - least + 1));
        const int64_t first = zoo_random_below(random, p->cols);
        for (int32_t e = 0; e < length; e++)
            p->b_columns[from + e] = (int32_t)((first + e) % p->cols);
        p->b_offsets[k + 1] = from + length;
    }
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
    for (int64_t q = p->a_offsets[i]; q < p->a_offsets[i + 1]; q++)
        for (int32_t e = p->b_offsets[p->a_columns[q]]; e < p->b_offsets[p->a_columns[q] + 1];
             e++) {
            const int32_t column = p->b_columns[e];
            EXPECT(met[column] == 2 * i + 1 || met[column] == 2 * i + 2);
            distinct += met[column] == 2 * i + 1;
            met[column] = 2 * i + 2;
        }
    EXPECT(distinct == count);
}

static void expect_rows(const product *p, spl_plan *plan, bool unsorted)
{
    spl_result result = SPL_RESULT_INIT;
    EXPECT_OK(spl_spgemm_result(plan, &result));
    int32_t *offsets = zoo_allocate((size_t)(p->rows + 1) * sizeof(int32_t)),
            *columns = zoo_allocate((size_t)result.nnz * sizeof(int32_t));
    void *exported = zoo_allocate((size_t)result.nnz * zoo_index_bytes(result.index_type));
    int64_t *met = calloc((size_t)p->cols, sizeof *met);
    EXPECT(met && result.exact && result.offset_type == SPL_I32);
    EXPECT_OK(spl_spgemm_export(plan, offsets, exported, NULL, NULL));
    EXPECT(offsets[0] == 0 && offsets[p->rows] == result.nnz);
    for (int64_t k = 0; k < result.nnz; k++)
        columns[k] = (int32_t)zoo_index_at(exported, result.index_type, k);
    for (int64_t i = 0; i < p->rows; i++)
        expect_row(p, i, columns + offsets[i], offsets[i + 1] - offsets[i], unsorted, met);
    free(offsets), free(columns), free(exported), free(met);
}

static int64_t *widen(const int32_t *array, int64_t count)
{
    int64_t *wide = zoo_allocate((size_t)count * sizeof *wide);
    for (int64_t k = 0; k < count; k++)
        wide[k] = array[k];
    return wide;
}

/* Offsets and columns of 64 bits, which free_wide frees. */
static spl_sparse wide_view(spl_sparse m)
{
    m.offsets = widen(m.offsets, m.rows + 1);
    m.indices = widen(m.indices, m.nnz);
    m.offset_type = m.index_type = SPL_I64;
    return m;
}

static void free_wide(spl_sparse *m)
{
    free((void *)m->offsets), free((void *)m->indices);
}

static void expect_structure(const product *p, int threads, bool unsorted, bool wide,
                             const char *method)
{
    spl_context *context = testing_context(threads);
    spl_sparse a = zoo_csr(SPL_F64, p->rows, p->inner, p->a_offsets, p->a_columns, p->a_values),
               b = zoo_csr(SPL_F64, p->inner, p->cols, p->b_offsets, p->b_columns, p->b_values);
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan;
    options.method = method;
    options.exact = 1;
    options.unsorted = unsorted;
    options.result_offset_type = SPL_I32;
    if (wide)
        a = wide_view(a), b = wide_view(b);
    testing_case("%s, threads %d, unsorted %d, wide %d", method, threads, unsorted, wide);
    EXPECT_OK(spl_spgemm_plan(context, &a, &b, NULL, &options, &plan));
    expect_rows(p, plan, unsorted);
    spl_plan_destroy(plan);
    spl_context_destroy(context);
    if (wide)
        free_wide(&a), free_wide(&b);
}

static void expect_structures(const product *p)
{
    for (int threads = 1; threads <= 2; threads++)
        for (int which = 0; which < 4; which++)
            expect_structure(p, threads, which & 1, which & 2, "spgemm/symbolic/cpu/listed");
    expect_structure(p, 1, false, false, "spgemm/symbolic/cpu/hash");
}

/* Numbers of products beside those at which rows are sorted otherwise, or no longer listed. */
static int64_t draw_length(zoo_random *random)
{
    static const int64_t near[] = {0, 4, 16, 32, 64, 128, 256};
    const int64_t drawn = near[zoo_random_below(random, (int64_t)(sizeof near / sizeof *near))] +
                          zoo_random_below(random, 3) - 1;
    return drawn < 0 ? 0 : drawn;
}

static void draw_rows(product *p, zoo_random *random)
{
    for (int64_t i = 0; i < p->rows; i++) {
        const bool repeats = i > 0 && zoo_random_below(random, 4) == 0;
        const int32_t from = p->a_offsets[i > 0 ? i - 1 : 0], to = p->a_offsets[i];
        const int64_t length = repeats ? to - from : draw_length(random);
        for (int64_t k = 0; k < length; k++)
            p->a_columns[to + k] =
                repeats ? p->a_columns[from + k] : (int32_t)zoo_random_below(random, p->inner);
        p->a_offsets[i + 1] = to + (int32_t)length;
    }
}

/* Rows of B of one entry are read otherwise, and those of some entries and none. */
static void rows_of_all_lengths(void **state)
{
    (void)state;
    enum { ROWS = 700, COLS = 150, LONGEST = 257, KINDS = 3 };
    static const int64_t of_b[KINDS][2] = {{1, 1}, {0, 1}, {0, MOST_OF_B}};
    zoo_random random;
    zoo_random_seed(&random, testing_fresh_seed());
    for (int kind = 0; kind < 2 * KINDS; kind++) {
        product p = allocate(ROWS, kind < KINDS ? COLS : 40 * COLS, LONGEST);
        draw_b(&p, &random, of_b[kind % KINDS][0], of_b[kind % KINDS][1]);
        draw_rows(&p, &random);
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
    draw_b(&p, &random, 1, 1);
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
