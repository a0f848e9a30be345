/* SPDX-License-Identifier: Apache-2.0 */
/* One-shot products of matrices on a device that are made of dense blocks, and how often one-shot
 * products wait for the device. */
#include "api/call.h"
#include "device/device.h"
#include "lib/block_matrices.h"
#include "lib/on_device.h"

typedef struct case_of_blocks {
    on_device s;
    resident a, b, d;
    spgemm_run host; /* for the oracle */
    bool has_d;
} case_of_blocks;

static void make(case_of_blocks *c, resident *m, const zoo_maker *nodes, int size, uint64_t seed)
{
    zoo_triples t;
    block_matrix(&t, nodes, size, seed);
    block_matrix_build(&m->host, &t, 0);
    resident_upload(&c->s, m);
}

/* Blocks of `size`: the nodes of A and B have `row_a` and `row_b` entries a row. One-shot products
 * look for blocks in matrices of more than 16,384 entries. */
static case_of_blocks start(const char *device, int size, int row_a, int row_b, bool has_d)
{
    enum { ENTRIES = 20000, COLS = 300 };
    const int nodes = ENTRIES / (row_a * size * size) + row_a;
    const zoo_maker left = {"nodes", zoo_uniform, {nodes, nodes, row_a}, false},
                    right = {"nodes", zoo_uniform, {nodes, COLS, row_b}, false},
                    addend = {"nodes", zoo_uniform, {nodes, COLS, row_a}, false};
    case_of_blocks c = {.s = on_device_start(device), .has_d = has_d};
    make(&c, &c.a, &left, size, testing_seed());
    make(&c, &c.b, &right, size, testing_seed() + 1);
    make(&c, &c.d, &addend, size, testing_seed() + 2);
    c.host = (spgemm_run){.options = SPL_OPTIONS_INIT,
                          .scalars = testing_scalars_of(2, has_d ? -0.5 : 0)};
    return c;
}

static void stop(case_of_blocks *c)
{
    resident_free(&c->s, &c->a);
    resident_free(&c->s, &c->b);
    resident_free(&c->s, &c->d);
    on_device_stop(&c->s);
}

static const spl_sparse *summand(const case_of_blocks *c)
{
    return c->has_d ? &c->d.view : NULL;
}

static void expect_right(case_of_blocks *c, const spl_matrix *m)
{
    spl_sparse view = resident_view_of(m);
    c->host.a = &c->a.host.view;
    c->host.b = &c->b.host.view;
    c->host.d = c->has_d ? &c->d.host.view : NULL;
    resident_expect(&c->s, &c->host, &view);
}

/* The one-shot product is right. */
static void multiply(case_of_blocks *c)
{
    spl_matrix *m = NULL;
    const double alpha = 2, beta = c->has_d ? -0.5 : 0;
    EXPECT_OK(spl_spgemm(c->s.context, &alpha, &c->a.view, &c->b.view, &beta, summand(c),
                         &c->host.options, &m));
    expect_right(c, m);
    spl_matrix_destroy(m);
}

/* What planning a one-shot product costs. */
static spl_counters plan_once(const case_of_blocks *c)
{
    const spl__request request = {.kind = SPL__KIND_spgemm,
                                  .a = &c->a.view,
                                  .b = &c->b.view,
                                  .d = summand(c),
                                  .options = &c->host.options,
                                  .once = true};
    spl_plan *plan = NULL;
    EXPECT_OK(spl__make_plan(c->s.context, &request, &plan));
    spl_counters counters = on_device_counters(plan);
    spl_plan_destroy(plan);
    return counters;
}

/* ---- tests ---- */

/* Block rows are sorted, hashed, and too long for either: 9, 200 and 1,600 products. */
static const int lengths[][2] = {{3, 3}, {10, 20}, {20, 80}};

