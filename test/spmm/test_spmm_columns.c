/* SPDX-License-Identifier: Apache-2.0 */
/* The sums of a row are formed in one order, whichever column they are in: columns of B that are
 * the same give columns of C that are the same, bit by bit. So where sums of some terms overflow,
 * they do in all columns or in none. */
#include "lib/run_products.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_METHODS = 32 };

/* B of `columns` columns, all of them x. */
static test_dense repeat(const double *x, int64_t rows, int64_t columns, spl_order order)
{
    test_dense b = test_dense_new(rows, columns, SPL_F64, order, 0);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            test_dense_set(&b, i, j, x[i]);
    return b;
}

/* The first column that is another than column 0, or -1. */
static int64_t column_apart(const test_dense *c)
{
    for (int64_t i = 0; i < c->view.rows; i++)
        for (int64_t j = 1; j < c->view.cols; j++) {
            double first = test_dense_at(c, i, 0), other = test_dense_at(c, i, j);
            if (memcmp(&first, &other, sizeof first) != 0)
                return j;
        }
    return -1;
}

static void expect_same_columns(spl_context *context, const spl_sparse *a, const double *x,
                                int64_t columns, const char *method)
{
    for (int form = 0; form < 3; form++) {
        spl_options options = SPL_OPTIONS_INIT;
        options.method = method;
        options.dense_order = form & 1 ? SPL_COLUMN_MAJOR : SPL_ROW_MAJOR;
        test_dense b = repeat(x, a->cols, columns, options.dense_order);
        test_dense c = test_dense_new(a->rows, columns, SPL_F64,
                                      form & 2 ? SPL_COLUMN_MAJOR : SPL_ROW_MAJOR, 0);
        spl_status status = spl_spmm(context, NULL, a, &b.view, NULL, &c.view, &options);
        EXPECT(status == SPL_OK || status == SPL_UNSUPPORTED);
        testing_case("%s, %lld columns, orders %d: column %lld is another", method,
                     (long long)columns, form, (long long)column_apart(&c));
        EXPECT(status != SPL_OK || column_apart(&c) < 0);
        test_dense_free(&b);
        test_dense_free(&c);
    }
}

/* Values whose sums overflow in some orders and not in others, or are rounded otherwise. */
static void fill(zoo_random *random, double *values, int64_t count, bool huge)
{
    for (int64_t p = 0; p < count; p++)
        values[p] = zoo_random_unit(random) * (huge ? 1.5e308 : 1);
}

static void columns_do_not_differ(void **state)
{
    (void)state;
    static const char *const names[] = {"uniform_40", "wide_10x48", "box2d_d2"};
    const char *ids[MOST_METHODS];
    const int count = testing_methods("spmm/compute", ids, MOST_METHODS);
    spl_context *context = testing_context(2);
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    for (int round = 0; round < 24; round += testing_scale()) {
        zoo_matrix a;
        double x[64];
        zoo_matrix_make(&a, zoo_find(names[round % 3]), zoo_form_number(0),
                        testing_seed() + (uint64_t)round);
        fill(&random, a.values, a.view.nnz, round % 2);
        fill(&random, x, a.view.cols, false);
        const int64_t columns = 1 + zoo_random_below(&random, round % 3 ? 20 : 300);
        for (int m = 0; m < count; m++)
            expect_same_columns(context, &a.view, x, columns, ids[m]);
        zoo_matrix_free(&a);
    }
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_do_not_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
