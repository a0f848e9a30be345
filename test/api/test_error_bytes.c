/* SPDX-License-Identifier: Apache-2.0 */
/* spl_error_bytes: a caller who retries with that number succeeds after few attempts, with a
 * budget close to what the call needs. Cases are drawn anew in every run. */
#include "io/io_files.h"
#include "lib/api_calls.h"

#include <ctype.h>

/* Retries until a call succeeds, and its budget as a multiple of what it then holds at most. */
enum { RETRIES = 2, RETRIES_SPGEMM = 3, TIMES = 4, SLACK = 1 << 13 };

typedef struct drawn {
    uint64_t seed;
    zoo_random dice;
    hook_allocator hook;
    zoo_matrix a, b, d;
    spl_options options;
    char words[256]; /* what is called */
    const char *path;
    int retries;
} drawn;

typedef spl_status (*call_fn)(spl_context *context, drawn *c);

/* ---- a budget for the call ---- */

/* The number behind "needs " in the detail of the last failure. */
static size_t told(void)
{
    const char *cursor = strstr(spl_error_detail(), "needs ");
    size_t number = 0;
    EXPECT(cursor != NULL);
    for (cursor += strlen("needs "); isdigit((unsigned char)*cursor) || *cursor == ','; cursor++)
        if (*cursor != ',')
            number = number * 10 + (size_t)(*cursor - '0');
    return number;
}

/* Bytes at the peak of the call, of the larger place; *asked: what its failure asks for. */
static spl_status attempt(drawn *c, call_fn call, bool of_context, size_t budget, size_t *peak,
                          size_t *asked)
{
    spl_context *context = NULL;
    EXPECT_OK(hook_context(&c->hook, 2, of_context ? budget : 0, &context));
    c->options.memory_budget = of_context ? 0 : budget;
    size_t live = c->hook.live;
    c->hook.peak = live;
    c->hook.device_peak = 0;
    spl_status status = call(context, c);
    *asked = spl_error_bytes();
    if (status != SPL_OK) {
        testing_status(SPL_OVER_BUDGET, status, c->words, __FILE__, __LINE__);
        EXPECT(*asked == told());
    }
    EXPECT(c->hook.live == live && c->hook.device_live == 0);
    *peak = c->hook.peak - live;
    if (c->hook.device_peak > *peak)
        *peak = c->hook.device_peak;
    spl_context_destroy(context);
    return status;
}

/* Some numbers are estimates: of so many cases one may exceed the limits, but not by much. */
enum { FEW = 20 };
typedef struct outliers {
    int cases, slow, large;
} outliers;

static void follow(outliers *o, drawn *c, call_fn call, bool of_context)
{
    size_t budget = 1, peak, asked;
    int retries = 0;
    testing_case("%s, SPARLOOM_RANDOM_SEED=%llu", c->words, (unsigned long long)c->seed);
    while (attempt(c, call, of_context, budget, &peak, &asked) != SPL_OK) {
        testing_case("%s, SPARLOOM_RANDOM_SEED=%llu: retry %d with %zu bytes, %zu did not do",
                     c->words, (unsigned long long)c->seed, retries + 1, asked, budget);
        EXPECT(asked > budget);
        EXPECT(retries <= c->retries);
        retries++;
        budget = asked;
    }
    testing_case("%s, SPARLOOM_RANDOM_SEED=%llu: %d retries, %zu bytes at most with %zu", c->words,
                 (unsigned long long)c->seed, retries, peak, budget);
    EXPECT(budget <= 2 * TIMES * peak + SLACK);
    o->cases++;
    o->slow += retries > c->retries;
    o->large += budget > TIMES * peak + SLACK;
}

static void expect_few(const outliers *o)
{
    testing_case("%d of %d cases took a retry more, %d were told too much", o->slow, o->cases,
                 o->large);
    EXPECT(o->slow <= 2 + o->cases / FEW && o->large <= 2 + o->cases / FEW);
}

/* ---- operands ---- */

