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

/* A square matrix of ROWS rows whose sums depend on their order. */
static zoo_matrix real_matrix(zoo_random *draws, bool in_order)
{
    zoo_triples t;
    zoo_matrix m;
    zoo_triples_start(&t, ROWS, ROWS);
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t k = 0; k < ROWS; k++) {
            const int64_t j = in_order ? k : ROWS - 1 - k;
            if (zoo_random_below(draws, i % 9 ? 6 : 1) == 0) /* some rows are full */
                zoo_triples_add(&t, i, j, zoo_random_unit(draws) - .4);
        }
    zoo_build(&m, &t, zoo_form_number(0));
    zoo_triples_free(&t);
    EXPECT(m.view.format == SPL_CSR && m.view.type == SPL_F64 && m.view.index_type == SPL_I32);
    return m;
}

static spl_sparse put(const on_device *s, const spl_sparse *host)
{
    spl_sparse there = *host;
    const size_t offset = host->offset_type == SPL_I64 ? 8 : 4;
    there.place = s->place;
    there.offsets = on_device_put(s, host->offsets, (ROWS + 1) * offset);
    there.indices = on_device_put(s, host->indices, (size_t)host->nnz * sizeof(int32_t));
    there.values = on_device_put(s, host->values, (size_t)host->nnz * sizeof(double));
    return there;
}

static void drop(const on_device *s, const spl_sparse *there)
{
    on_device_drop(s, there->offsets, (ROWS + 1) * (there->offset_type == SPL_I64 ? 8U : 4U));
    on_device_drop(s, there->indices, (size_t)there->nnz * sizeof(int32_t));
    on_device_drop(s, there->values, (size_t)there->nnz * sizeof(double));
}

static void multiply(spl_context *context, const spl_sparse *a, const spl_sparse *b,
                     spl_options options, const spl_sparse *mask, double *values)
{
    spl_plan *plan = NULL;
    options.mask = mask;
    options.mask_pattern = SPL_MASK_FULL;
    EXPECT_OK(spl_spgemm_plan(context, a, b, NULL, &options, &plan));
    EXPECT_OK(spl_spgemm_execute(plan, NULL, NULL, values, NULL));
    EXPECT_OK(spl_sync(context, NULL));
    spl_plan_destroy(plan);
}

/* Dot products have the bits of the CPU's rows: B by rows, by columns (which are read in place, or,
 * where they are not in order, sorted), A in order or not; the mask stays on the device. */
static void dots(void **state)
{
    on_device s = on_device_start(*state);
    spl_context *cpu = NULL;
    zoo_random draws;
    EXPECT_OK(spl_context_create(NULL, &cpu));
    const uint64_t seed = testing_fresh_seed();
    zoo_random_seed(&draws, seed);
    for (int n = 0; n < 8; n++) {
        testing_case("seed %llu, number %d", (unsigned long long)seed, n);
        zoo_matrix a = real_matrix(&draws, n % 2 == 0), b = real_matrix(&draws, n / 4 == 0),
                   mask = real_matrix(&draws, true);
        spl_options options = SPL_OPTIONS_INIT;
        if (n / 2 % 2 || n / 4)
            b.view.format = SPL_CSC; /* the transpose */
        spl_sparse there_a = put(&s, &a.view), there_b = put(&s, &b.view),
                   there_mask = put(&s, &mask.view);
        const size_t bytes = (size_t)mask.view.nnz * sizeof(double);
        double *expected = malloc(bytes), *got = malloc(bytes);
        memset(got, 0xff, bytes);
        double *values = on_device_put(&s, got, bytes);
        options.semiring = n % 3 ? SPL_PLUS_TIMES : SPL_PLUS_FIRST;
        options.method = "spgemm/numeric/cpu/masked_rows";
        multiply(cpu, &a.view, &b.view, options, &mask.view, expected);
        options.method = "spgemm/numeric/gpu/dots";
        multiply(s.context, &there_a, &there_b, options, &there_mask, values);
        on_device_get(&s, got, values, bytes);
        EXPECT(mask.view.nnz > 0 && !memcmp(got, expected, bytes));
        on_device_drop(&s, values, bytes);
        drop(&s, &there_a);
        drop(&s, &there_b);
        drop(&s, &there_mask);
        free(expected);
        free(got);
        zoo_matrix_free(&a);
        zoo_matrix_free(&b);
        zoo_matrix_free(&mask);
    }
    spl_context_destroy(cpu);
    on_device_stop(&s);
}

enum { WIDTH = 3 };

static spl_dense dense_of(void *values, spl_place place)
{
    spl_dense m = SPL_DENSE_INIT;
    m.type = SPL_F64;
    m.order = SPL_ROW_MAJOR;
    m.place = place;
    m.rows = ROWS;
    m.cols = m.ld = WIDTH;
    m.values = values;
    return m;
}

/* Winners stand where C is. */
static void winners(void **state)
{
    on_device s = on_device_start(*state);
    resident a = resident_make(&s, "uniform_40", 0);
    double x[ROWS * WIDTH], y[ROWS * WIDTH], got[ROWS * WIDTH];
    int64_t won[ROWS * WIDTH], found[ROWS * WIDTH];
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    spl_context *cpu = NULL;
    for (int i = 0; i < ROWS * WIDTH; i++)
        x[i] = (double)(i * 7 % 5) - 2;
    memset(found, 0x55, sizeof found);
    options.semiring = SPL_MAX_TIMES;
    const spl_dense b = dense_of(x, host_place), c = dense_of(y, host_place);
    EXPECT_OK(spl_context_create(NULL, &cpu));
    EXPECT_OK(spl_spmm_plan(cpu, &a.host.view, WIDTH, &options, &plan));
    EXPECT_OK(spl_spmm_execute_winners(plan, &b, &c, won, WIDTH, NULL, NULL));
    spl_plan_destroy(plan);
    spl_context_destroy(cpu);
    double *device_x = on_device_put(&s, x, sizeof x), *device_y = on_device_put(&s, x, sizeof x);
    int64_t *device_won = on_device_put(&s, found, sizeof found);
    const spl_dense there_b = dense_of(device_x, s.place), there_c = dense_of(device_y, s.place);
    EXPECT_OK(spl_spmm_plan(s.context, &a.view, WIDTH, &options, &plan));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_spmm_execute_winners(plan, &there_b, &there_c, won, WIDTH, NULL, NULL));
    EXPECT_OK(spl_spmm_execute_winners(plan, &there_b, &there_c, device_won, WIDTH, NULL, NULL));
    EXPECT_OK(spl_sync(s.context, NULL));
    on_device_get(&s, got, device_y, sizeof got);
    on_device_get(&s, found, device_won, sizeof found);
    EXPECT(!memcmp(got, y, sizeof y) && !memcmp(found, won, sizeof won));
    spl_plan_destroy(plan);
    on_device_drop(&s, device_x, sizeof x);
    on_device_drop(&s, device_y, sizeof x);
    on_device_drop(&s, device_won, sizeof found);
    resident_free(&s, &a);
    on_device_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {ON_BOTH_WIDTHS(all_resident), ON_BOTH_WIDTHS(patterns),
                                       ON_BOTH_WIDTHS(dots), ON_BOTH_WIDTHS(winners)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
