/* SPDX-License-Identifier: Apache-2.0 */
/* The list of methods, and what is reserved until it exists. */
#include "lib/testing.h"

#include <stdio.h>
#include <string.h>

static void ids_are_unique_and_well_formed(void **state)
{
    (void)state;
    int32_t count = spl_method_count();
    EXPECT(count > 0);
    for (int32_t m = 0; m < count; m++) {
        spl_method_info info = SPL_METHOD_INFO_INIT, other = SPL_METHOD_INFO_INIT;
        EXPECT_OK(spl_method(m, &info));
        testing_case("method %d: %s", m, info.id);
        int slashes = 0;
        for (const char *c = info.id; *c; c++)
            slashes += *c == '/';
        EXPECT(slashes == 3); /* operation/phase/processor/name */
        EXPECT(strlen(info.summary) > 10 && !strchr(info.summary, '\n'));
        EXPECT(strlen(info.source) > 3 && info.revision >= 1);
        EXPECT((info.deterministic & ~1) == 0 && (info.in_place & ~1) == 0);
        EXPECT(!strcmp(info.processor, "cpu") || !strcmp(info.processor, "gpu"));
        EXPECT(strlen(info.processor) == 3 &&
               strstr(info.id, info.processor) == strrchr(info.id, '/') - 3);
        for (int32_t n = 0; n < m; n++) {
            EXPECT_OK(spl_method(n, &other));
            EXPECT(strcmp(info.id, other.id) != 0);
        }
    }
    spl_method_info info = SPL_METHOD_INFO_INIT;
    testing_case("numbers out of range");
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_method(count, &info));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_method(-1, &info));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_method(0, NULL));
}

static int count_methods(const char *prefix)
{
    int count = 0;
    for (int32_t m = 0; m < spl_method_count(); m++) {
        spl_method_info info = SPL_METHOD_INFO_INIT;
        EXPECT_OK(spl_method(m, &info));
        count += !strncmp(info.id, prefix, strlen(prefix));
    }
    return count;
}

/* On the CPU and on devices; SpGEMM may have none at all on devices, but not one phase without the
 * other. */
static void every_phase_has_a_method(void **state)
{
    (void)state;
    static const char *const phases[] = {"spmv/compute/", "spmm/compute/", "spgemm/symbolic/",
                                         "spgemm/numeric/"};
    static const char *const processors[] = {"cpu/", "gpu/"};
    for (int p = 0; p < 8; p++) {
        char prefix[32];
        snprintf(prefix, sizeof prefix, "%s%s", phases[p % 4], processors[p / 4]);
        testing_case("%s", prefix);
        EXPECT(count_methods(prefix) > 0 || (p > 5 && count_methods("spgemm/symbolic/gpu/") == 0));
    }
}

static void housekeeping(void **state)
{
    (void)state;
    spl_context *context = testing_context(1);
    EXPECT_OK(spl_trim(context));
    EXPECT_OK(spl_sync(context, NULL));
    spl_context_destroy(context);
}

static void processors(void **state)
{
    (void)state;
    spl_context *context = testing_context(3);
    spl_processor_info info = SPL_PROCESSOR_INFO_INIT;
    int32_t count = testing_device() ? 2 : 1;
    EXPECT(spl_processor_count(context) == count);
    EXPECT_OK(spl_processor(context, 0, &info));
    EXPECT(info.place.kind == SPL_HOST && info.threads == 3 && info.name && *info.name);
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_processor(context, count, &info));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_processor(context, -1, &info));
    spl_memory_info memory = SPL_MEMORY_INFO_INIT;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_memory(context, (spl_place){SPL_CUDA, 77}, &memory));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_memory(context, (spl_place){SPL_HOST, 0}, NULL));
    if (count == 2) {
        EXPECT_OK(spl_processor(context, 1, &info));
        EXPECT(info.place.kind != SPL_HOST && info.threads == 0 && info.name && *info.name);
        EXPECT_OK(spl_memory(context, info.place, &memory));
    }
    spl_context_destroy(context);
}

static void version(void **state)
{
    (void)state;
    char expected[32];
    snprintf(expected, sizeof expected, "%d.%d.%d", SPL_VERSION_MAJOR, SPL_VERSION_MINOR,
             SPL_VERSION_PATCH);
    EXPECT(strcmp(spl_version(), expected) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_unique_and_well_formed),
        cmocka_unit_test(every_phase_has_a_method),
        cmocka_unit_test(housekeeping),
        cmocka_unit_test(processors),
        cmocka_unit_test(version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
