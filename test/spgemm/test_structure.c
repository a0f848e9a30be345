/* SPDX-License-Identifier: Apache-2.0 */
/* structure.h: C as a plan has it, as an operand of another plan; lengths of rows; options.exact.
 */
#include "sparloom/structure.h"

#include "lib/block_matrices.h"
#include "lib/testing.h"
#include "sparloom/triple.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 90 };
static const zoo_maker square = {.name = "square", .make = zoo_uniform, .args = {ROWS, ROWS, 4}},
                       tall = {.name = "tall", .make = zoo_uniform, .args = {ROWS, 20, 2}};

typedef struct setting {
    spl_context *context;
    zoo_matrix a, b;
    spl_options options;
} setting;

static setting start(int form)
{
    setting s = {.context = testing_context(2), .options = SPL_OPTIONS_INIT};
    zoo_matrix_make(&s.a, &square, zoo_form_number(form), testing_fresh_seed());
    zoo_matrix_make(&s.b, &tall, zoo_form_number(form), testing_fresh_seed() + 1);
    return s;
}

static void stop(setting *s)
{
    zoo_matrix_free(&s->a);
    zoo_matrix_free(&s->b);
    spl_context_destroy(s->context);
}

static spl_plan *plan_of(const setting *s)
{
    spl_plan *plan = NULL;
    EXPECT_OK(spl_spgemm_plan(s->context, &s->a.view, &s->b.view, NULL, &s->options, &plan));
    return plan;
}

static spl_result result_of(const spl_plan *plan)
{
    spl_result r = SPL_RESULT_INIT;
    EXPECT_OK(spl_spgemm_result(plan, &r));
    return r;
}

/* ---- the view ---- */

static void expect_exported(spl_plan *plan, const spl_sparse *view)
{
    const spl_result r = result_of(plan);
    void *offsets = zoo_allocate((size_t)(r.rows + 1) * zoo_index_bytes(r.offset_type)),
         *columns = zoo_allocate((size_t)r.nnz * zoo_index_bytes(r.index_type));
    EXPECT_OK(spl_spgemm_export(plan, offsets, columns, NULL, NULL));
    EXPECT(view->format == SPL_CSR && view->type == r.type && view->index_type == r.index_type);
    EXPECT(view->rows == r.rows && view->cols == r.cols && view->nnz == r.nnz && r.nnz > 0);
    for (int64_t i = 0; i <= r.rows; i++)
        EXPECT(zoo_index_at(view->offsets, view->offset_type, i) ==
               zoo_index_at(offsets, r.offset_type, i));
    EXPECT(memcmp(view->indices, columns, (size_t)r.nnz * zoo_index_bytes(r.index_type)) == 0);
    free(offsets), free(columns);
}

/* All widths and types. Without kept values there are none. */
static void view_is_what_is_exported(void **state)
{
    (void)state;
    for (int form = 0; form < ZOO_FORMS; form++)
        for (int keeps = 0; keeps < 2; keeps++) {
            setting s = start(form);
            spl_sparse view = SPL_SPARSE_INIT;
            testing_case("form %d, keep_result %d", form, keeps);
            s.options.exact = 1;
            s.options.keep_result = keeps;
            spl_plan *plan = plan_of(&s);
            EXPECT_OK(spl_spgemm_view(plan, &view));
            expect_exported(plan, &view);
            EXPECT(!view.values == !keeps);
            spl_plan_destroy(plan);
            stop(&s);
        }
}

/* A plan reads another's C where it is: (A*B)'*(A*B), twice with other values. */
static void chain(void **state)
{
    (void)state;
    setting s = start(0);
    spl_sparse middle = SPL_SPARSE_INIT;
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *second;
    spl_check check = SPL_CHECK_INIT;
    s.options.exact = s.options.keep_result = 1;
    spl_plan *first = plan_of(&s);
    EXPECT_OK(spl_spgemm_view(first, &middle));
    options.op_a = SPL_TRANSPOSE;
    options.keep_result = 1;
    EXPECT_OK(spl_spgemm_plan(s.context, &middle, &middle, NULL, &options, &second));
    for (int round = 0; round < 2; round++) {
        spl_matrix *c;
        spl_sparse found = SPL_SPARSE_INIT;
        ((double *)s.a.values)[0] += 1;
        EXPECT_OK(spl_plan_update_values(first, &s.a.view, NULL, NULL, NULL));
        EXPECT_OK(spl_spgemm_execute(first, NULL, NULL, NULL, NULL));
        EXPECT_OK(spl_check_spgemm(NULL, &s.a.view, &s.b.view, NULL, NULL, &middle, NULL, &check));
        EXPECT(check.ok && check.compared > 0);
        EXPECT_OK(spl_plan_update_values(second, &middle, &middle, NULL, NULL));
        EXPECT_OK(spl_spgemm_execute(second, NULL, NULL, NULL, NULL));
        EXPECT_OK(spl_spgemm_take(second, &c));
        EXPECT_OK(spl_matrix_view(c, &found));
        EXPECT_OK(spl_check_spgemm(NULL, &middle, &middle, NULL, NULL, &found, &options, &check));
        EXPECT(check.ok && check.compared > 0);
        spl_matrix_destroy(c);
    }
    spl_plan_destroy(second);
    spl_plan_destroy(first);
    stop(&s);
}

