/* SPDX-License-Identifier: Apache-2.0 */
/* Promise 6 for everything but views: NULL, shapes, types, overlap, leading dimensions. */
#include "lib/run_products.h"

#include <string.h>

typedef struct setting {
    spl_context *context;
    zoo_matrix a, b, single; /* 8x8, 5x40, 8x8 in f32 */
    double x[64];
    guarded y;
} setting;

static setting s;
static char poison[64];

static int start(void **state)
{
    (void)state;
    memset(&s, 0, sizeof s);
    s.context = testing_context(2);
    zoo_matrix_make(&s.a, zoo_find("dense_8x8"), zoo_form_number(0), testing_seed());
    zoo_matrix_make(&s.b, zoo_find("dense_5x40"), zoo_form_number(0), testing_seed());
    zoo_matrix_make(&s.single, zoo_find("dense_8x8"), zoo_form_number(9), testing_seed());
    s.y = guarded_new(64 * sizeof(double));
    testing_case("invalid calls");
    return 0;
}

static int stop(void **state)
{
    (void)state;
    guarded_free(&s.y);
    zoo_matrix_free(&s.a);
    zoo_matrix_free(&s.b);
    zoo_matrix_free(&s.single);
    spl_context_destroy(s.context);
    return 0;
}

/* One of the statuses for wrong arguments; the header does not always say which one. */
static void expect_refused(spl_status status, int line)
{
    if (status != SPL_INVALID_ARGUMENT && status != SPL_SHAPE_MISMATCH && status != SPL_UNSUPPORTED)
        testing_status(SPL_INVALID_ARGUMENT, status, "a refusal", __FILE__, line);
    EXPECT(strlen(spl_error_detail()) > 8);
}
#define EXPECT_REFUSED(call) expect_refused((call), __LINE__)

static void null_arguments(void **state)
{
    (void)state;
    const spl_sparse *a = &s.a.view;
    spl_plan *plan = (void *)poison;
    spl_matrix *matrix = (void *)poison;
    spl_sparse view = SPL_SPARSE_INIT;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_context_create(NULL, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_validate(NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_convert(NULL, a, NULL, &matrix));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_convert(s.context, NULL, NULL, &matrix));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_convert(s.context, a, NULL, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_describe(s.context, a, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_matrix_view(NULL, &view));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spmv_plan(NULL, a, NULL, &plan));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spmv_plan(s.context, NULL, NULL, &plan));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spmv_plan(s.context, a, NULL, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spmm_plan(NULL, a, 3, NULL, &plan));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spmm_plan(s.context, a, 3, NULL, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spgemm_plan(NULL, a, a, NULL, NULL, &plan));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spgemm_plan(s.context, a, NULL, NULL, NULL, &plan));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spgemm_plan(s.context, a, a, NULL, NULL, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spgemm(s.context, NULL, a, a, NULL, NULL, NULL, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spmv_execute(NULL, NULL, s.x, NULL, s.y.data, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spgemm_execute(NULL, NULL, NULL, NULL, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spgemm_take(NULL, &matrix));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spgemm_export(NULL, NULL, NULL, NULL, NULL));
    EXPECT(plan == (void *)poison && matrix == (void *)poison);
    spl_context_destroy(NULL);
    spl_plan_destroy(NULL);
    spl_matrix_destroy(NULL);
}

static void null_vectors_and_overlap(void **state)
{
    (void)state;
    double *y = s.y.data;
    spl_plan *plan = NULL;
    EXPECT_OK(spl_spmv_plan(s.context, &s.a.view, NULL, &plan));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spmv_execute(plan, NULL, NULL, NULL, y, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spmv_execute(plan, NULL, s.x, NULL, NULL, NULL));
    for (int shift = -7; shift <= 7; shift++)
        EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                      spl_spmv_execute(plan, NULL, y + 20 + shift, NULL, y + 20, NULL));
    EXPECT(guarded_untouched(&s.y));
    memset(y, 0, 64 * sizeof *y);
    /* neighbours do not overlap */
    EXPECT_OK(spl_spmv_execute(plan, NULL, y + 28, NULL, y + 20, NULL));
    EXPECT_OK(spl_spmv_execute(plan, NULL, y + 12, NULL, y + 20, NULL));
    spl_plan_destroy(plan);
}

/* `array` is what the detail must name. */
static void expect_misaligned(spl_status status, const char *array, int line)
{
    testing_status(SPL_INVALID_ARGUMENT, status, array, __FILE__, line);
    testing_case("detail \"%s\", expected \"%s\"", spl_error_detail(), array);
    EXPECT(!strncmp(spl_error_detail(), array, strlen(array)) &&
           strstr(spl_error_detail(), "not aligned to the "));
}
#define EXPECT_MISALIGNED(array, call) expect_misaligned((call), array, __LINE__)

