/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of every length, all of one or each of another, with every width of tile: kernels for rows
 * of even lengths and for others add all entries of a row, and no other. */
#include "lib/run_products.h"

enum { ROWS = 37, COLUMNS = 40, LONGEST = 18 };

/* Rows of so many entries, every eighth of `next`; 0: of 0, 1, 2, ... */
static void make(zoo_matrix *a, int length, int next, int form)
{
    zoo_triples triples;
    zoo_triples_start(&triples, ROWS, COLUMNS);
    for (int64_t i = 0; i < ROWS; i++) {
        const int64_t here = length ? (i % 8 ? length : next) : i % (LONGEST + 1);
        for (int64_t e = 0; e < here; e++)
            zoo_triples_add(&triples, i, (i + 2 * e) % COLUMNS, (double)(1 + (7 * i + e) % 5));
    }
    zoo_build(a, &triples, zoo_form_number(form));
    zoo_triples_free(&triples);
}

static void expect_products(spl_context *context, const spl_sparse *a, int length, const char *id)
{
    /* one to nine registers of 16, 32 and 64 bytes, whole or cut, and several tiles */
    static const int64_t widths[] = {1, 3, 4, 8, 12, 16, 24, 32, 40, 64, 128, 130};
    for (int k = 0; k < (int)(sizeof widths / sizeof *widths); k++) {
        spmm_run run = {a,
                        widths[k],
                        SPL_ROW_MAJOR,
                        SPL_ROW_MAJOR,
                        k % 3,
                        SPL_OPTIONS_INIT,
                        testing_scalars_of(1, k % 2),
                        false};
        run.options.method = id;
        testing_case("%s, rows of %d, %lld columns", id, length, (long long)widths[k]);
        EXPECT_OK(run_spmm(context, &run));
    }
}

static void rows_of_every_length(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    for (int length = 0; length <= LONGEST; length++)
        for (int form = 0; form < 12; form += 9 - 8 * (testing_scale() == 1)) {
            zoo_matrix a;
            make(&a, length, (length + 5) % 7, form);
            if (a.view.format == SPL_CSR)
                expect_products(context, &a.view, length, "spmm/compute/cpu/register_blocked");
            zoo_matrix_free(&a);
        }
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_every_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