static void once(void **state)
{
    for (int number = 0; number < 3; number++)
        for (int size = 2 + number; size <= 6; size += 3) {
            const bool has_d = (number + size) % 2;
            case_of_blocks c = start(*state, size, lengths[number][0], lengths[number][1], has_d);
            testing_case("%s, blocks of %d, rows of %d, D %d", (const char *)*state, size,
                         lengths[number][0], has_d);
            multiply(&c);
            stop(&c);
        }
}

/* A one-shot product of blocks waits for the check of its operands and for nnz(C), and at its end;
 * where many block rows have more products than are sorted, for their counts too. */
static void waits(void **state)
{
    for (int number = 0; number < 3; number++) {
        enum { LAUNCHES = 16, ALLOCATIONS = 22 };
        const bool many = number > 0;
        case_of_blocks c = start(*state, 3, lengths[number][0], lengths[number][1], false);
        spl_counters counters = plan_once(&c);
        testing_case("%s, rows of %d: %lld waits, %lld launches, %lld allocations",
                     (const char *)*state, lengths[number][0], (long long)counters.synchronisations,
                     (long long)counters.launches, (long long)counters.allocations);
        EXPECT(counters.synchronisations == 2 + many);
        EXPECT(many || counters.launches <= LAUNCHES);
        EXPECT(many || counters.allocations <= ALLOCATIONS);
        stop(&c);
    }
}

/* Under a budget and in plans that are not for one product, rows are inspected as always, or the
 * product is right all the same. */
static void otherwise(void **state)
{
    case_of_blocks c = start(*state, 3, lengths[1][0], lengths[1][1], true);
    spl_plan *plan = NULL;
    spl_matrix *m = NULL;
    c.host.options.memory_budget = 64 << 20;
    multiply(&c);
    c.host.options.keep_result = 1;
    EXPECT_OK(
        spl_spgemm_plan(c.s.context, &c.a.view, &c.b.view, summand(&c), &c.host.options, &plan));
    EXPECT_OK(spl_spgemm_execute(plan, &(double){2}, &(double){-0.5}, NULL, NULL));
    EXPECT_OK(spl_spgemm_take(plan, &m));
    spl_plan_destroy(plan);
    expect_right(&c, m);
    spl_matrix_destroy(m);
    stop(&c);
}

/* A driver one of whose allocations fails. */
static const spl__driver *own;
static spl__driver failing;
static int allocations, failing_at;

static spl_status alloc_or_fail(void *device, size_t bytes, void *stream, void **memory)
{
    return allocations++ == failing_at ? SPL_OUT_OF_MEMORY
                                       : own->alloc(device, bytes, stream, memory);
}

/* Whichever allocation fails, the product is right or there is none: another method may be tried,
 * which begins anew. */
static void one_allocation_fails(void **state)
{
    const double alpha = 2;
    case_of_blocks c = start(*state, 3, 4, 4, false);
    spl__device *device = spl__device_at(c.s.context, c.s.place);
    int done = 0;
    own = device->driver;
    failing = *own;
    failing.alloc = alloc_or_fail;
    device->driver = &failing;
    for (failing_at = 0; !done; failing_at++) {
        spl_matrix *m = NULL;
        testing_case("allocation %d", failing_at);
        allocations = 0;
        spl_status status =
            spl_spgemm(c.s.context, &alpha, &c.a.view, &c.b.view, NULL, NULL, &c.host.options, &m);
        done = allocations <= failing_at;
        EXPECT(status == SPL_OK || (status == SPL_OUT_OF_MEMORY && !done && !m));
        if (status == SPL_OK)
            expect_right(&c, m);
        spl_matrix_destroy(m);
    }
    device->driver = own;
    stop(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {ON_BOTH_WIDTHS(once), ON_BOTH_WIDTHS(waits),
                                       ON_BOTH_WIDTHS(otherwise),
                                       ON_BOTH_WIDTHS(one_allocation_fails)};
    return cmocka_run_group_tests_name("resident_blocks", tests, NULL, NULL);
}
