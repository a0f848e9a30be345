/* SPDX-License-Identifier: Apache-2.0 */
/* Products with sparse vectors on a device that holds A, x and y: the bits of the CPU, on fresh
 * matrices, over all semirings and types; what is refused; and levels of searches by them. */
#include "lib/on_device.h"
#include "lib/semirings.h"
#include "sparloom/algebra.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 90, VECTORS = 5, ROOM = VECTORS * MOST };

static zoo_random draws;

static int64_t below(int64_t n)
{
    return zoo_random_below(&draws, n);
}

static const spl_type types[] = {SPL_F64, SPL_F32, SPL_INT64, SPL_INT32};

static size_t size_of(spl_type type)
{
    return type == SPL_F64 || type == SPL_INT64 ? 8 : 4;
}

static bool is_integer(spl_type type)
{
    return type == SPL_INT64 || type == SPL_INT32;
}

/* The arrays of a call, on the host. */
typedef struct call {
    zoo_matrix a;
    spl_options options;
    int64_t rows, inner, vectors;
    bool several, by_index, masked, by_bits, adds, wants_values;
    int64_t x_offsets[VECTORS + 1], y_offsets[VECTORS + 1], x_count, capacity, y_count;
    int32_t x[ROOM], y[ROOM];
    double x_values[ROOM], y_values[ROOM], into[ROOM]; /* of any type */
    spl_row_mask mask;
    uint64_t bits[VECTORS * 2];
    uint8_t bytes[ROOM];
} call;

static double draw_value(spl_type type)
{
    if (!is_integer(type) && below(30) == 0)
        return below(2) ? NAN : -INFINITY;
    return is_integer(type) ? (double)below(9) - 4 : zoo_random_unit(&draws) - .4;
}

static void fill(void *values, spl_type type, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        zoo_value_set(values, type, k, draw_value(type));
}

static void draw_x(call *c)
{
    const int64_t often = 1 + below(6);
    c->several = below(3) > 0;
    c->vectors = c->several ? below(VECTORS + 1) : 1;
    for (int64_t k = 0; k < c->vectors; k++) {
        for (int32_t j = 0; j < c->inner; j++)
            if (below(often) == 0)
                c->x[c->x_count++] = j;
        c->x_offsets[k + 1] = c->x_count;
    }
}

static void draw_call(call *c, int number)
{
    memset(c, 0, sizeof *c);
    const spl_type type = types[number % 4];
    const int64_t rows = 1 + below(MOST - 1), cols = 1 + below(MOST - 1);
    zoo_triples t;
    zoo_form form = resident_form((int)below(4));
    form.type = type;
    zoo_triples_start(&t, rows, cols);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            for (int64_t n = below(i % 11 == 5 ? 2 : 8) == 0 ? 1 + (below(9) == 0) : 0; n > 0; n--)
                zoo_triples_add(&t, i, j, 0);
    zoo_build(&c->a, &t, form);
    zoo_triples_free(&t);
    fill(c->a.values, type, c->a.view.nnz);
    c->options = (spl_options)SPL_OPTIONS_INIT;
    c->options.semiring = test_semiring_draw(&draws, type);
    c->options.op_a = below(2) ? SPL_TRANSPOSE : SPL_NONE;
    c->rows = c->options.op_a ? cols : rows;
    c->inner = c->options.op_a ? rows : cols;
    draw_x(c);
    c->by_index = is_integer(type) && below(2) &&
                  (c->options.semiring == SPL_MIN_SECOND || c->options.semiring == SPL_MAX_SECOND);
    fill(c->x_values, type, c->x_count);
    fill(c->into, type, c->vectors * c->rows);
    c->adds = below(2);
    c->wants_values = below(5) > 0;
    c->masked = below(3) > 0;
    c->by_bits = below(2);
    c->mask = (spl_row_mask)SPL_ROW_MASK_INIT;
    c->mask.complement = (int32_t)below(2);
    for (size_t k = 0; k < sizeof c->bits / sizeof *c->bits; k++)
        c->bits[k] = zoo_random_next(&draws);
    for (int k = 0; k < ROOM; k++)
        c->bytes[k] = (uint8_t)below(2);
    c->capacity = ROOM;
    memset(c->y_values, 0xff, sizeof c->y_values);
    memset(c->y, 0xff, sizeof c->y);
}

/* The call with arrays at `at` of the same layout as the struct's. */
static spl_status execute_at(spl_plan *plan, call *c, char *at)
{
#define AT(member) ((void *)(at + offsetof(call, member)))
    spl_frontier x = SPL_FRONTIER_INIT, y = SPL_FRONTIER_INIT;
    spl_row_mask mask = c->mask;
    x.count = c->x_count;
    x.indices = AT(x);
    x.values = c->by_index ? NULL : AT(x_values);
    x.vectors = y.vectors = c->vectors;
    x.offsets = c->several ? AT(x_offsets) : NULL;
    y.offsets = c->several ? AT(y_offsets) : NULL;
    y.capacity = c->capacity;
    y.indices = AT(y);
    y.values = c->wants_values ? AT(y_values) : NULL;
    if (c->by_bits)
        mask.bits = AT(bits);
    else
        mask.bytes = AT(bytes);
    const spl_status status =
        spl_frontier_execute(plan, &x, c->adds ? AT(into) : NULL, c->masked ? &mask : NULL, &y);
    c->y_count = y.count;
    return status;
#undef AT
}

static void on_host(spl_context *context, call *c)
{
    spl_plan *plan = NULL;
    EXPECT_OK(spl_frontier_plan(context, &c->a.view, c->vectors + 1, &c->options, &plan));
    EXPECT_OK(execute_at(plan, c, (char *)c));
    spl_plan_destroy(plan);
}

