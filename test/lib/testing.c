/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/testing.h"

#include "core/threads/team_seconds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Tests have small matrices, for which no team would be woken: they do as if that cost nothing. */
__attribute__((constructor)) static void wake_all(void)
{
    spl__team_seconds_assume(0);
}

static _Thread_local char current_case[512] = "(none)";

void testing_case(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(current_case, sizeof current_case, format, arguments);
    va_end(arguments);
}

void testing_fail(const char *condition, const char *file, int line)
{
    print_error("expected: %s\n  case: %s\n  seed: %llu\n", condition, current_case,
                (unsigned long long)testing_seed());
    _fail(file, line);
}

void testing_status(spl_status expected, spl_status actual, const char *call, const char *file,
                    int line)
{
    if (actual != expected) {
        print_error("%s\n  gave %s, expected %s\n  detail: %s\n  case: %s\n  seed: %llu\n", call,
                    spl_status_name(actual), spl_status_name(expected), spl_error_detail(),
                    current_case, (unsigned long long)testing_seed());
        _fail(file, line);
    }
    if (actual != SPL_OK && strlen(spl_error_detail()) < 8)
        testing_fail("a detail after a failure", file, line);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { DEFAULT_SCALE = 11 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { DEFAULT_SCALE = 11 };
#else
enum { DEFAULT_SCALE = 1 };
#endif
#else
enum { DEFAULT_SCALE = 1 };
#endif

int testing_scale(void)
{
    const char *text = getenv("SPARLOOM_TEST_SCALE");
    int scale = text ? atoi(text) : DEFAULT_SCALE;
    return scale > 0 ? scale : 1;
}

bool testing_few(void)
{
    return testing_scale() > 100;
}

enum { FIXED_SEED = 20240607 };

/* What SPARLOOM_TEST_SEED=fresh stands for, said once. */
static uint64_t said_fresh_seed(void)
{
    static bool said;
    if (!said)
        print_message("seed: %llu\n", (unsigned long long)testing_fresh_seed());
    said = true;
    return testing_fresh_seed();
}

uint64_t testing_seed(void)
{
    const char *text = getenv("SPARLOOM_TEST_SEED");
    if (text && strcmp(text, "fresh") == 0)
        return said_fresh_seed();
    return text ? strtoull(text, NULL, 10) : FIXED_SEED;
}

int testing_first(int number, int step)
{
    const uint64_t n = (uint64_t)number, drawn = testing_seed() - FIXED_SEED;
    return (int)((n + ((n + 1) * drawn * 0x9E3779B97F4A7C15u >> 32)) % (uint64_t)step);
}

uint64_t testing_fresh_seed(void)
{
    static uint64_t seed;
    const char *text = getenv("SPARLOOM_RANDOM_SEED");
    struct timespec now;
    if (text)
        return strtoull(text, NULL, 10);
    if (seed == 0 && timespec_get(&now, TIME_UTC))
        seed = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
    return seed;
}

const char *testing_device(void)
{
    return getenv("SPARLOOM_TEST_DEVICE");
}

spl_context *testing_context(int threads)
{
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    spl_context *context = NULL;
    options.threads = threads;
    options.devices = testing_device();
    EXPECT_OK(spl_context_create(&options, &context));
    EXPECT(context != NULL);
    return context;
}

test_scalars testing_scalars(int number)
{
    static const test_scalar choices[5] = {
        {1, false}, {0, false}, {-1, false}, {0.5, false}, {0, true}};
    static const double odd[10][2] = {{INFINITY, 1},   {-INFINITY, 0.5}, {NAN, -1}, {INFINITY, 0},
                                      {0.5, INFINITY}, {-1, NAN},        {1e30, 1}, {0x1p-130, 0.5},
                                      {0, -INFINITY},  {0, NAN}};
    number %= TEST_SCALARS;
    if (number >= 25)
        return testing_scalars_of(odd[number - 25][0], odd[number - 25][1]);
    return (test_scalars){choices[number % 5], choices[number / 5]};
}

test_scalars testing_scalars_of(double alpha, double beta)
{
    return (test_scalars){{alpha, false}, {beta, false}};
}

const void *testing_scalar_pointer(test_scalar scalar, spl_type type, double *storage)
{
    if (scalar.null)
        return NULL;
    zoo_value_set(storage, type == SPL_F64 ? SPL_F64 : SPL_F32, 0, scalar.number);
    return storage;
}

double testing_alpha(test_scalars scalars)
{
    return scalars.alpha.null ? 1 : scalars.alpha.number;
}

double testing_beta(test_scalars scalars)
{
    return scalars.beta.null ? 0 : scalars.beta.number;
}

static bool needs_mask(const char *id)
{
    return strstr(id, "/mask") || strstr(id, "/dots");
}

static int methods_of(const char *processor, const char *prefix, bool of_masks, const char **ids,
                      int room)
{
    int count = 0;
    for (int32_t m = 0; m < spl_method_count(); m++) {
        spl_method_info info = SPL_METHOD_INFO_INIT;
        EXPECT_OK(spl_method(m, &info));
        bool needs_structure = strstr(info.id, "/form/") && !strstr(prefix, "/form/");
        if (!strcmp(info.processor, processor) && !strncmp(info.id, prefix, strlen(prefix)) &&
            !needs_structure && needs_mask(info.id) == of_masks && count < room)
            ids[count++] = info.id;
    }
    return count;
}

int testing_methods(const char *prefix, const char **ids, int room)
{
    return methods_of(testing_device() ? "gpu" : "cpu", prefix, false, ids, room);
}

int testing_methods_of_masks(const char *prefix, const char **ids, int room)
{
    return methods_of(testing_device() ? "gpu" : "cpu", prefix, true, ids, room);
}

uint64_t testing_processors(const char *prefix)
{
    const char *first;
    return testing_methods(prefix, &first, 1) ? 0 : 1;
}

const char *testing_method(const char *prefix, const char *name)
{
    enum { ROOM = 32 };
    const char *ids[ROOM];
    bool on_device = testing_device() && testing_processors(prefix) == 0;
    int count = methods_of(on_device ? "gpu" : "cpu", prefix, false, ids, ROOM);
    for (int m = 0; m < count; m++)
        if (!strcmp(strrchr(ids[m], '/') + 1, name))
            return ids[m];
    return NULL;
}

double testing_feature(const spl_plan *plan, const char *name)
{
    spl_feature f = SPL_FEATURE_INIT;
    for (int32_t n = 0; spl_plan_feature(plan, n, &f) == SPL_OK; n++)
        if (strcmp(f.name, name) == 0)
            return f.value;
    fail_msg("there is no feature \"%s\"", name);
    return 0;
}
