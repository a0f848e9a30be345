/* SPDX-License-Identifier: Apache-2.0 */
/* Values that a plan on a device reads in fewer bytes: which forms it finds, above all in
 * misleading matrices, and that results have the same bits as without narrow values, also after
 * an update to any other kind of values. */
#include "lib/hook_allocator.h"
#include "lib/on_device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More entries than blocks of the emulator's devices look at in one turn; row LONG of uneven
 * patterns is one that all methods take in pieces. The rows of wide ones are few and long enough
 * that several warps share a slice. */
typedef enum pattern { EVEN, UNEVEN, WIDE, PATTERNS } pattern;
enum { WIDE_ROWS = 400, WIDE_ENTRIES = 41 };
enum {
    ROWS = 3000,
    COLS = 2500,
    SHORT = 6,
    LONG = 1234,
    LONG_ENTRIES = 1500,
    NNZ = (ROWS - 1) * SHORT + LONG_ENTRIES
};

typedef struct example {
    int32_t offsets[ROWS + 1], columns[NNZ];
    spl_type type;
    void *stored, *x_stored, *y, *expected; /* of `type` */
    spl_sparse view;
} example;

static void make_pattern(example *e, pattern kind)
{
    int32_t p = 0;
    e->view.rows = kind == WIDE ? WIDE_ROWS : ROWS;
    for (int i = 0; i < e->view.rows; i++) {
        int entries = kind == WIDE                  ? WIDE_ENTRIES
                      : kind == UNEVEN && i == LONG ? LONG_ENTRIES
                                                    : SHORT;
        for (int k = 0; k < entries; k++)
            e->columns[p++] = (int32_t)((i * 7 + k * (entries == LONG_ENTRIES ? 1 : 391)) % COLS);
        e->offsets[i + 1] = p;
    }
    e->view.nnz = p;
}

static example *make_example(spl_type type, pattern kind)
{
    example *e = calloc(1, sizeof *e);
    size_t bytes = zoo_type_bytes(type);
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    e->type = type;
    e->stored = zoo_allocate(NNZ * bytes);
    e->x_stored = zoo_allocate(COLS * bytes);
    e->y = zoo_allocate(ROWS * bytes);
    e->expected = zoo_allocate(ROWS * bytes);
    e->view = (spl_sparse)SPL_SPARSE_INIT;
    make_pattern(e, kind);
    e->view.format = SPL_CSR;
    e->view.type = type;
    e->view.offset_type = e->view.index_type = SPL_I32;
    e->view.cols = COLS;
    e->view.offsets = e->offsets;
    e->view.indices = e->columns;
    e->view.values = e->stored;
    for (int j = 0; j < COLS; j++)
        zoo_value_set(e->x_stored, type, j, zoo_random_unit(&random));
    return e;
}

static void free_example(example *e)
{
    free(e->stored);
    free(e->x_stored);
    free(e->y);
    free(e->expected);
    free(e);
}

/* ---- kinds of values ---- */

static double ones(int64_t p, int64_t nnz)
{
    (void)p, (void)nnz;
    return 1;
}

static double last_is_two(int64_t p, int64_t nnz)
{
    return p == nnz - 1 ? 2 : 1;
}

static double stencil(int64_t p, int64_t nnz)
{
    (void)nnz;
    return p % SHORT == 0 ? 6.1 : -1.1;
}

static double zeros_of_both_signs(int64_t p, int64_t nnz)
{
    return p == nnz - 1 ? -0.0 : 0.0;
}

static double nan_is_the_last(int64_t p, int64_t nnz)
{
    return p == nnz - 1 ? NAN : 1;
}

/* 1/3 + k: not in f32. */
static double distinct_256(int64_t p, int64_t nnz)
{
    (void)nnz;
    return 1.0 / 3 + (double)(p * 37 % 256);
}

static double distinct_257(int64_t p, int64_t nnz)
{
    return p == nnz - 1 ? -5 : distinct_256(p, nnz);
}

/* So many values that occur once, and one that all others are: each block of a kernel sees few of
 * them. */
static double rare(int64_t p, int64_t many)
{
    return p % 61 == 7 && p / 61 < many ? 1.0 / 3 + (double)(p / 61) : -1.0 / 3;
}

static double rare_255(int64_t p, int64_t nnz)
{
    (void)nnz;
    return rare(p, 255);
}

static double rare_256(int64_t p, int64_t nnz)
{
    (void)nnz;
    return rare(p, 256);
}

static double in_f32(int64_t p, int64_t nnz)
{
    (void)nnz;
    return (double)(float)(1.0 / (double)(p + 3));
}

static double but_the_last_in_f32(int64_t p, int64_t nnz)
{
    return p == nnz - 1 ? 1.0 / 3 : in_f32(p, nnz);
}

static double nan_among_f32(int64_t p, int64_t nnz)
{
    return p == nnz / 2 ? NAN : in_f32(p, nnz);
}

static double too_large_for_f32(int64_t p, int64_t nnz)
{
    return p == nnz - 1 ? 1e39 : in_f32(p, nnz);
}

