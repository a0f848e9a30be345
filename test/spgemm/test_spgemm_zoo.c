/* SPDX-License-Identifier: Apache-2.0 */
/* Every pair of SpGEMM methods on every matrix, form, operators, D and scalars,
 * against the oracle. */
#include "lib/run_products.h"

#include <stdio.h>

enum { MAX_METHODS = 32, ID_BYTES = 160 };

typedef struct tally {
    int run, not_applicable, number;
} tally;

/* op(B) has `rows` rows: A itself where that fits, else something random, in a form that varies. */
static void make_b(zoo_matrix *b, const zoo_triples *a, spl_operator op, int64_t rows,
                   const tally *t, spl_type type)
{
    zoo_form form = zoo_form_number(t->number % 9);
    form.type = type;
    if (rows == (op == SPL_NONE ? a->rows : a->cols) && t->number % 2 == 0) {
        zoo_build(b, a, form);
        return;
    }
    zoo_triples triples;
    int64_t cols = 1 + t->number % 37;
    if (t->number % 3 == 0)
        zoo_duplicates(&triples, (const int64_t[]){rows, cols, rows * 3}, testing_seed());
    else
        zoo_uniform(&triples, (const int64_t[]){rows, cols, 2 + t->number % 4}, testing_seed());
    if (op != SPL_NONE)
        zoo_triples_transpose(&triples);
    zoo_build(b, &triples, form);
    zoo_triples_free(&triples);
}

static void make_d(zoo_matrix *d, int64_t rows, int64_t cols, const tally *t, spl_type type)
{
    zoo_triples triples;
    zoo_form form = zoo_form_number(t->number / 2 % 9);
    form.type = type;
    if (rows > 0 && cols > 0)
        zoo_duplicates(&triples, (const int64_t[]){rows, cols, 1 + rows}, testing_seed() + 3);
    else
        zoo_triples_start(&triples, rows, cols);
    zoo_build(d, &triples, form);
    zoo_triples_free(&triples);
}

static void try_methods(spl_context *context, spgemm_run *run, const char *ids, const char *name,
                        tally *t)
{
    run->options.method = ids;
    testing_case(
        "%s run %d: ops %d %d, D %d, alpha %g%s, beta %g%s, unsorted %d, one-shot %d, methods %s",
        name, t->number, run->options.op_a, run->options.op_b, run->d != NULL,
        run->scalars.alpha.number, run->scalars.alpha.null ? " NULL" : "", run->scalars.beta.number,
        run->scalars.beta.null ? " NULL" : "", run->options.unsorted, run->one_shot,
        ids ? ids : "auto");
    spl_status status = run_spgemm(context, run);
    if (ids && status == SPL_UNSUPPORTED) {
        t->not_applicable++;
        return;
    }
    testing_status(SPL_OK, status, "spgemm", __FILE__, __LINE__);
    t->run++;
}

/* The policy's choice, each symbolic and each numeric method alone, and every pair; in a
 * scaled-down run a third of the pairs, others with the next problem; of few and small ones a third
 * of the methods, too. */
static void try_all_methods(spl_context *context, spgemm_run *run, const char *name, tally *t)
{
    const char *symbolic[MAX_METHODS], *numeric[MAX_METHODS];
    int symbolics = testing_methods("spgemm/symbolic/", symbolic, MAX_METHODS);
    int numerics = testing_methods("spgemm/numeric/", numeric, MAX_METHODS);
    EXPECT(symbolics > 0 && numerics > 0);
    int stride = testing_few() ? 9 : testing_scale() > 1 ? 3 : 1, step = testing_few() ? 3 : 1;
    char ids[ID_BYTES];
    try_methods(context, run, NULL, name, t);
    for (int n = t->number % step; n < numerics; n += step)
        try_methods(context, run, numeric[n], name, t);
    for (int s = 0; s < symbolics; s++) {
        if (s % step == t->number % step)
            try_methods(context, run, symbolic[s], name, t);
        for (int n = (t->number + s) % stride; n < numerics; n += stride) {
            snprintf(ids, sizeof ids, "%s,%s", symbolic[s], numeric[n]);
            try_methods(context, run, ids, name, t);
        }
    }
}

