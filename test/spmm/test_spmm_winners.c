/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows of B win a minimum or maximum, against dense loops, on fresh operands of every form:
 * small whole numbers, so that many are equal; NaN and Inf; masks; the same for any number of
 * threads. */
#include "lib/run_products.h"
#include "sparloom/algebra.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 40, MOST_COLUMNS = 20, MARK = -7 };

static zoo_random draws;

static int64_t below(int64_t n)
{
    return zoo_random_below(&draws, n);
}

static const int semirings[] = {SPL_MIN_PLUS,   SPL_MAX_PLUS,  SPL_MIN_SECOND,
                                SPL_MAX_SECOND, SPL_MIN_TIMES, SPL_MAX_TIMES};

static bool is_min(int semiring)
{
    return semiring == SPL_MIN_PLUS || semiring == SPL_MIN_SECOND || semiring == SPL_MIN_TIMES;
}

static double multiply(int semiring, double a, double b)
{
    return semiring == SPL_MIN_PLUS || semiring == SPL_MAX_PLUS     ? a + b
           : semiring == SPL_MIN_TIMES || semiring == SPL_MAX_TIMES ? a * b
                                                                    : b;
}

typedef struct problem {
    zoo_triples triples; /* of op(A) */
    zoo_matrix stored;
    spl_options options;
    spl_dense b, c;
    int64_t *winners, ld;
    bool masked;
    spl_row_mask mask;
    uint8_t bytes[MOST];
} problem;

static void make_dense(spl_dense *m, spl_type type, int64_t rows, int64_t columns, bool odd)
{
    *m = (spl_dense)SPL_DENSE_INIT;
    m->type = type;
    m->rows = rows;
    m->cols = columns;
    m->order = below(2) ? SPL_ROW_MAJOR : SPL_COLUMN_MAJOR;
    m->ld = (m->order == SPL_ROW_MAJOR ? columns : rows) + below(3);
    const int64_t count = m->ld * (m->order == SPL_ROW_MAJOR ? rows : columns) + 1;
    m->values = zoo_allocate((size_t)count * sizeof(double));
    for (int64_t e = 0; e < count; e++)
        zoo_value_set(m->values, type, e,
                      odd && below(5) == 0 ? (below(2) ? NAN : INFINITY) : (double)(below(5) - 2));
}

static double at(const spl_dense *m, int64_t i, int64_t j)
{
    return zoo_value_at(m->values, m->type,
                        m->order == SPL_ROW_MAJOR ? i * m->ld + j : i + j * m->ld);
}

static void draw_problem(problem *p)
{
    static const spl_type types[] = {SPL_F32, SPL_F64, SPL_F16, SPL_BF16};
    static void (*const families[])(zoo_triples *, const int64_t *, uint64_t) = {
        zoo_uniform, zoo_half_empty, zoo_duplicates, zoo_unsorted};
    const int64_t rows = 1 + below(MOST), inner = 1 + below(MOST),
                  columns = 1 + below(MOST_COLUMNS);
    const bool transposed = below(2);
    zoo_form form = zoo_form_number((int)below(ZOO_FORMS));
    zoo_triples stored;
    form.type = types[below(4)];
    families[below(4)](&p->triples, (const int64_t[]){rows, inner, 1 + below(inner)},
                       zoo_random_next(&draws));
    zoo_triples_start(&stored, rows, inner);
    for (int64_t e = 0; e < p->triples.nnz; e++) {
        p->triples.v[e] = (double)(below(5) - 2);
        zoo_triples_add(&stored, p->triples.i[e], p->triples.j[e], p->triples.v[e]);
    }
    if (transposed)
        zoo_triples_transpose(&stored);
    zoo_build(&p->stored, &stored, form);
    zoo_triples_free(&stored);
    make_dense(&p->b, form.type, inner, columns, below(3) == 0);
    make_dense(&p->c, form.type, rows, columns, false);
    p->ld = columns + below(3);
    p->winners = zoo_allocate((size_t)(rows * p->ld) * sizeof *p->winners);
    for (int64_t e = 0; e < rows * p->ld; e++)
        p->winners[e] = MARK;
    p->options = (spl_options)SPL_OPTIONS_INIT;
    p->options.op_a = transposed ? SPL_TRANSPOSE : SPL_NONE;
    p->options.semiring = semirings[below(6)];
    p->masked = below(3) == 0;
    p->mask = (spl_row_mask)SPL_ROW_MASK_INIT;
    p->mask.clear = (int32_t)below(2);
    p->mask.bytes = p->bytes;
    for (int64_t i = 0; i < rows; i++)
        p->bytes[i] = (uint8_t)below(2);
}

/* The row of B that wins, and the result. */
static int64_t winner_of(const problem *p, int64_t i, int64_t j, double *best)
{
    const int semiring = p->options.semiring;
    int64_t won = -1;
    *best = is_min(semiring) ? INFINITY : -INFINITY;
    for (int64_t e = 0; e < p->triples.nnz; e++) {
        const int64_t k = p->triples.j[e];
        const double product = multiply(semiring, p->triples.v[e], at(&p->b, k, j));
        if (p->triples.i[e] != i || isnan(product))
            continue;
        if (is_min(semiring) ? product < *best : product > *best) {
            *best = product;
            won = k;
        } else if (product == *best && (won < 0 || k < won))
            won = k;
    }
    return won;
}

