/* SPDX-License-Identifier: Apache-2.0 */
/* What plans refuse on a device: invalid matrices, wrong places, features that are not built,
 * and operands that do not fit its memory. */
#include "lib/on_device.h"
#include "sparloom/algebra.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect_invalid(const on_device *s, resident *a, const char *fault_text)
{
    spl_plan *const before = (spl_plan *)(void *)a, *plan = before;
    resident_upload(s, a);
    EXPECT_STATUS(SPL_INVALID_MATRIX, spl_spmv_plan(s->context, &a->view, NULL, &plan));
    testing_case("detail \"%s\", expected \"%s\"", spl_error_detail(), fault_text);
    EXPECT(strstr(spl_error_detail(), fault_text) && plan == before);
    EXPECT_STATUS(SPL_INVALID_MATRIX, spl_spmm_plan(s->context, &a->view, 3, NULL, &plan));
    EXPECT(strstr(spl_error_detail(), fault_text) && plan == before);
    resident_free(s, a);
}

static void invalid_matrices(void **state)
{
    const char *device = *state;
    on_device s = on_device_start(device);
    for (int form = 0; form < RESIDENT_FORMS; form++) {
        zoo_form f = resident_form(form);
        resident a;
        const zoo_maker *maker = zoo_find("dense_8x8");
        testing_case("%s, invalid matrices, form %d", device, form);
        zoo_matrix_make(&a.host, maker, f, 1);
        zoo_index_set(a.host.offsets, f.offset_type, 4, 15); /* 8 columns a row: row 3 is 24..15 */
        expect_invalid(&s, &a, "row 3");
        zoo_matrix_make(&a.host, maker, f, 1);
        zoo_index_set(a.host.offsets, f.offset_type, 0, 1);
        expect_invalid(&s, &a, "the first offset is 1, not 0");
        zoo_matrix_make(&a.host, maker, f, 1);
        zoo_index_set(a.host.offsets, f.offset_type, 8, 63);
        expect_invalid(&s, &a, "the last offset is 63, nnz is 64");
        zoo_matrix_make(&a.host, maker, f, 1);
        zoo_index_set(a.host.indices, f.index_type, 21, 8);
        zoo_index_set(a.host.indices, f.index_type, 40, 9);
        expect_invalid(&s, &a, "row 2, entry 21: column 8");
        zoo_matrix_make(&a.host, maker, f, 1);
        zoo_index_set(a.host.indices, f.index_type, 63, -1);
        expect_invalid(&s, &a, "row 7, entry 63: column -1");
    }
    on_device_stop(&s);
}

static void what_is_not_built_there(void **state)
{
    const char *device = *state;
    on_device s = on_device_start(device);
    resident a = resident_make(&s, "uniform_40", 0);
    spl_matrix *matrix = NULL;
    spl_description description = SPL_DESCRIPTION_INIT;
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_validate(&a.view));
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_convert(s.context, &a.view, NULL, &matrix));
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_describe(s.context, &a.view, &description));
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_write(s.context, &a.view, "never-written.mtx"));
    EXPECT(!matrix);
    resident_free(&s, &a);
    on_device_stop(&s);
}

/* Views whose place is a device, over arrays elsewhere. */
static void arrays_that_are_elsewhere(void **state)
{
    static const char *const names[] = {"offsets of A", "indices of A", "values of A"};
    const char *device = *state;
    on_device s = on_device_start(device);
    on_device other = on_device_start(strncmp(device, "emu64", 5) == 0 ? "emu64:2" : "emu:2");
    resident a = resident_make(&s, "uniform_40", 0), b = resident_make(&other, "uniform_40", 0);
    spl_plan *plan = NULL;
    for (int k = 0; k < 6; k++) {
        spl_sparse view = a.view;
        const spl_sparse *from = k < 3 ? &a.host.view : &b.view;
        view.offsets = k % 3 == 0 ? from->offsets : view.offsets;
        view.indices = k % 3 == 1 ? from->indices : view.indices;
        view.values = k % 3 == 2 ? from->values : view.values;
        testing_case("%s, the %s are on %s", device, names[k % 3],
                     k < 3 ? "the host" : "another device");
        EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spmv_plan(s.context, &view, NULL, &plan));
        EXPECT(strstr(spl_error_detail(), names[k % 3]) && !plan);
    }
    resident_free(&s, &a);
    resident_free(&other, &b);
    on_device_stop(&s);
    on_device_stop(&other);
}