static spl_status there(const on_device *s, call *c)
{
    spl_plan *plan = NULL;
    const spl_sparse a = on_device_put_matrix(s, &c->a.view);
    EXPECT_OK(spl_frontier_plan(s->context, &a, c->vectors + 1, &c->options, &plan));
    char *at = on_device_put(s, c, sizeof *c);
    const spl_status status = execute_at(plan, c, at);
    const int64_t count = c->y_count;
    call *got = malloc(sizeof *got);
    on_device_get(s, got, at, sizeof *got);
    memcpy(c->y_offsets, got->y_offsets, sizeof got->y_offsets);
    memcpy(c->y, got->y, sizeof got->y);
    memcpy(c->y_values, got->y_values, sizeof got->y_values);
    memcpy(c->into, got->into, sizeof got->into);
    c->y_count = count;
    free(got);
    on_device_drop(s, at, sizeof *c);
    spl_plan_destroy(plan);
    on_device_drop_matrix(s, &a);
    return status;
}

/* The same bits; NaN of any kind. */
static void expect_values(spl_type type, const void *a, const void *b, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        const double x = zoo_value_at(a, type, k), y = zoo_value_at(b, type, k);
        EXPECT((isnan(x) && isnan(y)) ||
               !memcmp((const char *)a + (size_t)k * size_of(type),
                       (const char *)b + (size_t)k * size_of(type), size_of(type)));
    }
}

static void expect_same(const call *a, const call *b)
{
    const spl_type type = a->a.view.type;
    EXPECT(a->y_count == b->y_count);
    EXPECT(!memcmp(a->y, b->y, sizeof a->y));
    EXPECT(!a->several ||
           !memcmp(a->y_offsets, b->y_offsets, (size_t)(a->vectors + 1) * sizeof(int64_t)));
    expect_values(type, a->y_values, b->y_values, a->wants_values ? a->y_count : 0);
    expect_values(type, a->into, b->into, a->vectors * a->rows);
}

static void bits_of_the_cpu(void **state)
{
    on_device s = on_device_start(*state);
    spl_context *cpu = NULL;
    call *c = malloc(sizeof *c), *device = malloc(sizeof *device);
    EXPECT_OK(spl_context_create(NULL, &cpu));
    for (int n = 0; n < 100 / testing_scale(); n++) {
        draw_call(c, n);
        memcpy(device, c, sizeof *c);
        testing_case("seed %llu, call %d: semiring %d, %d vectors",
                     (unsigned long long)testing_fresh_seed(), n, c->options.semiring,
                     (int)c->vectors);
        on_host(cpu, c);
        EXPECT_OK(there(&s, device));
        expect_same(c, device);
        if (c->y_count > 0) { /* no room: nothing is written */
            memset(device->y, 0xff, sizeof device->y);
            memcpy(c->into, device->into, sizeof c->into);
            device->capacity = c->y_count - 1;
            device->adds = false;
            c->y_count = device->y_count;
            const spl_status status = there(&s, device);
            EXPECT(status == SPL_INVALID_ARGUMENT || device->y_count < c->y_count);
            EXPECT(status != SPL_INVALID_ARGUMENT || device->y[0] == -1);
        }
        zoo_matrix_free(&c->a);
    }
    free(c);
    free(device);
    spl_context_destroy(cpu);
    on_device_stop(&s);
}

/* Wrong calls name what is wrong; arrays of the host, and a matrix there, are refused. */
static void refusals(void **state)
{
    on_device s = on_device_start(*state);
    call *c = malloc(sizeof *c);
    spl_plan *plan = NULL;
    do {
        if (plan)
            zoo_matrix_free(&c->a);
        draw_call(c, 0);
        plan = (spl_plan *)c; /* drawn */
    } while (!c->several || c->vectors < 2 || c->x_offsets[1] < 2);
    testing_case("seed %llu", (unsigned long long)testing_fresh_seed());
    const int32_t kept = c->x[1];
    c->x[1] = c->x[0];
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, there(&s, c));
    EXPECT(strstr(spl_error_detail(), "x.indices[1]: indices do not ascend"));
    c->x[1] = kept;
    c->x[0] = -1;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, there(&s, c));
    EXPECT(strstr(spl_error_detail(), "x.indices[0]: op(A) has no such column"));
    c->x[0] = 0;
    c->x_offsets[1] = c->x_count + 1;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, there(&s, c));
    EXPECT(strstr(spl_error_detail(), "x.offsets"));
    const spl_sparse a = on_device_put_matrix(&s, &c->a.view);
    plan = NULL;
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_frontier_plan(s.context, &c->a.view, 1, &c->options, &plan));
    EXPECT_OK(spl_frontier_plan(s.context, &a, 1, &c->options, &plan));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, execute_at(plan, c, (char *)c));
    EXPECT(strstr(spl_error_detail(), "memory of"));
    spl_plan_destroy(plan);
    on_device_drop_matrix(&s, &a);
    zoo_matrix_free(&c->a);
    free(c);
    on_device_stop(&s);
}

int main(void)
{
    zoo_random_seed(&draws, testing_fresh_seed());
    const struct CMUnitTest tests[] = {ON_BOTH_WIDTHS(bits_of_the_cpu), ON_BOTH_WIDTHS(refusals)};
    void *device = (void *)testing_device();
    const struct CMUnitTest there[] = {cmocka_unit_test_prestate(bits_of_the_cpu, device),
                                       cmocka_unit_test_prestate(refusals, device)};
    return device ? cmocka_run_group_tests(there, NULL, NULL)
                  : cmocka_run_group_tests(tests, NULL, NULL);
}