static void misaligned_vectors_and_scalars(void **state)
{
    (void)state;
    char *y = s.y.data, *x = (char *)s.x, *odd = x + 4;
    const double good[64] = {0}, one = 1;
    spl_check check = SPL_CHECK_INIT;
    spl_plan *plan = NULL;
    EXPECT_OK(spl_spmv_plan(s.context, &s.a.view, NULL, &plan));
    EXPECT_MISALIGNED("x at", spl_spmv_execute(plan, NULL, odd, NULL, y, NULL));
    EXPECT_MISALIGNED("y at", spl_spmv_execute(plan, NULL, x, NULL, y + 1, NULL));
    EXPECT_MISALIGNED("alpha at", spl_spmv_execute(plan, odd, x, NULL, y, NULL));
    EXPECT_MISALIGNED("beta at", spl_spmv_execute(plan, NULL, x, odd, y, NULL));
    EXPECT(guarded_untouched(&s.y));
    spl_plan_destroy(plan);
    EXPECT_MISALIGNED("x at", spl_spmv(s.context, NULL, &s.a.view, odd, NULL, y, NULL));
    EXPECT_MISALIGNED("x at", spl_check_spmv(NULL, &s.a.view, odd, NULL, NULL, good, NULL, &check));
    EXPECT_MISALIGNED("y at", spl_check_spmv(NULL, &s.a.view, good, NULL, NULL, odd, NULL, &check));
    EXPECT_MISALIGNED("y_before at",
                      spl_check_spmv(NULL, &s.a.view, good, &one, odd, good, NULL, &check));
    EXPECT_MISALIGNED("alpha at",
                      spl_check_spmv(odd, &s.a.view, good, NULL, NULL, good, NULL, &check));
}

static void misaligned_results_of_spgemm(void **state)
{
    (void)state;
    char *y = s.y.data;
    spl_options keeping = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    keeping.processors = testing_processors("spgemm/");
    EXPECT_OK(spl_spgemm_plan(s.context, &s.a.view, &s.a.view, NULL, &keeping, &plan));
    EXPECT_MISALIGNED("C: values", spl_spgemm_execute(plan, NULL, NULL, y + 4, NULL));
    EXPECT_MISALIGNED("C: offsets", spl_spgemm_export(plan, y + 2, NULL, NULL, NULL));
    EXPECT_MISALIGNED("C: indices", spl_spgemm_export(plan, NULL, y + 1, NULL, NULL));
    spl_plan_destroy(plan);
    keeping.keep_result = 1;
    EXPECT_OK(spl_spgemm_plan(s.context, &s.a.view, &s.a.view, NULL, &keeping, &plan));
    EXPECT_OK(spl_spgemm_execute(plan, NULL, NULL, NULL, NULL));
    EXPECT_MISALIGNED("C: values", spl_spgemm_export(plan, NULL, NULL, y + 4, NULL));
    EXPECT(guarded_untouched(&s.y));
    spl_plan_destroy(plan);
}

static spl_dense dense(void *values, int64_t rows, int64_t cols, int64_t ld)
{
    spl_dense view = SPL_DENSE_INIT;
    view.type = SPL_F64;
    view.order = SPL_ROW_MAJOR;
    view.rows = rows;
    view.cols = cols;
    view.ld = ld;
    view.values = values;
    return view;
}

typedef struct dense_fault {
    const char *name;
    spl_status expected; /* SPL_OK stands for any refusal */
    spl_dense view;
} dense_fault;

static dense_fault dense_faults[16];

static int list_dense_faults(void *values)
{
    int n = 0;
    const spl_dense good = dense(values, 8, 3, 3);
    const dense_fault plain[] = {
        {"7 rows", SPL_SHAPE_MISMATCH, dense(values, 7, 3, 3)},
        {"2 columns", SPL_SHAPE_MISMATCH, dense(values, 8, 2, 3)},
        {"ld 2", SPL_INVALID_ARGUMENT, dense(values, 8, 3, 2)},
        {"ld -3", SPL_INVALID_ARGUMENT, dense(values, 8, 3, -3)},
        {"rows -8", SPL_INVALID_ARGUMENT, dense(values, -8, 3, 3)},
        {"NULL values", SPL_INVALID_ARGUMENT, dense(NULL, 8, 3, 3)},
        {"values moved by 4", SPL_INVALID_ARGUMENT, dense((char *)values + 4, 8, 3, 3)},
        {"ld 2^60", SPL_INDEX_OVERFLOW, dense(values, 8, 3, (int64_t)1 << 60)}};
    for (; n < 7; n++)
        dense_faults[n] = plain[n];
    for (int k = n; k < n + 7; k++)
        dense_faults[k] = (dense_fault){"header", SPL_INVALID_ARGUMENT, good};
    dense_faults[n++].view.size = 0;
    dense_faults[n++].view.order = (spl_order)0;
    dense_faults[n++].view.order = (spl_order)3;
    dense_faults[n++].view.type = (spl_type)0;
    dense_faults[n].expected = SPL_UNSUPPORTED;
    dense_faults[n++].view.type = SPL_C32;
    dense_faults[n].expected = SPL_UNSUPPORTED;
    dense_faults[n++].view.place.kind = SPL_CUDA;
    dense_faults[n].expected = SPL_OK;
    dense_faults[n++].view.type = SPL_F32;
    return n;
}

