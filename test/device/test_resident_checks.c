/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of matrices on a device: faults of their arrays are reported as on the host, and
 * unannounced changes are detected. */
#include "lib/on_device.h"

#include <stdlib.h>
#include <string.h>

/* ---- forms ---- */

enum { FORMATS = 3, FORMS = 3 * FORMATS };

/* Every format in widths 32/32, 64/32 (COO: 32) and 64/64. */
static zoo_form form_number(int number)
{
    static const spl_format formats[FORMATS] = {SPL_CSR, SPL_CSC, SPL_COO};
    spl_format format = formats[number % FORMATS];
    bool wide = number / FORMATS == 2,
         wide_offsets = wide || (number / FORMATS == 1 && format != SPL_COO);
    return (zoo_form){format, SPL_F64, wide_offsets ? SPL_I64 : SPL_I32, wide ? SPL_I64 : SPL_I32};
}

/* ---- faults ---- */

typedef struct fault {
    int array;       /* 0: offsets, 1: indices */
    double fraction; /* 0: the first element ... 1: the last */
    int64_t to;      /* the new value */
} fault;

static const fault faults[] = {
    {0, 0, 1},  {0, 0, -1},  {0, .5, 0},   {0, .5, 100000},           {0, 1, 3},
    {1, 0, -1}, {1, .5, 40}, {1, 1, 5555}, {1, .3, (int64_t)1 << 40}, {0, .7, (int64_t)1 << 40}};

static void apply(zoo_matrix *m, const fault *f)
{
    const spl_sparse *v = &m->view;
    int64_t count = f->array == 0 && v->format != SPL_COO
                        ? (v->format == SPL_CSR ? v->rows : v->cols) + 1
                        : v->nnz;
    spl_index type = f->array == 0 && v->format != SPL_COO ? v->offset_type : v->index_type;
    zoo_index_set(f->array ? m->indices : m->offsets, type,
                  (int64_t)(f->fraction * (double)(count - 1)), f->to);
}

static spl_status try_plan(spl_context *context, const spl_sparse *a, char detail[512])
{
    spl_plan *plan = NULL;
    spl_status status = spl_spmv_plan(context, a, NULL, &plan);
    strncpy(detail, status == SPL_OK ? "" : spl_error_detail(), 511);
    spl_plan_destroy(plan);
    return status;
}

/* Status and detail of the device are those of the host. Returns whether there was a fault. */
static bool expect_the_same(const on_device *s, spl_context *host, resident *a)
{
    char expected[512] = "", detail[512] = "";
    resident_upload(s, a);
    spl_status on_host = try_plan(host, &a->host.view, expected),
               device_status = try_plan(s->context, &a->view, detail);
    testing_case("on the device %d \"%s\", on the host %d \"%s\", %s", (int)device_status, detail,
                 (int)on_host, expected,
                 zoo_form_name((zoo_form){a->view.format, a->view.type, a->view.offset_type,
                                          a->view.index_type}));
    EXPECT(device_status == on_host && strcmp(detail, expected) == 0);
    resident_free(s, a);
    return on_host == SPL_INVALID_MATRIX;
}

/* A matrix that is both operands is checked once; one that only shares an array with the other
 * is checked separately. */
static void operands_that_share_arrays(void **state)
{
    on_device s = on_device_start(*state);
    resident a, wrong;
    spl_plan *plan = NULL;
    zoo_matrix_make(&a.host, zoo_find("uniform_40"), resident_form(0), testing_seed());
    zoo_matrix_make(&wrong.host, zoo_find("uniform_40"), resident_form(0), testing_seed());
    apply(&wrong.host, &(fault){1, .5, 40});
    resident_upload(&s, &a);
    resident_upload(&s, &wrong);
    EXPECT_OK(spl_spgemm_plan(s.context, &a.view, &a.view, NULL, NULL, &plan));
    spl_plan_destroy(plan);
    spl_sparse b = a.view;
    b.indices = wrong.view.indices;
    EXPECT_STATUS(SPL_INVALID_MATRIX, spl_spgemm_plan(s.context, &a.view, &b, NULL, NULL, &plan));
    EXPECT(strstr(spl_error_detail(), "B"));
    resident_free(&s, &a);
    resident_free(&s, &wrong);
    on_device_stop(&s);
}

