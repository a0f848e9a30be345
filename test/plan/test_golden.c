/* SPDX-License-Identifier: Apache-2.0 */
/* The planner's decisions, one line each, compared with golden/decisions.txt: a change of a
 * decision is reviewed as a diff. SPARLOOM_GOLDEN_UPDATE=1 rewrites the file. Decisions depend
 * neither on the machine nor on what OMP_NUM_THREADS says. */
#include "core/lanes.h"
#include "lib/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char path[] = SPARLOOM_TEST_DATA "/../golden/decisions.txt";
static const char heading[] =
    "# operation policy matrix: phase method [rows] ...; written by plan/test_golden.c with "
    "SPARLOOM_GOLDEN_UPDATE=1\n";

/* Beside the zoo: a row of C longer than 2048, and short rows in a wide matrix. */
static const zoo_maker extra[] = {
    {"long_row_2500", zoo_dense_row, {2500, 2500, 1000, 1}, false},
    {"sparse_20000", zoo_uniform, {20000, 20000, 2}, false},
    {"wide_80000", zoo_uniform, {300, 80000, 20}, false},
};
enum { EXTRA = sizeof extra / sizeof *extra, THREADS = 4 };

/* ---- a growing text ---- */

typedef struct lines {
    char *text;
    size_t length, room;
} lines;

static void add(lines *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(lines *l, const char *format, ...)
{
    char piece[512];
    va_list arguments;
    va_start(arguments, format);
    size_t length = (size_t)vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    EXPECT(length < sizeof piece);
    if (l->length + length + 1 > l->room) {
        l->room = 2 * l->room + sizeof piece;
        l->text = realloc(l->text, l->room);
    }
    memcpy(l->text + l->length, piece, length + 1);
    l->length += length;
}

static void add_decision(lines *l, const char *operation, spl_policy policy, const char *name,
                         spl_plan *plan)
{
    add(l, "%s %s %s:", operation, policy == SPL_POLICY_RULES ? "rules" : "cost", name);
    for (int32_t s = 0; s < spl_plan_step_count(plan); s++) {
        spl_step step = SPL_STEP_INIT;
        EXPECT_OK(spl_plan_step(plan, s, &step));
        const char *short_id = strrchr(step.method, '/');
        add(l, "%s %s %s [%s, %lld]", s ? ";" : "", step.phase,
            short_id ? short_id + 1 : step.method, step.rows, (long long)step.row_count);
    }
    add(l, "\n");
    spl_plan_destroy(plan);
}

/* ---- the problems ---- */

static spl_options options_of(spl_policy policy)
{
    spl_options options = SPL_OPTIONS_INIT;
    options.policy = policy;
    options.threads = THREADS;
    return options;
}

static void decide_dense(lines *l, spl_context *context, const zoo_matrix *a, const char *name,
                         spl_policy policy)
{
    static const int64_t columns[] = {1, 8, 100};
    spl_options options = options_of(policy);
    spl_plan *plan = NULL;
    EXPECT_OK(spl_spmv_plan(context, &a->view, &options, &plan));
    add_decision(l, "spmv", policy, name, plan);
    for (int c = 0; c < 3; c++) {
        char operation[32];
        snprintf(operation, sizeof operation, "spmm-%d", (int)columns[c]);
        EXPECT_OK(spl_spmm_plan(context, &a->view, columns[c], &options, &plan));
        add_decision(l, operation, policy, name, plan);
    }
    options.op_a = SPL_TRANSPOSE;
    EXPECT_OK(spl_spmv_plan(context, &a->view, &options, &plan));
    add_decision(l, "spmv-transposed", policy, name, plan);
}

static void decide_sparse(lines *l, spl_context *context, const zoo_matrix *a, const char *name,
                          spl_policy policy)
{
    spl_options options = options_of(policy);
    spl_plan *plan = NULL;
    options.op_b = SPL_TRANSPOSE;
    EXPECT_OK(spl_spgemm_plan(context, &a->view, &a->view, NULL, &options, &plan));
    add_decision(l, "spgemm-a-at", policy, name, plan);
    if (a->view.rows != a->view.cols)
        return;
    options.op_b = SPL_NONE;
    EXPECT_OK(spl_spgemm_plan(context, &a->view, &a->view, &a->view, &options, &plan));
    add_decision(l, "spgemm-aa+d", policy, name, plan);
    options.unsorted = 1;
    EXPECT_OK(spl_spgemm_plan(context, &a->view, &a->view, NULL, &options, &plan));
    add_decision(l, "spgemm-aa-unsorted", policy, name, plan);
}

static void decide_matrix(lines *l, spl_context *context, const zoo_maker *maker)
{
    zoo_matrix a;
    zoo_matrix_make(&a, maker, zoo_form_number(0), 20240607);
    testing_case("%s", maker->name);
    for (spl_policy policy = SPL_POLICY_COST; policy <= SPL_POLICY_RULES; policy++) {
        decide_dense(l, context, &a, maker->name, policy);
        decide_sparse(l, context, &a, maker->name, policy);
    }
    zoo_matrix_free(&a);
}

static lines decide_all(int context_threads)
{
    lines l = {0};
    spl_context *context = testing_context(context_threads);
    add(&l, "%s", heading);
    for (int m = 0; m < zoo_large_count; m++)
        decide_matrix(&l, context, &zoo_large[m]);
    for (int m = 0; m < EXTRA; m++)
        decide_matrix(&l, context, &extra[m]);
    decide_matrix(&l, context, zoo_find("empty_7x4"));
    decide_matrix(&l, context, zoo_find("dense_8x8"));
    spl_context_destroy(context);
    return l;
}

/* ---- the file ---- */

static char *read_golden(void)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    size_t room = 1 << 20;
    char *text = zoo_allocate(room);
    size_t length = fread(text, 1, room - 1, file);
    text[length] = 0;
    fclose(file);
    return text;
}

