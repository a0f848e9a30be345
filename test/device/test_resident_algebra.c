/* SPDX-License-Identifier: Apache-2.0 */
/* Semirings and masks of rows where everything is on a device, alpha and beta too: the same bits as
 * on the CPU. */
#include "lib/on_device.h"
#include "sparloom/algebra.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 40 };

/* y of min_plus, added to the old one, in the rows that the mask names. */
static void on_host(const spl_sparse *a, const double *x, const spl_row_mask *mask, double *y)
{
    spl_context *context = NULL;
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    double one = 1;
    options.semiring = SPL_MIN_PLUS;
    EXPECT_OK(spl_context_create(NULL, &context));
    EXPECT_OK(spl_spmv_plan(context, a, &options, &plan));
    EXPECT_OK(spl_spmv_execute_masked(plan, &one, x, &one, y, mask, NULL));
    spl_plan_destroy(plan);
    spl_context_destroy(context);
}

static void all_resident(void **state)
{
    const char *device = *state;
    on_device s = on_device_start(device);
    resident a = resident_make(&s, "uniform_40", 0);
    double x[ROWS], y[ROWS], got[ROWS], scalars[2] = {1, 1};
    uint64_t bits = 0x5a5a5a5a5aULL;
    spl_row_mask mask = SPL_ROW_MASK_INIT, there = SPL_ROW_MASK_INIT;
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    EXPECT(a.view.rows == ROWS && a.view.cols == ROWS && a.view.type == SPL_F64);
    for (int i = 0; i < ROWS; i++)
        x[i] = (double)(i * 7 % 11), y[i] = (double)(i % 5) - 2;
    double *device_x = on_device_put(&s, x, sizeof x), *device_y = on_device_put(&s, y, sizeof y),
           *device_scalars = on_device_put(&s, scalars, sizeof scalars);
    uint64_t *device_bits = on_device_put(&s, &bits, sizeof bits);
    mask.bits = &bits;
    there.bits = device_bits;
    options.semiring = SPL_MIN_PLUS;
    options.scalar_place = s.place;
    on_host(&a.host.view, x, &mask, y);
    EXPECT_OK(spl_spmv_plan(s.context, &a.view, &options, &plan));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_spmv_execute_masked(plan, device_scalars, device_x, device_scalars + 1,
                                          device_y, &mask, NULL)); /* a mask on the host */
    EXPECT_OK(spl_spmv_execute_masked(plan, device_scalars, device_x, device_scalars + 1, device_y,
                                      &there, NULL));
    EXPECT_OK(spl_sync(s.context, NULL));
    on_device_get(&s, got, device_y, sizeof got);
    EXPECT(memcmp(got, y, sizeof y) == 0);
    spl_plan_destroy(plan);
    on_device_drop(&s, device_x, sizeof x);
    on_device_drop(&s, device_y, sizeof y);
    on_device_drop(&s, device_scalars, sizeof scalars);
    on_device_drop(&s, device_bits, sizeof bits);
    resident_free(&s, &a);
    on_device_stop(&s);
}

/* A pattern on the device, in CSC: it is sorted without values. */
static void patterns(void **state)
{
    const char *device = *state;
    on_device s = on_device_start(device);
    resident a = resident_make(&s, "uniform_40", 0);
    double x[ROWS], y[ROWS], wanted[ROWS];
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    spl_sparse host = a.host.view, there = a.view;
    for (int i = 0; i < ROWS; i++)
        x[i] = (double)(i * 7 % 11);
    host.values = there.values = NULL;
    host.format = there.format = SPL_CSC; /* the transpose */
    options.semiring = SPL_PLUS_SECOND;
    options.check_inputs = 1;
    spl_context *context = NULL;
    EXPECT_OK(spl_context_create(NULL, &context));
    EXPECT_OK(spl_spmv(context, NULL, &host, x, NULL, wanted, &options));
    spl_context_destroy(context);
    double *device_x = on_device_put(&s, x, sizeof x), *device_y = on_device_put(&s, x, sizeof x);
    EXPECT_OK(spl_spmv_plan(s.context, &there, &options, &plan));
    EXPECT_OK(spl_spmv_execute(plan, NULL, device_x, NULL, device_y, NULL));
    EXPECT_OK(spl_sync(s.context, NULL));
    on_device_get(&s, y, device_y, sizeof y);
    EXPECT(memcmp(y, wanted, sizeof y) == 0);
    spl_plan_destroy(plan);
    on_device_drop(&s, device_x, sizeof x);
    on_device_drop(&s, device_y, sizeof x);
    resident_free(&s, &a);
    on_device_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {ON_BOTH_WIDTHS(all_resident), ON_BOTH_WIDTHS(patterns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
