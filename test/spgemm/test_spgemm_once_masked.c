/* SPDX-License-Identifier: Apache-2.0 */
/* One-shot products under a mask are computed without a plan: few allocations, the positions and
 * bits of a plan that adds rows, for any number of threads, over every semiring and type. What is
 * wrong with operands is said as for plans. */
#include "lib/hook_allocator.h"
#include "lib/run_products.h"
#include "sparloom/algebra.h"

#include <string.h>

/* C, its three arrays, two of them twice where an allocator cannot make them shorter, blocks of
 * rows, and workspaces. */
enum { FEW_ALLOCATIONS = 8, TYPES = 4, SIZES = 3 };

static const spl_type types[TYPES] = {SPL_F64, SPL_F32, SPL_INT64, SPL_INT32};
static zoo_random draws;

/* Short rows and some long ones, a third of them empty; the last size has several blocks. */
static void make(zoo_matrix *m, int size, int form)
{
    static const int64_t rows[SIZES] = {40, 700, 6000};
    zoo_triples t;
    zoo_triples_start(&t, rows[size], rows[size]);
    for (int64_t i = 0; i < t.rows; i++)
        for (int64_t j = zoo_random_below(&draws, 9), step = i % 97 ? 1 + t.cols / 4 : 6;
             i % 3 > 0 && j < t.cols; j += 1 + zoo_random_below(&draws, step))
            zoo_triples_add(&t, i, j, 0);
    zoo_triples_fill(&t, ZOO_INTEGERS, zoo_random_next(&draws));
    zoo_build(m, &t, zoo_form_number(form));
    zoo_triples_free(&t);
}

static bool serves(spl_type type, int semiring)
{
    const bool integer = type == SPL_INT32 || type == SPL_INT64;
    return integer ? semiring != SPL_MIN_TIMES && semiring != SPL_MAX_TIMES
                   : semiring != SPL_OR_SECOND;
}

/* C of a plan that adds rows. */
static spl_matrix *planned(spl_context *context, const spl_sparse *a, const spl_sparse *b,
                           spl_options options)
{
    spl_plan *plan = NULL;
    spl_matrix *c = NULL;
    options.keep_result = 1;
    options.method = "spgemm/numeric/cpu/masked_rows";
    EXPECT_OK(spl_spgemm_plan(context, a, b, NULL, &options, &plan));
    EXPECT_OK(spl_spgemm_execute(plan, NULL, NULL, NULL, NULL));
    EXPECT_OK(spl_spgemm_take(plan, &c));
    spl_plan_destroy(plan);
    return c;
}

static void expect_equal(const spl_matrix *got, const spl_matrix *wanted)
{
    spl_sparse c = SPL_SPARSE_INIT, d = SPL_SPARSE_INIT;
    EXPECT_OK(spl_matrix_view(got, &c));
    EXPECT_OK(spl_matrix_view(wanted, &d));
    EXPECT(c.nnz == d.nnz && c.rows == d.rows && c.cols == d.cols && c.type == d.type);
    EXPECT_OK(spl_validate(&c));
    for (int64_t i = 0; i <= c.rows; i++)
        EXPECT(zoo_index_at(c.offsets, c.offset_type, i) ==
               zoo_index_at(d.offsets, d.offset_type, i));
    for (int64_t p = 0; p < c.nnz; p++)
        EXPECT(zoo_index_at(c.indices, c.index_type, p) ==
               zoo_index_at(d.indices, d.index_type, p));
    const size_t value = c.type == SPL_F64 || c.type == SPL_INT64 ? 8 : 4;
    EXPECT(c.nnz == 0 || memcmp(c.values, d.values, (size_t)c.nnz * value) == 0);
}

/* In which large products keep what they find, of each of at most three threads the last in part.
 */
static int64_t pieces_of(const spl_matrix *m)
{
    enum { PIECE = 2048, THREADS = 3 };
    spl_sparse c = SPL_SPARSE_INIT;
    EXPECT_OK(spl_matrix_view(m, &c));
    return c.rows > 1000 ? THREADS + c.nnz / PIECE : 0;
}

