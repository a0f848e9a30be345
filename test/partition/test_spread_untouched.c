/* SPDX-License-Identifier: Apache-2.0 */
/* Products of several processors where one of them fails: it has no memory, or a forced method
 * does not support its rows. Nothing is written, whichever processor fails and whichever others
 * could compute. */
#include "device/device.h"
#include "lib/several.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEVICES = PROCESSORS - 1, COLUMNS = 3, ROUNDS = 300, ROWS = 48 };

/* The memory of all places. Allocations from number `fail_at` on fail at the places
 * that are meant. */
typedef struct memory {
    const spl__driver *drivers[DEVICES];
    void *handles[DEVICES];
    spl_place places[DEVICES];
    atomic_llong count;
    long long fail_at;        /* -1: none fails */
    bool on_host, on_devices; /* which places are meant */
    bool once;                /* only that one fails */
} memory;

static bool refused(memory *m, spl_place place)
{
    if (m->fail_at < 0 || !(place.kind == SPL_HOST ? m->on_host : m->on_devices))
        return false;
    long long number = atomic_fetch_add(&m->count, 1);
    return m->once ? number == m->fail_at : number >= m->fail_at;
}

static int device_at(const memory *m, spl_place place)
{
    int k = 0;
    while (m->places[k].kind != place.kind || m->places[k].ordinal != place.ordinal)
        k++;
    return k;
}

static void *get_memory(void *user, size_t bytes, size_t align, spl_place place,
                        const spl_stream *stream)
{
    memory *m = user;
    void *got = NULL;
    if (refused(m, place))
        return NULL;
    if (place.kind == SPL_HOST)
        return aligned_alloc(align, (bytes + align - 1) / align * align);
    int k = device_at(m, place);
    return m->drivers[k]->alloc(m->handles[k], bytes, stream->handle, &got) == SPL_OK ? got : NULL;
}

static void give_memory(void *user, void *given, size_t bytes, spl_place place,
                        const spl_stream *stream)
{
    memory *m = user;
    (void)bytes;
    if (place.kind == SPL_HOST) {
        free(given);
        return;
    }
    int k = device_at(m, place);
    m->drivers[k]->free(m->handles[k], given, stream->handle);
}

static spl_context *start(memory *m)
{
    static const char *const names[DEVICES] = {"emu", "emu64", "emu"};
    static const int ordinals[DEVICES] = {0, 0, 1};
    spl_context *context = NULL;
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    on_device s = several_start(1);
    *m = (memory){.fail_at = -1};
    for (int k = 0; k < DEVICES; k++) {
        spl_processor_info info = SPL_PROCESSOR_INFO_INIT;
        EXPECT_OK(spl_processor(s.context, k + 1, &info));
        m->places[k] = info.place;
        EXPECT_OK(spl__driver_find(names[k], &m->drivers[k]));
        EXPECT(m->drivers[k]->open(ordinals[k], &m->handles[k]) == SPL_OK);
    }
    spl_context_destroy(s.context);
    options.threads = 3;
    options.devices = "cpu,emu,emu64,emu:1";
    options.allocator = (spl_allocator){m, get_memory, give_memory};
    EXPECT_OK(spl_context_create(&options, &context));
    return context;
}

static void stop(memory *m, spl_context *context)
{
    spl_context_destroy(context);
    for (int k = 0; k < DEVICES; k++)
        m->drivers[k]->close(m->handles[k]);
}

/* ---- rounds ---- */

typedef struct product {
    zoo_matrix a;
    spl_options options;
    int columns; /* 0: SpGEMM; 1: SpMV; else SpMM */
    bool at_once, adds;
    double beta;
    float beta_f32;
} product;

static const char *draw_methods(zoo_random *random, char list[256])
{
    *list = 0;
    for (int64_t k = zoo_random_below(random, 3); k > 0; k--) {
        spl_method_info info = SPL_METHOD_INFO_INIT;
        EXPECT_OK(spl_method((int32_t)zoo_random_below(random, spl_method_count()), &info));
        snprintf(list + strlen(list), 256 - strlen(list), "%s%s", *list ? "," : "", info.id);
    }
    return *list ? list : NULL;
}

/* The CPU and devices, two processors at least. */
static uint64_t draw_processors(zoo_random *random)
{
    for (;;) {
        uint64_t mix = mixes[zoo_random_below(random, MIXES)];
        if (mix & (mix - 1))
            return mix;
    }
}

static void draw(zoo_random *random, product *p, char methods[256])
{
    static const double equal[PROCESSORS] = {1, 1, 1, 1};
    const zoo_maker makers[] = {{"diagonal", zoo_diagonal, {ROWS}, false},
                                {"uniform", zoo_uniform, {ROWS, ROWS, 5}, false},
                                {"box", zoo_box, {6, 4, 1, 2}, false}};
    zoo_form form = zoo_form_number((int)zoo_random_below(random, ZOO_FORMS));
    zoo_matrix_make(&p->a, &makers[zoo_random_below(random, 3)], form, zoo_random_next(random));
    p->columns = (int)zoo_random_below(random, 3) == 2 ? COLUMNS : (int)zoo_random_below(random, 2);
    p->at_once = zoo_random_below(random, 3) > 0;
    p->adds = zoo_random_below(random, 2);
    p->options = several_options(draw_processors(random), SPL_PARTITION_NNZ, equal);
    if (zoo_random_below(random, 3) == 0)
        p->options.memory_budget = 1 + (size_t)zoo_random_below(random, 60000);
    p->options.method = zoo_random_below(random, 2) ? draw_methods(random, methods) : NULL;
}

