/* SPDX-License-Identifier: Apache-2.0 */
/* testing.h: what every test includes: cmocka, the zoo, and checks that say which case failed. */
#ifndef SPARLOOM_TEST_TESTING_H
#define SPARLOOM_TEST_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "zoo/zoo.h"

/* Says what is being tried now; printed with every failure, so that a case can be found again. */
void testing_case(const char *format, ...) __attribute__((format(printf, 1, 2)));
void testing_fail(const char *condition, const char *file, int line);
void testing_status(spl_status expected, spl_status actual, const char *call, const char *file,
                    int line);

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition))                                                                          \
            testing_fail(#condition, __FILE__, __LINE__);                                          \
    } while (0)
/* A status other than SPL_OK must come with a detail. */
#define EXPECT_STATUS(expected, call) testing_status((expected), (call), #call, __FILE__, __LINE__)
#define EXPECT_OK(call)               EXPECT_STATUS(SPL_OK, call)

/* 1 in a plain build, more under sanitizers: large tests take only every n-th of their cases.
 * SPARLOOM_TEST_SCALE overrides. */
int testing_scale(void);
/* Under a tool that slows down everything, on an emulated device: matrices are few and small. */
bool testing_few(void);
/* Base of all seeds: SPARLOOM_TEST_SEED or a fixed number; printed with every failure. If that says
 * "fresh", testing_fresh_seed(), which is printed. */
uint64_t testing_seed(void);
/* The first case of a test that takes every step-th case, for the number-th matrix (or other item):
 * number modulo step for the fixed seed, another one for other seeds. */
int testing_first(int number, int step);
/* A seed for tests that draw new cases in every run: SPARLOOM_RANDOM_SEED, or the time of the
 * first call. Tests print it with their cases. */
uint64_t testing_fresh_seed(void);

/* The device that the test runs on, SPARLOOM_TEST_DEVICE ("emu", "cuda:1"); NULL: the CPU. */
const char *testing_device(void);
/* A context with that many threads, on that device, and everything else default. */
spl_context *testing_context(int threads);

/* alpha or beta of a call. */
typedef struct test_scalar {
    double number;
    bool null; /* pass NULL */
} test_scalar;
typedef struct test_scalars {
    test_scalar alpha, beta;
} test_scalars;

/* alpha and beta each out of 1, 0, -1, 0.5, NULL; then some that are not finite,
 * huge or subnormal. */
enum { TEST_SCALARS = 35 };
test_scalars testing_scalars(int number);
/* What to pass for the scalar: a pointer to `storage` or NULL. */
const void *testing_scalar_pointer(test_scalar scalar, spl_type type, double *storage);
double testing_alpha(test_scalars scalars);
double testing_beta(test_scalars scalars);
/* Neither of them finite garbage: alpha a, beta b. */
test_scalars testing_scalars_of(double alpha, double beta);

/* Ids of the methods for that processor that start with `prefix` ("spmv/"), at most `room` of them;
 * returns their number. Without those of the phase `form`, which not every matrix has, unless the
 * prefix names it, and those that serve masks or semirings only. */
int testing_methods(const char *prefix, const char **ids, int room);
int testing_methods_of_masks(const char *prefix, const char **ids, int room);
/* For options.processors of an operation whose methods start with `prefix`: 0, or the CPU where the
 * test's device has no method for it. */
uint64_t testing_processors(const char *prefix);
/* The plan's feature of that name, which exists: else the test fails. */
double testing_feature(const spl_plan *plan, const char *name);
/* The id that starts with `prefix` ("spgemm/symbolic/") and ends with `name`, for whom
 * testing_processors says; NULL if there is none. */
const char *testing_method(const char *prefix, const char *name);

#endif
