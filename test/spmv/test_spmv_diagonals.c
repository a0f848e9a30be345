/* SPDX-License-Identifier: Apache-2.0 */
/* SpMV by slices on diagonals with holes: what holes must not read, and rows that form none. */
#include "lib/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 16 * 23 + 5, SPECIAL = 100 };

static const int64_t distances[] = {-40, -3, -1, 0, 1, 2, 40};

/* A square matrix on these diagonals, of which about an eighth is missing; small whole numbers, so
 * that sums are exact in any order. */
typedef enum columns { ASCENDING, DESCENDING, REPEATED } columns;

typedef struct equation {
    spl_sparse a;
    int32_t *offsets, *indices;
    double *values;
    double x[ROWS];
} equation;

static void add(equation *s, int64_t column, double value)
{
    s->indices[s->a.nnz] = (int32_t)column;
    s->values[s->a.nnz++] = value;
}

static void add_row(equation *s, int64_t i, columns order, zoo_random *random)
{
    const int count = sizeof distances / sizeof *distances;
    for (int k = 0; k < count; k++) {
        const int64_t j = i + distances[order == DESCENDING ? count - 1 - k : k];
        const bool inside = j >= 0 && j < ROWS, hole = zoo_random_below(random, 8) == 0;
        for (int times = 0; inside && !hole && times < (order == REPEATED ? 2 : 1); times++)
            add(s, j, (double)(1 + zoo_random_below(random, 9)));
    }
    s->offsets[i + 1] = (int32_t)s->a.nnz;
}

static void make(equation *s, columns order, zoo_random *random)
{
    const size_t most = 2 * ROWS * sizeof distances / sizeof *distances;
    *s = (equation){.a = SPL_SPARSE_INIT};
    s->offsets = zoo_allocate((ROWS + 1) * sizeof *s->offsets);
    s->indices = zoo_allocate(most * sizeof *s->indices);
    s->values = zoo_allocate(most * sizeof *s->values);
    s->a.format = SPL_CSR;
    s->a.type = SPL_F64;
    s->a.offset_type = s->a.index_type = SPL_I32;
    s->a.rows = s->a.cols = ROWS;
    s->offsets[0] = 0;
    for (int64_t i = 0; i < ROWS; i++) {
        s->x[i] = (double)(1 + zoo_random_below(random, 9));
        add_row(s, i, order, random);
    }
    s->a.offsets = s->offsets;
    s->a.indices = s->indices;
    s->a.values = s->values;
}

static void destroy(equation *s)
{
    free(s->offsets);
    free(s->indices);
    free(s->values);
}

static void fill(spl_type type, void *to, const double *from, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        zoo_value_set(to, type, i, from[i]);
}

static void expect_plain_loop(const equation *s, spl_type type, const void *y)
{
    for (int64_t i = 0; i < ROWS; i++) {
        double sum = 0, ours = zoo_value_at(y, type, i);
        for (int32_t p = s->offsets[i]; p < s->offsets[i + 1]; p++)
            sum += s->values[p] * s->x[s->indices[p]];
        EXPECT(isnan(sum) ? isnan(ours) : ours == sum);
    }
}

/* Multiplies, compares with a plain loop, and says whether slices were on diagonals. */
static bool multiply_in(const equation *s, spl_type type)
{
    const size_t size = zoo_type_bytes(type);
    void *values = zoo_allocate((size_t)s->a.nnz * size), *x = zoo_allocate(ROWS * size),
         *y = zoo_allocate(ROWS * size);
    spl_context *context = testing_context(2);
    spl_options options = SPL_OPTIONS_INIT;
    spl_sparse a = s->a;
    spl_plan *plan;
    char text[16384];
    fill(type, values, s->values, s->a.nnz);
    fill(type, x, s->x, ROWS);
    a.type = type;
    a.values = values;
    options.method = "spmv/compute/cpu/sliced_ell";
    EXPECT_OK(spl_spmv_plan(context, &a, &options, &plan));
    EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
    memset(y, 0xFF, ROWS * size);
    EXPECT_OK(spl_spmv_execute(plan, NULL, x, NULL, y, NULL));
    expect_plain_loop(s, type, y);
    spl_plan_destroy(plan);
    spl_context_destroy(context);
    free(values);
    free(x);
    free(y);
    EXPECT(strstr(text, "% on diagonals with holes") != NULL);
    return strstr(text, " 0 % on diagonals with holes") == NULL;
}

static bool multiply(const equation *s)
{
    const bool f32 = multiply_in(s, SPL_F32), f64 = multiply_in(s, SPL_F64);
    EXPECT(f32 == f64);
    return f64;
}

static void rows_that_ascend_are_on_diagonals(void **state)
{
    (void)state;
    for (columns order = ASCENDING; order <= REPEATED; order++) {
        zoo_random random;
        equation s;
        zoo_random_seed(&random, testing_seed() + (uint64_t)order);
        testing_case("order %d", (int)order);
        make(&s, order, &random);
        EXPECT(multiply(&s) == (order == ASCENDING));
        destroy(&s);
    }
}

/* x is NaN or Inf in some columns: rows without an entry there do not see it. */
static void holes_read_nothing(void **state)
{
    (void)state;
    zoo_random random;
    equation s;
    zoo_random_seed(&random, testing_seed());
    make(&s, ASCENDING, &random);
    for (int k = 0; k < SPECIAL; k++)
        s.x[zoo_random_below(&random, ROWS)] = k % 2 ? NAN : INFINITY;
    EXPECT(multiply(&s));
    destroy(&s);
}

/* Values that are all equal are stored once, whatever they are. */
static void equal_values_have_holes(void **state)
{
    (void)state;
    static const double all[] = {3, INFINITY, NAN};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        zoo_random random;
        equation s;
        zoo_random_seed(&random, testing_seed() + k);
        testing_case("all %g", all[k]);
        make(&s, ASCENDING, &random);
        for (int64_t p = 0; p < s.a.nnz; p++)
            s.values[p] = all[k];
        for (int32_t p = s.offsets[50]; p < s.offsets[51]; p++) /* some rows have no such entry */
            s.x[s.indices[p]] = 0;
        EXPECT(multiply(&s));
        destroy(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_ascend_are_on_diagonals),
        cmocka_unit_test(holes_read_nothing),
        cmocka_unit_test(equal_values_have_holes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
