/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of rows with the same columns: how they are found and cut, and that every width of tile
 * multiplies them right. */
#include "lib/run_products.h"
#include "structure/identical_rows.h"
#include "structure/row_neighbours.h"

#include <string.h>

enum { ROWS = 41, COLUMNS = 60 };

/* Runs of 1, 2, 3, ... rows one after the other; rows 15 to 20 have no entries. */
static void staircase(zoo_triples *t)
{
    zoo_triples_start(t, ROWS, COLUMNS);
    for (int64_t i = 0, run = 1, left = 1; i < ROWS; i++) {
        for (int64_t j = 0; run != 6 && j < COLUMNS; j++)
            if ((j * j + 5 * run) % 7 < 3)
                zoo_triples_add(t, i, j, 1 + (double)((i * 31 + j) % 7));
        if (--left == 0)
            left = ++run;
    }
}

static void runs_are_found_and_cut(void **state)
{
    (void)state;
    zoo_triples triples;
    staircase(&triples);
    for (int form = 0; form < ZOO_FORMS; form++) {
        zoo_matrix a;
        zoo_build(&a, &triples, zoo_form_number(form));
        if (a.view.format != SPL_CSR) {
            zoo_matrix_free(&a);
            continue;
        }
        testing_case("%s", zoo_form_name(zoo_form_number(form)));
        uint8_t runs[ROWS];
        memset(runs, 99, sizeof runs);
        spl__identical_rows_find(&a.view, 0, ROWS, 3, runs);
        static const uint8_t lengths[] = {1, 2, 3, 2, 2, 3, 2, 3, 3, 3, 2, 2, 3, 3, 2, 3, 2};
        int64_t i = 0;
        for (size_t n = 0; n < sizeof lengths; i += lengths[n++])
            EXPECT(runs[i] == lengths[n]);
        EXPECT(i == ROWS);
        EXPECT(runs[2] == 99); /* inside a run nothing is written */
        spl__identical_rows_find(&a.view, 4, 5, 3, runs);
        /* a part may begin and end inside a run */
        EXPECT(runs[3] == 3 && runs[4] == 1 && runs[5] == 99);
        double share = spl__row_neighbours_of(&a.view).repeated;
        EXPECT(share > 0.7 && share < 0.85);
        zoo_matrix_free(&a);
    }
    zoo_triples_free(&triples);
}

static void every_tile_multiplies_runs(void **state)
{
    (void)state;
    spl_context *context = testing_context(3);
    zoo_triples triples;
    staircase(&triples);
    const int step = testing_scale() > 1 ? 4 : 1, column_step = testing_scale() > 10 ? 3 : 1;
    for (int form = 0; form < 9; form += step) {
        zoo_matrix a;
        zoo_build(&a, &triples, zoo_form_number(form));
        for (int64_t columns = 1; columns < 300;
             columns += column_step * (columns < 20 ? 1 : columns / 5))
            for (int beta = 0; beta < 2; beta++) {
                spmm_run run = {&a.view,
                                columns,
                                SPL_ROW_MAJOR,
                                SPL_ROW_MAJOR,
                                columns % 3,
                                SPL_OPTIONS_INIT,
                                testing_scalars_of(2, beta),
                                false};
                run.options.method = "spmm/compute/cpu/identical_rows";
                testing_case("form %d, %lld columns, beta %d", form, (long long)columns, beta);
                EXPECT_OK(run_spmm(context, &run));
            }
        zoo_matrix_free(&a);
    }
    zoo_triples_free(&triples);
    spl_context_destroy(context);
}

/* Large enough that B is far and its rows are fetched ahead, also past the end of runs. */
static void rows_are_fetched_ahead(void **state)
{
    (void)state;
    static const zoo_maker mesh = {"mesh", zoo_box, {13, 11, 10, 3}, false};
    static const char *const methods[] = {"spmm/compute/cpu/identical_rows",
                                          "spmm/compute/cpu/register_blocked", NULL};
    spl_context *context = testing_context(2);
    zoo_matrix a;
    zoo_matrix_make(&a, &mesh, zoo_form_number(0), testing_seed());
    const int count = testing_scale() > 1 ? 2 : 3; /* what is chosen is one of the others */
    for (int m = 0; m < count; m++) {
        spmm_run run = {&a.view,
                        70,
                        SPL_ROW_MAJOR,
                        SPL_ROW_MAJOR,
                        0,
                        SPL_OPTIONS_INIT,
                        testing_scalars_of(1, 0),
                        false};
        run.options.method = methods[m];
        testing_case("%s", methods[m] ? methods[m] : "auto");
        EXPECT_OK(run_spmm(context, &run));
    }
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_found_and_cut),
        cmocka_unit_test(every_tile_multiplies_runs),
        cmocka_unit_test(rows_are_fetched_ahead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
