/* SPDX-License-Identifier: Apache-2.0 */
/* Semirings, integers, patterns and masks in products that several processors share, on the host
 * and on a device: what one processor computes. Whole numbers: all results are exact. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "lib/hook_allocator.h"
#include "lib/semirings.h"
#include "lib/several.h"

#include <stdlib.h>

static zoo_random draws;

static int64_t below(int64_t n)
{
    return zoo_random_below(&draws, n);
}

static const spl_type types[] = {SPL_F64, SPL_F32, SPL_INT64, SPL_INT32};

static bool reads_a(int semiring)
{
    return semiring != SPL_PLUS_PAIR && semiring != SPL_PLUS_SECOND && semiring != SPL_MIN_SECOND &&
           semiring != SPL_MAX_SECOND && semiring != SPL_OR_SECOND;
}

/* A matrix on the host and on a device; without values if these are not read. */
typedef struct operand {
    resident both;
    spl_sparse host, there;
} operand;

static operand draw_operand(const on_device *s, int64_t rows, int64_t cols, spl_type type,
                            bool pattern)
{
    operand o;
    zoo_triples t;
    zoo_form form = resident_form((int)below(4));
    form.type = type;
    zoo_triples_start(&t, rows, cols);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            if (below(i % 7 == 3 ? 2 : 9) == 0)
                zoo_triples_add(&t, i, j, (double)below(9) - 4);
    zoo_build(&o.both.host, &t, form);
    zoo_triples_free(&t);
    resident_upload(s, &o.both);
    o.host = o.both.host.view;
    o.there = o.both.view;
    if (pattern)
        o.host.values = o.there.values = NULL;
    return o;
}

static void free_operand(const on_device *s, operand *o)
{
    resident_free(s, &o->both);
}

static spl_options draw_options(void)
{
    static const spl_partition_kind kinds[] = {0, SPL_PARTITION_ROWS, SPL_PARTITION_NNZ};
    return several_options(mixes[1 + below(MIXES - 1)], kinds[below(3)],
                           below(4) ? shares[below(SHARES)] : NULL);
}

/* ---- dense operands ---- */

typedef struct dense_case {
    operand a;
    int64_t cols; /* 1: SpMV */
    spl_type type;
    spl_order order;
    spl_options options;
    double beta;
    bool masked, by_bits, resident;
    int32_t flip; /* the second mask names the other rows */
    spl_row_mask mask;
    uint64_t bits[2];
    uint8_t bytes[80];
} dense_case;

static void draw_mask(dense_case *c)
{
    c->masked = below(4) > 0;
    c->flip = (int32_t)below(2);
    c->by_bits = below(2);
    c->mask = (spl_row_mask)SPL_ROW_MASK_INIT;
    c->mask.complement = (int32_t)below(2);
    c->mask.clear = (int32_t)below(2);
    for (int k = 0; k < 2; k++)
        c->bits[k] = zoo_random_next(&draws) & zoo_random_next(&draws);
    for (int k = 0; k < 80; k++)
        c->bytes[k] = (uint8_t)(below(3) * 8);
}

static dense_case draw_dense(const on_device *s)
{
    dense_case c = {.cols = below(2) ? 1 : 3};
    c.type = types[below(4)];
    c.options = draw_options();
    c.options.semiring = test_semiring_draw(&draws, c.type);
    if (below(4) == 0 && !below(2))
        c.options.partition = SPL_PARTITION_DENSITY;
    c.order = c.cols > 1 && below(2) ? SPL_ROW_MAJOR : SPL_COLUMN_MAJOR;
    c.beta = (double)below(2);
    c.resident = below(2) && c.options.partition != SPL_PARTITION_DENSITY;
    c.a = draw_operand(s, 1 + below(79), 1 + below(60), c.type, !reads_a(c.options.semiring));
    draw_mask(&c);
    return c;
}

static void execute(const dense_case *c, spl_plan *plan, const test_dense *b, test_dense *y,
                    const spl_dense *there, const spl_row_mask *mask)
{
    double beta;
    zoo_value_set(&beta, c->type, 0, c->beta);
    const spl_dense *right = there ? &there[0] : &b->view, *result = there ? &there[1] : &y->view;
    if (c->cols == 1)
        EXPECT_OK(
            spl_spmv_execute_masked(plan, NULL, right->values, &beta, result->values, mask, NULL));
    else
        EXPECT_OK(spl_spmm_execute_masked(plan, NULL, right, &beta, result, mask, NULL));
}

static spl_plan *plan_dense(spl_context *context, const dense_case *c, const spl_sparse *a,
                            const spl_options *options)
{
    spl_plan *plan = NULL;
    if (c->cols == 1)
        EXPECT_OK(spl_spmv_plan(context, a, options, &plan));
    else
        EXPECT_OK(spl_spmm_plan(context, a, c->cols, options, &plan));
    return plan;
}

