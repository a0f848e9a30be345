/* SPDX-License-Identifier: Apache-2.0 */
/* Values that sliced ELL on the CPU reads in fewer bytes: which forms it finds, above all in
 * misleading matrices, and that results have the same bits as without narrow values, also after
 * an update to any other kind of values. */
#include "lib/run_products.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The values of FEW rows fit into a cache, those of the other shapes do not, for every type.
 * Entries of a BAND lie on diagonals; rows of a RAGGED matrix have all lengths, and columns
 * anywhere. */
typedef enum shape { FEW, BAND, RAGGED, SHAPES } shape;

typedef struct example {
    spl_type type;
    int64_t rows, nnz;
    int64_t *offsets;
    int64_t *columns;
    void *values, *x, *y, *expected; /* of `type` */
    spl_sparse view;
} example;

static int64_t length_of_row(shape kind, int64_t i)
{
    return kind == RAGGED ? 3 + i * 7 % 11 : kind == BAND ? 9 : 5;
}

static int64_t column_at(shape kind, int64_t rows, int64_t i, int64_t k)
{
    if (kind == RAGGED)
        return (i * 613 + k * 2741) % rows;
    return (i + k) % rows;
}

static example make_example(spl_type type, shape kind)
{
    const size_t size = zoo_type_bytes(type);
    example e = {.type = type, .rows = kind == FEW ? 500 : 70001};
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    e.offsets = zoo_allocate((size_t)(e.rows + 1) * sizeof(int64_t));
    e.offsets[0] = 0;
    for (int64_t i = 0; i < e.rows; i++)
        e.offsets[i + 1] = e.offsets[i] + length_of_row(kind, i);
    e.nnz = e.offsets[e.rows];
    e.columns = zoo_allocate((size_t)e.nnz * sizeof(int64_t));
    for (int64_t i = 0, p = 0; i < e.rows; i++)
        for (int64_t k = 0; k < length_of_row(kind, i); k++)
            e.columns[p++] = column_at(kind, e.rows, i, k);
    e.values = zoo_allocate((size_t)e.nnz * size);
    e.x = zoo_allocate((size_t)e.rows * size);
    e.y = zoo_allocate((size_t)e.rows * size);
    e.expected = zoo_allocate((size_t)e.rows * size);
    for (int64_t j = 0; j < e.rows; j++)
        zoo_value_set(e.x, type, j, zoo_random_unit(&random));
    e.view = (spl_sparse)SPL_SPARSE_INIT;
    e.view.format = SPL_CSR;
    e.view.type = type;
    e.view.offset_type = e.view.index_type = SPL_I64;
    e.view.rows = e.view.cols = e.rows;
    e.view.nnz = e.nnz;
    e.view.offsets = e.offsets;
    e.view.indices = e.columns;
    e.view.values = e.values;
    return e;
}

static void free_example(example *e)
{
    free(e->offsets);
    free(e->columns);
    free(e->values);
    free(e->x);
    free(e->y);
    free(e->expected);
}

/* ---- kinds of values ---- */

static double all_thirds(int64_t p, int64_t nnz)
{
    (void)p, (void)nnz;
    return 1.0 / 3;
}

static double all_nan(int64_t p, int64_t nnz)
{
    (void)p, (void)nnz;
    return NAN;
}

static double all_minus_zero(int64_t p, int64_t nnz)
{
    (void)p, (void)nnz;
    return -0.0;
}

static double the_first_differs(int64_t p, int64_t nnz)
{
    (void)nnz;
    return p == 0 ? 2.0 / 3 : 1.0 / 3;
}

static double the_last_differs(int64_t p, int64_t nnz)
{
    return p == nnz - 1 ? 2.0 / 3 : 1.0 / 3;
}

/* In the second piece that threads look at. */
static double one_between_differs(int64_t p, int64_t nnz)
{
    return p == (nnz > 20000 ? 20000 : 7) ? 2.0 / 3 : 1.0 / 3;
}

static double whole_number(int64_t p, int64_t nnz)
{
    (void)nnz;
    return (double)(p * 37 % 201 - 100);
}

static double fractions(int64_t p, int64_t nnz)
{
    return whole_number(p, nnz) * 0x1p-30;
}

static double largest_whole(int64_t p, int64_t nnz)
{
    return p == 1 ? 32767 : p == nnz - 1 ? -32767 : 4096 + (double)(p % 5);
}

/* One that the sample does not show ... */
static double whole_but(int64_t p, int64_t nnz, double one)
{
    return p == nnz - 2 ? one : whole_number(p, nnz);
}

/* ... is larger or finer than the others, but not too much so, ... */
static double whole_and_larger(int64_t p, int64_t nnz)
{
    return whole_but(p, nnz, 400);
}

static double whole_and_finer(int64_t p, int64_t nnz)
{
    return whole_but(p, nnz, 0x1p-6);
}

/* ... or no such number at all. */
static double whole_but_too_large(int64_t p, int64_t nnz)
{
    return whole_but(p, nnz, 1 << 20);
}

