/* SPDX-License-Identifier: Apache-2.0 */
/* spl_select against a loop over the triples of the source, on fresh matrices in every form. */
#include "lib/testing.h"
#include "sparloom/algebra.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

static zoo_random draws;

static int64_t below(int64_t n)
{
    return zoo_random_below(&draws, n);
}

static bool expected(const spl_selection *s, int64_t i, int64_t j, double v)
{
    bool listed = false;
    for (int64_t k = 0; k < s->row_count; k++)
        listed = listed || s->rows[k] == i;
    const bool kept[] = {false,
                         j <= i + s->diagonal,
                         j >= i + s->diagonal,
                         j == i + s->diagonal,
                         v >= s->threshold,
                         v <= s->threshold,
                         listed};
    return kept[s->selector] != (s->invert == 1);
}

static bool same(double x, double y)
{
    return x == y || (isnan(x) && isnan(y));
}

static void expect_kept(const spl_selection *s, const spl_sparse *source, const spl_sparse *result)
{
    zoo_triples before, after;
    int64_t n = 0;
    EXPECT(result->format == source->format && result->type == source->type &&
           result->rows == source->rows && result->cols == source->cols);
    EXPECT(result->index_type == source->index_type);
    EXPECT(source->format == SPL_COO || result->offset_type == source->offset_type);
    EXPECT_OK(spl_validate(result));
    zoo_triples_of_view(&before, source);
    zoo_triples_of_view(&after, result);
    for (int64_t e = 0; e < before.nnz; e++) {
        if (!expected(s, before.i[e], before.j[e], before.v[e]))
            continue;
        EXPECT(n < after.nnz);
        EXPECT(after.i[n] == before.i[e] && after.j[n] == before.j[e] &&
               same(after.v[n], before.v[e]));
        n++;
    }
    EXPECT(n == after.nnz);
    zoo_triples_free(&before);
    zoo_triples_free(&after);
}

static void try_selectors(spl_context *context, const spl_sparse *source)
{
    int64_t list[5];
    for (int selector = SPL_SELECT_LOWER; selector <= SPL_SELECT_ROWS; selector++) {
        spl_selection s = SPL_SELECTION_INIT;
        spl_sparse view = SPL_SPARSE_INIT;
        spl_matrix *result = NULL;
        s.selector = selector;
        s.invert = (int32_t)below(2);
        s.diagonal = below(7) - 3;
        s.threshold = zoo_random_unit(&draws);
        s.rows = list;
        s.row_count = selector == SPL_SELECT_ROWS && source->rows > 0 ? below(6) : 0;
        for (int64_t k = 0; k < s.row_count; k++)
            list[k] = below(source->rows);
        EXPECT_OK(spl_select(context, source, &s, &result));
        EXPECT_OK(spl_matrix_view(result, &view));
        expect_kept(&s, source, &view);
        spl_matrix_destroy(result);
    }
}

static void fresh_matrices(void **state)
{
    uint64_t seed = testing_fresh_seed();
    spl_context *context = testing_context(3);
    (void)state;
    zoo_random_seed(&draws, seed);
    for (int number = 0; number < zoo_tiny_count * 2 / testing_scale() + 1; number++) {
        const zoo_maker *maker = &zoo_tiny[below(zoo_tiny_count)];
        zoo_form form = zoo_form_number((int)below(ZOO_FORMS));
        zoo_matrix source;
        testing_case("seed %llu, number %d: %s, %s", (unsigned long long)seed, number, maker->name,
                     zoo_form_name(form));
        zoo_matrix_make(&source, maker, form, seed + (uint64_t)number);
        try_selectors(context, &source.view);
        zoo_matrix_free(&source);
    }
    spl_context_destroy(context);
}

/* Enough entries for several threads, and for several pieces of COO. */
static void large_matrices(void **state)
{
    spl_context *context = testing_context(4);
    const zoo_maker maker = {"large", zoo_uniform, {3000, 2500, 9}, false};
    (void)state;
    zoo_random_seed(&draws, testing_seed());
    for (int form = 0; form < ZOO_FORMS; form += 2 * testing_scale() - 1) {
        zoo_matrix source;
        testing_case("%s", zoo_form_name(zoo_form_number(form)));
        zoo_matrix_make(&source, &maker, zoo_form_number(form), testing_seed());
        try_selectors(context, &source.view);
        zoo_matrix_free(&source);
    }
    spl_context_destroy(context);
}

static void wrong_selections(void **state)
{
    spl_context *context = testing_context(1);
    const int64_t bad_row[] = {0, 4};
    zoo_matrix source;
    spl_matrix *result = NULL;
    (void)state;
    const zoo_maker maker = {"square", zoo_diagonal, {4}, false};
    zoo_matrix_make(&source, &maker, zoo_form_number(0), 1);
    spl_selection good = SPL_SELECTION_INIT, s;
    good.selector = SPL_SELECT_LOWER;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_select(NULL, &source.view, &good, &result));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_select(context, NULL, &good, &result));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_select(context, &source.view, NULL, &result));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_select(context, &source.view, &good, NULL));
    for (int fault = 0; fault < 6; fault++) {
        s = good;
        if (fault == 0)
            s.selector = 0;
        else if (fault == 1)
            s.selector = SPL_SELECT_ROWS + 1;
        else if (fault == 2)
            s.invert = 2;
        else if (fault == 3)
            s.threshold = NAN;
        else
            s.selector = SPL_SELECT_ROWS;
        s.row_count = fault == 4 ? 2 : -1;
        s.rows = bad_row;
        testing_case("fault %d", fault);
        EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_select(context, &source.view, &s, &result));
        EXPECT(!result);
    }
    zoo_matrix_free(&source);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fresh_matrices),
                                       cmocka_unit_test(large_matrices),
                                       cmocka_unit_test(wrong_selections)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