/* By one processor, on the host. */
static void compute_alone(spl_context *context, const dense_case *c, const test_dense *b,
                          test_dense *y, const spl_row_mask *mask)
{
    spl_options options = SPL_OPTIONS_INIT;
    options.semiring = c->options.semiring;
    options.processors = 1;
    spl_plan *plan = plan_dense(context, c, &c->a.host, &options);
    execute(c, plan, b, y, NULL, mask);
    spl_plan_destroy(plan);
}

/* Twice: y changes in between, the second time the mask may be the other rows. */
static void compute_shared(const on_device *s, const dense_case *c, const test_dense *b,
                           test_dense *y, spl_row_mask *mask)
{
    spl_plan *plan = plan_dense(s->context, c, c->resident ? &c->a.there : &c->a.host, &c->options);
    spl_row_mask there = c->mask;
    spl_dense dense[2];
    if (!c->resident) {
        execute(c, plan, b, y, NULL, mask);
        if (mask)
            mask->complement ^= c->flip;
        execute(c, plan, b, y, NULL, mask);
        spl_plan_destroy(plan);
        return;
    }
    dense[0] = resident_dense(s, b);
    dense[1] = resident_dense(s, y);
    if (c->by_bits)
        there.bits = on_device_put(s, c->bits, sizeof c->bits);
    else
        there.bytes = on_device_put(s, c->bytes, sizeof c->bytes);
    execute(c, plan, b, y, dense, mask ? &there : NULL);
    there.complement ^= c->flip;
    execute(c, plan, b, y, dense, mask ? &there : NULL);
    EXPECT_OK(spl_sync(s->context, NULL));
    spl_plan_destroy(plan);
    test_dense unused = test_dense_copy(b);
    resident_dense_end(s, &unused, &dense[0]);
    test_dense_free(&unused);
    resident_dense_end(s, y, &dense[1]);
    if (c->by_bits)
        on_device_drop(s, there.bits, sizeof c->bits);
    else
        on_device_drop(s, there.bytes, sizeof c->bytes);
}

static void one_dense(const on_device *s, dense_case *c)
{
    test_dense b = test_dense_new(c->a.host.cols, c->cols, c->type, c->order, 0);
    test_dense y = test_dense_new(c->a.host.rows, c->cols, c->type, c->order, 0);
    spl_row_mask *mask = c->masked ? &c->mask : NULL;
    for (int64_t i = 0; i < b.view.rows; i++)
        for (int64_t j = 0; j < c->cols; j++)
            test_dense_set(&b, i, j, (double)below(9) - 4);
    for (int64_t i = 0; i < y.view.rows; i++)
        for (int64_t j = 0; j < c->cols; j++)
            test_dense_set(&y, i, j, (double)below(9) - 4);
    test_dense expected = test_dense_copy(&y);
    if (c->by_bits)
        c->mask.bits = c->bits;
    else
        c->mask.bytes = c->bytes;
    compute_alone(s->context, c, &b, &expected, mask);
    c->mask.complement ^= c->flip;
    compute_alone(s->context, c, &b, &expected, mask);
    c->mask.complement ^= c->flip;
    compute_shared(s, c, &b, &y, mask);
    for (int64_t i = 0; i < y.view.rows; i++)
        for (int64_t j = 0; j < c->cols; j++)
            EXPECT(test_dense_at(&y, i, j) == test_dense_at(&expected, i, j));
    EXPECT(test_dense_padding_intact(&y));
    test_dense_free(&b);
    test_dense_free(&y);
    test_dense_free(&expected);
}

static void dense_products(void **state)
{
    on_device s = several_start(1 + (int)(testing_fresh_seed() % 3));
    (void)state;
    for (int n = 0; n < 60 / testing_scale(); n++) {
        dense_case c = draw_dense(&s);
        testing_case("seed %llu, case %d: semiring %d, processors %d, %s, mask %d",
                     (unsigned long long)testing_fresh_seed(), n, c.options.semiring,
                     (int)c.options.processors, c.resident ? "resident" : "host", c.masked);
        one_dense(&s, &c);
        free_operand(&s, &c.a);
    }
    on_device_stop(&s);
}

/* Which row of B won is found by one processor. */
static void winners_are_refused(void **state)
{
    on_device s = several_start(1);
    spl_plan *plan = NULL;
    int64_t winners[80 * 3];
    (void)state;
    spl_options options = several_options(3, 0, NULL);
    options.semiring = SPL_MAX_PLUS;
    operand a = draw_operand(&s, 9, 7, SPL_F64, false);
    test_dense b = test_dense_new(7, 3, SPL_F64, SPL_ROW_MAJOR, 0),
               c = test_dense_new(9, 3, SPL_F64, SPL_ROW_MAJOR, 0);
    EXPECT_OK(spl_spmm_plan(s.context, &a.host, 3, &options, &plan));
    EXPECT_STATUS(SPL_UNSUPPORTED,
                  spl_spmm_execute_winners(plan, &b.view, &c.view, winners, 3, NULL, NULL));
    spl_plan_destroy(plan);
    test_dense_free(&b);
    test_dense_free(&c);
    free_operand(&s, &a);
    on_device_stop(&s);
}

