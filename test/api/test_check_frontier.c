/* SPDX-License-Identifier: Apache-2.0 */
/* spl_check_frontier notices each kind of fault, and says where it is. That it agrees with right
 * results: spmv/test_frontier. */
#include "lib/testing.h"
#include "sparloom/algebra.h"

#include <math.h>
#include <string.h>

enum { ROWS = 5, VECTORS = 2, ELEMENTS = VECTORS * ROWS };

/* Y = X*A' over plus_times, added into 1, 2, ... where the mask has 1. */
typedef struct call {
    spl_context *context;
    spl_sparse a;
    spl_options options;
    spl_plan *plan;
    int32_t from[3], to[ELEMENTS];
    int64_t begins[VECTORS + 1], ends[VECTORS + 1];
    double factors[3], sums[ELEMENTS], before[ELEMENTS], into[ELEMENTS];
    uint8_t bytes[ELEMENTS];
    spl_row_mask mask;
    spl_frontier x, y;
    bool adds;
} call;

static const int32_t offsets[] = {0, 2, 3, 5, 6, 6}, columns[] = {0, 2, 1, 0, 3, 2};
static double values[] = {1, 2, 3, 4, 5, -3};

static void multiply(call *c)
{
    for (int i = 0; i < ELEMENTS; i++)
        c->before[i] = c->into[i] = i + 1;
    c->y.count = 0;
    EXPECT_OK(spl_frontier_execute(c->plan, &c->x, c->adds ? c->into : NULL, &c->mask, &c->y));
}

static void begin(call *c)
{
    static const uint8_t bytes[ELEMENTS] = {1, 1, 0, 1, 1, 1, 1, 1, 1, 1};
    *c = (call){.context = testing_context(1),
                .a = SPL_SPARSE_INIT,
                .options = SPL_OPTIONS_INIT,
                .from = {0, 2, 1},
                .begins = {0, 2, 3},
                .factors = {3, 1, 2},
                .mask = SPL_ROW_MASK_INIT,
                .x = SPL_FRONTIER_INIT,
                .y = SPL_FRONTIER_INIT};
    c->a.format = SPL_CSR, c->a.type = SPL_F64, c->a.offset_type = c->a.index_type = SPL_I32;
    c->a.rows = ROWS, c->a.cols = 4, c->a.nnz = 6;
    c->a.offsets = offsets, c->a.indices = columns, c->a.values = values;
    memcpy(c->bytes, bytes, sizeof bytes);
    c->mask.bytes = c->bytes;
    c->x.count = 3, c->x.indices = c->from, c->x.values = c->factors;
    c->x.vectors = VECTORS, c->x.offsets = c->begins;
    c->y.capacity = ELEMENTS, c->y.indices = c->to, c->y.values = c->sums;
    c->y.vectors = VECTORS, c->y.offsets = c->ends;
    EXPECT_OK(spl_frontier_plan(c->context, &c->a, VECTORS, &c->options, &c->plan));
}

static spl_check check_of(call *c)
{
    spl_check check = SPL_CHECK_INIT;
    EXPECT_OK(spl_check_frontier(&c->a, &c->x, c->adds ? c->before : NULL, c->adds ? c->into : NULL,
                                 &c->mask, &c->y, &c->options, &check));
    return check;
}

static void expect_fault(call *c, int64_t vector, int64_t row)
{
    const spl_check check = check_of(c);
    EXPECT(!check.ok && check.failed >= 1);
    EXPECT(check.worst_row == vector && check.worst_col == row);
}

/* The vectors have rows 0, 3, and row 1: row 2 of the first is masked. */
static void right(call *c)
{
    multiply(c);
    EXPECT(c->ends[1] == 2 && c->ends[2] == 3 && c->y.count == 3);
    EXPECT(c->to[0] == 0 && c->to[1] == 3 && c->to[2] == 1);
    const spl_check check = check_of(c);
    EXPECT(check.ok && check.compared == (c->adds ? ELEMENTS : 3) && check.worst_ratio == 0);
}

static void sums_and_entries(void **state)
{
    call c;
    (void)state;
    begin(&c);
    for (int adds = 0; adds < 2; adds++) {
        c.adds = adds;
        testing_case("adds %d", adds);
        right(&c);
        c.sums[1] *= 1 + 1e-9, expect_fault(&c, 0, 3);
        multiply(&c);
        c.sums[2] = NAN, expect_fault(&c, 1, 1);
        multiply(&c);
        c.to[1] = 2, expect_fault(&c, 0, 2); /* masked */
        multiply(&c);
        c.to[1] = 4, expect_fault(&c, 0, 3); /* missing; and one that x does not meet */
        multiply(&c);
        c.to[1] = 0, expect_fault(&c, 0, 3); /* twice the same */
        multiply(&c);
        c.ends[1] = c.ends[2] = c.y.count = 2, expect_fault(&c, 1, 1);
        multiply(&c);
        c.mask.complement = 1, expect_fault(&c, 0, 0);
        c.mask.complement = 0;
    }
    multiply(&c);
    c.into[3] += 1, expect_fault(&c, 0, 3);
    multiply(&c);
    c.into[4] += 1, expect_fault(&c, 0, 4); /* no product is there */
    multiply(&c);
    c.into[0] = c.sums[0] = c.into[0] + 1, expect_fault(&c, 0, 0);
    multiply(&c);
    c.into[0] = c.before[0], expect_fault(&c, 0, 0);
    spl_plan_destroy(c.plan);
    spl_context_destroy(c.context);
}

static void refuse(const call *c, const spl_frontier *x, const void *before, const void *into,
                   const spl_row_mask *mask, const spl_frontier *y)
{
    spl_check check = SPL_CHECK_INIT;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_check_frontier(&c->a, x, before, into, mask, y, &c->options, &check));
}

static void wrong_calls(void **state)
{
    spl_row_mask neither = SPL_ROW_MASK_INIT;
    spl_check check = SPL_CHECK_INIT;
    spl_frontier other;
    int32_t down[] = {2, 0, 1};
    int64_t back[] = {0, 4, 3}, late[] = {1, 2, 3};
    call c;
    (void)state;
    begin(&c);
    multiply(&c);
    refuse(&c, NULL, NULL, NULL, NULL, &c.y);
    refuse(&c, &c.x, NULL, NULL, NULL, NULL);
    refuse(&c, &c.x, c.before, NULL, NULL, &c.y);
    refuse(&c, &c.x, NULL, c.into, NULL, &c.y);
    refuse(&c, &c.x, NULL, NULL, &neither, &c.y);
    other = c.x, other.indices = down, refuse(&c, &other, NULL, NULL, NULL, &c.y);
    other = c.x, other.offsets = back, refuse(&c, &other, NULL, NULL, NULL, &c.y);
    other = c.x, other.offsets = late, refuse(&c, &other, NULL, NULL, NULL, &c.y);
    other = c.y, other.offsets = back, refuse(&c, &c.x, NULL, NULL, NULL, &other);
    other = c.y, other.count = -1, refuse(&c, &c.x, NULL, NULL, NULL, &other);
    other = c.y, other.indices = NULL, refuse(&c, &c.x, NULL, NULL, NULL, &other);
    other = c.y, other.vectors = 1, other.count = c.ends[1];
    EXPECT_STATUS(SPL_SHAPE_MISMATCH,
                  spl_check_frontier(&c.a, &c.x, NULL, NULL, NULL, &other, &c.options, &check));
    spl_plan_destroy(c.plan);
    spl_context_destroy(c.context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_and_entries),
                                       cmocka_unit_test(wrong_calls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