/* Of A*B, or of A*B'. */
static void try_types(hook_allocator *hook, spl_context *context, const zoo_matrix operands[3],
                      spl_operator op_b)
{
    spl_context *planner = testing_context(1);
    for (int type = 0; type < TYPES; type++)
        for (int semiring = 0; semiring <= SPL_OR_SECOND; semiring++) {
            spl_sparse a = operands[0].view, b = operands[1].view, mask = operands[2].view;
            spl_options options = SPL_OPTIONS_INIT;
            spl_matrix *c = NULL;
            if (!serves(types[type], semiring) || (op_b && (semiring + type) % 3) ||
                (a.rows > 1000 && (semiring + type) % testing_scale())) /* the same code */
                continue;
            testing_case("%lld rows, type %d, semiring %d, operator %d", (long long)a.rows, type,
                         semiring, (int)op_b);
            a.type = b.type = types[type]; /* values may be anything: NaN, too */
            mask.values = NULL;
            options.mask = &mask;
            options.semiring = semiring;
            options.op_b = op_b;
            if (semiring == SPL_PLUS_PAIR)
                a.values = b.values = NULL;
            const long long before = hook->allocations;
            long long allocations;
            EXPECT_OK(spl_spgemm(context, NULL, &a, &b, NULL, NULL, &options, &c));
            allocations = hook->allocations - before;
            spl_matrix *wanted = planned(planner, &a, &b, options);
            expect_equal(c, wanted);
            EXPECT(allocations <= FEW_ALLOCATIONS + pieces_of(c));
            spl_matrix_destroy(c);
            spl_matrix_destroy(wanted);
        }
    spl_context_destroy(planner);
}

static void products_need_no_plan(void **state)
{
    (void)state;
    zoo_random_seed(&draws, testing_fresh_seed());
    for (int size = 0; size < SIZES; size++)
        for (int form = 0; form < ZOO_FORMS; form++) {
            const zoo_form kind = zoo_form_number(form);
            hook_allocator hook;
            spl_context *context;
            zoo_matrix operands[3];
            if (kind.format != SPL_CSR || kind.type != SPL_F64)
                continue;
            for (int n = 0; n < 3; n++)
                make(&operands[n], size, form);
            for (int threads = 1; threads <= 3; threads += 2) {
                hook_start(&hook);
                EXPECT_OK(hook_context(&hook, threads, 0, &context));
                try_types(&hook, context, operands, SPL_NONE);
                try_types(&hook, context, operands, SPL_TRANSPOSE);
                spl_context_destroy(context);
                EXPECT(hook_clean(&hook));
                hook_stop(&hook);
            }
            for (int n = 0; n < 3; n++)
                zoo_matrix_free(&operands[n]);
        }
}

/* A row of A as long as no number of 16 bits. */
static void long_rows_are_looked_up(void **state)
{
    enum { N = 65600 };
    static int32_t columns[N];
    int32_t offsets[] = {0, N}, one[] = {0, 1};
    spl_context *context = testing_context(1);
    spl_sparse a = SPL_SPARSE_INIT, mask, view = SPL_SPARSE_INIT;
    spl_options options = SPL_OPTIONS_INIT;
    spl_matrix *c = NULL;
    (void)state;
    for (int32_t j = 0; j < N; j++)
        columns[j] = j;
    a.format = SPL_CSR;
    a.type = SPL_INT32;
    a.offset_type = a.index_type = SPL_I32;
    a.rows = 1;
    a.cols = a.nnz = N;
    a.offsets = offsets;
    a.indices = columns;
    mask = a;
    mask.cols = mask.nnz = 1;
    mask.offsets = one;
    options.mask = &mask;
    options.semiring = SPL_PLUS_PAIR;
    options.op_b = SPL_TRANSPOSE;
    EXPECT_OK(spl_spgemm(context, NULL, &a, &a, NULL, NULL, &options, &c));
    EXPECT_OK(spl_matrix_view(c, &view));
    EXPECT(view.nnz == 1 && ((const int32_t *)view.values)[0] == N);
    spl_matrix_destroy(c);
    spl_context_destroy(context);
}

/* A mask with columns out of order or twice, rows of A that are, scalars, and every option that a
 * plan knows. */