static void draw_failure(zoo_random *random, memory *m)
{
    int64_t choice = zoo_random_below(random, 3);
    m->on_host = choice != 1;
    m->on_devices = choice != 0;
    m->once = zoo_random_below(random, 2);
    atomic_store(&m->count, 0);
    m->fail_at = zoo_random_below(random, 4) ? (long long)zoo_random_below(random, 90) : -1;
}

static const void *beta_of(const product *p)
{
    return !p->adds                    ? NULL
           : p->a.view.type == SPL_F64 ? (const void *)&p->beta
                                       : (const void *)&p->beta_f32;
}

static spl_status run_dense(spl_context *context, memory *m, const product *p, const spl_dense *b,
                            const spl_dense *c)
{
    const spl_sparse *a = &p->a.view;
    spl_plan *plan = NULL;
    if (p->at_once)
        return p->columns == 1
                   ? spl_spmv(context, NULL, a, b->values, beta_of(p), c->values, &p->options)
                   : spl_spmm(context, NULL, a, b, beta_of(p), c, &p->options);
    spl_status status = p->columns == 1 ? spl_spmv_plan(context, a, &p->options, &plan)
                                        : spl_spmm_plan(context, a, p->columns, &p->options, &plan);
    m->fail_at = -1;
    if (status == SPL_OK)
        status = p->columns == 1
                     ? spl_spmv_execute(plan, NULL, b->values, beta_of(p), c->values, NULL)
                     : spl_spmm_execute(plan, NULL, b, beta_of(p), c, NULL);
    spl_plan_destroy(plan);
    return status;
}

/* The numbers in C are any, but known. */
static spl_status try_dense(spl_context *context, memory *m, const product *p)
{
    const spl_sparse *a = &p->a.view;
    test_dense b = test_dense_new(a->cols, p->columns, a->type, SPL_ROW_MAJOR, 0);
    test_dense c = test_dense_new(a->rows, p->columns, a->type, SPL_ROW_MAJOR, 0);
    spl_check check = SPL_CHECK_INIT;
    test_dense_fill(&b, ZOO_REAL, 5);
    test_dense_fill(&c, ZOO_REAL, 6);
    test_dense before = test_dense_copy(&c);
    spl_status status = run_dense(context, m, p, &b.view, &c.view);
    m->fail_at = -1;
    if (status != SPL_OK) {
        EXPECT(memcmp(c.memory.data, before.memory.data, c.memory.bytes) == 0);
    } else {
        EXPECT_OK(
            spl_check_spmm(NULL, a, &b.view, beta_of(p), &before.view, &c.view, NULL, &check));
        EXPECT(check.ok);
    }
    test_dense_free(&b);
    test_dense_free(&c);
    test_dense_free(&before);
    return status;
}

static spl_status plan_sparse(spl_context *context, memory *m, const product *p)
{
    spl_plan *plan = NULL, *const untouched = plan;
    spl_status status = spl_spgemm_plan(context, &p->a.view, &p->a.view, NULL, &p->options, &plan);
    m->fail_at = -1;
    EXPECT(status == SPL_OK || plan == untouched);
    spl_plan_destroy(plan);
    return status;
}

static spl_status try_sparse(spl_context *context, memory *m, const product *p)
{
    const spl_sparse *a = &p->a.view;
    spl_matrix *c = NULL;
    spl_sparse view = SPL_SPARSE_INIT;
    spl_check check = SPL_CHECK_INIT;
    if (!p->at_once)
        return plan_sparse(context, m, p);
    spl_status status = spl_spgemm(context, NULL, a, a, NULL, NULL, &p->options, &c);
    m->fail_at = -1;
    EXPECT((status == SPL_OK) == (c != NULL));
    if (status == SPL_OK) {
        EXPECT_OK(spl_matrix_view(c, &view));
        EXPECT_OK(spl_check_spgemm(NULL, a, a, NULL, NULL, &view, NULL, &check));
        EXPECT(check.ok);
    }
    spl_matrix_destroy(c);
    return status;
}

static void nothing_is_written(void **state)
{
    memory m;
    zoo_random random;
    int rounds = testing_few() ? ROUNDS / 10 : ROUNDS / testing_scale(), failed = 0;
    spl_context *context = start(&m);
    (void)state;
    zoo_random_seed(&random, testing_seed());
    for (int round = 0; round < rounds; round++) {
        char methods[256] = "";
        product p = {.beta = 2, .beta_f32 = 2};
        draw(&random, &p, methods);
        draw_failure(&random, &m);
        testing_case(
            "round %d: %d columns, %s, processors 0x%llx, budget %zu, failing %lld, methods %s",
            round, p.columns, p.at_once ? "at once" : "plan",
            (unsigned long long)p.options.processors, p.options.memory_budget, m.fail_at, methods);
        failed +=
            (p.columns > 0 ? try_dense(context, &m, &p) : try_sparse(context, &m, &p)) != SPL_OK;
        zoo_matrix_free(&p.a);
    }
    print_message("%d of %d calls failed\n", failed, rounds);
    EXPECT(failed > rounds / 4 && failed < rounds);
    stop(&m, context);
}

/* Blocks of SpMV on a device, which a diagonal matrix has none of. */
static void one_part_cannot_be_planned(void **state)
{
    const zoo_maker maker = {"diagonal", zoo_diagonal, {ROWS}, false};
    memory m;
    spl_context *context = start(&m);
    product p = {.columns = 1, .at_once = true};
    (void)state;
    p.options = several_options(3, SPL_PARTITION_NNZ, shares[0]);
    p.options.method = "spmv/compute/gpu/blocks";
    zoo_matrix_make(&p.a, &maker, zoo_form_number(0), 1);
    EXPECT_STATUS(SPL_UNSUPPORTED, try_dense(context, &m, &p));
    zoo_matrix_free(&p.a);
    stop(&m, context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_part_cannot_be_planned),
        cmocka_unit_test(nothing_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
