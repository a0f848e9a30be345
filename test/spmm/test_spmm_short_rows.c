/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that a team of a device computes side by side, of all lengths up to more than what is done
 * side by side and to long ones, which have blocks; and when that is chosen. */
#include "lib/run_products.h"

#include <string.h>

static const char short_rows[] = "spmm/compute/gpu/short_rows";

/* ROWS: no multiple of what a warp computes. COLUMNS: a full row has more parts than a block adds
 * up at once. */
enum { ROWS = 333, COLUMNS = 40000 };

/* Rows of 0 to 17 entries in turn; some at and around the limits of 16 and 64; and long ones, of
 * one part, of some, and of all columns. */
static int64_t length_of(int64_t row)
{
    static const int64_t some[] = {64, 65, 16, 63, 700, 5000, COLUMNS};
    enum { MANY = 18, EVERY = 40 };
    return row % EVERY == EVERY - 1 ? some[row / EVERY % 7] : row * 7 % MANY;
}

static void make(zoo_matrix *a)
{
    zoo_triples triples;
    zoo_triples_start(&triples, ROWS, COLUMNS);
    for (int64_t i = 0; i < ROWS; i++) {
        const int64_t length = length_of(i), first = (i * 97) % (COLUMNS - length + 1);
        for (int64_t e = 0; e < length; e++)
            zoo_triples_add(&triples, i, first + e, (double)(1 + (7 * i + e) % 5));
    }
    zoo_build(a, &triples, zoo_form_number(0));
    zoo_triples_free(&triples);
}

static spmm_run run_of(const zoo_matrix *a, int64_t columns, spl_order b, spl_order c, int scalars)
{
    const spmm_run run = {
        &a->view, columns, b, c, scalars, SPL_OPTIONS_INIT, testing_scalars_of(2, scalars), false};
    return run;
}

static void rows_of_all_lengths(void **state)
{
    (void)state;
    static const int64_t widths[] = {1, 3, 8, 31, 130};
    spl_context *context = testing_context(2);
    zoo_matrix a;
    make(&a);
    for (int k = 0; k < 10; k++) {
        spmm_run run = run_of(&a, widths[k / 2], SPL_ROW_MAJOR, SPL_ROW_MAJOR, k % 2);
        run.options.method = testing_device() ? short_rows : NULL;
        testing_case("%lld columns, scalars %d", (long long)widths[k / 2], k % 2);
        EXPECT_OK(run_spmm(context, &run));
    }
    for (int k = 0; k < 3; k++) {
        spmm_run run = run_of(&a, 9, k != 1 ? SPL_COLUMN_MAJOR : SPL_ROW_MAJOR,
                              k > 0 ? SPL_COLUMN_MAJOR : SPL_ROW_MAJOR, 1);
        run.options.method = testing_device() ? short_rows : NULL;
        testing_case("by columns, %d", k);
        EXPECT_OK(run_spmm(context, &run));
    }
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

static bool is_chosen(spl_context *context, const zoo_maker *maker, int64_t columns)
{
    zoo_matrix a;
    zoo_form form = zoo_form_number(0);
    spl_step step = SPL_STEP_INIT;
    spl_plan *plan = NULL;
    form.type = SPL_F32;
    zoo_matrix_make(&a, maker, form, 1);
    EXPECT_OK(spl_spmm_plan(context, &a.view, columns, NULL, &plan));
    EXPECT_OK(spl_plan_step(plan, 0, &step));
    testing_case("%s, %lld columns: %s", maker->name, (long long)columns, step.method);
    const bool chosen = strcmp(step.method, short_rows) == 0;
    spl_plan_destroy(plan);
    zoo_matrix_free(&a);
    return chosen;
}

/* Rows of an entry beside a dense one are no reason to order all of them, and to start a team for
 * each; teams have enough of B under way where rows are longer. */
static void a_dense_row_has_blocks(void **state)
{
    (void)state;
    static const zoo_maker dense_row = {"a dense row", zoo_dense_row, {30000, 30000, 11, 1}, false},
                           longer = {"rows of 40", zoo_uniform, {5000, 5000, 40}, false};
    spl_context *context = testing_context(2);
    for (int64_t columns = 8; testing_device() && columns <= 128; columns *= 4) {
        EXPECT(is_chosen(context, &dense_row, columns));
        EXPECT(!is_chosen(context, &longer, columns));
    }
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_all_lengths),
        cmocka_unit_test(a_dense_row_has_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
