/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of several processors: the CPU and both widths of the emulator, in all mixes. */
#include "lib/run_products.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESSORS = 3 };
static const uint64_t mixes[] = {3, 5, 6, 7}; /* cpu emu, cpu emu64, emu emu64, all */
static const double shares[][PROCESSORS] = {{1, 1, 1}, {0, 1, 2}, {3, 1, 0}, {1, 5, 1e-9}};

static spl_context *start(int threads)
{
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    spl_context *context = NULL;
    options.threads = threads;
    options.devices = "cpu,emu,emu64";
    EXPECT_OK(spl_context_create(&options, &context));
    EXPECT(spl_processor_count(context) == PROCESSORS);
    return context;
}

static spl_options options_of(uint64_t processors, int kind, const double *capabilities)
{
    spl_options options = SPL_OPTIONS_INIT;
    options.processors = processors;
    options.partition = (spl_partition_kind)kind;
    options.capabilities = capabilities;
    return options;
}

/* Random capabilities, at least one of them above 0. */
static const double *shares_of(int number, uint64_t mix)
{
    const double *all = shares[number % 4];
    for (int p = 0; p < PROCESSORS; p++)
        if (mix >> p & 1 && all[p] > 0)
            return all;
    return shares[0];
}

/* ---- results ---- */

/* Each case has another mix, kind of partition, form, shares, scalars. */
static void every_mix_is_right(void **state)
{
    (void)state;
    spl_context *context = start(3);
    for (int i = 0; i < zoo_tiny_count; i += testing_scale()) {
        zoo_matrix a;
        uint64_t mix = mixes[i % 4];
        zoo_form form = zoo_form_number(i % ZOO_FORMS);
        if (i % 5 > 2)
            form.type = i % 5 == 3 ? SPL_F16 : SPL_BF16;
        zoo_matrix_make(&a, &zoo_tiny[i], form, testing_seed());
        spl_options options = options_of(mix, i % 5, i % 3 ? shares_of(i, mix) : NULL);
        options.op_a = i % 2 ? SPL_TRANSPOSE : SPL_NONE;
        spl_order order_b = i % 4 < 2 ? SPL_ROW_MAJOR : SPL_COLUMN_MAJOR;
        spl_order order_c = i % 8 < 4 ? SPL_ROW_MAJOR : SPL_COLUMN_MAJOR;
        spmv_run spmv = {&a.view, options, testing_scalars(7 * i % TEST_SCALARS), i % 6 == 5};
        spmm_run spmm = {&a.view,
                         i % 7,
                         order_b,
                         order_c,
                         i % 3,
                         options,
                         testing_scalars(11 * i % TEST_SCALARS),
                         false};
        testing_case("%s, processors %d, partition %d", zoo_tiny[i].name, (int)mix, i % 5);
        EXPECT_OK(run_spmv(context, &spmv));
        EXPECT_OK(run_spmm(context, &spmm));
        zoo_matrix_free(&a);
    }
    spl_context_destroy(context);
}

static spl_part_info part_of(spl_plan *plan, int32_t number)
{
    spl_part_info info = SPL_PART_INFO_INIT;
    EXPECT_OK(spl_plan_part(plan, number, &info));
    return info;
}

static spl_counters counters_of(const spl_plan *plan)
{
    spl_counters counters = SPL_COUNTERS_INIT;
    EXPECT_OK(spl_plan_counters(plan, &counters));
    return counters;
}

static zoo_matrix make(const char *name)
{
    zoo_matrix a;
    zoo_matrix_make(&a, zoo_find(name), zoo_form_number(0), testing_seed());
    return a;
}

/* Vectors for A*x, y 0. */
typedef struct vectors {
    test_dense x, y;
} vectors;

static vectors vectors_of(const zoo_matrix *a)
{
    vectors v = {test_dense_new(a->view.cols, 1, SPL_F64, SPL_COLUMN_MAJOR, 0),
                 test_dense_new(a->view.rows, 1, SPL_F64, SPL_COLUMN_MAJOR, 0)};
    test_dense_fill(&v.x, ZOO_REAL, 3);
    return v;
}

static void free_vectors(vectors *v)
{
    test_dense_free(&v->x);
    test_dense_free(&v->y);
}