static void try_operators(spl_context *context, const zoo_triples *triples, const zoo_maker *maker,
                          zoo_form form, tally *t)
{
    zoo_matrix a, b, d;
    zoo_build(&a, triples, form);
    for (int ops = 0; ops < 4; ops++, t->number++) {
        spgemm_run run = {.a = &a.view, .options = SPL_OPTIONS_INIT};
        run.options.op_a = ops & 1 ? SPL_TRANSPOSE : SPL_NONE;
        run.options.op_b = ops & 2 ? SPL_TRANSPOSE : SPL_NONE;
        run.options.unsorted = t->number % 5 == 1;
        run.options.policy = t->number % 2 ? SPL_POLICY_RULES : SPL_POLICY_COST;
        run.scalars = testing_scalars(t->number / 3 % TEST_SCALARS);
        run.one_shot = t->number % 7 == 3;
        make_b(&b, triples, run.options.op_b, op_cols(&a.view, run.options.op_a), t, form.type);
        run.b = &b.view;
        make_d(&d, op_rows(&a.view, run.options.op_a), op_cols(&b.view, run.options.op_b), t,
               form.type);
        run.d = t->number % 3 ? &d.view : NULL;
        try_all_methods(context, &run, maker->name, t);
        zoo_matrix_free(&b);
        zoo_matrix_free(&d);
    }
    zoo_matrix_free(&a);
}

static void tiny_matrices(void **state)
{
    (void)state;
    tally t = {0};
    spl_context *context = testing_context(3);
    /* few: a third of the matrices, in one form each */
    const int form_step = testing_few() ? ZOO_FORMS : testing_scale(), step = testing_few() ? 3 : 1;
    for (int m = testing_first(0, step); m < zoo_tiny_count; m += step) {
        zoo_triples triples;
        zoo_make(&triples, &zoo_tiny[m], testing_seed());
        for (int f = testing_first(m, form_step); f < ZOO_FORMS; f += form_step)
            try_operators(context, &triples, &zoo_tiny[m], zoo_form_number(f), &t);
        zoo_triples_free(&triples);
    }
    spl_context_destroy(context);
    print_message("%d products, %d times methods were not applicable\n", t.run, t.not_applicable);
    EXPECT(t.run > 0);
}

static void large_matrices(void **state)
{
    (void)state;
    tally t = {.number = testing_first(0, 9)};
    spl_context *context = testing_context(4);
    const int step = testing_few() ? zoo_large_count : testing_scale() > 1 ? 4 : 1;
    for (int m = testing_first(0, step); m < zoo_large_count; m += step) {
        zoo_matrix a;
        zoo_matrix_make(&a, &zoo_large[m], zoo_form_number(m % ZOO_FORMS), testing_seed());
        spgemm_run run = {
            .a = &a.view, .b = &a.view, .options = SPL_OPTIONS_INIT, .scalars = testing_scalars(0)};
        run.options.op_b = a.view.rows == a.view.cols ? SPL_NONE : SPL_TRANSPOSE;
        run.options.op_a = SPL_NONE;
        if (a.view.rows > a.view.cols) { /* the small product of the two */
            run.options.op_a = SPL_TRANSPOSE;
            run.options.op_b = SPL_NONE;
        }
        try_all_methods(context, &run, zoo_large[m].name, &t);
        zoo_matrix_free(&a);
    }
    spl_context_destroy(context);
}

static int times_served(spl_context *context, const char *id, const zoo_matrix *a)
{
    spgemm_run run = {&a->view, &a->view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(1, 0), false};
    run.options.method = id;
    return run_spgemm(context, &run) == SPL_OK;
}

static void every_method_serves_plain_problems(void **state)
{
    (void)state;
    const char *methods[MAX_METHODS];
    int count = testing_methods("spgemm/", methods, MAX_METHODS);
    spl_context *context = testing_context(2);
    zoo_matrix a;
    zoo_matrix_make(&a, zoo_find("uniform_40"), zoo_form_number(0), testing_seed());
    for (int m = 0; m < count; m++) {
        testing_case("%s", methods[m]);
        EXPECT(times_served(context, methods[m], &a) == 1);
    }
    count = testing_methods_of_masks("spgemm/", methods, MAX_METHODS);
    for (int m = 0; m < count; m++) {
        testing_case("%s", methods[m]);
        EXPECT(times_served(context, methods[m], &a) == 0);
    }
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiny_matrices),
        cmocka_unit_test(large_matrices),
        cmocka_unit_test(every_method_serves_plain_problems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