static void write_golden(const lines *l)
{
    FILE *file = fopen(path, "wb");
    EXPECT(file != NULL);
    EXPECT(fwrite(l->text, 1, l->length, file) == l->length);
    EXPECT(fclose(file) == 0);
    print_message("wrote %s\n", path);
}

static size_t line_length(const char *line)
{
    return strcspn(line, "\n");
}

static const char *next_line(const char *line)
{
    line += line_length(line);
    return *line ? line + 1 : line;
}

/* Prints lines that differ; the problems are the same, so lines correspond.
 * Returns their number. */
static int print_differences(const char *golden, const char *now)
{
    int differences = 0;
    for (; *golden || *now; golden = next_line(golden), now = next_line(now)) {
        size_t old = line_length(golden), new = line_length(now);
        if (old == new &&strncmp(golden, now, old) == 0)
            continue;
        if (differences++ < 20)
            print_error("-%.*s\n+%.*s\n", (int)old, golden, (int)new, now);
    }
    return differences;
}

static void decisions_are_golden(void **state)
{
    (void)state;
    lines now = decide_all(2);
    if (getenv("SPARLOOM_GOLDEN_UPDATE"))
        write_golden(&now);
    char *golden = read_golden();
    int differences = print_differences(golden ? golden : "", now.text);
    if (differences > 0)
        print_error("%d decisions changed; if that is right: SPARLOOM_GOLDEN_UPDATE=1, and review "
                    "the diff of %s\n",
                    differences, path);
    free(golden);
    free(now.text);
    EXPECT(differences == 0);
}

/* The context's threads and the run do not matter: options.threads is what is planned for. */
static void decisions_repeat(void **state)
{
    (void)state;
    lines one = decide_all(1), eight = decide_all(8);
    EXPECT(strcmp(one.text, eight.text) == 0);
    free(one.text);
    free(eight.text);
}

int main(void)
{
    setenv("SPARLOOM_VARIANT", "base", 1); /* the same decisions on all processors */
    spl__gathers_pay = true;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decisions_are_golden),
        cmocka_unit_test(decisions_repeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