static void expect_winners(const problem *p)
{
    for (int64_t i = 0; i < p->c.rows; i++)
        for (int64_t j = 0; j < p->ld; j++) {
            const int64_t got = p->winners[i * p->ld + j];
            double best;
            if (j >= p->c.cols || (p->masked && !p->bytes[i])) {
                EXPECT(got == (j < p->c.cols && p->mask.clear ? -1 : MARK));
                continue;
            }
            EXPECT(got == winner_of(p, i, j, &best));
            EXPECT(at(&p->c, i, j) == best);
        }
}

static void fresh_problems(void **state)
{
    const uint64_t seed = testing_fresh_seed();
    spl_context *contexts[] = {testing_context(1), testing_context(4)};
    (void)state;
    zoo_random_seed(&draws, seed);
    for (int number = 0; number < 600 / testing_scale() + 20; number++) {
        problem p;
        spl_plan *plan = NULL;
        testing_case("seed %llu, number %d", (unsigned long long)seed, number);
        draw_problem(&p);
        EXPECT_OK(spl_spmm_plan(contexts[number % 2], &p.stored.view, p.b.cols, &p.options, &plan));
        EXPECT_OK(spl_spmm_execute_winners(plan, &p.b, &p.c, p.winners, p.ld,
                                           p.masked ? &p.mask : NULL, NULL));
        expect_winners(&p);
        spl_plan_destroy(plan);
        zoo_triples_free(&p.triples);
        zoo_matrix_free(&p.stored);
        free(p.b.values);
        free(p.c.values);
        free(p.winners);
    }
    spl_context_destroy(contexts[0]);
    spl_context_destroy(contexts[1]);
}

static void refusals(void **state)
{
    const zoo_maker square = {"square", zoo_diagonal, {4}, false};
    spl_context *context = testing_context(1);
    spl_options options = SPL_OPTIONS_INIT;
    zoo_matrix a;
    spl_plan *plan = NULL, *plain = NULL;
    double x[8] = {0}, y[8] = {0};
    int64_t winners[8];
    spl_dense b = SPL_DENSE_INIT, c;
    (void)state;
    zoo_matrix_make(&a, &square, zoo_form_number(0), 1);
    b.type = SPL_F64, b.order = SPL_ROW_MAJOR, b.rows = 4, b.cols = b.ld = 2, b.values = x;
    c = b;
    c.values = y;
    options.semiring = SPL_MAX_SECOND;
    EXPECT_OK(spl_spmm_plan(context, &a.view, 2, NULL, &plain));
    EXPECT_OK(spl_spmm_plan(context, &a.view, 2, &options, &plan));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_spmm_execute_winners(plain, &b, &c, winners, 2, NULL, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_spmm_execute_winners(plan, &b, &c, winners, 1, NULL, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_spmm_execute_winners(plan, &b, &c, NULL, 2, NULL, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_spmm_execute_winners(plan, &b, &c, (int64_t *)(void *)y, 2, NULL, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_spmm_execute_winners(plan, &b, &c, (int64_t *)(void *)x, 2, NULL, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_spmm_execute_winners(NULL, &b, &c, winners, 2, NULL, NULL));
    EXPECT_OK(spl_spmm_execute_winners(plan, &b, &c, winners, 2, NULL, NULL));
    EXPECT(winners[0] == 0 && winners[7] == 3);
    spl_plan_destroy(plan);
    spl_plan_destroy(plain);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

enum { LONG = 2500, LONG_COLUMNS = 5 };

static void find_winners(spl_context *context, const spl_sparse *a, double *x, double *y,
                         int64_t *winners)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    spl_dense b = SPL_DENSE_INIT, c;
    b.type = SPL_F64, b.order = SPL_ROW_MAJOR, b.values = x;
    b.rows = LONG, b.cols = b.ld = LONG_COLUMNS;
    c = b;
    c.rows = a->rows, c.values = y;
    options.semiring = SPL_MAX_TIMES;
    EXPECT_OK(spl_spmm_plan(context, a, LONG_COLUMNS, &options, &plan));
    EXPECT_OK(spl_spmm_execute_winners(plan, &b, &c, winners, LONG_COLUMNS, NULL, NULL));
    spl_plan_destroy(plan);
}

/* A row that devices give a block, where many products are equal. */
static void long_rows(void **state)
{
    spl_context *context = testing_context(2), *cpu = NULL;
    double *x = zoo_allocate(LONG * LONG_COLUMNS * sizeof *x), y[2][3 * LONG_COLUMNS];
    int64_t winners[2][3 * LONG_COLUMNS];
    zoo_triples t;
    zoo_matrix a;
    (void)state;
    zoo_random_seed(&draws, testing_fresh_seed());
    zoo_triples_start(&t, 3, LONG);
    for (int64_t k = 0; k < LONG; k++) {
        zoo_triples_add(&t, 1, LONG - 1 - k, (double)below(3));
        if (k % 700 == 0)
            zoo_triples_add(&t, k % 2 * 2, k, 1);
    }
    zoo_build(&a, &t, zoo_form_number(0));
    for (int64_t e = 0; e < LONG * LONG_COLUMNS; e++)
        x[e] = (double)below(3);
    EXPECT_OK(spl_context_create(NULL, &cpu));
    find_winners(cpu, &a.view, x, y[0], winners[0]);
    memset(winners[1], 0x77, sizeof winners[1]);
    find_winners(context, &a.view, x, y[1], winners[1]);
    EXPECT(!memcmp(winners[0], winners[1], sizeof winners[0]) && !memcmp(y[0], y[1], sizeof y[0]));
    zoo_triples_free(&t);
    zoo_matrix_free(&a);
    free(x);
    spl_context_destroy(cpu);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fresh_problems),
                                       cmocka_unit_test(long_rows), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
