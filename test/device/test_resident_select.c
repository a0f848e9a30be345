/* SPDX-License-Identifier: Apache-2.0 */
/* spl_select of matrices on a device: what it gives on the host, bit by bit, in every form that
 * devices take. */
#include "lib/on_device.h"
#include "sparloom/algebra.h"

static zoo_random draws;

static int64_t below(int64_t n)
{
    return zoo_random_below(&draws, n);
}

static void compare(const on_device *s, spl_context *cpu, const spl_sparse *host,
                    const spl_selection *selection)
{
    spl_matrix *expected = NULL, *got = NULL;
    spl_sparse there = on_device_put_matrix(s, host), e = SPL_SPARSE_INIT, g = SPL_SPARSE_INIT;
    EXPECT_OK(spl_select(cpu, host, selection, &expected));
    EXPECT_OK(spl_select(s->context, &there, selection, &got));
    EXPECT_OK(spl_matrix_view(expected, &e));
    EXPECT_OK(spl_matrix_view(got, &g));
    on_device_expect_matrix(s, &e, &g);
    spl_matrix_destroy(expected);
    spl_matrix_destroy(got);
    on_device_drop_matrix(s, &there);
}

static spl_selection draw_selection(int64_t rows, int64_t *listed)
{
    spl_selection selection = SPL_SELECTION_INIT;
    selection.selector = (spl_selector)(1 + below(SPL_SELECT_ROWS));
    selection.invert = (int32_t)below(2);
    selection.diagonal = below(9) - 4;
    selection.threshold = (double)(below(7) - 3);
    selection.rows = listed;
    selection.row_count = rows > 0 ? below(8) : 0;
    for (int64_t k = 0; k < selection.row_count; k++)
        listed[k] = below(rows);
    return selection;
}

static void fresh_matrices(void **state)
{
    static void (*const families[])(zoo_triples *, const int64_t *, uint64_t) = {
        zoo_uniform, zoo_half_empty, zoo_duplicates, zoo_unsorted};
    static const spl_type types[] = {SPL_F32, SPL_F64, SPL_F16, SPL_BF16, SPL_INT32, SPL_INT64};
    on_device s = on_device_start(*state);
    spl_context *cpu = NULL;
    EXPECT_OK(spl_context_create(NULL, &cpu));
    const uint64_t seed = testing_fresh_seed();
    zoo_random_seed(&draws, seed);
    for (int number = 0; number < 60; number++) {
        zoo_form form = zoo_form_number((int)below(ZOO_FORMS));
        zoo_triples t;
        zoo_matrix m;
        int64_t listed[8];
        const int64_t rows = 1 + below(60), cols = 1 + below(60);
        form.type = types[below(6)];
        form.index_type = SPL_I32;
        testing_case("seed %llu, number %d", (unsigned long long)seed, number);
        families[below(4)](&t, (const int64_t[]){rows, cols, 1 + below(cols)}, below(1000000));
        zoo_triples_fill(&t, ZOO_INTEGERS, below(1000000));
        zoo_build(&m, &t, form);
        const spl_selection selection = draw_selection(rows, listed);
        compare(&s, cpu, &m.view, &selection);
        zoo_triples_free(&t);
        zoo_matrix_free(&m);
    }
    spl_context_destroy(cpu);
    on_device_stop(&s);
}

/* Faults are told, and nothing is left behind. */
static void refusals(void **state)
{
    on_device s = on_device_start(*state);
    const int32_t offsets[] = {0, 1, 2}, columns[] = {0, 7};
    const float values[] = {1, 2};
    const spl_sparse m = zoo_csr(SPL_F32, 2, 2, offsets, columns, values);
    spl_selection selection = SPL_SELECTION_INIT;
    spl_matrix *result = NULL;
    selection.selector = SPL_SELECT_LOWER;
    spl_sparse there = on_device_put_matrix(&s, &m), wide = there, elsewhere = m;
    EXPECT_STATUS(SPL_INVALID_MATRIX, spl_select(s.context, &there, &selection, &result));
    wide.index_type = wide.offset_type = SPL_I64;
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_select(s.context, &wide, &selection, &result));
    elsewhere.place = s.place; /* arrays on the host */
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_select(s.context, &elsewhere, &selection, &result));
    selection.invert = 2;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_select(s.context, &there, &selection, &result));
    EXPECT(result == NULL);
    on_device_drop_matrix(&s, &there);
    on_device_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {ON_BOTH_WIDTHS(fresh_matrices), ON_BOTH_WIDTHS(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
