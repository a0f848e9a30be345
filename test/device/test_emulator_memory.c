/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of an emulated device: limits, reuse, contents of fresh memory, invalid copies; several
 * devices, and several users of one. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device/device_words.k.h"
#include "lib/plugins.h"
#include "lib/testing.h"

enum { KIB = 1024 };

static void try_limit(const rig *r)
{
    void *arrays[4], *none = arrays;
    spl__device_properties p;
    EXPECT(r->driver->properties(r->device, &p) == SPL_OK);
    EXPECT(p.memory_bytes == 64 * KIB && p.lanes == r->lanes);
    for (int i = 0; i < 4; i++)
        arrays[i] = rig_alloc(r, 16 * KIB);
    EXPECT(r->driver->alloc(r->device, 1, NULL, &none) == SPL_OUT_OF_MEMORY);
    EXPECT(none == NULL && strstr(r->driver->message(), "65536 of 65536") != NULL);
    rig_free(r, arrays[2]); /* is done when the memory is needed */
    none = rig_alloc(r, 16 * KIB);
    EXPECT(none == arrays[2]);
    EXPECT(r->driver->alloc(r->device, SIZE_MAX, NULL, &none) == SPL_OUT_OF_MEMORY);
    EXPECT(r->driver->alloc(r->device, 0, NULL, &none) == SPL_OK && none == NULL);
    EXPECT(r->driver->trim(r->device) == SPL_OK);
}

static void memory_has_a_limit(void **state)
{
    (void)state;
    for (int width = 0; width < PLUGIN_WIDTHS; width++) {
        rig r = rig_with(width, NULL, "65536");
        try_limit(&r);
        rig_close(&r);
    }
}