static void expect_product(const zoo_matrix *a, const vectors *v)
{
    spl_check check = SPL_CHECK_INIT;
    EXPECT_OK(spl_check_spmv(NULL, &a->view, v->x.view.values, NULL, NULL, v->y.view.values, NULL,
                             &check));
    EXPECT(check.ok && check.compared == a->view.rows);
}

/* The parts' descriptions are right, all work is done, and new values are noticed; nothing is
 * allocated. */
static void parts_and_new_values(void **state)
{
    (void)state;
    spl_context *context = start(2);
    zoo_matrix a = make("uniform_1200");
    vectors v = vectors_of(&a);
    for (int kind = 0; kind <= SPL_PARTITION_COST; kind++) {
        spl_plan *plan = NULL;
        spl_options options = options_of(7, kind, shares[0]);
        int64_t rows = 0, work = 0;
        testing_case("partition %d", kind);
        EXPECT_OK(spl_spmv_plan(context, &a.view, &options, &plan));
        EXPECT(spl_plan_part_count(plan) == PROCESSORS);
        for (int32_t k = 0; k < PROCESSORS; k++) {
            spl_part_info part = part_of(plan, k);
            EXPECT(part.processor == k && part.begin == rows && part.blocks == 1 && !part.x &&
                   !part.y);
            EXPECT((part.order != NULL) == (kind == SPL_PARTITION_DENSITY));
            EXPECT(part.predicted_execution > 0 && (k == 0 || part.predicted_transfer > 0));
            rows += part.rows;
            work += part.work;
        }
        EXPECT(rows == a.view.rows && work == a.view.nnz);
        EXPECT(spl_plan_step_count(plan) == PROCESSORS &&
               spl_plan_candidate_count(plan) > PROCESSORS);
        int64_t allocations = counters_of(plan).allocations;
        EXPECT_OK(spl_spmv_execute(plan, NULL, v.x.view.values, NULL, v.y.view.values, NULL));
        expect_product(&a, &v);
        for (int64_t p = 0; p < a.view.nnz; p++)
            zoo_value_set(a.values, SPL_F64, p, 1.0 / (double)(p + 2 + kind));
        EXPECT_OK(spl_plan_update_values(plan, &a.view, NULL, NULL, NULL));
        EXPECT_OK(spl_spmv_execute(plan, NULL, v.x.view.values, NULL, v.y.view.values, NULL));
        expect_product(&a, &v);
        EXPECT(part_of(plan, 0).execution > 0 && part_of(plan, 1).execution > 0 &&
               part_of(plan, 2).transfer > 0);
        spl_counters counters = counters_of(plan);
        EXPECT(counters.allocations == allocations && counters.executions == 2 &&
               counters.launches >= 4);
        spl_plan_destroy(plan);
    }
    free_vectors(&v);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

/* The rates that shares are computed from are the predictions of the parts' plans for their
 * rows. */
static void predictions_agree(void **state)
{
    (void)state;
    static const zoo_maker band = {"band", zoo_banded, {80000, 12}, false};
    spl_context *context = start(1);
    zoo_matrix a;
    spl_plan *plan = NULL;
    spl_step step = SPL_STEP_INIT;
    spl_options options = options_of(3, SPL_PARTITION_COST, NULL);
    zoo_matrix_make(&a, &band, zoo_form_number(0), testing_seed());
    EXPECT_OK(spl_spmv_plan(context, &a.view, &options, &plan));
    for (int32_t k = 0; k < 2; k++) {
        spl_part_info part = part_of(plan, k);
        EXPECT_OK(spl_plan_step(plan, k, &step));
        EXPECT(part.rows > 0 && part.predicted_execution < 2 * step.seconds &&
               step.seconds < 2 * part.predicted_execution);
    }
    spl_plan_destroy(plan);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

/* ---- operands that stay ---- */

static const spl_place home = {SPL_HOST, 0};

/* y of all parts, in its place. */
static void gather(spl_context *context, spl_plan *plan, const vectors *v)
{
    double *y = zoo_allocate((size_t)v->y.view.rows * sizeof *y);
    for (int32_t k = 0; k < spl_plan_part_count(plan); k++) {
        spl_part_info part = part_of(plan, k);
        EXPECT_OK(spl_array_copy(context, home, y, part.place, part.y,
                                 (size_t)part.rows * sizeof *y, NULL));
        for (int64_t i = 0; i < part.rows; i++) {
            int64_t row = part.order ? part.order[part.begin + i] : part.begin + i;
            zoo_value_set(v->y.view.values, SPL_F64, row, y[i]);
        }
    }
    free(y);
}

/* x goes to all once; y = A*x + y four times without it, and without y. */
static void operands_may_stay(void **state)
{
    (void)state;
    spl_context *context = start(2);
    zoo_matrix a = make("uniform_1200");
    for (int kind = SPL_PARTITION_NNZ; kind <= SPL_PARTITION_DENSITY; kind++) {
        vectors v = vectors_of(&a);
        spl_plan *plan = NULL;
        spl_options options = options_of(7, kind, shares[0]);
        const double one = 1, fifth = 0.2;
        options.distributed = 1;
        EXPECT_OK(spl_spmv_plan(context, &a.view, &options, &plan));
        int64_t fetched = counters_of(plan).fetched;
        EXPECT_OK(spl_spmv_execute(plan, &fifth, v.x.view.values, NULL, NULL, NULL));
        for (int round = 0; round < 4; round++)
            EXPECT_OK(spl_spmv_execute(plan, &fifth, NULL, &one, NULL, NULL));
        EXPECT(counters_of(plan).fetched == fetched);
        EXPECT_OK(spl_plan_wait(plan));
        EXPECT(part_of(plan, 1).execution > 0 && part_of(plan, 1).transfer == 0);
        gather(context, plan, &v);
        spl_check check = SPL_CHECK_INIT;
        double zero_y[1200] = {0};
        EXPECT(a.view.rows == 1200);
        /* Five times a fifth: as close to A*x as sums in five steps are. */
        EXPECT_OK(spl_check_spmv(NULL, &a.view, v.x.view.values, &one, zero_y, v.y.view.values,
                                 NULL, &check));
        EXPECT(check.worst_ratio < 5);
        /* y comes home, x stays */
        EXPECT_OK(spl_spmv_execute(plan, NULL, NULL, NULL, v.y.view.values, NULL));
        expect_product(&a, &v);
        spl_plan_destroy(plan);
        free_vectors(&v);
    }
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

/* A plan of one processor knows its operands by their addresses only. */
static void one_processor_is_as_ever(void **state)
{
    (void)state;
    spl_context *context = start(2);
    zoo_matrix a = make("uniform_40");
    vectors v = vectors_of(&a);
    for (uint64_t processors = 0; processors <= 4; processors = processors ? processors * 2 : 1) {
        spl_plan *plan = NULL;
        spl_part_info info = SPL_PART_INFO_INIT;
        spl_options options = options_of(processors, SPL_PARTITION_COST, shares[0]);
        EXPECT_OK(spl_spmv_plan(context, &a.view, &options, &plan));
        EXPECT(spl_plan_part_count(plan) == 0);
        EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_plan_part(plan, 0, &info));
        EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                      spl_spmv_execute(plan, NULL, NULL, NULL, v.y.view.values, NULL));
        EXPECT_OK(spl_plan_wait(plan));
        spl_plan_destroy(plan);
    }
    free_vectors(&v);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

/* ---- promises ---- */

static void expect_same_bits(uint64_t mix)
{
    zoo_matrix a = make("rmat_1024");
    vectors v[2] = {vectors_of(&a), vectors_of(&a)};
    for (int k = 0; k < 2; k++) {
        spl_context *context = start(k ? 4 : 1);
        spl_plan *plan = NULL;
        spl_options options = options_of(mix, 0, NULL);
        options.deterministic = 1;
        EXPECT_OK(spl_spmv_plan(context, &a.view, &options, &plan));
        EXPECT_OK(spl_spmv_execute(plan, NULL, v[k].x.view.values, NULL, v[k].y.view.values, NULL));
        spl_plan_destroy(plan);
        spl_context_destroy(context);
    }
    EXPECT(memcmp(v[0].y.view.values, v[1].y.view.values, (size_t)a.view.rows * sizeof(double)) ==
           0);
    free_vectors(&v[0]);
    free_vectors(&v[1]);
    zoo_matrix_free(&a);
}

static void deterministic_for_any_threads(void **state)
{
    (void)state;
    for (int m = 0; m < 4; m++)
        expect_same_bits(mixes[m]);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    static const double bad[][PROCESSORS] = {{1, NAN, 1}, {1, -1, 1}, {1, INFINITY, 1}, {1, 0, 0}};
    spl_context *context = start(2);
    zoo_matrix a = make("uniform_40");
    spl_plan *plan = NULL;
    for (int k = 0; k < 4; k++) {
        spl_options options = options_of(6, k, bad[k]);
        EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spmv_plan(context, &a.view, &options, &plan));
    }
    spl_options kind = options_of(7, 5, NULL), beyond = options_of(9, 0, NULL),
                place = options_of(7, 0, NULL);
    spl_options wrong = options_of(7, 0, NULL), sparse = options_of(7, SPL_PARTITION_DENSITY, NULL);
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spmv_plan(context, &a.view, &kind, &plan));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spmv_plan(context, &a.view, &beyond, &plan));
    place.scalar_place = (spl_place){SPL_EMULATOR, 0};
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_spmv_plan(context, &a.view, &place, &plan));
    wrong.method = "spmv/compute/cpu/nothing";
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spmv_plan(context, &a.view, &wrong, &plan));
    EXPECT_STATUS(SPL_UNSUPPORTED,
                  spl_spgemm_plan(context, &a.view, &a.view, NULL, &sparse, &plan));
    spl_sparse device_view = a.view;
    device_view.place = (spl_place){SPL_EMULATOR, 0};
    spl_options all = options_of(7, 0, NULL);
    /* its arrays are not there */
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spmv_plan(context, &device_view, &all, &plan));
    EXPECT(plan == NULL);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