static void faults_are_told_as_on_the_host(void **state)
{
    const char *device = *state;
    on_device s = on_device_start(device);
    spl_context *host = NULL;
    int found = 0;
    EXPECT_OK(spl_context_create(NULL, &host));
    for (int form = 0; form < FORMS; form++)
        for (size_t f = 0; f < sizeof faults / sizeof *faults; f++) {
            resident a;
            zoo_matrix_make(&a.host, zoo_find("uniform_40"), form_number(form), testing_seed());
            apply(&a.host, &faults[f]);
            found += expect_the_same(&s, host, &a);
        }
    EXPECT(found > FORMS * 7);
    spl_context_destroy(host);
    on_device_stop(&s);
}

static void no_rows_have_an_offset_too(void **state)
{
    const char *device = *state;
    on_device s = on_device_start(device);
    spl_context *host = NULL;
    EXPECT_OK(spl_context_create(NULL, &host));
    for (int form = 0; form < FORMS; form += FORMATS) {
        const zoo_maker nothing = {"nothing", zoo_empty, {0, 5}, false};
        resident a;
        zoo_matrix_make(&a.host, &nothing, form_number(form), testing_seed());
        EXPECT(!expect_the_same(&s, host, &a));
        zoo_matrix_make(&a.host, &nothing, form_number(form), testing_seed());
        zoo_index_set(a.host.offsets, a.host.view.offset_type, 0, 2);
        EXPECT(expect_the_same(&s, host, &a));
    }
    spl_context_destroy(host);
    on_device_stop(&s);
}

/* ---- dimensions that 32 bits do not number ---- */

static void huge_dimensions(void **state)
{
    static const char *const names[] = {"columns", "rows", "rows", "columns"};
    const char *device = *state;
    on_device s = on_device_start(device);
    for (int k = 0; k < 4; k++) {
        const int64_t numbers[4] = {0, 1, 1, 1}; /* of a matrix with one entry, in any format */
        int64_t *device_data = on_device_put(&s, numbers, sizeof numbers);
        spl_sparse a = SPL_SPARSE_INIT;
        spl_plan *plan = NULL;
        a.format = k == 0 ? SPL_CSR : k == 1 ? SPL_CSC : SPL_COO;
        a.type = SPL_F64;
        a.offset_type = a.index_type = SPL_I64;
        a.place = s.place;
        a.rows = k % 3 == 0 ? 3 : (int64_t)3 << 30;
        a.cols = k % 3 == 0 ? (int64_t)3 << 30 : 3;
        a.nnz = 1;
        a.offsets = device_data;
        a.indices = device_data + 1;
        a.values = device_data + 1;
        EXPECT_STATUS(SPL_UNSUPPORTED, spl_spmv_plan(s.context, &a, NULL, &plan));
        testing_case("%s, matrix %d, detail \"%s\"", device, k, spl_error_detail());
        EXPECT(strstr(spl_error_detail(), names[k]) && strstr(spl_error_detail(), "2^31-1") &&
               !plan);
        on_device_drop(&s, device_data, sizeof numbers);
    }
    on_device_stop(&s);
}

/* ---- changes ---- */

typedef struct watched {
    on_device s;
    resident a;
    spl_plan *plan;
    double *x, *y;
} watched;

enum { LONGEST = 24 };

static watched watch(const char *device, int form, spl_operator op)
{
    watched w = {.s = on_device_start(device)};
    spl_options options = SPL_OPTIONS_INIT;
    const double zeros[LONGEST] = {0};
    options.check_inputs = 1;
    options.op_a = op;
    zoo_matrix_make(&w.a.host, zoo_find("unsorted_24x19"), form_number(form), testing_seed());
    resident_upload(&w.s, &w.a);
    w.x = on_device_put(&w.s, zeros, sizeof zeros);
    w.y = on_device_put(&w.s, zeros, sizeof zeros);
    EXPECT_OK(spl_spmv_plan(w.s.context, &w.a.view, &options, &w.plan));
    testing_case("%s, %s, op %d", device, zoo_form_name(form_number(form)), op);
    return w;
}

static void unwatch(watched *w)
{
    spl_plan_destroy(w->plan);
    on_device_drop(&w->s, w->x, LONGEST * sizeof(double));
    on_device_drop(&w->s, w->y, LONGEST * sizeof(double));
    resident_free(&w->s, &w->a);
    on_device_stop(&w->s);
}

static void upload(const watched *w, const void *device_data, const void *from, size_t bytes)
{
    EXPECT_OK(spl_array_copy(w->s.context, w->s.place, (void *)device_data, host_place, from, bytes,
                             NULL));
}