/* After a free and a wait the addresses of an array are used again, without its contents. */
static void try_reuse(const rig *r)
{
    unsigned char bytes[1000];
    memset(bytes, 1, sizeof bytes);
    void *first = rig_put(r, bytes, sizeof bytes), *second = rig_put(r, bytes, sizeof bytes);
    rig_free(r, first);
    rig_wait(r);
    void *again = rig_alloc(r, sizeof bytes);
    EXPECT(again == first);
    rig_get(r, bytes, again, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        EXPECT(bytes[i] == 0xA5);
    EXPECT(r->driver->fill(r->device, again, 7, 10, NULL) == SPL_OK);
    rig_get(r, bytes, again, sizeof bytes);
    EXPECT(bytes[9] == 7 && bytes[10] == 0xA5);
    rig_free(r, second);
    rig_free(r, again);
}

/* Copies that leave an array are refused, and double frees reported. */
static void try_wrong_ranges(const rig *r)
{
    char bytes[100] = {0};
    char *array = rig_alloc(r, 64);
    EXPECT(r->driver->copy(r->device, array, bytes, 65, NULL) == SPL_INVALID_ARGUMENT);
    EXPECT(r->driver->copy(r->device, array + 60, bytes, 5, NULL) == SPL_INVALID_ARGUMENT);
    EXPECT(r->driver->copy(r->device, bytes, array + 64, 1, NULL) == SPL_INVALID_ARGUMENT);
    EXPECT(r->driver->fill(r->device, array, 0, 65, NULL) == SPL_INVALID_ARGUMENT);
    EXPECT(r->driver->fill(r->device, bytes, 0, 1, NULL) == SPL_INVALID_ARGUMENT);
    EXPECT(r->driver->copy(r->device, array + 60, bytes, 4, NULL) == SPL_OK);
    rig_free(r, array);
    EXPECT(r->driver->copy(r->device, bytes, array, 1, NULL) == SPL_INVALID_ARGUMENT);
    rig_free(r, array);
    EXPECT(r->driver->stream_wait(r->device, NULL) == SPL_DEVICE_FAILURE);
    EXPECT(strstr(r->driver->message(), "free of") != NULL);
}

static void memory_is_reused_and_fresh(void **state)
{
    (void)state;
    for (int width = 0; width < PLUGIN_WIDTHS; width++) {
        rig r = rig_with(width, NULL, NULL);
        try_reuse(&r);
        try_wrong_ranges(&r);
        rig_close(&r);
    }
}

static void devices_are_apart(void **state)
{
    (void)state;
    for (int width = 0; width < PLUGIN_WIDTHS; width++) {
        rig a = rig_with(width, NULL, NULL), b = a;
        int32_t count = 0, ordinal = -1;
        void *same;
        EXPECT(a.driver->count(&count) == SPL_OK && count == 4);
        EXPECT(a.driver->open(4, &b.device) == SPL_INVALID_ARGUMENT);
        EXPECT(a.driver->open(3, &b.device) == SPL_OK && b.device != a.device);
        EXPECT(a.driver->open(0, &same) == SPL_OK && same == a.device);
        void *in_a = rig_alloc(&a, 100), *in_b = rig_alloc(&b, 100);
        EXPECT(a.driver->place_of(in_b, &ordinal) == SPL_EMULATOR && ordinal == 3);
        EXPECT(a.driver->copy(a.device, in_a, in_b, 100, NULL) == SPL_UNSUPPORTED);
        a.driver->close(same);
        EXPECT(a.driver->place_of(in_a, &ordinal) == SPL_EMULATOR && ordinal == 0);
        rig_close(&a);
        EXPECT(b.driver->place_of(in_a, &ordinal) == -1);
        rig_close(&b);
    }
}

static void wrong_settings_are_refused(void **state)
{
    (void)state;
    rig r = rig_of_tests(0);
    void *device;
    const char *const wrong[][2] = {{"SPARLOOM_EMU_MEMORY", "1G"},
                                    {"SPARLOOM_EMU_MEMORY", "-1"},
                                    {"SPARLOOM_EMU_SEED", "-2"},
                                    {"SPARLOOM_EMU_SEED", "99999999999999999999"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        setenv(wrong[i][0], wrong[i][1], 1);
        EXPECT(r.driver->open(1, &device) == SPL_INVALID_ARGUMENT);
        EXPECT(strstr(r.driver->message(), wrong[i][0]) != NULL);
        unsetenv(wrong[i][0]);
    }
    rig_close(&r);
}

/* Host threads, each with a stream of its own on the same device. */
enum { WORKERS = 4, STEPS = 25 };
typedef struct worker {
    const rig *r;
    double number;
    bool failed;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    const spl__driver *driver = w->r->driver;
    void *device = w->r->device, *stream, *y;
    w->failed = driver->stream_create(device, &stream) != SPL_OK ||
                driver->alloc(device, 8, stream, &y) != SPL_OK ||
                driver->copy(device, y, &w->number, 8, stream) != SPL_OK;
    for (int i = 0; i < STEPS && !w->failed; i++) {
        const struct affine_args args = {.count = 1, .y = y, .factor = 1, .add = 1};
        spl__launch launch = {.blocks = 2, .threads = 96, .args = &args};
        w->failed = driver->kernel(device, "affine_f64_32", &launch.kernel) != SPL_OK ||
                    driver->launch(device, &launch, stream) != SPL_OK ||
                    driver->copy(device, &w->number, y, 8, stream) != SPL_OK;
    }
    driver->free(device, y, stream);
    driver->stream_destroy(device, stream);
    return NULL;
}

static void host_threads_share_a_device(void **state)
{
    (void)state;
    for (int width = 0; width < PLUGIN_WIDTHS; width++) {
        rig r = rig_with(width, "7", NULL);
        pthread_t threads[WORKERS];
        worker workers[WORKERS];
        for (int i = 0; i < WORKERS; i++) {
            workers[i] = (worker){&r, 100 * i, false};
            EXPECT(pthread_create(&threads[i], NULL, work, &workers[i]) == 0);
        }
        for (int i = 0; i < WORKERS; i++) {
            EXPECT(pthread_join(threads[i], NULL) == 0);
            EXPECT(!workers[i].failed && workers[i].number == 100 * i + STEPS);
        }
        rig_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_has_a_limit),          cmocka_unit_test(memory_is_reused_and_fresh),
        cmocka_unit_test(devices_are_apart),           cmocka_unit_test(wrong_settings_are_refused),
        cmocka_unit_test(host_threads_share_a_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
