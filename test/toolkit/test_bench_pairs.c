/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse products of two different operands, as multigrid has them, measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <bench_case.h>
#include <bench_multigrid.h>
#include <gen.h>
#include <stdio.h>
#include <string.h>

/* R*(A*P): pairs of rectangular operands of different density, by both operations, on the host and
 * on a device. */
static void check_pair(bench_setup *setup, const spl_sparse *left, const spl_sparse *right)
{
    for (int operation = BENCH_SPGEMM; operation <= BENCH_NUMERIC; operation++) {
        bench_case item = {.operation = (bench_operation)operation, .type = SPL_F64, .columns = 1};
        assert_int_equal(bench_run(setup, left, right, &item), SPL_OK);
        assert_int_equal(item.entries[0].verdict, BENCH_GOOD);
        assert_true(item.entries[0].check.ok && item.entries[0].check.compared > 0 &&
                    item.entries[0].warm.runs >= 1);
        assert_int_equal(item.b_nnz, right->nnz);
        assert_int_equal(item.b_cols, right->cols);
        double products = 0;
        for (int64_t k = 0; k < left->nnz; k++) {
            const int32_t *row =
                (const int32_t *)right->offsets + ((const int32_t *)left->indices)[k];
            products += row[1] - row[0];
        }
        assert_true(item.flop == 2 * products);
    }
}

/* R and A*P of the set are what they are named after, and R*(A*P) is measured. */
static void test_galerkin(void **state)
{
    (void)state;
    gen_matrix fine, prolong;
    gen_message message;
    spl_context *context = NULL;
    spl_matrix *restriction, *product;
    spl_sparse r = SPL_SPARSE_INIT, ap = SPL_SPARSE_INIT;
    spl_check check = SPL_CHECK_INIT;
    bench_setup setup = {.rivals = {&bench_own}, .count = 1, .threads = 2};
    spl_options transpose = SPL_OPTIONS_INIT;
    transpose.op_b = SPL_TRANSPOSE;
    assert_int_equal(gen_make("stencil5:9,10", 1, SPL_F64, &fine, &message), GEN_OK);
    assert_int_equal(gen_make("prolong2d:9,10,3,smooth=1", 1, SPL_F64, &prolong, &message), GEN_OK);
    spl_sparse a = gen_view(&fine), p = gen_view(&prolong);
    assert_int_equal(spl_context_create(NULL, &context), SPL_OK);
    assert_int_equal(bench_galerkin(context, &a, &p, &restriction, &product), SPL_OK);
    assert_int_equal(spl_matrix_view(restriction, &r), SPL_OK);
    assert_int_equal(spl_matrix_view(product, &ap), SPL_OK);
    assert_int_equal(spl_check_spgemm(NULL, &a, &p, NULL, NULL, &ap, NULL, &check), SPL_OK);
    assert_true(check.ok && check.compared == ap.nnz);
    /* R' is P */
    assert_int_equal(spl_check_spgemm(NULL, &a, &r, NULL, NULL, &ap, &transpose, &check), SPL_OK);
    assert_true(check.ok && r.rows == p.cols && r.cols == p.rows && r.nnz == p.nnz);
    assert_null(bench_own.start(&(bench_target){.threads = 2}));
    check_pair(&setup, &r, &ap);
    spl_matrix_destroy(restriction);
    spl_matrix_destroy(product);
    spl_context_destroy(context);
    gen_free(&fine);
    gen_free(&prolong);
}

static void test_pairs(void **state)
{
    (void)state;
    gen_matrix fine, prolong;
    gen_message message;
    const bench_target host = {.threads = 2};
    bench_setup setup = {.rivals = {&bench_own}, .count = 1, .threads = 2};
    assert_int_equal(gen_make("stencil5:12,11", 1, SPL_F64, &fine, &message), GEN_OK);
    assert_int_equal(gen_make("prolong2d:12,11,3", 1, SPL_F64, &prolong, &message), GEN_OK);
    spl_sparse a = gen_view(&fine), p = gen_view(&prolong);
    assert_null(bench_own.start(&host));
    check_pair(&setup, &a, &p);
    bench_target target = {.threads = 2, .devices = "emu", .place = {SPL_EMULATOR, 0}};
    int32_t devices = 0;
    if (spl_driver_devices("emu", &devices) == SPL_OK) {
        setup.rivals[0] = &bench_own_device;
        setup.device = "emu";
        assert_null(bench_own_device.start(&target));
        check_pair(&setup, &a, &p);
    }
    gen_free(&fine);
    gen_free(&prolong);
}

/* Each hierarchy is made of what can be generated. */
static void test_names(void **state)
{
    (void)state;
    gen_message message;
    int count = 0;
    for (const bench_hierarchy *h = bench_multigrid; h->name; h++, count++) {
        const char *const names[] = {h->fine, h->prolongation};
        for (int i = 0; i < 2; i++) { /* a word too many is found before anything is made */
            char longer[128];
            gen_matrix matrix;
            snprintf(longer, sizeof longer, "%s,nothing=1", names[i]);
            assert_int_equal(gen_make(longer, 1, SPL_F64, &matrix, &message), GEN_WRONG);
            assert_non_null(strstr(message.text, "has no parameter \"nothing\""));
        }
    }
    assert_true(count >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs),
                                       cmocka_unit_test(test_galerkin),
                                       cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