static void draw_matrix(drawn *c, zoo_matrix *m, int64_t rows, int64_t cols)
{
    const zoo_maker families[] = {
        {"uniform", zoo_uniform, {rows, cols, 1 + zoo_random_below(&c->dice, 24)}, false},
        {"half empty", zoo_half_empty, {rows, cols, 1 + zoo_random_below(&c->dice, 40)}, false},
        {"duplicates", zoo_duplicates, {rows, cols, 4 * rows}, false},
        {"hypersparse", zoo_hypersparse, {rows, cols, 1 + rows / 8}, false},
        {"unsorted", zoo_unsorted, {rows, cols, 1 + zoo_random_below(&c->dice, 12)}, false},
        {"dense row", zoo_dense_row, {rows, cols, rows / 2, 3}, false},
        {"banded", zoo_banded, {rows, 1 + zoo_random_below(&c->dice, 20)}, false},
    };
    const int count = (int)(sizeof families / sizeof *families);
    int family = (int)zoo_random_below(&c->dice, rows == cols ? count : count - 1);
    zoo_form form = zoo_form_number((int)zoo_random_below(&c->dice, ZOO_FORMS));
    zoo_matrix_make(m, &families[family], form, zoo_random_next(&c->dice));
    size_t used = strlen(c->words);
    snprintf(c->words + used, sizeof c->words - used, ", %s %s %lldx%lld of %lld",
             families[family].name, zoo_form_name(form), (long long)rows, (long long)cols,
             (long long)m->view.nnz);
}

static int64_t draw_size(drawn *c)
{
    const int64_t most = testing_few() ? 60 : 3000 / (testing_device() ? 4 : 1);
    return 1 + zoo_random_below(&c->dice, zoo_random_below(&c->dice, 2) ? most : 1 + most / 30);
}

static void begin(drawn *c, uint64_t number, const char *call_name)
{
    *c = (drawn){.seed = testing_fresh_seed() + number, .retries = RETRIES};
    zoo_random_seed(&c->dice, c->seed);
    hook_start(&c->hook);
    snprintf(c->words, sizeof c->words, "%s", call_name);
    c->options = (spl_options)SPL_OPTIONS_INIT;
}

static void end(drawn *c)
{
    zoo_matrix *const all[] = {&c->a, &c->b, &c->d};
    for (int k = 0; k < 3; k++)
        if (all[k]->view.format)
            zoo_matrix_free(all[k]);
    EXPECT(hook_clean(&c->hook));
    hook_stop(&c->hook);
}

static int cases(int plain)
{
    return testing_few() ? 2 : (plain + testing_scale() - 1) / testing_scale();
}

/* ---- conversion, description ---- */

static spl_status convert(spl_context *context, drawn *c)
{
    zoo_random dice = c->dice; /* the same choice in each attempt */
    spl_convert_options o = SPL_CONVERT_OPTIONS_INIT;
    spl_matrix *result;
    o.format = (spl_format)zoo_random_below(&dice, 4);
    o.type = zoo_random_below(&dice, 3) == 0 ? SPL_F32 : 0;
    o.index_type = zoo_random_below(&dice, 3) == 0 ? SPL_I64 : 0;
    o.offset_type = o.index_type;
    o.transpose = (int32_t)zoo_random_below(&dice, 2);
    o.sort = (int32_t)zoo_random_below(&dice, 2);
    o.sum_duplicates = zoo_random_below(&dice, 3) == 0;
    o.drop_zeros = zoo_random_below(&dice, 3) == 0;
    spl_status status = spl_convert(context, &c->a.view, &o, &result);
    if (status == SPL_OK)
        spl_matrix_destroy(result);
    return status;
}

static spl_status describe(spl_context *context, drawn *c)
{
    spl_description description = SPL_DESCRIPTION_INIT;
    return spl_describe(context, &c->a.view, &description);
}

static void conversion_and_description(void **state)
{
    (void)state;
    outliers o = {0};
    for (int n = 0; n < cases(60); n++) {
        drawn c;
        begin(&c, (uint64_t)n, n % 2 ? "describe" : "convert");
        draw_matrix(&c, &c.a, draw_size(&c), draw_size(&c));
        follow(&o, &c, n % 2 ? describe : convert, true);
        end(&c);
    }
    expect_few(&o);
}

/* ---- files ---- */

static spl_status read_file(spl_context *context, drawn *c)
{
    zoo_random dice = c->dice;
    spl_read_options o = SPL_READ_OPTIONS_INIT;
    spl_matrix *result;
    o.format = (spl_format)zoo_random_below(&dice, 4);
    o.type = zoo_random_below(&dice, 3) == 0 ? SPL_F32 : 0;
    o.index_type = zoo_random_below(&dice, 3) == 0 ? SPL_I64 : 0;
    o.offset_type = o.index_type;
    spl_status status = spl_read(context, c->path, &o, &result);
    if (status == SPL_OK)
        spl_matrix_destroy(result);
    return status;
}

/* A path of n vertices, or a circle. */
static void make_graph(drawn *c, int64_t n)
{
    zoo_triples t;
    zoo_triples_start(&t, n, n);
    for (int64_t i = 0; i + 1 < n; i++) {
        zoo_triples_add(&t, i, i + 1, 1);
        zoo_triples_add(&t, i + 1, i, 1);
    }
    zoo_build(&c->a, &t, zoo_form_number(0));
    zoo_triples_free(&t);
}

