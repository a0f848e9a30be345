/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/on_device.h"

#include <stdlib.h>
#include <string.h>

const spl_place host_place = {SPL_HOST, 0};

on_device on_device_start(const char *device)
{
    on_device s;
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    spl_processor_info info = SPL_PROCESSOR_INFO_INIT;
    testing_case("%s", device);
    options.threads = 2;
    options.devices = device;
    EXPECT_OK(spl_context_create(&options, &s.context));
    EXPECT_OK(spl_processor(s.context, 1, &info));
    s.place = info.place;
    return s;
}

spl_memory_info on_device_memory(const on_device *s)
{
    spl_memory_info info = SPL_MEMORY_INFO_INIT;
    EXPECT_OK(spl_memory(s->context, s->place, &info));
    return info;
}

void on_device_stop(on_device *s)
{
    EXPECT(on_device_memory(s).live == 0);
    spl_context_destroy(s->context);
}

void *on_device_put(const on_device *s, const void *from, size_t bytes)
{
    void *device_data = NULL;
    if (bytes == 0)
        return NULL;
    EXPECT_OK(spl_array_alloc(s->context, s->place, bytes, &device_data));
    EXPECT_OK(spl_array_copy(s->context, s->place, device_data, host_place, from, bytes, NULL));
    return device_data;
}

void on_device_get(const on_device *s, void *to, const void *device_data, size_t bytes)
{
    EXPECT_OK(spl_array_copy(s->context, host_place, to, s->place, device_data, bytes, NULL));
}

void on_device_drop(const on_device *s, const void *device_data, size_t bytes)
{
    spl_array_free(s->context, s->place, (void *)device_data, bytes);
}

static size_t offset_bytes(const spl_sparse *v)
{
    if (v->format == SPL_COO)
        return (size_t)v->nnz * zoo_index_bytes(v->index_type);
    return (size_t)((v->format == SPL_CSC ? v->cols : v->rows) + 1) *
           zoo_index_bytes(v->offset_type);
}

static size_t index_bytes(const spl_sparse *v)
{
    return (size_t)v->nnz * zoo_index_bytes(v->index_type);
}

static size_t value_bytes(const spl_sparse *v)
{
    return (size_t)v->nnz * zoo_type_bytes(v->type);
}

spl_sparse on_device_put_matrix(const on_device *s, const spl_sparse *host)
{
    spl_sparse there = *host;
    there.place = s->place;
    there.offsets = on_device_put(s, host->offsets, offset_bytes(host));
    there.indices = on_device_put(s, host->indices, index_bytes(host));
    there.values = on_device_put(s, host->values, value_bytes(host));
    return there;
}

void on_device_drop_matrix(const on_device *s, const spl_sparse *device_view)
{
    on_device_drop(s, device_view->offsets, offset_bytes(device_view));
    on_device_drop(s, device_view->indices, index_bytes(device_view));
    on_device_drop(s, device_view->values, value_bytes(device_view));
}

static void *fetch_to_host(const on_device *s, const void *device_data, size_t bytes)
{
    void *host_data = zoo_allocate(bytes);
    if (bytes > 0)
        on_device_get(s, host_data, device_data, bytes);
    return host_data;
}

static void expect_bytes(const on_device *s, const void *expected, const void *device_data,
                         size_t bytes)
{
    void *got = fetch_to_host(s, device_data, bytes);
    EXPECT(bytes == 0 || !memcmp(got, expected, bytes));
    free(got);
}

void on_device_expect_matrix(const on_device *s, const spl_sparse *host,
                             const spl_sparse *device_view)
{
    EXPECT(device_view->nnz == host->nnz && device_view->format == host->format &&
           device_view->type == host->type && device_view->rows == host->rows &&
           device_view->cols == host->cols && device_view->offset_type == host->offset_type &&
           device_view->place.kind == s->place.kind);
    expect_bytes(s, host->offsets, device_view->offsets, offset_bytes(host));
    expect_bytes(s, host->indices, device_view->indices, index_bytes(host));
    expect_bytes(s, host->values, device_view->values, value_bytes(host));
}

spl_sparse on_device_copy_to_host(const on_device *s, const spl_sparse *device_view)
{
    spl_sparse host_view = *device_view;
    host_view.place = host_place;
    host_view.offsets = fetch_to_host(s, device_view->offsets, offset_bytes(device_view));
    host_view.indices = fetch_to_host(s, device_view->indices, index_bytes(device_view));
    host_view.values = fetch_to_host(s, device_view->values, value_bytes(device_view));
    return host_view;
}

