/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of numbers near the ends of their type: right results pass and wrong ones fail, however
 * large or small their terms are; elements without a promise are counted as undecided. */
#include "lib/run_products.h"

#include <math.h>
#include <stdlib.h>

enum { TERMS = 7 };

/* y = alpha*A*x + beta*y with one row, in each of the three operations. */
typedef struct row_product {
    double a[TERMS], x[TERMS], alpha, beta, before;
} row_product;

static spl_sparse sparse(const double *values, int64_t rows, int64_t cols)
{
    static const int32_t one_row[] = {0, TERMS}, one_each[] = {0, 1, 2, 3, 4, 5, 6, 7},
                         zeros[TERMS];
    const int32_t *offsets = rows == 1 && cols == TERMS ? one_row : one_each;
    return zoo_csr(SPL_F64, rows, cols, offsets, cols == TERMS ? one_each : zeros, values);
}

static spl_dense dense(const double *values, int64_t rows)
{
    spl_dense m = SPL_DENSE_INIT;
    m.type = SPL_F64;
    m.order = SPL_ROW_MAJOR;
    m.rows = rows;
    m.cols = m.ld = 1;
    m.values = (void *)values;
    return m;
}

static spl_check check_by(int operation, const row_product *p, double y)
{
    spl_check check = SPL_CHECK_INIT;
    spl_sparse a = sparse(p->a, 1, TERMS), x = sparse(p->x, TERMS, 1), c = sparse(&y, 1, 1),
               d = sparse(&p->before, 1, 1);
    spl_dense b = dense(p->x, TERMS), before = dense(&p->before, 1), after = dense(&y, 1);
    if (operation == 0)
        EXPECT_OK(spl_check_spmv(&p->alpha, &a, p->x, &p->beta, &p->before, &y, NULL, &check));
    else if (operation == 1)
        EXPECT_OK(spl_check_spmm(&p->alpha, &a, &b, &p->beta, &before, &after, NULL, &check));
    else
        EXPECT_OK(spl_check_spgemm(&p->alpha, &a, &x, &p->beta, &d, &c, NULL, &check));
    EXPECT(check.compared == 1 && check.ok == (check.failed == 0) &&
           check.failed + check.undecided <= 1);
    return check;
}

/* What the check says about y: 1 right, 0 wrong, -1 undecided; the same in all operations. */
static int verdict(const row_product *p, double y)
{
    int verdicts[3];
    for (int operation = 0; operation < 3; operation++) {
        spl_check check = check_by(operation, p, y);
        verdicts[operation] = check.undecided ? -1 : check.ok;
        EXPECT(!check.undecided || (check.worst_row == -1 && check.worst_ratio == 0));
    }
    EXPECT(verdicts[0] == verdicts[1] && verdicts[1] == verdicts[2]);
    return verdicts[0];
}

/* Numbers of moderate size, and the results. */
static row_product moderate(zoo_random *state, double *sum)
{
    row_product p = {.alpha = zoo_random_unit(state),
                     .beta = zoo_random_unit(state),
                     .before = zoo_random_unit(state)};
    *sum = p.beta * p.before;
    for (int t = 0; t < TERMS; t++) {
        p.a[t] = zoo_random_unit(state);
        p.x[t] = zoo_random_unit(state);
        *sum += p.alpha * p.a[t] * p.x[t];
    }
    return p;
}

/* The same product in other units: exact, and with the same result, though alpha*a, a*x and their
 * sums may be beyond the type on either side. */
static row_product scaled(row_product p, int of_a, int of_x, int of_beta)
{
    for (int t = 0; t < TERMS; t++) {
        p.a[t] = ldexp(p.a[t], of_a);
        p.x[t] = ldexp(p.x[t], of_x);
    }
    p.alpha = ldexp(p.alpha, -of_a - of_x);
    p.beta = ldexp(p.beta, of_beta);
    p.before = ldexp(p.before, -of_beta);
    return p;
}

static void verdicts_do_not_depend_on_units(void **state)
{
    (void)state;
    enum { MOST = 1000 };
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    for (int n = 0; n < 400; n++) {
        double sum;
        row_product p = moderate(&random, &sum);
        int of_a = (int)zoo_random_below(&random, 2 * MOST) - MOST,
            of_x = (int)zoo_random_below(&random, 2 * MOST) - MOST;
        if (abs(of_a + of_x) > MOST)
            of_x = -of_x;
        p = scaled(p, of_a, of_x, (int)zoo_random_below(&random, MOST));
        testing_case("case %d: a * 2^%d, x * 2^%d", n, of_a, of_x);
        EXPECT(verdict(&p, sum) == 1 && verdict(&p, sum + 1e-12) == 0);
        EXPECT(verdict(&p, NAN) == 0 && verdict(&p, INFINITY) == 0);
    }
}

/* Terms that cancel: single terms overflow the type, their sum does not. */
static void partial_overflow_is_undecided(void **state)
{
    (void)state;
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    for (int n = 0; n < 100; n++) {
        double y = ldexp(zoo_random_unit(&random), 1000);
        row_product p = {.alpha = 1, .a = {1e308, 1e308, -1e308, -1e308, y}, .x = {1, 1, 1, 1, 1}};
        testing_case("case %d", n);
        EXPECT(verdict(&p, y) == 1 && verdict(&p, NAN) == -1 && verdict(&p, INFINITY) == -1 &&
               verdict(&p, -INFINITY) == -1);
        EXPECT(verdict(&p, 1e308) == 0 && verdict(&p, 2 * y) == 0);
        p.a[1] = p.a[3] = 0;
        p.x[0] = p.x[2] = 0.25;
        EXPECT(verdict(&p, y) == 1 && verdict(&p, NAN) == 0 && verdict(&p, INFINITY) == 0);
    }
    row_product other = {.alpha = 1e308, .a = {1}, .x = {3}};
    EXPECT(verdict(&other, INFINITY) == 1 && verdict(&other, -INFINITY) == -1 &&
           verdict(&other, 1e308) == 0);
    row_product lost = {.alpha = 1e-200, .a = {1e200, 1e-200}, .x = {1e200, 1e300}};
    EXPECT(verdict(&lost, 1e200) == 1 && verdict(&lost, INFINITY) == -1 && verdict(&lost, 0) == 0);
}