static double whole_but_too_fine(int64_t p, int64_t nnz)
{
    return whole_but(p, nnz, 0x1p-20);
}

static double whole_but_minus_zero(int64_t p, int64_t nnz)
{
    return whole_but(p, nnz, -0.0);
}

static double whole_but_infinite(int64_t p, int64_t nnz)
{
    return whole_but(p, nnz, INFINITY);
}

static double whole_but_nan(int64_t p, int64_t nnz)
{
    return whole_but(p, nnz, NAN);
}

/* The last of an odd number of values. */
static double whole_but_third(int64_t p, int64_t nnz)
{
    return p == nnz - 1 ? 1.0 / 3 : whole_number(p, nnz);
}

static double zeros_but_one(int64_t p, int64_t nnz)
{
    return p == nnz - 2 ? 5 : 0;
}

static double in_f32(int64_t p, int64_t nnz)
{
    (void)nnz;
    return (double)(float)sin((double)p);
}

static double but_one_in_f32(int64_t p, int64_t nnz)
{
    return p == nnz - 2 ? 1.0 / 3 : in_f32(p, nnz);
}

static double far_beyond_f32(int64_t p, int64_t nnz)
{
    return p == nnz - 2 ? 1e39 : in_f32(p, nnz);
}

static double as_random(int64_t p, int64_t nnz)
{
    (void)nnz;
    return sin((double)p);
}

static double tiny(int64_t p, int64_t nnz)
{
    (void)nnz;
    return (double)(p % 7) * 0x1p-140;
}

/* What a plan says of large matrices in f64, and in f32; NULL: nothing. Of the FEW it only sees
 * that all are the same. */
static const char same[] = "values: all the same, none read", two[] = "2 bytes each",
                  four[] = "4 bytes each";
static const struct {
    const char *name;
    double (*value)(int64_t p, int64_t nnz);
    const char *f64, *f32;
} kinds[] = {
    {"thirds", all_thirds, same, same},
    {"NaN", all_nan, same, same},
    {"-0", all_minus_zero, same, same},
    {"the first differs", the_first_differs, NULL, NULL},
    {"one between differs", one_between_differs, NULL, NULL},
    {"the last differs", the_last_differs, NULL, NULL},
    {"whole numbers", whole_number, two, two},
    {"fractions", fractions, two, two},
    {"up to 32767", largest_whole, two, two},
    {"one is larger", whole_and_larger, two, two},
    {"one is finer", whole_and_finer, two, two},
    {"one is too large", whole_but_too_large, four, NULL},
    {"one is too fine", whole_but_too_fine, four, NULL},
    {"one is -0", whole_but_minus_zero, four, NULL},
    {"one is infinite", whole_but_infinite, four, NULL},
    {"one is NaN", whole_but_nan, NULL, NULL},
    {"one is a third", whole_but_third, NULL, NULL},
    {"zeros but one", zeros_but_one, two, two},
    {"in f32", in_f32, four, NULL},
    {"all but one in f32", but_one_in_f32, NULL, NULL},
    {"one beyond f32", far_beyond_f32, NULL, NULL},
    {"random", as_random, NULL, NULL},
    {"tiny", tiny, two, NULL},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void fill(example *e, int kind)
{
    for (int64_t p = 0; p < e->nnz; p++)
        zoo_value_set(e->values, e->type, p, kinds[kind].value(p, e->nnz));
}

static const char *expected_words(const example *e, shape form, int kind)
{
    const char *words = e->type == SPL_F64 ? kinds[kind].f64 : kinds[kind].f32;
    return form == FEW && words != same ? NULL : words;
}

/* ---- plans ---- */

/* One execution does not pay for looking further than whether all are the same. */
static spl_plan *plan_of(spl_context *context, const example *e, int32_t executions)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    options.method = "spmv/compute/cpu/sliced_ell";
    options.executions = executions;
    options.threads = 3;
    EXPECT_OK(spl_spmv_plan(context, &e->view, &options, &plan));
    return plan;
}

static void multiply(spl_plan *plan, const example *e, void *y)
{
    memset(y, 0xFF, (size_t)e->rows * zoo_type_bytes(e->type));
    EXPECT_OK(spl_spmv_execute(plan, NULL, e->x, NULL, y, NULL));
}

/* A NaN is a NaN: its bits depend on which factor comes first. */
static void expect_same_bits(const example *e)
{
    const size_t bytes = zoo_type_bytes(e->type);
    for (int64_t i = 0; i < e->rows; i++) {
        const char *y = (const char *)e->y + (size_t)i * bytes,
                   *expected = (const char *)e->expected + (size_t)i * bytes;
        bool both_nan =
            isnan(zoo_value_at(e->y, e->type, i)) && isnan(zoo_value_at(e->expected, e->type, i));
        EXPECT(both_nan || memcmp(y, expected, bytes) == 0);
    }
}