static void dense_views(void **state)
{
    (void)state;
    spl_plan *plan = NULL;
    spl_dense good_b = dense(s.x, 8, 3, 3), good_c = dense(s.y.data, 8, 3, 3);
    EXPECT_OK(spl_spmm_plan(s.context, &s.a.view, 3, NULL, &plan));
    for (int as_c = 0; as_c < 2; as_c++) {
        int count = list_dense_faults(as_c ? s.y.data : (void *)s.x);
        for (int n = 0; n < count; n++) {
            const spl_dense *b = as_c ? &good_b : &dense_faults[n].view,
                            *c = as_c ? &dense_faults[n].view : &good_c;
            testing_case("%s number %d as %s", dense_faults[n].name, n, as_c ? "C" : "B");
            spl_status status = spl_spmm_execute(plan, NULL, b, NULL, c, NULL);
            if (dense_faults[n].expected == SPL_OK)
                EXPECT_REFUSED(status);
            else
                testing_status(dense_faults[n].expected, status, "spl_spmm_execute", __FILE__,
                               __LINE__);
            EXPECT(guarded_untouched(&s.y));
        }
    }
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spmm_execute(plan, NULL, NULL, NULL, &good_c, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spmm_execute(plan, NULL, &good_b, NULL, NULL, NULL));
    spl_dense overlapping = dense((double *)s.y.data + 23, 8, 3, 3);
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_spmm_execute(plan, NULL, &overlapping, NULL, &good_c, NULL));
    EXPECT(guarded_untouched(&s.y));
    EXPECT_OK(spl_spmm_execute(plan, NULL, &good_b, NULL, &good_c, NULL));
    spl_plan_destroy(plan);
    plan = (void *)poison;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spmm_plan(s.context, &s.a.view, -1, NULL, &plan));
    EXPECT(plan == (void *)poison);
}

static void shapes_that_do_not_fit(void **state)
{
    (void)state;
    const spl_sparse *a = &s.a.view, *b = &s.b.view;
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = (void *)poison;
    EXPECT_STATUS(SPL_SHAPE_MISMATCH, spl_spgemm_plan(s.context, a, b, NULL, NULL, &plan));
    EXPECT_STATUS(SPL_SHAPE_MISMATCH, spl_spgemm_plan(s.context, a, a, b, NULL, &plan));
    options.op_a = SPL_TRANSPOSE;
    EXPECT_STATUS(SPL_SHAPE_MISMATCH, spl_spgemm_plan(s.context, b, a, NULL, &options, &plan));
    options.op_b = SPL_TRANSPOSE;
    EXPECT_STATUS(SPL_SHAPE_MISMATCH, spl_spgemm_plan(s.context, b, b, NULL, &options, &plan));
    spl_matrix *c = (void *)poison;
    EXPECT_STATUS(SPL_SHAPE_MISMATCH, spl_spgemm(s.context, NULL, a, b, NULL, NULL, NULL, &c));
    EXPECT(plan == (void *)poison && c == (void *)poison);
}

static void types_that_differ(void **state)
{
    (void)state;
    const spl_sparse *a = &s.a.view, *single = &s.single.view;
    spl_plan *plan = (void *)poison;
    EXPECT_REFUSED(spl_spgemm_plan(s.context, a, single, NULL, NULL, &plan));
    EXPECT_REFUSED(spl_spgemm_plan(s.context, single, a, NULL, NULL, &plan));
    EXPECT_REFUSED(spl_spgemm_plan(s.context, a, a, single, NULL, &plan));
    EXPECT(plan == (void *)poison);
}

static void conversions(void **state)
{
    (void)state;
    spl_matrix *result = (void *)poison;
    spl_convert_options cases[7];
    for (int n = 0; n < 7; n++)
        cases[n] = (spl_convert_options)SPL_CONVERT_OPTIONS_INIT;
    cases[0].size = 0;
    cases[1].format = (spl_format)9;
    cases[2].type = (spl_type)77;
    cases[3].offset_type = (spl_index)3;
    cases[4].index_type = (spl_index)3;
    cases[5].transpose = 2;
    cases[6].sort = -1;
    for (int n = 0; n < 7; n++) {
        testing_case("conversion %d", n);
        EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_convert(s.context, &s.a.view, &cases[n], &result));
    }
    cases[0] = cases[1] = (spl_convert_options)SPL_CONVERT_OPTIONS_INIT;
    cases[0].format = SPL_BSR;
    cases[1].type = SPL_C64;
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_convert(s.context, &s.a.view, &cases[0], &result));
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_convert(s.context, &s.a.view, &cases[1], &result));
    EXPECT(result == (void *)poison);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(null_arguments, start, stop),
        cmocka_unit_test_setup_teardown(null_vectors_and_overlap, start, stop),
        cmocka_unit_test_setup_teardown(misaligned_vectors_and_scalars, start, stop),
        cmocka_unit_test_setup_teardown(misaligned_results_of_spgemm, start, stop),
        cmocka_unit_test_setup_teardown(dense_views, start, stop),
        cmocka_unit_test_setup_teardown(shapes_that_do_not_fit, start, stop),
        cmocka_unit_test_setup_teardown(types_that_differ, start, stop),
        cmocka_unit_test_setup_teardown(conversions, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
