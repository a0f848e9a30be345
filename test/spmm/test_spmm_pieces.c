/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that devices cut into pieces: few, which a warp adds up, and so many that a block does. */
#include "lib/run_products.h"

enum { ROWS = 24, COLUMNS = 11000, PIECE = 128 };

/* Rows of some entries, but for four: of one piece and two, of 40, and of 65 and 85. */
static void make(zoo_matrix *a)
{
    static const int64_t lengths[ROWS] = {
        [3] = PIECE, [4] = PIECE + 1, [9] = 40 * PIECE, [10] = 64 * PIECE + 1, [20] = 85 * PIECE};
    zoo_triples triples;
    zoo_triples_start(&triples, ROWS, COLUMNS);
    for (int64_t i = 0; i < ROWS; i++) {
        const int64_t length = lengths[i] ? lengths[i] : i % 4;
        for (int64_t e = 0; e < length; e++)
            zoo_triples_add(&triples, i, COLUMNS - length + e, (double)(1 + (7 * i + e) % 5));
    }
    zoo_build(a, &triples, zoo_form_number(0));
    zoo_triples_free(&triples);
}

static void pieces_are_added_up(void **state)
{
    (void)state;
    static const int64_t widths[] = {1, 31, 70}; /* part of a tile of 32 or 64 columns, and three */
    static const char *const methods[] = {NULL, "spmm/compute/gpu/split"};
    spl_context *context = testing_context(2);
    zoo_matrix a;
    make(&a);
    for (int k = 0; k < 6; k++) {
        spmm_run run = {&a.view,
                        widths[k / 2],
                        SPL_ROW_MAJOR,
                        SPL_ROW_MAJOR,
                        k % 2,
                        SPL_OPTIONS_INIT,
                        testing_scalars_of(2, k % 2),
                        false};
        run.options.method = testing_device() ? methods[k % 2] : NULL;
        testing_case("%lld columns, %s", (long long)widths[k / 2],
                     run.options.method ? run.options.method : "chosen");
        EXPECT_OK(run_spmm(context, &run));
    }
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_added_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