/* Executes; a refusal must leave y as it was. Nothing is allocated in any case. */
static void expect_execute(const watched *w, spl_status expected)
{
    double marks[LONGEST], after[LONGEST];
    for (int i = 0; i < LONGEST; i++)
        marks[i] = 77;
    upload(w, w->y, marks, sizeof marks);
    int64_t allocations = on_device_memory(&w->s).allocations;
    EXPECT_STATUS(expected, spl_spmv_execute(w->plan, NULL, w->x, NULL, w->y, NULL));
    EXPECT(on_device_memory(&w->s).allocations == allocations);
    on_device_get(&w->s, after, w->y, sizeof after);
    EXPECT((memcmp(marks, after, sizeof after) == 0) == (expected != SPL_OK));
}

static void values_are_watched(const watched *w)
{
    size_t bytes = resident_value_bytes(&w->a);
    double *values = w->a.host.values, first = values[0], second = values[1];
    values[0] = second;
    values[1] = first;
    upload(w, w->a.view.values, values, bytes); /* the same numbers in another order */
    expect_execute(w, SPL_STALE);
    EXPECT(strstr(spl_error_detail(), "values changed") != NULL);
    values[0] = first;
    values[1] = second;
    upload(w, w->a.view.values, values, bytes);
    expect_execute(w, SPL_OK);
    values[w->a.view.nnz - 1] = 5;
    upload(w, w->a.view.values, values, bytes);
    expect_execute(w, SPL_STALE);
    EXPECT_OK(spl_plan_update_values(w->plan, &w->a.view, NULL, NULL, NULL));
    expect_execute(w, SPL_OK); /* announced */
    expect_execute(w, SPL_OK);
}

/* An index becomes another valid one. */
static void structure_is_watched(const watched *w, int64_t position)
{
    const spl_sparse *v = &w->a.view;
    int64_t index = zoo_index_at(w->a.host.indices, v->index_type, position);
    size_t bytes = (size_t)v->nnz * zoo_index_bytes(v->index_type);
    zoo_index_set(w->a.host.indices, v->index_type, position, index == 0 ? 1 : index - 1);
    upload(w, v->indices, w->a.host.indices, bytes);
    expect_execute(w, SPL_STALE);
    EXPECT(strstr(spl_error_detail(), "offsets or indices changed") != NULL);
    zoo_index_set(w->a.host.indices, v->index_type, position, index);
    upload(w, v->indices, w->a.host.indices, bytes);
    expect_execute(w, SPL_OK);
}

static void changes_are_noticed(void **state)
{
    for (int form = 0; form < FORMS; form++)
        for (spl_operator op = SPL_NONE; op <= SPL_TRANSPOSE; op++) {
            watched w = watch(*state, form, op);
            expect_execute(&w, SPL_OK);
            structure_is_watched(&w, 0);
            structure_is_watched(&w, w.a.view.nnz - 1);
            values_are_watched(&w);
            unwatch(&w);
        }
}

static void spgemm_watches_all_operands(void **state)
{
    const char *device = *state;
    on_device s = on_device_start(device);
    resident m[3];
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    options.check_inputs = options.keep_result = 1;
    for (int k = 0; k < 3; k++) {
        zoo_matrix_make(&m[k].host, zoo_find("duplicates_12"), form_number(3 * k + k),
                        testing_seed());
        resident_upload(&s, &m[k]);
    }
    EXPECT_OK(spl_spgemm_plan(s.context, &m[0].view, &m[1].view, &m[2].view, &options, &plan));
    for (int k = 0; k < 3; k++) {
        double changed = 42, *values = (double *)m[k].view.values + 3,
               before = ((double *)m[k].host.values)[3];
        testing_case("%s, operand %d", device, k);
        EXPECT_OK(
            spl_array_copy(s.context, s.place, values, host_place, &changed, sizeof changed, NULL));
        EXPECT_STATUS(SPL_STALE, spl_spgemm_execute(plan, NULL, NULL, NULL, NULL));
        EXPECT(spl_error_detail()[0] == "ABD"[k]);
        EXPECT_OK(
            spl_array_copy(s.context, s.place, values, host_place, &before, sizeof before, NULL));
        EXPECT_OK(spl_spgemm_execute(plan, NULL, NULL, NULL, NULL));
    }
    spl_plan_destroy(plan);
    for (int k = 0; k < 3; k++)
        resident_free(&s, &m[k]);
    on_device_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BOTH_WIDTHS(faults_are_told_as_on_the_host),
        ON_BOTH_WIDTHS(operands_that_share_arrays),
        ON_BOTH_WIDTHS(no_rows_have_an_offset_too),
        ON_BOTH_WIDTHS(huge_dimensions),
        ON_BOTH_WIDTHS(changes_are_noticed),
        ON_BOTH_WIDTHS(spgemm_watches_all_operands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