/* ---- sparse operands ---- */

/* The same positions and values, C of the device fetched first. */
static void expect_same(const on_device *s, const spl_matrix *expected, const spl_matrix *c)
{
    spl_sparse a = resident_view_of(expected), b = resident_view_of(c), copy = b;
    if (b.place.kind != SPL_HOST)
        copy = on_device_copy_to_host(s, &b);
    EXPECT_OK(spl_validate(&copy));
    EXPECT(a.nnz == copy.nnz && a.rows == copy.rows && a.cols == copy.cols);
    for (int64_t i = 0; i < a.rows; i++)
        EXPECT(zoo_index_at(a.offsets, a.offset_type, i + 1) ==
               zoo_index_at(copy.offsets, copy.offset_type, i + 1));
    for (int64_t p = 0; p < a.nnz; p++) {
        EXPECT(zoo_index_at(a.indices, a.index_type, p) ==
               zoo_index_at(copy.indices, copy.index_type, p));
        EXPECT(zoo_value_at(a.values, a.type, p) == zoo_value_at(copy.values, copy.type, p));
    }
    if (b.place.kind != SPL_HOST)
        on_device_drop_copy(&copy);
}

/* Plans, executes twice, takes; `once`: in one call. */
static spl_matrix *multiply(spl_context *context, const spl_sparse *a, const spl_sparse *b,
                            const spl_sparse *d, const spl_options *options, bool once)
{
    spl_plan *plan = NULL;
    spl_matrix *c = NULL;
    double one;
    zoo_value_set(&one, a->type, 0, 1);
    const void *beta = d ? &one : NULL;
    if (once) {
        EXPECT_OK(spl_spgemm(context, NULL, a, b, beta, d, options, &c));
        return c;
    }
    spl_options keeps = *options;
    keeps.keep_result = 1;
    EXPECT_OK(spl_spgemm_plan(context, a, b, d, &keeps, &plan));
    for (int round = 0; round < 2; round++)
        EXPECT_OK(spl_spgemm_execute(plan, NULL, beta, NULL, NULL));
    EXPECT_OK(spl_spgemm_take(plan, &c));
    spl_plan_destroy(plan);
    return c;
}

static void one_product(const on_device *s, int number)
{
    const spl_type type = types[below(4)];
    const int64_t rows = 1 + below(60), inner = 1 + below(40), cols = 1 + below(50);
    const bool masked = below(4) > 0, there = below(2), with_d = below(3) == 0, once = below(2);
    spl_options shared = draw_options(), alone = SPL_OPTIONS_INIT;
    shared.semiring = alone.semiring = test_semiring_draw(&draws, type);
    shared.mask_pattern = alone.mask_pattern = masked && !below(3) ? SPL_MASK_FULL : 0;
    shared.mask_complement = alone.mask_complement = masked && !alone.mask_pattern && below(2);
    alone.processors = 1;
    const bool of_a = !reads_a(shared.semiring),
               of_b = shared.semiring == SPL_PLUS_PAIR || shared.semiring == SPL_PLUS_FIRST;
    operand a = draw_operand(s, rows, inner, type, of_a),
            b = draw_operand(s, inner, cols, type, of_b),
            d = draw_operand(s, rows, cols, type, false),
            mask = draw_operand(s, rows, cols, SPL_F32, true);
    testing_case("seed %llu, case %d: semiring %d, processors %d, %s, mask %d, %d, %d, once %d",
                 (unsigned long long)testing_fresh_seed(), number, shared.semiring,
                 (int)shared.processors, there ? "resident" : "host", masked,
                 shared.mask_complement, (int)shared.mask_pattern, once);
    if (masked) {
        alone.mask = &mask.host;
        shared.mask = there && below(2) ? &mask.there : &mask.host;
    }
    spl_matrix *expected =
        multiply(s->context, &a.host, &b.host, with_d ? &d.host : NULL, &alone, once);
    spl_matrix *c = multiply(s->context, there ? &a.there : &a.host, there ? &b.there : &b.host,
                             !with_d ? NULL
                             : there ? &d.there
                                     : &d.host,
                             &shared, once);
    expect_same(s, expected, c);
    spl_matrix_destroy(expected);
    spl_matrix_destroy(c);
    free_operand(s, &a);
    free_operand(s, &b);
    free_operand(s, &d);
    free_operand(s, &mask);
}

