/* SPDX-License-Identifier: Apache-2.0 */
/* One-shot SpGEMM of rows that have ways of their own: of one entry or none, of a dense row among
 * short ones, of bands, and of node blocks. */
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

/* Full blocks of `height` rows and `width` columns, about `couplings` in a row of them; some nodes
 * have none, and single rows follow the last one. */
typedef struct blocks {
    int64_t nodes, height, others, width, couplings;
} blocks;

enum { SINGLE_ROWS = 3 };

static int64_t rows_of(const blocks *b)
{
    return b->nodes * b->height + SINGLE_ROWS;
}

static zoo_matrix draw_blocks(zoo_random *random, const blocks *b, int64_t cols, int form)
{
    enum { SELDOM = 11 };
    zoo_triples triples;
    zoo_matrix m;
    zoo_triples_start(&triples, rows_of(b), cols);
    for (int64_t node = 0; node < b->nodes; node++)
        for (int64_t k = 0; k < b->couplings && node % SELDOM != 1; k++) {
            const int64_t other = zoo_random_below(random, b->others);
            for (int64_t e = 0; e < b->height * b->width; e++)
                zoo_triples_add(&triples, node * b->height + e / b->width,
                                other * b->width + e % b->width, zoo_random_unit(random));
        }
    for (int64_t i = rows_of(b) - SINGLE_ROWS; i + 1 < rows_of(b); i++)
        zoo_triples_add(&triples, i, i % cols, 1);
    zoo_build(&m, &triples, zoo_form_number(form));
    zoo_triples_free(&triples);
    return m;
}

/* The other way round in each row. */
static void turn_rows(zoo_matrix *m)
{
    const int32_t *offsets = m->view.offsets;
    int32_t *columns = (int32_t *)m->view.indices;
    for (int64_t i = 0; i < m->view.rows; i++)
        for (int32_t p = offsets[i], q = offsets[i + 1] - 1; p < q; p++, q--) {
            const int32_t column = columns[p];
            columns[p] = columns[q];
            columns[q] = column;
        }
}

/* Rows of A that repeat the one before are bundled, those of B have runs of columns: what both are
 * made of takes four allocations, and no plan is made. */
static void blocks_are_bundled(void **state)
{
    (void)state;
    enum { OF_BUNDLES = 4 };
    static const struct {
        blocks a, b;
    } draw[] = {
        {{50, 2, 40, 3, 8}, {40, 3, 60, 2, 9}},      {{600, 3, 600, 3, 12}, {600, 3, 600, 3, 12}},
        {{120, 5, 130, 1, 14}, {130, 1, 9, 70, 2}},  {{90, 4, 70, 2, 9}, {70, 2, 300, 6, 9}},
        {{40, 21, 500, 2, 6}, {100, 10, 170, 4, 7}}, {{700, 8, 90, 7, 3}, {90, 7, 900, 1, 9}}};
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    for (size_t k = 0; k < sizeof draw / sizeof *draw; k++)
        for (int form = 0; form < ZOO_FORMS; form++) {
            const int64_t inner = rows_of(&draw[k].b);
            if (zoo_form_number(form).format != SPL_CSR)
                continue;
            zoo_matrix a = draw_blocks(&random, &draw[k].a, inner, form),
                       b = draw_blocks(&random, &draw[k].b,
                                       draw[k].b.others * draw[k].b.width + (int64_t)k, form);
            testing_case("%zu: %s", k, zoo_form_name(zoo_form_number(form)));
            expect_once_product(&a.view, &b.view, false, ONCE_ALLOCATIONS + OF_BUNDLES);
            if (form == 0)
                turn_rows(&b);
            expect_once_product(&a.view, &b.view, true, ONCE_ALLOCATIONS + OF_BUNDLES);
            zoo_matrix_free(&a);
            zoo_matrix_free(&b);
        }
}

/* Squares share what is found in A and B. */
static void blocks_are_squared(void **state)
{
    (void)state;
    enum { MOST = 6, NODES = 130, COUPLINGS = 11, OF_BUNDLES = 3 };
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    for (int64_t size = 2; size <= MOST; size++) {
        const blocks of = {NODES, size, NODES, size, COUPLINGS};
        zoo_matrix m = draw_blocks(&random, &of, rows_of(&of), 0);
        testing_case("%lld unknowns", (long long)size);
        expect_once_product(&m.view, &m.view, false, ONCE_ALLOCATIONS + OF_BUNDLES);
        zoo_matrix_free(&m);
    }
}

/* Bundles that meet empty rows of B only leave C without arrays. */
static void bundles_of_nothing(void **state)
{
    (void)state;
    enum { ROWS = 600, TERMS = 6 };
    zoo_triples of_a, of_b;
    zoo_matrix a, b;
    zoo_triples_start(&of_a, ROWS, ROWS);
    zoo_triples_start(&of_b, ROWS, ROWS);
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t k = 0; k < TERMS; k++) {
            zoo_triples_add(&of_a, i, k, 1);
            if (i >= TERMS)
                zoo_triples_add(&of_b, i, (i + k) % ROWS, 2);
        }
    zoo_build(&a, &of_a, zoo_form_number(0));
    zoo_build(&b, &of_b, zoo_form_number(0));
    expect_once_product(&a.view, &b.view, false, INT_MAX);
    zoo_matrix_free(&a);
    zoo_matrix_free(&b);
    zoo_triples_free(&of_a);
    zoo_triples_free(&of_b);
}

/* Rows of blocks with holes do not repeat others; a plan multiplies them as blocks. */
static void holed_blocks_have_a_plan(void **state)
{
    (void)state;
    enum { NODES = 240, SIZE = 5, BAND = 12, SELDOM = 12 };
    zoo_random random;
    zoo_triples triples;
    zoo_matrix m;
    zoo_random_seed(&random, testing_seed());
    zoo_triples_start(&triples, NODES * SIZE, NODES * SIZE);
    for (int64_t i = 0; i < NODES * SIZE; i++)
        for (int64_t other = i / SIZE; other < NODES && other <= i / SIZE + BAND; other++)
            for (int64_t j = other * SIZE; j < (other + 1) * SIZE; j++)
                if (zoo_random_below(&random, SELDOM) > 0)
                    zoo_triples_add(&triples, i, j, zoo_random_unit(&random));
    zoo_build(&m, &triples, zoo_form_number(0));
    EXPECT(once_allocations(&m.view, &m.view, 1) > 2 * ONCE_ALLOCATIONS);
    expect_once_product(&m.view, &m.view, false, LLONG_MAX);
    zoo_matrix_free(&m);
    zoo_triples_free(&triples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_an_entry_or_none), cmocka_unit_test(a_row_or_a_column_is_long),
        cmocka_unit_test(bands_have_few_rows),        cmocka_unit_test(blocks_are_bundled),
        cmocka_unit_test(blocks_are_squared),         cmocka_unit_test(holed_blocks_have_a_plan),
        cmocka_unit_test(bundles_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