/* Misaligned arrays are found before any work on the device. */
static void misaligned_arrays(void **state)
{
    static const char *const names[] = {"A: offsets", "A: indices", "A: values"};
    const char *device = *state;
    on_device s = on_device_start(device);
    resident a = resident_make(&s, "uniform_40", 2); /* 64-bit offsets, 32-bit columns */
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    for (int k = 0; k < 3; k++) {
        spl_sparse view = a.view;
        const void **arrays[] = {&view.offsets, &view.indices, &view.values};
        *arrays[k] = (const char *)*arrays[k] + (k == 1 ? 2 : 4);
        EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spmv_plan(s.context, &view, NULL, &plan));
        testing_case("%s, detail \"%s\"", device, spl_error_detail());
        EXPECT(strstr(spl_error_detail(), names[k]) && !plan);
    }
    options.scalar_place = s.place;
    EXPECT_OK(spl_spmv_plan(s.context, &a.view, &options, &plan));
    char *some = on_device_put(&s, a.host.values, 40 * 8 + 8),
         *y = on_device_put(&s, a.host.values, 40 * 8 + 8);
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spmv_execute(plan, some, some + 4, some, y, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spmv_execute(plan, some, some, some, y + 4, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spmv_execute(plan, some + 4, some, some, y, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spmv_execute(plan, some, some, some + 4, y, NULL));
    EXPECT_OK(spl_spmv_execute(plan, some, some, some, y, NULL));
    EXPECT_OK(spl_sync(s.context, NULL));
    on_device_drop(&s, some, 40 * 8 + 8);
    on_device_drop(&s, y, 40 * 8 + 8);
    spl_plan_destroy(plan);
    resident_free(&s, &a);
    on_device_stop(&s);
}

static void wrong_places(void **state)
{
    const char *device = *state;
    on_device s = on_device_start(device);
    resident a = resident_make(&s, "uniform_40", 0);
    const spl_sparse *host_view = &a.host.view;
    spl_context *without = NULL;
    spl_plan *plan = NULL;
    EXPECT_OK(spl_context_create(NULL, &without));
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_spmv_plan(without, &a.view, NULL, &plan));
    EXPECT_STATUS(SPL_UNSUPPORTED,
                  spl_spgemm_plan(s.context, &a.view, host_view, NULL, NULL, &plan));
    EXPECT_STATUS(SPL_UNSUPPORTED,
                  spl_spgemm_plan(s.context, host_view, &a.view, NULL, NULL, &plan));
    EXPECT_STATUS(SPL_UNSUPPORTED,
                  spl_spgemm_plan(s.context, host_view, host_view, &a.view, NULL, &plan));
    EXPECT(!plan);
    EXPECT_OK(spl_spmm_plan(s.context, &a.view, 3, NULL, &plan));
    test_dense b = test_dense_new(a.view.cols, 3, SPL_F64, SPL_ROW_MAJOR, 0);
    test_dense c = test_dense_new(a.view.rows, 3, SPL_F64, SPL_ROW_MAJOR, 0);
    spl_dense device_b = resident_dense(&s, &b), device_c = resident_dense(&s, &c);
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_spmm_execute(plan, NULL, &b.view, NULL, &device_c, NULL));
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_spmm_execute(plan, NULL, &device_b, NULL, &c.view, NULL));
    const spl_stream foreign = {SPL_CUDA, NULL}, emulated = {SPL_EMULATOR, NULL};
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_spmm_execute(plan, NULL, &device_b, NULL, &device_c, &foreign));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_plan_update_values(plan, &a.view, NULL, NULL, &foreign));
    /* and the plan is not busy */
    EXPECT_OK(spl_spmm_execute(plan, NULL, &device_b, NULL, &device_c, &emulated));
    EXPECT_OK(spl_sync(s.context, &emulated));
    EXPECT_OK(spl_sync(s.context, NULL));
    EXPECT(test_dense_at(&c, 0, 0) != test_dense_at(&c, 0, 0)); /* still NaN */
    on_device_drop(&s, device_b.values, b.memory.bytes);
    on_device_drop(&s, device_c.values, c.memory.bytes);
    test_dense_free(&b);
    test_dense_free(&c);
    spl_plan_destroy(plan);
    spl_context_destroy(without);
    resident_free(&s, &a);
    on_device_stop(&s);
}