/* alpha makes rows with products Inf or NaN, and leaves rows without. */
static void alpha_need_not_be_finite(void **state)
{
    (void)state;
    const double alphas[] = {INFINITY, -INFINITY, NAN};
    for (int n = 0; n < 3; n++) {
        row_product p = {.alpha = alphas[n],
                         .a = {1, 2, 3, 4, 5, 6, 7},
                         .x = {1, 1, 1, 1, 1, 1, 1},
                         .beta = 1,
                         .before = 2};
        testing_case("alpha %g", alphas[n]);
        EXPECT(verdict(&p, alphas[n]) == 1 && verdict(&p, 2) == 0 && verdict(&p, 30) == 0);
        p.a[1] = 0; /* Inf times the sum is Inf, times each term NaN */
        EXPECT(verdict(&p, alphas[n]) == 1 && verdict(&p, NAN) == (n == 2 ? 1 : -1));
        const int32_t offsets[] = {0, 0};
        spl_sparse empty = sparse(p.a, 1, TERMS);
        empty.offsets = offsets;
        empty.nnz = 0;
        const double wrong[] = {NAN, 2};
        spl_check check = SPL_CHECK_INIT;
        for (int w = 0; w < 2; w++) {
            EXPECT_OK(
                spl_check_spmv(&p.alpha, &empty, p.x, &p.beta, &p.before, &wrong[w], NULL, &check));
            EXPECT(check.ok == w && check.undecided == 0);
        }
    }
}

/* What products lose to underflow grows with alpha. */
static void underflow_grows_with_alpha(void **state)
{
    (void)state;
    row_product p = {.alpha = 0x1p1000, .a = {0x1.8p-1000}, .x = {0x1p-74}};
    EXPECT(verdict(&p, 0x1p-73) == 1 && verdict(&p, 0x1p-74) == 1 && verdict(&p, 0x1p-70) == 0);
    p.alpha = 0.5;
    EXPECT(verdict(&p, 0) == 1 && verdict(&p, 0x1p-1074) == 1 && verdict(&p, 0x1p-1062) == 0);
}

/* SpGEMM may round alpha*a, the others may not. */
static void underflow_of_the_left_factor_counts(void **state)
{
    (void)state;
    const row_product p = {.alpha = 0.5, .a = {19 * 0x1p-1074}, .x = {55}};
    const double right = 522 * 0x1p-1074, rounded = 550 * 0x1p-1074, wrong = 590 * 0x1p-1074;
    for (int operation = 0; operation < 3; operation++) {
        testing_case("operation %d", operation);
        EXPECT(check_by(operation, &p, right).ok == 1 && check_by(operation, &p, wrong).ok == 0);
        EXPECT(check_by(operation, &p, rounded).ok == (operation == 2));
    }
}

/* The same where the factor of alpha*a becomes 0 and meets Inf. */
static void a_left_factor_may_vanish(void **state)
{
    (void)state;
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    for (int n = 0; n < 60; n++) {
        const int operation = n % 3;
        const bool vanishes = n % 2 == 0;
        const row_product p = {.alpha = ldexp(1 + zoo_random_unit(&random), -600),
                               .a = {ldexp(1, vanishes ? -600 : -400)},
                               .x = {INFINITY}};
        testing_case("operation %d, alpha*a %s", operation, vanishes ? "vanishes" : "does not");
        EXPECT(check_by(operation, &p, INFINITY).ok == 1 && check_by(operation, &p, 1).ok == 0);
        spl_check check = check_by(operation, &p, NAN);
        EXPECT(check.undecided == (operation == 2 && vanishes) && check.ok == check.undecided);
    }
}

/* An alpha that is read on a device and is not finite has no effect where products sum to 0. The
 * check does not know which elements these are. */
static void alpha_of_a_device(void **state)
{
    (void)state;
    const row_product p = {.alpha = INFINITY, .a = {1, -1}, .x = {1, 1}, .beta = 1, .before = 2};
    const double y = 2;
    spl_sparse a = sparse(p.a, 1, TERMS);
    spl_options options = SPL_OPTIONS_INIT;
    spl_check check = SPL_CHECK_INIT;
    for (int on_device = 0; on_device < 2; on_device++) {
        options.scalar_place.kind = on_device ? SPL_EMULATOR : SPL_HOST;
        EXPECT_OK(spl_check_spmv(&p.alpha, &a, p.x, &p.beta, &p.before, &y, &options, &check));
        EXPECT(check.ok == on_device && check.undecided == on_device);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_do_not_depend_on_units),
        cmocka_unit_test(partial_overflow_is_undecided),
        cmocka_unit_test(alpha_need_not_be_finite),
        cmocka_unit_test(underflow_grows_with_alpha),
        cmocka_unit_test(underflow_of_the_left_factor_counts),
        cmocka_unit_test(a_left_factor_may_vanish),
        cmocka_unit_test(alpha_of_a_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
