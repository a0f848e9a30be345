/* SPDX-License-Identifier: Apache-2.0 */
/* An adapter as users build them for codes of their own: y = A*x in f64 by a plain loop. */
#include <bench_rival.h>
#include <stdlib.h>

static const char *start(const bench_target *target)
{
    return target->place.kind == SPL_HOST ? NULL : "it computes on the CPU";
}

static const char *version(void)
{
    return "1.0";
}

static void *prepare(const bench_problem *problem)
{
    bench_problem *state = problem->type == SPL_F64 && problem->a.offset_type == SPL_I32
                               ? malloc(sizeof *state)
                               : NULL;
    if (state)
        *state = *problem;
    return state;
}

static int multiply(void *state)
{
    const bench_problem *p = state;
    const int32_t *offsets = p->a.offsets, *columns = p->a.indices;
    const double *values = p->a.values, *x = p->x;
    for (int64_t i = 0; i < p->a.rows; i++) {
        double sum = 0;
        for (int32_t e = offsets[i]; e < offsets[i + 1]; e++)
            sum += values[e] * x[columns[e]];
        ((double *)p->y)[i] = sum;
    }
    return 1;
}

const bench_rival *sparloom_rival(size_t size);
const bench_rival *sparloom_rival(size_t size)
{
    static const bench_rival loop = {
        .name = "loop",
        .start = start,
        .version = version,
        .kernels = {[BENCH_SPMV] = {.prepare = prepare, .run = multiply, .release = free}}};
    return size == sizeof loop ? &loop : NULL;
}
