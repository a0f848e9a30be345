/* SPDX-License-Identifier: Apache-2.0 */
/* on_device.h: a context with one device, and matrices that live on it. */
#ifndef SPARLOOM_TEST_ON_DEVICE_H
#define SPARLOOM_TEST_ON_DEVICE_H

#include "lib/run_products.h"

typedef struct on_device {
    spl_context *context;
    spl_place place; /* of the device */
} on_device;

extern const spl_place host_place;

on_device on_device_start(const char *device);
/* Nothing may be left on the device. */
void on_device_stop(on_device *s);
spl_memory_info on_device_memory(const on_device *s);

/* A copy on the device, NULL of nothing. */
void *on_device_put(const on_device *s, const void *from, size_t bytes);
void on_device_get(const on_device *s, void *to, const void *device_data, size_t bytes);
void on_device_drop(const on_device *s, const void *device_data, size_t bytes);

/* A copy of a matrix on the host, with 32-bit indices, in any format and type. */
spl_sparse on_device_put_matrix(const on_device *s, const spl_sparse *host);
void on_device_drop_matrix(const on_device *s, const spl_sparse *device_view);
/* The matrix on the device has the header and the bits of the one on the host. */
void on_device_expect_matrix(const on_device *s, const spl_sparse *host,
                             const spl_sparse *device_view);

/* A copy on the host of a valid CSR matrix on the device. */
spl_sparse on_device_copy_to_host(const on_device *s, const spl_sparse *device_view);
void on_device_drop_copy(spl_sparse *host_view);

/* A matrix on the host, and `view` of the same on the device. */
typedef struct resident {
    zoo_matrix host;
    spl_sparse view;
} resident;

/* CSR in both types and all widths: devices take the first four, whose columns have 32 bits, as
 * they are. */
enum { RESIDENT_FORMS = 6 };
zoo_form resident_form(int number);

resident resident_make(const on_device *s, const char *name, int form);
/* Copies `host` to the device, with its current values; sets `view`. */
void resident_upload(const on_device *s, resident *a);
void resident_free(const on_device *s, resident *a);
size_t resident_value_bytes(const resident *a);

/* All of the memory of a dense matrix on the device; resident_dense_end fetches and frees it. */
spl_dense resident_dense(const on_device *s, const test_dense *dense);
void resident_dense_end(const on_device *s, test_dense *dense, const spl_dense *device_view);

/* Fails the test unless the matrix is on the device, and right. */
void resident_expect(const on_device *s, const spgemm_run *run, const spl_sparse *c);
/* Allocates arrays for C on the device, as large as the plan says, filled with bytes of ones. */
spl_sparse resident_product(const on_device *s, const spl_plan *plan);
void resident_product_free(const on_device *s, spl_sparse *c);
spl_sparse resident_view_of(const spl_matrix *c);
spl_counters on_device_counters(const spl_plan *plan);

/* For cmocka: the test with the name of a device as its state, at both widths of the emulator;
 * SPARLOOM_TEST_LANES names one (32, 64), the other is skipped. */
#define ON_BOTH_WIDTHS(test) on_device_test(#test, test, 32), on_device_test(#test, test, 64)
struct CMUnitTest on_device_test(const char *name, CMUnitTestFunction test, int lanes);

#endif