void on_device_drop_copy(spl_sparse *host_view)
{
    free((void *)host_view->offsets);
    free((void *)host_view->indices);
    free((void *)host_view->values);
}

void resident_upload(const on_device *s, resident *a)
{
    a->view = a->host.view;
    a->view.place = s->place;
    a->view.offsets = on_device_put(s, a->host.offsets, offset_bytes(&a->view));
    a->view.indices = on_device_put(s, a->host.indices, index_bytes(&a->view));
    a->view.values = on_device_put(s, a->host.values, value_bytes(&a->view));
}

void resident_free(const on_device *s, resident *a)
{
    on_device_drop(s, a->view.offsets, offset_bytes(&a->view));
    on_device_drop(s, a->view.indices, index_bytes(&a->view));
    on_device_drop(s, a->view.values, value_bytes(&a->view));
    zoo_matrix_free(&a->host);
}

zoo_form resident_form(int number)
{
    spl_index offsets = number >= 2 ? SPL_I64 : SPL_I32, columns = number >= 4 ? SPL_I64 : SPL_I32;
    return (zoo_form){SPL_CSR, number & 1 ? SPL_F32 : SPL_F64, offsets, columns};
}

resident resident_make(const on_device *s, const char *name, int form)
{
    resident a;
    zoo_matrix_make(&a.host, zoo_find(name), resident_form(form), testing_seed());
    resident_upload(s, &a);
    return a;
}

spl_dense resident_dense(const on_device *s, const test_dense *dense)
{
    spl_dense view = dense->view;
    view.place = s->place;
    view.values = on_device_put(s, dense->memory.data, dense->memory.bytes);
    return view;
}

void resident_dense_end(const on_device *s, test_dense *dense, const spl_dense *device_view)
{
    if (device_view->values)
        on_device_get(s, dense->memory.data, device_view->values, dense->memory.bytes);
    on_device_drop(s, device_view->values, dense->memory.bytes);
}

size_t resident_value_bytes(const resident *a)
{
    return value_bytes(&a->view);
}

/* NaN, offsets and columns of -1. */
static void *poisoned(const on_device *s, size_t bytes)
{
    unsigned char *ones = zoo_allocate(bytes);
    memset(ones, 0xff, bytes);
    void *device_data = on_device_put(s, ones, bytes);
    free(ones);
    return device_data;
}

spl_sparse resident_product(const on_device *s, const spl_plan *plan)
{
    spl_result r = SPL_RESULT_INIT;
    spl_sparse c = SPL_SPARSE_INIT;
    EXPECT_OK(spl_spgemm_result(plan, &r));
    EXPECT(r.index_type == SPL_I32);
    c.format = SPL_CSR;
    c.type = r.type;
    c.offset_type = r.offset_type;
    c.index_type = r.index_type;
    c.place = s->place;
    c.rows = r.rows;
    c.cols = r.cols;
    c.nnz = r.nnz;
    c.offsets = poisoned(s, offset_bytes(&c));
    c.indices = poisoned(s, index_bytes(&c));
    c.values = poisoned(s, value_bytes(&c));
    return c;
}

void resident_product_free(const on_device *s, spl_sparse *c)
{
    on_device_drop(s, c->offsets, offset_bytes(c));
    on_device_drop(s, c->indices, index_bytes(c));
    on_device_drop(s, c->values, value_bytes(c));
}

void resident_expect(const on_device *s, const spgemm_run *run, const spl_sparse *c)
{
    EXPECT(c->place.kind == s->place.kind && c->place.ordinal == s->place.ordinal &&
           c->format == SPL_CSR);
    spl_sparse host_view = on_device_copy_to_host(s, c);
    expect_spgemm(run, &host_view);
    on_device_drop_copy(&host_view);
}

spl_sparse resident_view_of(const spl_matrix *c)
{
    spl_sparse view = SPL_SPARSE_INIT;
    EXPECT_OK(spl_matrix_view(c, &view));
    return view;
}

spl_counters on_device_counters(const spl_plan *plan)
{
    spl_counters counters = SPL_COUNTERS_INIT;
    EXPECT_OK(spl_plan_counters(plan, &counters));
    return counters;
}

static void left_out(void **state)
{
    (void)state;
    skip();
}

struct CMUnitTest on_device_test(const char *name, CMUnitTestFunction test, int lanes)
{
    const char *chosen = getenv("SPARLOOM_TEST_LANES");
    const bool runs = !chosen || atoi(chosen) == lanes;
    return (struct CMUnitTest){name, runs ? test : left_out, NULL, NULL,
                               lanes == 64 ? "emu64:1" : "emu"};
}
