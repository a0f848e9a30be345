/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/several_dense.h"

several_dense several_dense_of(const on_device *s, const spmm_run *run)
{
    several_dense o;
    spl_type type = run->a->type;
    o.b = test_dense_new(op_cols(run->a, run->options.op_a), run->columns, type, run->order_b,
                         run->pad);
    o.before = test_dense_new(op_rows(run->a, run->options.op_a), run->columns, type, run->order_c,
                              run->pad);
    test_dense_fill(&o.b, ZOO_REAL, 3);
    if (testing_beta(run->scalars) != 0)
        test_dense_fill(&o.before, ZOO_REAL, 5);
    o.c = test_dense_copy(&o.before);
    o.device_b = resident_dense(s, &o.b);
    o.device_c = resident_dense(s, &o.c);
    return o;
}

void several_dense_free(const on_device *s, several_dense *o)
{
    resident_dense_end(s, &o->b, &o->device_b);
    resident_dense_end(s, &o->c, &o->device_c);
    test_dense_free(&o->b);
    test_dense_free(&o->c);
    test_dense_free(&o->before);
}

void several_dense_expect(const on_device *s, const spmm_run *run, several_dense *o)
{
    spl_check check = SPL_CHECK_INIT;
    double storage[2];
    const void *alpha = testing_scalar_pointer(run->scalars.alpha, run->a->type, &storage[0]);
    const void *beta = testing_scalar_pointer(run->scalars.beta, run->a->type, &storage[1]);
    if (o->device_c.values)
        on_device_get(s, o->c.memory.data, o->device_c.values, o->c.memory.bytes);
    EXPECT(test_dense_padding_intact(&o->c));
    EXPECT_OK(spl_check_spmm(alpha, run->a, &o->b.view, beta, &o->before.view, &o->c.view,
                             &run->options, &check));
    EXPECT(check.ok && check.compared == o->c.view.rows * o->c.view.cols);
}

spmm_run several_vector_run(const resident *a, spl_options options, test_scalars scalars)
{
    return (spmm_run){&a->host.view, 1,    SPL_COLUMN_MAJOR, SPL_COLUMN_MAJOR, 0, options,
                      scalars,       false};
}