static double infinite_and_tiny(int64_t p, int64_t nnz)
{
    return p == 7 ? INFINITY : p == nnz - 1 ? 0x1p-149 : in_f32(p, nnz);
}

static double as_random(int64_t p, int64_t nnz)
{
    (void)nnz;
    return sin((double)p);
}

/* What explanations say of f64 and f32; NULL: nothing. */
static const struct kind {
    const char *name;
    double (*value)(int64_t p, int64_t nnz);
    const char *f64, *f32;
} kinds[] = {
    {"ones", ones, "all the same, none read", "all the same, none read"},
    {"random", as_random, NULL, NULL},
    {"the last is 2", last_is_two, "2 distinct, 1 byte each", "2 distinct, 1 byte each"},
    {"a stencil", stencil, "2 distinct, 1 byte each", "2 distinct, 1 byte each"},
    {"zeros of both signs", zeros_of_both_signs, "2 distinct, 1 byte each",
     "2 distinct, 1 byte each"},
    {"the last is NaN", nan_is_the_last, "2 distinct, 1 byte each", "2 distinct, 1 byte each"},
    {"256 distinct", distinct_256, "256 distinct, 1 byte each", "256 distinct, 1 byte each"},
    {"257 distinct", distinct_257, NULL, NULL},
    {"255 rare ones", rare_255, "256 distinct, 1 byte each", "256 distinct, 1 byte each"},
    {"256 rare ones", rare_256, NULL, NULL},
    {"f32", in_f32, "f32 holds all of them, 4 bytes each", NULL},
    {"all but the last in f32", but_the_last_in_f32, NULL, NULL},
    {"f32 and a NaN", nan_among_f32, NULL, NULL},
    {"f32 and one too large", too_large_for_f32, NULL, NULL},
    {"f32, infinite and tiny", infinite_and_tiny, "f32 holds all of them, 4 bytes each", NULL},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void fill(example *e, int kind)
{
    for (int64_t p = 0; p < e->view.nnz; p++)
        zoo_value_set(e->stored, e->type, p, kinds[kind].value(p, e->view.nnz));
}

/* ---- plans ---- */

/* One that looks at values, or one whose executions are too few for that. */
static spl_plan *plan_of(const on_device *s, const example *e, const char *method, bool looks)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    options.method = method;
    options.processors = 2; /* the device */
    options.executions = looks ? INT32_MAX : 2;
    EXPECT_OK(spl_spmv_plan(s->context, &e->view, &options, &plan));
    return plan;
}

static bool explains(const spl_plan *plan, const char *words)
{
    char text[16384];
    EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
    return strstr(text, words) != NULL;
}

static void multiply(spl_plan *plan, const example *e, void *y)
{
    memset(y, 0xFF, ROWS * zoo_type_bytes(e->type));
    EXPECT_OK(spl_spmv_execute(plan, NULL, e->x_stored, NULL, y, NULL));
}

/* A NaN is a NaN: its bits depend on which factor comes first. */
static bool same_bits(const example *e, int i)
{
    size_t bytes = zoo_type_bytes(e->type);
    const char *y = (const char *)e->y + (size_t)i * bytes,
               *expected = (const char *)e->expected + (size_t)i * bytes;
    double value = zoo_value_at(e->y, e->type, i), wanted = zoo_value_at(e->expected, e->type, i);
    return (isnan(value) && isnan(wanted)) || memcmp(y, expected, bytes) == 0;
}

static void expect_same(const example *e)
{
    for (int i = 0; i < e->view.rows; i++)
        EXPECT(same_bits(e, i));
}

/* ---- tests ---- */

static const char *const methods[] = {"spmv/compute/gpu/sliced_ell",
                                      "spmv/compute/gpu/csr_balanced"};

static bool reads_copies(const char *method)
{
    return strcmp(method, methods[0]) == 0;
}

static void try_kind(const on_device *s, example *e, const char *method, int kind)
{
    const char *words = e->type == SPL_F64 ? kinds[kind].f64 : kinds[kind].f32;
    if (words && !reads_copies(method) && kinds[kind].value != ones)
        words = NULL; /* what is read in place is read as it is, or not at all */
    fill(e, kind);
    spl_plan *narrow = plan_of(s, e, method, true), *plain = plan_of(s, e, method, false);
    EXPECT(!explains(plain, "values: "));
    EXPECT(explains(narrow, words ? words : "values: ") == (words != NULL));
    multiply(plain, e, e->expected);
    multiply(narrow, e, e->y);
    expect_same(e);
    spl_plan_destroy(narrow);
    spl_plan_destroy(plain);
}