static void write_file(drawn *c, const char *name)
{
    spl_context *context = testing_context(1);
    c->path = io_path(name);
    EXPECT_OK(spl_write(context, &c->a.view, c->path));
    spl_context_destroy(context);
}

static const char symmetric_header[] = "%%MatrixMarket matrix coordinate real symmetric\n";

static void write_symmetric(drawn *c, int64_t n)
{
    c->path = io_path("symmetric.mtx");
    FILE *file = fopen(c->path, "w");
    EXPECT(file != NULL);
    fprintf(file, "%s%lld %lld %lld\n", symmetric_header, (long long)n, (long long)n, (long long)n);
    for (int64_t i = 1; i <= n; i++)
        fprintf(file, "%lld 1 %lld.5\n", (long long)i, (long long)i);
    EXPECT(fclose(file) == 0);
}

static void write_array(drawn *c, int64_t n)
{
    c->path = io_path("array.mtx");
    FILE *file = fopen(c->path, "w");
    EXPECT(file != NULL);
    fprintf(file, "%%%%MatrixMarket matrix array real general\n%lld 4\n", (long long)n);
    for (int64_t i = 0; i < 4 * n; i++)
        fprintf(file, "%d\n", (int)zoo_random_below(&c->dice, 3));
    EXPECT(fclose(file) == 0);
}

/* A buffer is no larger than what usually comes out of the file. */
static void a_small_packed_file_takes_little(void **state)
{
    (void)state;
    const zoo_maker maker = {"uniform", zoo_uniform, {60, 60, 4}, false};
    drawn c;
    size_t peak, asked;
    begin(&c, 0, "read small.mtx.gz");
    zoo_matrix_make(&c.a, &maker, zoo_form_number(0), c.seed);
    write_file(&c, "small.mtx.gz");
    EXPECT_OK(attempt(&c, read_file, true, 0, &peak, &asked));
    testing_case("%s holds %zu bytes", c.words, peak);
    EXPECT(peak < 1 << 18);
    end(&c);
}

static void files(void **state)
{
    (void)state;
    outliers o = {0};
    static const char *const names[] = {
        "a.mtx", "a.mtx.gz", "a.el", "a.el.gz", "a.graph", "a.graph.gz", "symmetric", "array",
#ifdef SPARLOOM_LIBZIP
        "a.npz",
#endif
    };
    const int count = (int)(sizeof names / sizeof *names);
    for (int n = 0; n < cases(6 * count); n++) {
        drawn c;
        const char *name = names[n % count];
        begin(&c, (uint64_t)n, "read ");
        strcat(c.words, name);
        int64_t size = draw_size(&c);
        if (strncmp(name, "a.graph", 7) == 0)
            make_graph(&c, 1 + size);
        else
            draw_matrix(&c, &c.a, size, strncmp(name, "a.el", 4) == 0 ? size : draw_size(&c));
        if (strcmp(name, "symmetric") == 0)
            write_symmetric(&c, size);
        else if (strcmp(name, "array") == 0)
            write_array(&c, size);
        else
            write_file(&c, name);
        follow(&o, &c, read_file, true);
        end(&c);
    }
    expect_few(&o);
}

/* ---- products ---- */

/* Options that devices and the CPU both support. Forced methods may need any amount. */
static void draw_options(drawn *c)
{
    c->options.op_a = zoo_random_below(&c->dice, 3) == 0 ? SPL_TRANSPOSE : SPL_NONE;
    c->options.deterministic = zoo_random_below(&c->dice, 4) == 0;
    c->options.executions = zoo_random_below(&c->dice, 2) ? 10000 : 0;
}

static spl_status spmv(spl_context *context, drawn *c)
{
    zoo_random dice = c->dice;
    spmv_run run = {&c->a.view, c->options, testing_scalars_of(2, -1), false};
    run.one_shot = zoo_random_below(&dice, 3) == 0;
    return run_spmv(context, &run);
}

static spl_status spmm(spl_context *context, drawn *c)
{
    zoo_random dice = c->dice;
    spmm_run run = {&c->a.view, 1 + zoo_random_below(&dice, 20), SPL_ROW_MAJOR, SPL_COLUMN_MAJOR, 1,
                    c->options, testing_scalars_of(2, -1),       false};
    run.one_shot = zoo_random_below(&dice, 3) == 0;
    run.order_b = zoo_random_below(&dice, 2) ? SPL_ROW_MAJOR : SPL_COLUMN_MAJOR;
    return run_spmm(context, &run);
}