/* The plan's explanation has these words about values, NULL: none, and no others. */
static void expect_words(const spl_plan *plan, const char *words)
{
    char text[16384];
    EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
    EXPECT((strstr(text, "values: ") != NULL) == (words != NULL));
    EXPECT(!words || strstr(text, words));
}

/* Values as they are: one that differs, in a row that is not compared, hides that all
 * are the same. */
static void multiply_plainly(spl_context *context, example *e, int kind)
{
    const int64_t last = e->nnz - 1;
    const double value = zoo_value_at(e->values, e->type, last);
    spl_check check = SPL_CHECK_INIT;
    if (expected_words(e, FEW, kind) == same)
        zoo_value_set(e->values, e->type, last, isnan(value) ? 1 : value + 1);
    spl_plan *plan = plan_of(context, e, 1);
    expect_words(plan, NULL);
    multiply(plan, e, e->expected);
    EXPECT_OK(spl_check_spmv(NULL, &e->view, e->x, NULL, NULL, e->expected, NULL, &check));
    EXPECT(check.ok);
    zoo_value_set(e->values, e->type, last, value);
    spl_plan_destroy(plan);
}

static void expect_kind(spl_context *context, spl_plan *plan, example *e, shape form, int kind)
{
    testing_case("shape %d, %s, %s", (int)form, e->type == SPL_F64 ? "f64" : "f32",
                 kinds[kind].name);
    fill(e, kind);
    multiply_plainly(context, e, kind);
    EXPECT_OK(spl_plan_update_values(plan, &e->view, NULL, NULL, NULL));
    expect_words(plan, expected_words(e, form, kind));
    multiply(plan, e, e->y);
    if (expected_words(e, FEW, kind) == same) /* see multiply_plainly */
        memcpy((char *)e->y + (size_t)(e->rows - 1) * zoo_type_bytes(e->type),
               (char *)e->expected + (size_t)(e->rows - 1) * zoo_type_bytes(e->type),
               zoo_type_bytes(e->type));
    expect_same_bits(e);
}

/* One plan, values of each kind after those of the one before, then in another order. */
static void each_kind_is_found(void **state)
{
    (void)state;
    spl_context *context = NULL;
    const int step = testing_scale() > 1 ? 5 : 1;
    EXPECT_OK(spl_context_create(NULL, &context));
    for (int t = 0; t < 2; t++)
        for (shape form = FEW; form < SHAPES; form++) {
            example e = make_example(t ? SPL_F32 : SPL_F64, form);
            fill(&e, 0);
            spl_plan *plan = plan_of(context, &e, 0);
            expect_words(plan, same);
            for (int kind = 0; kind < KINDS; kind += step)
                expect_kind(context, plan, &e, form, kind);
            for (int kind = 0; kind < KINDS; kind += 3 * step)
                expect_kind(context, plan, &e, form, kind * 8 % KINDS);
            spl_plan_destroy(plan);
            free_example(&e);
        }
    spl_context_destroy(context);
}

/* ---- predictions ---- */

static double predicted(spl_context *context, const example *e, const spl_options *options)
{
    spl_plan *plan = NULL;
    spl_candidate c = SPL_CANDIDATE_INIT;
    EXPECT_OK(spl_spmv_plan(context, &e->view, options, &plan));
    int i = 0;
    while (i < spl_plan_candidate_count(plan)) {
        EXPECT_OK(spl_plan_candidate(plan, i++, &c));
        if (!strcmp(c.method, "spmv/compute/cpu/sliced_ell"))
            break;
    }
    EXPECT(!strcmp(c.method, "spmv/compute/cpu/sliced_ell") && c.seconds > 0);
    spl_plan_destroy(plan);
    return c.seconds;
}

/* The narrower, the faster; deterministic plans, plans for one execution and plans under a budget
 * go by structure alone. */
static void predictions_know_of_narrow_values(void **state)
{
    (void)state;
    static const char *const falling[] = {"random", "in f32", "whole numbers", "thirds"};
    spl_context *context = NULL;
    EXPECT_OK(spl_context_create(NULL, &context));
    example e = make_example(SPL_F64, BAND);
    double last = INFINITY, others[3] = {0};
    for (size_t n = 0; n < sizeof falling / sizeof falling[0]; n++) {
        spl_options many = SPL_OPTIONS_INIT, deterministic = many, once = many, limited = many;
        int kind = 0;
        while (strcmp(kinds[kind].name, falling[n]))
            kind++;
        fill(&e, kind);
        deterministic.deterministic = 1;
        once.executions = 1;
        limited.memory_budget = 1 << 28;
        testing_case("%s", falling[n]);
        EXPECT(predicted(context, &e, &many) < last);
        last = predicted(context, &e, &many);
        const spl_options *const with[3] = {&deterministic, &once, &limited};
        for (int k = 0; k < 3; k++) {
            double seconds = predicted(context, &e, with[k]);
            EXPECT(n == 0 || seconds == others[k]);
            others[k] = seconds;
        }
    }
    free_example(&e);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_is_found),
        cmocka_unit_test(predictions_know_of_narrow_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
