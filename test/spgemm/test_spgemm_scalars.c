/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars and values near the ends of their type, by every numeric method: alpha*A underflows or
 * overflows, alpha is Inf or NaN while entries of D stand alone. */
#include "lib/run_products.h"

#include <math.h>

enum { MOST_METHODS = 32 };

/* Values of about 2^exponent: of the smallest ones few bits are left. */
static void fill(zoo_random *random, const zoo_matrix *m, int exponent)
{
    for (int64_t p = 0; p < m->view.nnz; p++)
        zoo_value_set(m->values, m->view.type, p, ldexp(zoo_random_unit(random), exponent));
}

static void try_methods(spl_context *context, spgemm_run *run, const char *label)
{
    const char *ids[MOST_METHODS];
    const int count = testing_methods("spgemm/numeric/", ids, MOST_METHODS);
    for (int m = -1; m < count; m++) {
        run->options.method = m < 0 ? NULL : ids[m];
        testing_case("%s, alpha %g, beta %g, %s", label, run->scalars.alpha.number,
                     run->scalars.beta.number, m < 0 ? "methods of choice" : ids[m]);
        spl_status status = run_spgemm(context, run);
        EXPECT(status == SPL_OK || (status == SPL_UNSUPPORTED && m >= 0));
    }
}

static spgemm_run a_run(const zoo_matrix *a, const zoo_matrix *d)
{
    return (spgemm_run){.a = &a->view, .b = &a->view, .d = &d->view, .options = SPL_OPTIONS_INIT};
}

static void ends_of_the_type(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    for (int n = 0; n < 12; n++) {
        zoo_matrix a, b, d;
        const bool wide = n % 2, large = n / 2 % 2;
        const int form = wide ? 0 : 9, end = large ? (wide ? 1023 : 127) : (wide ? -1070 : -145);
        zoo_matrix_make(&a, zoo_find(n / 4 % 2 ? "uniform_40" : "box2d_d2"), zoo_form_number(form),
                        testing_seed());
        zoo_matrix_make(&b, zoo_find(n / 4 % 2 ? "uniform_40" : "box2d_d2"), zoo_form_number(form),
                        testing_seed() + 1);
        zoo_matrix_make(&d, zoo_find(n / 4 % 2 ? "uniform_40" : "box2d_d2"), zoo_form_number(form),
                        testing_seed() + 2);
        EXPECT(a.view.type == (wide ? SPL_F64 : SPL_F32));
        fill(&random, &a, end);
        fill(&random, &b, large ? -20 : 6);
        spgemm_run run = a_run(&a, &d);
        run.b = &b.view;
        run.scalars = testing_scalars_of((float)ldexp(zoo_random_unit(&random), large ? 10 : -1),
                                         n % 3 * 0.5);
        try_methods(context, &run, large ? "large values" : "subnormal values");
        zoo_matrix_free(&a);
        zoo_matrix_free(&b);
        zoo_matrix_free(&d);
    }
    spl_context_destroy(context);
}

static void scalars_need_not_be_finite(void **state)
{
    (void)state;
    static const char *const names[] = {"half_empty_30", "box2d_d2"};
    spl_context *context = testing_context(2);
    for (int n = 0; n < 2; n++)
        for (int scalars = 25; scalars < TEST_SCALARS; scalars++) {
            zoo_matrix a, d;
            const zoo_maker full = {"full", zoo_dense, {n ? 24 : 30, n ? 24 : 30}, false};
            zoo_matrix_make(&a, zoo_find(names[n]), zoo_form_number(scalars % 2 ? 0 : 9),
                            testing_seed());
            zoo_matrix_make(&d, &full, zoo_form_number(scalars % 2 ? 0 : 9), testing_seed());
            spgemm_run run = a_run(&a, &d);
            run.scalars = testing_scalars(scalars);
            try_methods(context, &run, names[n]);
            zoo_matrix_free(&a);
            zoo_matrix_free(&d);
        }
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_of_the_type),
        cmocka_unit_test(scalars_need_not_be_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
