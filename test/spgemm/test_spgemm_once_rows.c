/* SPDX-License-Identifier: Apache-2.0 */
/* One-shot SpGEMM of rows that have ways of their own: of one entry or none, of a dense row among
 * short ones, of bands; and of node blocks, which have a plan where that pays. */
#include "lib/hook_allocator.h"
#include "lib/once_products.h"
#include "lib/testing.h"
#include "zoo/zoo.h"

#include <limits.h>

static void expect_product(const spl_sparse *a, const spl_sparse *b)
{
    expect_once_product(a, b, false, ONCE_ALLOCATIONS);
    expect_once_product(a, b, true, ONCE_ALLOCATIONS);
}

/* A matrix whose rows have an entry or none, of which the last ones have none. */
static zoo_matrix draw_singles(zoo_random *random, int64_t rows, int64_t cols, int form)
{
    enum { SHARE = 3 };
    zoo_triples triples;
    zoo_matrix m;
    zoo_triples_start(&triples, rows, cols);
    for (int64_t i = 0; i + SHARE < rows; i++)
        if (zoo_random_below(random, SHARE) > 0)
            zoo_triples_add(&triples, i, zoo_random_below(random, cols), zoo_random_unit(random));
    zoo_build(&m, &triples, zoo_form_number(form));
    zoo_triples_free(&triples);
    return m;
}

static void rows_have_an_entry_or_none(void **state)
{
    (void)state;
    static const int64_t rows[] = {7, 1500, 90000}; /* in one block, and in several */
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    for (int form = 0; form < ZOO_FORMS; form++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            if (zoo_form_number(form).format != SPL_CSR)
                continue;
            const int64_t inner = rows[k] / 2 + 5, cols = rows[k] / 3 + 5;
            zoo_matrix a = draw_singles(&random, rows[k], inner, form),
                       b = draw_singles(&random, inner, cols, form);
            testing_case("%s, %lld rows", zoo_form_name(zoo_form_number(form)), (long long)rows[k]);
            expect_product(&a.view, &b.view);
            zoo_matrix_free(&a);
            zoo_matrix_free(&b);
        }
}

typedef enum border { NONE, ROW, COLUMN, BORDERS } border;

/* A diagonal, and a row or a column of which some entries are left out. */
static zoo_matrix draw_border(zoo_random *random, int64_t rows, border at)
{
    enum { SELDOM = 50 };
    zoo_triples triples;
    zoo_matrix m;
    zoo_triples_start(&triples, rows, rows);
    for (int64_t i = 0; i < rows; i++) {
        zoo_triples_add(&triples, i, i, zoo_random_unit(random));
        if (at != NONE && i > 0 && zoo_random_below(random, SELDOM) > 0)
            zoo_triples_add(&triples, at == COLUMN ? i : 0, at == COLUMN ? 0 : i,
                            zoo_random_unit(random));
    }
    zoo_build(&m, &triples, zoo_form_number(0));
    zoo_triples_free(&triples);
    return m;
}

static void a_row_or_a_column_is_long(void **state)
{
    (void)state;
    enum { ROWS = 3000 };
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    for (border of_a = NONE; of_a < BORDERS; of_a++)
        for (border of_b = NONE; of_b < BORDERS; of_b++) {
            if (of_a == COLUMN && of_b == ROW) /* C has all entries */
                continue;
            zoo_matrix a = draw_border(&random, ROWS, of_a), b = draw_border(&random, ROWS, of_b);
            testing_case("%d times %d", (int)of_a, (int)of_b);
            expect_product(&a.view, &b.view);
            zoo_matrix_free(&a);
            zoo_matrix_free(&b);
        }
}

/* Bands, whose rows repeat others, from so few rows on that none do. */
static void bands_have_few_rows(void **state)
{
    (void)state;
    enum { DRAWS = 12, LEAST = 20, ROWS = 1100, WIDTH = 5, SELDOM = 90 };
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    for (int draw = 0; draw < DRAWS; draw++) {
        const int64_t rows = LEAST + zoo_random_below(&random, draw % 2 ? ROWS : ROWS / 8),
                      left = zoo_random_below(&random, WIDTH),
                      right = zoo_random_below(&random, WIDTH);
        zoo_triples triples;
        zoo_matrix m;
        zoo_triples_start(&triples, rows, rows);
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = i - left; j <= i + right; j++)
                if (j >= 0 && j < rows && (draw % 3 || zoo_random_below(&random, SELDOM) > 0))
                    zoo_triples_add(&triples, i, j, zoo_random_unit(&random));
        zoo_build(&m, &triples, zoo_form_number(0));
        testing_case("%lld rows, %lld to the left, %lld to the right", (long long)rows,
                     (long long)left, (long long)right);
        expect_product(&m.view, &m.view);
        zoo_matrix_free(&m);
        zoo_triples_free(&triples);
    }
}

/* Full blocks of `size` unknowns a node, each coupled with about `couplings` others. */
static zoo_matrix draw_blocks(zoo_random *random, int64_t nodes, int64_t size, int64_t couplings)
{
    zoo_triples triples;
    zoo_matrix m;
    zoo_triples_start(&triples, nodes * size, nodes * size);
    for (int64_t node = 0; node < nodes; node++)
        for (int64_t k = 0; k <= couplings; k++) {
            const int64_t other = k == 0 ? node : zoo_random_below(random, nodes);
            for (int64_t e = 0; e < size * size; e++)
                zoo_triples_add(&triples, node * size + e / size, other * size + e % size,
                                zoo_random_unit(random));
        }
    zoo_build(&m, &triples, zoo_form_number(0));
    zoo_triples_free(&triples);
    return m;
}

/* Blocks of two with few couplings have none: a plan takes longer than it saves. */
static void few_blocks_have_no_plan(void **state)
{
    (void)state;
    enum { NODES = 1200, FEW = 3 };
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    zoo_matrix few = draw_blocks(&random, NODES, 2, FEW);
    expect_product(&few.view, &few.view);
    zoo_matrix_free(&few);
}

static long long allocations_of(const spl_sparse *m)
{
    hook_allocator hook;
    spl_context *context;
    spl_matrix *c;
    hook_start(&hook);
    EXPECT_OK(hook_context(&hook, 1, 0, &context));
    const long long before = hook.allocations;
    EXPECT_OK(spl_spgemm(context, NULL, m, m, NULL, NULL, NULL, &c));
    const long long count = hook.allocations - before;
    spl_matrix_destroy(c);
    spl_context_destroy(context);
    EXPECT(hook_clean(&hook));
    hook_stop(&hook);
    return count;
}

static void many_blocks_have_a_plan(void **state)
{
    (void)state;
    enum { NODES = 600, SIZE = 3, MANY = 12 };
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    zoo_matrix many = draw_blocks(&random, NODES, SIZE, MANY);
    EXPECT(allocations_of(&many.view) > ONCE_ALLOCATIONS);
    expect_once_product(&many.view, &many.view, false, LLONG_MAX);
    zoo_matrix_free(&many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_an_entry_or_none), cmocka_unit_test(a_row_or_a_column_is_long),
        cmocka_unit_test(bands_have_few_rows),        cmocka_unit_test(few_blocks_have_no_plan),
        cmocka_unit_test(many_blocks_have_a_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
