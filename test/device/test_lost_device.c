/* SPDX-License-Identifier: Apache-2.0 */
/* A device that is lost at its k-th operation, for every k: plans and products fail with a clear
 * status, nothing leaks, and other users are not disturbed. And a device that runs out of
 * memory, for many sizes: operands that do not fit are copied in blocks, or the call is refused. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "lib/run_products.h"
#include "plan/tuning/tuning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct trouble {
    zoo_matrix a, small;
    spl_context *bystander; /* with another device of the same kind, which works */
} trouble;

typedef spl_status (*operation)(spl_context *context, const trouble *t, uint64_t processors);

/* All of them have rows. */
static spl_options on(uint64_t processors)
{
    static const double equal[] = {1, 1};
    spl_options options = SPL_OPTIONS_INIT;
    options.processors = processors;
    options.partition = SPL_PARTITION_NNZ;
    options.capabilities = equal;
    return options;
}

static spl_status multiply_vector(spl_context *context, const trouble *t, uint64_t processors)
{
    spmv_run run = {&t->a.view, on(processors), testing_scalars(3), false};
    return run_spmv(context, &run);
}

static spl_status multiply_vector_once(spl_context *context, const trouble *t, uint64_t processors)
{
    spmv_run run = {&t->a.view, on(processors), testing_scalars(0), true};
    return run_spmv(context, &run);
}

static spl_status multiply_columns(spl_context *context, const trouble *t, uint64_t processors)
{
    spmm_run run = {&t->a.view,         3,    SPL_ROW_MAJOR, SPL_COLUMN_MAJOR, 1, on(processors),
                    testing_scalars(3), false};
    return run_spmm(context, &run);
}

static spl_status multiply_sparse(spl_context *context, const trouble *t, uint64_t processors)
{
    spgemm_run run = {&t->small.view, &t->small.view,     NULL,
                      on(processors), testing_scalars(0), false};
    return run_spgemm(context, &run);
}

static spl_status multiply_sparse_once(spl_context *context, const trouble *t, uint64_t processors)
{
    spgemm_run run = {&t->small.view, &t->small.view,     NULL,
                      on(processors), testing_scalars(0), true};
    return run_spgemm(context, &run);
}

static spl_status measure(spl_context *context, const trouble *t, uint64_t processors)
{
    (void)t, (void)processors;
    return spl_machine_measure(context, 1e-4);
}

/* An array of the caller: after a failure it is NULL, and no memory is held. */
static spl_status use_array(spl_context *context, const trouble *t, uint64_t processors)
{
    const spl_place host = {SPL_HOST, 0}, device = {SPL_EMULATOR, 0};
    void *array = NULL;
    (void)processors;
    spl_status status = spl_array_alloc(context, device, sizeof t->small, &array);
    EXPECT((status == SPL_OK) == (array != NULL));
    if (status == SPL_OK)
        status = spl_array_copy(context, device, array, host, &t->small, sizeof t->small, NULL);
    spl_array_free(context, device, array, sizeof t->small);
    return status;
}

static const struct {
    const char *name;
    operation run;
    int step; /* of k: measuring takes long */
} operations[] = {{"spmv", multiply_vector, 1},  {"one-shot spmv", multiply_vector_once, 1},
                  {"spmm", multiply_columns, 1}, {"spgemm", multiply_sparse, 1},
                  {"measure", measure, 17},      {"one-shot spgemm", multiply_sparse_once, 1},
                  {"array", use_array, 1}};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static spl_status open_context(const char *variable, long long value, spl_context **context)
{
    char text[32];
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    snprintf(text, sizeof text, "%lld", value);
    setenv(variable, text, 1);
    options.devices = "cpu,emu";
    options.threads = 2;
    spl_status status = spl_context_create(&options, context);
    unsetenv(variable);
    return status;
}

static void expect_nothing_left(spl_context *context)
{
    spl_processor_info info = SPL_PROCESSOR_INFO_INIT;
    spl_memory_info memory = SPL_MEMORY_INFO_INIT;
    for (int32_t n = 0; n < spl_processor_count(context); n++) {
        EXPECT_OK(spl_processor(context, n, &info));
        EXPECT_OK(spl_memory(context, info.place, &memory));
        /* what is measured stays */
        EXPECT(memory.live == 0 || (n == 0 && spl__tuning_of(context)));
    }
}

static int start(void **state)
{
    static trouble t;
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    options.devices = "cpu,emu:1";
    zoo_matrix_make(&t.a, zoo_find("uniform_40"), zoo_form_number(0), testing_seed());
    zoo_matrix_make(&t.small, zoo_find("dense_8x8"), zoo_form_number(0), testing_seed());
    EXPECT_OK(spl_context_create(&options, &t.bystander));
    *state = &t;
    return 0;
}

static int stop(void **state)
{
    trouble *t = *state;
    expect_nothing_left(t->bystander);
    spl_context_destroy(t->bystander);
    zoo_matrix_free(&t->a);
    zoo_matrix_free(&t->small);
    return 0;
}

/* ---- lost ---- */

/* One attempt; whether the device lived on to the end. */
static bool survives(const trouble *t, int number, uint64_t processors, long long lost_at)
{
    spl_context *context = NULL;
    spl_status status = open_context("SPARLOOM_EMU_LOST", lost_at, &context);
    testing_case("%s, processors %d, lost at operation %lld", operations[number].name,
                 (int)processors, lost_at);
    if (status == SPL_OK)
        status = operations[number].run(context, t, processors);
    EXPECT(status == SPL_OK ||
           (status == SPL_DEVICE_FAILURE && strstr(spl_error_detail(), "lost")) ||
           (status == SPL_UNSUPPORTED && !context));
    if (status != SPL_OK && lost_at % 8 == 3)
        EXPECT_OK(multiply_vector(t->bystander, t, 2));
    if (!context)
        return false;
    expect_nothing_left(context);
    if (status != SPL_OK && lost_at % 8 == 3)
        EXPECT_OK(multiply_vector(context, t, 1)); /* the CPU's threads are still there */
    spl_context_destroy(context);
    return status == SPL_OK;
}

static void lost_at_every_operation(void **state)
{
    const trouble *t = *state;
    for (int number = 0; number < OPERATIONS; number++)
        for (uint64_t processors = 2; processors <= 3; processors++) {
            long long lost_at = 1;
            while (!survives(t, number, processors, lost_at))
                lost_at += operations[number].step + lost_at / 10 * (testing_scale() > 1);
            EXPECT(lost_at > 3); /* it was used */
        }
}

/* ---- no memory ---- */

static void out_of_memory_at_every_size(void **state)
{
    const trouble *t = *state;
    enum { LEAST = 1 << 8, MOST = 1 << 17 };
    for (int number = 0; number < OPERATIONS; number++) {
        bool fitted = false;
        for (long long bytes = LEAST; bytes <= MOST; bytes += bytes / 3) {
            spl_context *context = NULL;
            testing_case("%s, a device of %lld bytes", operations[number].name, bytes);
            EXPECT_OK(open_context("SPARLOOM_EMU_MEMORY", bytes, &context));
            spl_status status = operations[number].run(context, t, 2);
            EXPECT(status == SPL_OK || (!fitted && status == SPL_OUT_OF_MEMORY));
            fitted = status == SPL_OK;
            expect_nothing_left(context);
            spl_context_destroy(context);
        }
        EXPECT(fitted);
    }
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(lost_at_every_operation),
        WITH(out_of_memory_at_every_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