static void sparse_products(void **state)
{
    on_device s = several_start(1 + (int)(testing_fresh_seed() % 3));
    (void)state;
    for (int n = 0; n < 60 / testing_scale(); n++)
        one_product(&s, n);
    on_device_stop(&s);
}

/* ---- less and less memory on the device ---- */

enum { LARGE = 300, ENOUGH = 3 };

static int64_t blocks_of(spl_plan *plan)
{
    const int32_t parts = spl_plan_part_count(plan);
    return parts > 0 ? several_part(plan, parts - 1).blocks : 1;
}

/* y of min_plus in the rows that the mask names, or status; returns the blocks of rows. */
static int64_t search_in_blocks(spl_context *context, const spl_sparse *a, spl_options options,
                                const spl_row_mask *mask, double *y)
{
    double x[LARGE];
    spl_plan *plan = NULL;
    int64_t blocks = 0;
    for (int i = 0; i < LARGE; i++)
        x[i] = i % 17, y[i] = i;
    options.semiring = SPL_MIN_PLUS;
    if (spl_spmv_plan(context, a, &options, &plan) != SPL_OK)
        return 0;
    EXPECT_OK(spl_spmv_execute_masked(plan, NULL, x, NULL, y, mask, NULL));
    blocks = blocks_of(plan);
    spl_plan_destroy(plan);
    return blocks;
}

static void in_blocks(void **state)
{
    hook_allocator hook;
    spl_context *context = NULL;
    on_device host = {.context = NULL};
    zoo_matrix a;
    const zoo_maker maker = {"uniform", zoo_uniform, {LARGE, LARGE, 12}, false};
    double expected[LARGE], y[LARGE];
    uint8_t bytes[LARGE];
    spl_row_mask mask = SPL_ROW_MASK_INIT;
    int64_t most[2] = {0, 0};
    (void)state;
    zoo_matrix_make(&a, &maker, zoo_form_number(0), testing_fresh_seed());
    for (int64_t p = 0; p < a.view.nnz; p++)
        zoo_value_set(a.values, a.view.type, p, (double)below(9) - 4);
    for (int i = 0; i < LARGE; i++)
        bytes[i] = (uint8_t)below(2);
    mask.bytes = bytes;
    setenv("SPARLOOM_TEST_DEVICE", "cpu,emu", 1);
    hook_start(&hook);
    EXPECT_OK(hook_context(&hook, 2, 0, &context));
    host.context = context;
    spl_options alone = SPL_OPTIONS_INIT, shared = several_options(2, 0, NULL), masked;
    alone.processors = 1;
    alone.mask = shared.mask = &a.view;
    alone.mask_complement = shared.mask_complement = 1;
    spl_matrix *c = multiply(context, &a.view, &a.view, NULL, &alone, false);
    for (size_t limit = 1 << 19; limit > 4000 && (most[0] < ENOUGH || most[1] < ENOUGH);
         limit = limit * 2 / 3) {
        spl_plan *plan = NULL;
        spl_matrix *got = NULL;
        testing_case("seed %llu, %zu bytes", (unsigned long long)testing_fresh_seed(), limit);
        hook.device_limit = limit;
        masked = alone;
        masked.mask = NULL;
        masked.mask_complement = 0;
        (void)search_in_blocks(context, &a.view, masked, &mask, expected);
        masked.processors = 2;
        const int64_t blocks = search_in_blocks(context, &a.view, masked, &mask, y);
        EXPECT(blocks == 0 || !memcmp(y, expected, sizeof y));
        most[0] = blocks > most[0] ? blocks : most[0];
        shared.keep_result = 1;
        if (spl_spgemm_plan(context, &a.view, &a.view, NULL, &shared, &plan) != SPL_OK)
            continue;
        most[1] = blocks_of(plan) > most[1] ? blocks_of(plan) : most[1];
        EXPECT_OK(spl_spgemm_execute(plan, NULL, NULL, NULL, NULL));
        EXPECT_OK(spl_spgemm_take(plan, &got));
        expect_same(&host, c, got);
        spl_matrix_destroy(got);
        spl_plan_destroy(plan);
    }
    testing_case("%d, %d blocks", (int)most[0], (int)most[1]);
    EXPECT(most[0] >= ENOUGH && most[1] >= ENOUGH);
    spl_matrix_destroy(c);
    spl_context_destroy(context);
    EXPECT(hook_clean(&hook));
    hook_stop(&hook);
    unsetenv("SPARLOOM_TEST_DEVICE");
    zoo_matrix_free(&a);
}

int main(void)
{
    zoo_random_seed(&draws, testing_fresh_seed());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_products),
        cmocka_unit_test(winners_are_refused),
        cmocka_unit_test(sparse_products),
        cmocka_unit_test(in_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