/* In a one-shot call, devices receive their rows of A before its columns are checked. A wrong
 * column is nevertheless detected, on whichever processor its row is, and nothing is written. */
static void wrong_columns_are_noticed_in_one_shot_calls(void **state)
{
    (void)state;
    spl_context *context = start(2);
    zoo_matrix a = make("uniform_1200");
    const int64_t positions[] = {0, a.view.nnz / 2, a.view.nnz - 1};
    for (int k = 0; k < 3; k++) {
        vectors v = vectors_of(&a);
        int64_t column = zoo_index_at(a.indices, a.view.index_type, positions[k]);
        unsigned char before = *(unsigned char *)v.y.view.values;
        spl_options options = options_of(7, SPL_PARTITION_NNZ, shares[0]);
        zoo_index_set(a.indices, a.view.index_type, positions[k], a.view.cols);
        testing_case("entry %lld", (long long)positions[k]);
        EXPECT_STATUS(SPL_INVALID_MATRIX, spl_spmv(context, NULL, &a.view, v.x.view.values, NULL,
                                                   v.y.view.values, &options));
        EXPECT(strstr(spl_error_detail(), "column 1200") &&
               *(unsigned char *)v.y.view.values == before);
        zoo_index_set(a.indices, a.view.index_type, positions[k], column);
        EXPECT_OK(
            spl_spmv(context, NULL, &a.view, v.x.view.values, NULL, v.y.view.values, &options));
        expect_product(&a, &v);
        free_vectors(&v);
    }
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

/* A forced method applies to the processors that have it; the others choose their own. */
static void methods_by_name(void **state)
{
    (void)state;
    static const char ids[] = "spmv/compute/gpu/csr_scalar,spmv/compute/cpu/coo";
    spl_context *context = start(2);
    zoo_matrix a = make("uniform_1200");
    spl_plan *plan = NULL;
    spl_options options = options_of(7, SPL_PARTITION_ROWS, shares[0]);
    options.method = ids;
    EXPECT_OK(spl_spmv_plan(context, &a.view, &options, &plan));
    for (int32_t k = 0; k < PROCESSORS; k++) {
        spl_step step = SPL_STEP_INIT;
        EXPECT_OK(spl_plan_step(plan, k, &step));
        EXPECT(strcmp(step.method, k ? "spmv/compute/gpu/csr_scalar" : "spmv/compute/cpu/coo") ==
               0);
    }
    spl_plan_destroy(plan);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mix_is_right),
        cmocka_unit_test(parts_and_new_values),
        cmocka_unit_test(predictions_agree),
        cmocka_unit_test(operands_may_stay),
        cmocka_unit_test(one_processor_is_as_ever),
        cmocka_unit_test(deterministic_for_any_threads),
        cmocka_unit_test(wrong_columns_are_noticed_in_one_shot_calls),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(methods_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