static void arrays(void **state)
{
    const char *device = *state;
    on_device s = on_device_start(device);
    void *array = NULL;
    const double values[2] = {1, 2};
    double back[2] = {0, 0};
    const spl_place nowhere = {SPL_HIP, 0};
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_array_alloc(s.context, nowhere, 8, &array));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_array_alloc(s.context, s.place, 0, &array));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_array_alloc(s.context, s.place, 8, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_array_alloc(NULL, s.place, 8, &array));
    EXPECT_STATUS(SPL_OUT_OF_MEMORY, spl_array_alloc(s.context, s.place, (size_t)1 << 40, &array));
    EXPECT(!array && on_device_memory(&s).live == 0);
    void *device_data = on_device_put(&s, values, sizeof values),
         *copy = on_device_put(&s, back, sizeof back);
    EXPECT(on_device_memory(&s).live == 2 * sizeof values);
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_array_copy(s.context, s.place, NULL, host_place, values, 8, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_array_copy(s.context, nowhere, device_data, host_place, values, 8, NULL));
    EXPECT_OK(spl_array_copy(s.context, s.place, copy, s.place, device_data, sizeof values, NULL));
    on_device_get(&s, back, copy, sizeof back);
    EXPECT(back[0] == 1 && back[1] == 2);
    EXPECT_OK(spl_array_alloc(s.context, host_place, 16, &array));
    EXPECT_OK(spl_array_copy(s.context, host_place, array, host_place, values, 16, NULL));
    EXPECT(memcmp(array, values, 16) == 0);
    spl_array_free(s.context, host_place, array, 16);
    on_device_drop(&s, device_data, sizeof values);
    on_device_drop(&s, copy, sizeof values);
    on_device_drop(&s, NULL, 8);
    on_device_stop(&s);
}

/* Plans for operands on the host, with more and more device memory until it suffices. A refused
 * plan leaves no allocation and does not touch outputs. */
static void little_memory(void **state)
{
    const char *device = *state;
    zoo_matrix a;
    zoo_matrix_make(&a, zoo_find("unsorted_24x19"), zoo_form_number(0), testing_seed());
    int refused = 0, served = 0;
    for (int memory = 0; memory < 1 << 16 && served < 3; memory += 256) {
        char bytes[16];
        snprintf(bytes, sizeof bytes, "%d", memory);
        setenv("SPARLOOM_EMU_MEMORY", bytes, 1);
        on_device s = on_device_start(device);
        spmv_run vector = {&a.view, SPL_OPTIONS_INIT, testing_scalars_of(2, -1), false};
        spmm_run block = {&a.view,
                          9,
                          SPL_ROW_MAJOR,
                          SPL_COLUMN_MAJOR,
                          1,
                          SPL_OPTIONS_INIT,
                          testing_scalars_of(2, -1),
                          false};
        testing_case("%s with %d bytes", device, memory);
        spl_status of_vector = run_spmv(s.context, &vector), of_block = run_spmm(s.context, &block);
        EXPECT(of_vector == SPL_OK || of_vector == SPL_OUT_OF_MEMORY);
        EXPECT(of_block == SPL_OK || of_block == SPL_OUT_OF_MEMORY);
        refused += of_vector != SPL_OK;
        served += of_vector == SPL_OK && of_block == SPL_OK;
        on_device_stop(&s);
    }
    unsetenv("SPARLOOM_EMU_MEMORY");
    EXPECT(refused > 2 && served == 3);
    zoo_matrix_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BOTH_WIDTHS(invalid_matrices),  ON_BOTH_WIDTHS(what_is_not_built_there),
        ON_BOTH_WIDTHS(wrong_places),      ON_BOTH_WIDTHS(arrays_that_are_elsewhere),
        ON_BOTH_WIDTHS(misaligned_arrays), ON_BOTH_WIDTHS(arrays),
        ON_BOTH_WIDTHS(little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