static void what_is_unusual_is_planned(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    int32_t offsets[] = {0, 3, 5}, indices[] = {1, 1, 0, 0, 1}, narrow[] = {0, 2, 4},
            all[] = {0, 1, 0, 1};
    double values[] = {1, 2, 4, 8, 16}, two = 2;
    spl_sparse a = SPL_SPARSE_INIT, mask, c = SPL_SPARSE_INIT;
    a.format = SPL_CSR;
    a.type = SPL_F64;
    a.offset_type = a.index_type = SPL_I32;
    a.rows = a.cols = 2;
    a.nnz = 4;
    a.offsets = narrow;
    a.indices = all;
    a.values = values;
    mask = a;
    mask.nnz = 5;
    mask.offsets = offsets;
    mask.indices = indices;
    mask.values = NULL;
    for (int n = 0; n < 6; n++) {
        spl_options options = SPL_OPTIONS_INIT;
        spl_sparse first = n >= 4 ? mask : a;
        spl_matrix *product = NULL;
        spl_check check = SPL_CHECK_INIT;
        first.values = values;
        options.mask = n >= 3 ? &a : &mask;
        options.mask_pattern = n == 1 ? SPL_MASK_FULL : SPL_MASK_MEETS;
        options.op_b = n == 2 || n == 4 ? SPL_TRANSPOSE : SPL_NONE;
        EXPECT_OK(spl_spgemm(context, &two, &first, &a, NULL, NULL, &options, &product));
        EXPECT_OK(spl_matrix_view(product, &c));
        EXPECT_OK(spl_check_spgemm(&two, &first, &a, NULL, NULL, &c, &options, &check));
        EXPECT(check.ok && c.nnz == 4);
        EXPECT(zoo_index_at(c.indices, c.index_type, 0) == 0); /* in order */
        spl_matrix_destroy(product);
    }
    spl_context_destroy(context);
}

/* The same statuses and words as from a plan. */
static void expect_same_fault(spl_context *context, const spl_sparse *const views[3],
                              const double *alpha, int semiring, spl_status expected)
{
    char said[512];
    spl_plan *plan = NULL;
    spl_matrix *c = NULL;
    spl_options options = SPL_OPTIONS_INIT;
    options.mask = views[2];
    options.semiring = semiring;
    EXPECT_STATUS(expected,
                  spl_spgemm(context, alpha, views[0], views[1], NULL, NULL, &options, &c));
    strcpy(said, spl_error_detail());
    EXPECT(!c);
    if (alpha) /* plans are told when they are executed */
        return;
    EXPECT_STATUS(expected, spl_spgemm_plan(context, views[0], views[1], NULL, &options, &plan));
    EXPECT(strcmp(said, spl_error_detail()) == 0);
}

static void faults_are_told(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    int32_t offsets[] = {0, 2, 3}, indices[] = {0, 1, 1}, wrong[] = {0, 1, 2}, far[] = {0, 4, 3};
    double values[] = {1, 2, 3}, two = 2;
    spl_sparse good = SPL_SPARSE_INIT, bad, worse;
    good.format = SPL_CSR;
    good.type = SPL_F64;
    good.offset_type = good.index_type = SPL_I32;
    good.rows = good.cols = 2;
    good.nnz = 3;
    good.offsets = offsets;
    good.indices = indices;
    good.values = values;
    bad = worse = good;
    bad.indices = wrong;
    worse.offsets = far;
    for (int n = 0; n < 3; n++) {
        const spl_sparse *views[3] = {&good, &good, &good};
        views[n] = &bad;
        expect_same_fault(context, views, NULL, SPL_PLUS_TIMES, SPL_INVALID_MATRIX);
        views[n] = &worse;
        expect_same_fault(context, views, NULL, SPL_PLUS_TIMES, SPL_INVALID_MATRIX);
    }
    const spl_sparse *views[3] = {&good, &good, &good};
    expect_same_fault(context, views, &two, SPL_MIN_PLUS, SPL_UNSUPPORTED);
    expect_same_fault(context, views, NULL, SPL_OR_SECOND, SPL_UNSUPPORTED);
    expect_same_fault(context, views, NULL, SPL_OR_SECOND + 1, SPL_INVALID_ARGUMENT);
    bad = good;
    bad.rows = 1;
    bad.nnz = 2;
    views[2] = &bad;
    expect_same_fault(context, views, NULL, SPL_PLUS_TIMES, SPL_SHAPE_MISMATCH);
    bad = good;
    bad.values = NULL; /* read by plus_times */
    views[1] = &bad;
    views[2] = &good;
    expect_same_fault(context, views, NULL, SPL_PLUS_TIMES, SPL_INVALID_ARGUMENT);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_need_no_plan), cmocka_unit_test(long_rows_are_looked_up),
        cmocka_unit_test(what_is_unusual_is_planned), cmocka_unit_test(faults_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