static void each_kind_is_found(void **state)
{
    (void)state;
    static const spl_type types[] = {SPL_F64, SPL_F32};
    on_device s = on_device_start(testing_device());
    for (int t = 0; t < 2; t++)
        for (int shape = EVEN; shape < PATTERNS; shape++) {
            example *e = make_example(types[t], shape);
            for (int m = 0; m < 2; m++)
                for (int kind = testing_few() ? (t + shape + m) % 3 : 0; kind < KINDS;
                     kind += testing_few() ? 3 : 1) {
                    testing_case("%s, f%d, %s, %s", testing_device(), t ? 32 : 64, methods[m],
                                 kinds[kind].name);
                    try_kind(&s, e, methods[m], kind);
                }
            free_example(e);
        }
    on_device_stop(&s);
}

/* From the kind that the plan was made for to every other one and back (or every third of these
 * steps); no update allocates. */
static void try_updates(const on_device *s, example *e, const char *method, int kind)
{
    fill(e, kind);
    spl_plan *narrow = plan_of(s, e, method, true), *plain = plan_of(s, e, method, false);
    const int64_t allocations = on_device_counters(narrow).allocations;
    for (int n = 0; n < 2 * KINDS; n += testing_few() ? 3 : 1) {
        fill(e, n % 2 ? kind : n / 2);
        const int64_t launches = on_device_counters(narrow).launches;
        EXPECT_OK(spl_plan_update_values(narrow, &e->view, NULL, NULL, NULL));
        EXPECT(on_device_counters(narrow).launches > launches ||
               (!reads_copies(method) && kind > 0));
        EXPECT_OK(spl_plan_update_values(plain, &e->view, NULL, NULL, NULL));
        multiply(plain, e, e->expected);
        multiply(narrow, e, e->y);
        expect_same(e);
    }
    EXPECT(on_device_counters(narrow).allocations == allocations);
    spl_plan_destroy(narrow);
    spl_plan_destroy(plain);
}

static void new_values_may_be_of_any_kind(void **state)
{
    (void)state;
    on_device s = on_device_start(testing_device());
    for (int shape = UNEVEN; shape < PATTERNS; shape++) {
        example *e = make_example(SPL_F64, shape);
        for (int m = 0; m < (shape == WIDE ? 1 : 2); m++)
            for (int kind = 0; kind < KINDS; kind++)
                if (kinds[kind].value == ones || kinds[kind].value == stencil ||
                    kinds[kind].value == in_f32) {
                    testing_case("%s, %s, from %s", testing_device(), methods[m], kinds[kind].name);
                    try_updates(&s, e, methods[m], kind);
                }
        free_example(e);
    }
    on_device_stop(&s);
}

/* With options.deterministic choices and predictions depend on structure alone. */
static void deterministic_plans_choose_by_structure(void **state)
{
    (void)state;
    on_device s = on_device_start(testing_device());
    example *e = make_example(SPL_F64, EVEN);
    spl_options options = SPL_OPTIONS_INIT;
    double seconds[2] = {0, 0};
    options.deterministic = 1;
    options.processors = 2;
    options.executions = INT32_MAX;
    for (int kind = 0; kind < 2; kind++) {
        spl_plan *plan = NULL;
        fill(e, kind);
        EXPECT_OK(spl_spmv_plan(s.context, &e->view, &options, &plan));
        for (int i = 0; i < spl_plan_candidate_count(plan); i++) {
            spl_candidate c = SPL_CANDIDATE_INIT;
            EXPECT_OK(spl_plan_candidate(plan, i, &c));
            seconds[kind] += c.seconds * (i + 1);
        }
        spl_plan_destroy(plan);
    }
    EXPECT(seconds[0] > 0 && seconds[0] == seconds[1]);
    free_example(e);
    on_device_stop(&s);
}

static spl_status try_once(hook_allocator *hook, const example *e, const char *method)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_context *context = NULL;
    spl_plan *plan = NULL;
    options.method = method;
    options.executions = INT32_MAX;
    spl_status status = hook_context(hook, 2, 0, &context);
    if (status == SPL_OK)
        status = spl_spmv_plan(context, &e->view, &options, &plan);
    if (status == SPL_OK)
        multiply(plan, e, e->y);
    EXPECT(status == SPL_OK || !plan);
    spl_plan_destroy(plan);
    spl_context_destroy(context);
    return status;
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    example *e = make_example(SPL_F64, UNEVEN);
    fill(e, 0);
    for (int m = 0; m < 2; m++) {
        spl_status status = SPL_OUT_OF_MEMORY;
        for (int k = 0; status != SPL_OK; k++) {
            hook_allocator hook;
            testing_case("%s, allocation %d fails", methods[m], k);
            hook_start(&hook);
            hook.fail_at = k;
            status = try_once(&hook, e, methods[m]);
            EXPECT(status == SPL_OK || status == SPL_OUT_OF_MEMORY);
            EXPECT(hook_clean(&hook) && k < 1000);
            hook_stop(&hook);
        }
    }
    free_example(e);
}

/* Without a device this is skipped: test_spmv_values_cpu.c. */
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_is_found),
        cmocka_unit_test(new_values_may_be_of_any_kind),
        cmocka_unit_test(deterministic_plans_choose_by_structure),
        cmocka_unit_test(any_allocation_may_fail),
    };
    return testing_device() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