static void no_view(void **state)
{
    (void)state;
    setting s = start(0);
    spl_sparse view = SPL_SPARSE_INIT;
    s.options.method = "spgemm/symbolic/cpu/upper_bound,spgemm/numeric/cpu/hash";
    spl_plan *plan = plan_of(&s);
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spgemm_view(plan, &view));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spgemm_view(plan, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spgemm_view(NULL, &view));
    EXPECT_OK(spl_spgemm_execute(plan, NULL, NULL, NULL, NULL));
    const spl_status status = spl_spgemm_view(plan, &view);
    EXPECT(status == SPL_UNSUPPORTED && strstr(spl_error_detail(), "options.exact"));
    spl_plan_destroy(plan);
    s.options.method = NULL;
    s.options.distributed = 1;
    plan = plan_of(&s);
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_spgemm_view(plan, &view));
    spl_plan_destroy(plan);
    EXPECT(!view.offsets);
    stop(&s);
}

/* ---- lengths ---- */

static void expect_lengths(spl_plan *plan)
{
    const spl_result r = result_of(plan);
    void *offsets = zoo_allocate((size_t)(r.rows + 1) * zoo_index_bytes(r.offset_type));
    EXPECT_OK(spl_spgemm_export(plan, offsets, NULL, NULL, NULL));
    for (int type = SPL_I32; type <= SPL_I64; type++) {
        void *lengths = zoo_allocate((size_t)r.rows * zoo_index_bytes((spl_index)type));
        EXPECT_OK(spl_spgemm_row_lengths(plan, (spl_index)type, lengths));
        for (int64_t i = 0; i < r.rows; i++)
            EXPECT(zoo_index_at(lengths, (spl_index)type, i) ==
                   zoo_index_at(offsets, r.offset_type, i + 1) -
                       zoo_index_at(offsets, r.offset_type, i));
        free(lengths);
    }
    free(offsets);
}

static void lengths_of_rows(void **state)
{
    (void)state;
    const char *const methods[] = {NULL, "spgemm/symbolic/cpu/hash",
                                   "spgemm/symbolic/cpu/upper_bound"};
    for (int m = 0; m < 3; m++) {
        setting s = start(m);
        int64_t lengths[ROWS];
        testing_case("method %d", m);
        s.options.method = methods[m];
        spl_plan *plan = plan_of(&s);
        if (m == 2) {
            EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spgemm_row_lengths(plan, SPL_I64, lengths));
            EXPECT_OK(spl_spgemm_execute(plan, NULL, NULL, NULL, NULL));
        }
        expect_lengths(plan);
        EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spgemm_row_lengths(plan, (spl_index)3, lengths));
        EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                      spl_spgemm_row_lengths(plan, SPL_I64, (char *)lengths + 1));
        spl_plan_destroy(plan);
        stop(&s);
    }
}

/* ---- P'*A*P ---- */

static void triple_products(void **state)
{
    (void)state;
    for (int size = 1; size <= 2; size++) {
        zoo_triples t;
        zoo_matrix a, p;
        spl_plan *plan;
        spl_sparse view = SPL_SPARSE_INIT;
        spl_context *context = testing_context(2);
        testing_case("%d unknowns", size);
        block_matrix_rectangular(&t, &square, size, size, testing_fresh_seed());
        block_matrix_build(&a, &t, 0);
        block_matrix_rectangular(&t, &tall, size, size, testing_fresh_seed() + 1);
        block_matrix_build(&p, &t, 0);
        EXPECT_OK(spl_triple_plan(context, &a.view, &p.view, NULL, &plan));
        expect_lengths(plan);
        if (size == 1) {
            EXPECT_OK(spl_spgemm_view(plan, &view));
            expect_exported(plan, &view);
        } else
            EXPECT_STATUS(SPL_UNSUPPORTED, spl_spgemm_view(plan, &view));
        spl_plan_destroy(plan);
        spl_context_destroy(context);
        zoo_matrix_free(&a);
        zoo_matrix_free(&p);
    }
}

/* ---- options.exact ---- */

/* Some plans for one execution have a bound; none has that must be exact. */
static void exact(void **state)
{
    (void)state;
    int bounds = 0;
    spl_context *context = testing_context(1);
    for (int m = 0; m < zoo_tiny_count; m++) {
        zoo_matrix a;
        testing_case("%s", zoo_tiny[m].name);
        zoo_matrix_make(&a, &zoo_tiny[m], zoo_form_number(0), testing_seed());
        for (int e = 0; e < 2; e++) {
            spl_plan *plan;
            spl_options options = SPL_OPTIONS_INIT;
            options.executions = 1;
            options.exact = e;
            options.op_b = SPL_TRANSPOSE;
            EXPECT_OK(spl_spgemm_plan(context, &a.view, &a.view, NULL, &options, &plan));
            EXPECT(result_of(plan).exact || !e);
            bounds += !result_of(plan).exact;
            spl_plan_destroy(plan);
        }
        zoo_matrix_free(&a);
    }
    EXPECT(bounds > 0);
    spl_context_destroy(context);
}

static void a_forced_bound_is_not_exact(void **state)
{
    (void)state;
    setting s = start(0);
    spl_plan *plan = NULL;
    s.options.exact = 1;
    s.options.method = "spgemm/symbolic/cpu/upper_bound";
    const spl_status status =
        spl_spgemm_plan(s.context, &s.a.view, &s.b.view, NULL, &s.options, &plan);
    EXPECT(status == SPL_UNSUPPORTED && strstr(spl_error_detail(), "options.exact"));
    s.options.method = NULL;
    s.options.exact = 2;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_spgemm_plan(s.context, &s.a.view, &s.b.view, NULL, &s.options, &plan));
    EXPECT(!plan);
    stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(view_is_what_is_exported),
        cmocka_unit_test(chain),
        cmocka_unit_test(no_view),
        cmocka_unit_test(lengths_of_rows),
        cmocka_unit_test(triple_products),
        cmocka_unit_test(exact),
        cmocka_unit_test(a_forced_bound_is_not_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