static void dense_products(void **state)
{
    (void)state;
    outliers o = {0};
    for (int n = 0; n < cases(60); n++) {
        drawn c;
        begin(&c, (uint64_t)n, n % 2 ? "spmm" : "spmv");
        draw_matrix(&c, &c.a, draw_size(&c), draw_size(&c));
        draw_options(&c);
        c.options.processors = testing_processors(n % 2 ? "spmm/" : "spmv/");
        follow(&o, &c, n % 2 ? spmm : spmv, false);
        end(&c);
    }
    expect_few(&o);
}

static spgemm_run product_of(drawn *c)
{
    spgemm_run run = {.a = &c->a.view, .b = &c->b.view, .options = c->options};
    run.d = c->d.view.format ? &c->d.view : NULL;
    run.scalars = testing_scalars_of(2, -1);
    return run;
}

static spl_status spgemm_plan(spl_context *context, drawn *c)
{
    spgemm_run run = product_of(c);
    return run_spgemm(context, &run);
}

static spl_status spgemm_once(spl_context *context, drawn *c)
{
    const double alpha = 2, beta = -1;
    spgemm_run run = product_of(c);
    spl_matrix *result;
    const float short_alpha = 2, short_beta = -1;
    bool f32 = c->a.view.type == SPL_F32;
    spl_status status =
        spl_spgemm(context, f32 ? (const void *)&short_alpha : &alpha, run.a, run.b,
                   f32 ? (const void *)&short_beta : &beta, run.d, &run.options, &result);
    if (status == SPL_OK)
        spl_matrix_destroy(result);
    return status;
}

static spl_status spgemm_take(spl_context *context, drawn *c)
{
    spgemm_run run = product_of(c);
    spl_plan *plan;
    spl_matrix *result;
    run.options.keep_result = 1;
    spl_status status = spl_spgemm_plan(context, run.a, run.b, run.d, &run.options, &plan);
    if (status != SPL_OK)
        return status;
    status = spl_spgemm_execute(plan, NULL, NULL, NULL, NULL);
    if (status == SPL_OK)
        status = spl_spgemm_take(plan, &result);
    if (status == SPL_OK)
        spl_matrix_destroy(result);
    spl_plan_destroy(plan);
    return status;
}

/* A matrix of the same type in any format. */
static void draw_like(drawn *c, zoo_matrix *m, spl_type type, int64_t rows, int64_t cols)
{
    size_t used = strlen(c->words);
    for (;;) {
        draw_matrix(c, m, rows, cols);
        if (m->view.type == type)
            return;
        zoo_matrix_free(m);
        c->words[used] = 0;
    }
}

static void sparse_products(void **state)
{
    (void)state;
    outliers o = {0};
    static const call_fn calls[] = {spgemm_plan, spgemm_once, spgemm_take};
    static const char *const names[] = {"spgemm", "spgemm one-shot", "spgemm take"};
    for (int n = 0; n < cases(60); n++) {
        drawn c;
        begin(&c, (uint64_t)n, names[n % 3]);
        int64_t rows = draw_size(&c), inner = draw_size(&c), cols = draw_size(&c);
        draw_matrix(&c, &c.a, rows, inner);
        draw_like(&c, &c.b, c.a.view.type, inner, cols);
        if (zoo_random_below(&c.dice, 3) == 0)
            draw_like(&c, &c.d, c.a.view.type, rows, cols);
        c.options.deterministic = zoo_random_below(&c.dice, 4) == 0;
        c.options.unsorted = zoo_random_below(&c.dice, 3) == 0;
        c.options.processors = testing_processors("spgemm/");
        c.retries = RETRIES_SPGEMM;
        follow(&o, &c, calls[n % 3], false);
        end(&c);
    }
    expect_few(&o);
}

/* ---- the number ---- */

static void other_failures_have_no_number(void **state)
{
    (void)state;
    drawn c;
    size_t peak, asked;
    begin(&c, 0, "describe");
    draw_matrix(&c, &c.a, 20, 20);
    EXPECT(attempt(&c, describe, true, 1, &peak, &asked) == SPL_OVER_BUDGET && asked > 1);
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_describe(NULL, &c.a.view, NULL));
    EXPECT(spl_error_bytes() == 0);
    end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_failures_have_no_number),
        cmocka_unit_test(conversion_and_description),
        cmocka_unit_test(a_small_packed_file_takes_little),
        cmocka_unit_test(files),
        cmocka_unit_test(dense_products),
        cmocka_unit_test(sparse_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
