/* SPDX-License-Identifier: Apache-2.0 */
/* Operands whose arrays move. spl_plan_update_values announces the same structure at other
 * addresses, and the plan uses these from then on, on every processor and with every method. The
 * old arrays hold other data by then. */
#include "lib/several.h"

#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS = 3, ROUNDS = 260, MOVES = 2 };

/* An operand at `place`: its arrays, and the same on the host. */
typedef struct operand {
    zoo_matrix host;
    spl_sparse view;
} operand;

typedef struct setting {
    on_device s; /* its place is that of the operands: the host, or a device */
    zoo_random random;
    spl_options options;
    spl_plan *plan;
    operand a, b, d;
    bool has_d, square; /* B is A */
    bool plain;         /* operands are such that they are read in place */
    int columns;        /* 0: SpGEMM; 1: SpMV; else SpMM */
} setting;

static int64_t draw(setting *t, int64_t below)
{
    return zoo_random_below(&t->random, below);
}

/* ---- arrays ---- */

static bool on_host(const setting *t)
{
    return t->s.place.kind == SPL_HOST;
}

static size_t offset_bytes(const spl_sparse *v)
{
    if (v->format == SPL_COO)
        return (size_t)v->nnz * zoo_index_bytes(v->index_type);
    return (size_t)((v->format == SPL_CSC ? v->cols : v->rows) + 1) *
           zoo_index_bytes(v->offset_type);
}

static void sizes_of(const spl_sparse *v, size_t bytes[3])
{
    bytes[0] = offset_bytes(v);
    bytes[1] = (size_t)v->nnz * zoo_index_bytes(v->index_type);
    bytes[2] = (size_t)v->nnz * zoo_type_bytes(v->type);
}

static void *put(const setting *t, const void *from, size_t bytes)
{
    return on_host(t) ? memcpy(zoo_allocate(bytes), from, bytes)
                      : on_device_put(&t->s, from, bytes);
}

/* Overwrites the old array with other data (structure that is almost valid, NaN), then frees it. */
static void drop(const setting *t, const void *array, size_t bytes, int byte)
{
    void *garbage = zoo_allocate(bytes);
    memset(garbage, byte, bytes);
    if (array && bytes > 0)
        EXPECT_OK(spl_array_copy(t->s.context, t->s.place, (void *)array, host_place, garbage,
                                 bytes, NULL));
    free(garbage);
    if (on_host(t))
        free((void *)array);
    else
        on_device_drop(&t->s, array, bytes);
}

static void put_all(const setting *t, operand *o)
{
    size_t bytes[3];
    sizes_of(&o->host.view, bytes);
    o->view = o->host.view;
    o->view.place = t->s.place;
    o->view.offsets = put(t, o->host.offsets, bytes[0]);
    o->view.indices = put(t, o->host.indices, bytes[1]);
    o->view.values = put(t, o->host.values, bytes[2]);
}

static void drop_all(const setting *t, const spl_sparse *view)
{
    size_t bytes[3];
    sizes_of(view, bytes);
    drop(t, view->offsets, bytes[0], 0);
    drop(t, view->indices, bytes[1], 0);
    drop(t, view->values, bytes[2], 0xFF);
}

static void renew_values(setting *t, operand *o)
{
    for (int64_t e = 0; e < o->host.view.nnz; e++)
        zoo_value_set(o->host.values, o->host.view.type, e, zoo_random_unit(&t->random));
}

/* ---- problems ---- */

static void make(setting *t, operand *o, const zoo_maker *maker, int form)
{
    zoo_matrix_make(&o->host, maker, zoo_form_number(form), zoo_random_next(&t->random));
    put_all(t, o);
}

/* Square matrices of the same size, so that any two make a product. */
static zoo_maker draw_maker(setting *t)
{
    const zoo_maker makers[] = {
        {"uniform", zoo_uniform, {24, 24, 3}, false},
        {"box", zoo_box, {4, 3, 1, 2}, false},
        {"banded", zoo_banded, {24, 4}, false},
        {"duplicates", zoo_duplicates, {24, 24, 90}, false},
        {"unsorted", zoo_unsorted, {24, 24, 4}, false},
        {"dense_row", zoo_dense_row, {24, 24, 5, 1}, false},
    };
    return makers[draw(t, (int64_t)(sizeof makers / sizeof *makers))];
}

/* Types agree within a product. */
static int draw_form(setting *t, spl_type type)
{
    for (;;) {
        int number = (int)draw(t, ZOO_FORMS);
        zoo_form form = zoo_form_number(number);
        bool plain =
            form.format == SPL_CSR && form.offset_type == SPL_I32 && form.index_type == SPL_I32;
        if (form.type == type && (plain || !t->plain))
            return number;
    }
}

static void make_operands(setting *t, zoo_maker maker)
{
    spl_type type = draw(t, 2) ? SPL_F64 : SPL_F32;
    const zoo_maker other = draw_maker(t), summand = draw_maker(t);
    make(t, &t->a, &maker, draw_form(t, type));
    t->has_d = t->columns == 0 && draw(t, 2);
    t->square = t->columns == 0 && draw(t, 2);
    if (t->columns == 0 && !t->square)
        make(t, &t->b, &other, draw_form(t, type));
    if (t->has_d)
        make(t, &t->d, &summand, draw_form(t, type));
}

/* Any method, or what the library chooses. */
static const char *draw_method(setting *t)
{
    static const char *const operations[] = {"spgemm/numeric/", "spmv/", "spmm/"};
    const char *prefix = operations[t->columns > 1 ? 2 : t->columns];
    spl_method_info info = SPL_METHOD_INFO_INIT;
    if (draw(t, 4) == 0)
        return NULL;
    do
        EXPECT_OK(spl_method((int32_t)draw(t, spl_method_count()), &info));
    while (strncmp(info.id, prefix, strlen(prefix)) != 0);
    return info.id;
}

/* The CPU, a device for operands on the host, several for either, or the device where they are. */
static void draw_processors(setting *t, int owner)
{
    const uint64_t mine = (uint64_t)1 << owner;
    t->options = (spl_options)SPL_OPTIONS_INIT;
    t->options.processors = draw(t, 2) ? mine : mixes[draw(t, MIXES)];
    t->options.method = draw_method(t);
    t->options.check_inputs = (int32_t)draw(t, 2);
    t->options.keep_result = t->columns == 0;
    t->options.partition = draw(t, 2) ? SPL_PARTITION_NNZ : SPL_PARTITION_COST;
    t->options.capabilities = shares[draw(t, SHARES)];
}

static spl_status make_plan(setting *t)
{
    const spl_sparse *b = t->square ? &t->a.view : &t->b.view, *d = t->has_d ? &t->d.view : NULL;
    if (t->columns == 0)
        return spl_spgemm_plan(t->s.context, &t->a.view, b, d, &t->options, &t->plan);
    if (t->columns == 1)
        return spl_spmv_plan(t->s.context, &t->a.view, &t->options, &t->plan);
    return spl_spmm_plan(t->s.context, &t->a.view, t->columns, &t->options, &t->plan);
}

/* ---- products ---- */

static spl_status execute_dense(const setting *t, const spl_dense *b, const spl_dense *c)
{
    if (t->columns > 1)
        return spl_spmm_execute(t->plan, NULL, b, NULL, c, NULL);
    return spl_spmv_execute(t->plan, NULL, b->values, NULL, c->values, NULL);
}

static void expect_dense(const setting *t)
{
    const spl_sparse *a = &t->a.host.view;
    spl_check check = SPL_CHECK_INIT;
    test_dense b = test_dense_new(a->cols, t->columns, a->type, SPL_ROW_MAJOR, 0);
    test_dense c = test_dense_new(a->rows, t->columns, a->type, SPL_ROW_MAJOR, 0);
    test_dense_fill(&b, ZOO_REAL, 78);
    if (on_host(t)) {
        EXPECT_OK(execute_dense(t, &b.view, &c.view));
    } else {
        spl_dense device_b = resident_dense(&t->s, &b), device_c = resident_dense(&t->s, &c);
        EXPECT_OK(execute_dense(t, &device_b, &device_c));
        EXPECT_OK(spl_sync(t->s.context, NULL));
        resident_dense_end(&t->s, &b, &device_b);
        resident_dense_end(&t->s, &c, &device_c);
    }
    EXPECT_OK(spl_check_spmm(NULL, a, &b.view, NULL, NULL, &c.view, NULL, &check));
    EXPECT(check.ok && check.compared == a->rows * t->columns);
    test_dense_free(&b);
    test_dense_free(&c);
}

static void expect_sparse(const setting *t)
{
    const double beta = 1;
    const float beta_f32 = 1;
    const spl_sparse *a = &t->a.host.view, *b = t->square ? a : &t->b.host.view;
    const void *times = a->type == SPL_F64 ? (const void *)&beta : &beta_f32;
    spl_matrix *c = NULL;
    spl_sparse view = SPL_SPARSE_INIT;
    spl_check check = SPL_CHECK_INIT;
    EXPECT_OK(spl_spgemm_execute(t->plan, NULL, times, NULL, NULL));
    EXPECT_OK(spl_spgemm_take(t->plan, &c));
    EXPECT_OK(spl_matrix_view(c, &view));
    spl_sparse host_view = on_host(t) ? view : on_device_copy_to_host(&t->s, &view);
    EXPECT_OK(spl_check_spgemm(NULL, a, b, times, t->has_d ? &t->d.host.view : NULL, &host_view,
                               NULL, &check));
    EXPECT(check.ok);
    if (!on_host(t))
        on_device_drop_copy(&host_view);
    spl_matrix_destroy(c);
}

static void expect_product(const setting *t)
{
    if (t->columns == 0)
        expect_sparse(t);
    else
        expect_dense(t);
}

/* ---- moving ---- */

/* Other arrays with other values; the old arrays are in `old`. */
static void move(setting *t, operand *o, spl_sparse *old)
{
    *old = o->view;
    renew_values(t, o);
    put_all(t, o);
}

static spl_status announce(const setting *t)
{
    const spl_sparse *b = t->square ? &t->a.view : &t->b.view;
    return spl_plan_update_values(t->plan, &t->a.view, t->columns == 0 ? b : NULL,
                                  t->has_d ? &t->d.view : NULL, NULL);
}

static void move_all(setting *t)
{
    operand *const all[] = {&t->a, t->columns == 0 && !t->square ? &t->b : NULL,
                            t->has_d ? &t->d : NULL};
    spl_sparse old[3];
    for (int k = 0; k < 3; k++)
        if (all[k])
            move(t, all[k], &old[k]);
    EXPECT_OK(announce(t));
    if (!on_host(t))
        EXPECT_OK(spl_sync(t->s.context, NULL));
    for (int k = 0; k < 3; k++)
        if (all[k])
            drop_all(t, &old[k]);
}

/* The first two neighbouring entries whose indices differ; -1: there are none. */
static int64_t find_unequal(const operand *o)
{
    const spl_sparse *v = &o->host.view;
    for (int64_t e = 0; e + 1 < v->nnz; e++)
        if (zoo_index_at(o->host.indices, v->index_type, e) !=
            zoo_index_at(o->host.indices, v->index_type, e + 1))
            return e;
    return -1;
}

static void swap_indices(operand *o, int64_t e)
{
    spl_index type = o->host.view.index_type;
    int64_t first = zoo_index_at(o->host.indices, type, e);
    zoo_index_set(o->host.indices, type, e, zoo_index_at(o->host.indices, type, e + 1));
    zoo_index_set(o->host.indices, type, e + 1, first);
}

/* Where inputs are checked, another structure is refused, and the plan is as it was. */
static void expect_refusal(setting *t)
{
    operand *which = t->has_d ? &t->d : t->columns == 0 && !t->square ? &t->b : &t->a;
    const spl_sparse before = which->view;
    const int64_t e = find_unequal(which);
    if (!t->options.check_inputs || e < 0)
        return;
    swap_indices(which, e);
    put_all(t, which);
    EXPECT_STATUS(SPL_STALE, announce(t));
    drop_all(t, &which->view);
    which->view = before;
    swap_indices(which, e);
    expect_product(t);
}

static void stop(setting *t)
{
    const operand *all[] = {&t->a, &t->b, &t->d};
    spl_plan_destroy(t->plan);
    for (int k = 0; k < 3; k++) {
        if (!all[k]->view.format)
            continue;
        drop_all(t, &all[k]->view);
        zoo_matrix_free((zoo_matrix *)&all[k]->host);
    }
    t->a = t->b = t->d = (operand){.view = {.rows = 0}};
    t->plan = NULL;
}

static int64_t allocations_of(const spl_plan *plan)
{
    spl_counters counters = SPL_COUNTERS_INIT;
    EXPECT_OK(spl_plan_counters(plan, &counters));
    return counters.allocations;
}

/* Whether the plan could be made: not every method serves every matrix. */
static bool try_round(setting *t)
{
    testing_case(
        "processors 0x%llx, operands at %d:%d, %s, %s, columns %d, square %d, D %d, checked %d",
        (unsigned long long)t->options.processors, t->s.place.kind, t->s.place.ordinal,
        zoo_form_name((zoo_form){t->a.view.format, t->a.view.type, t->a.view.offset_type,
                                 t->a.view.index_type}),
        t->options.method ? t->options.method : "chosen", t->columns, t->square, t->has_d,
        t->options.check_inputs);
    spl_status status = make_plan(t);
    if (status == SPL_OK) {
        for (int k = 0; k < MOVES; k++) {
            int64_t allocations = allocations_of(t->plan);
            move_all(t);
            EXPECT(allocations_of(t->plan) == allocations);
            expect_product(t);
        }
        expect_refusal(t);
    } else {
        EXPECT(status == SPL_UNSUPPORTED || status == SPL_INVALID_ARGUMENT);
    }
    stop(t);
    return status == SPL_OK;
}

static spl_place place_of(const setting *t, int owner)
{
    spl_processor_info info = SPL_PROCESSOR_INFO_INIT;
    EXPECT_OK(spl_processor(t->s.context, owner, &info));
    return info.place;
}

/* Anywhere, by anything. */
static void operands_move(void **state)
{
    int rounds = testing_few() ? ROUNDS / 10 : ROUNDS / testing_scale(), good = 0;
    setting t = {.s = several_start(1)};
    (void)state;
    zoo_random_seed(&t.random, testing_seed());
    for (int round = 0; round < rounds; round++) {
        int owner = (int)draw(&t, 2) * (int)draw(&t, PROCESSORS);
        t.s.place = place_of(&t, owner);
        t.columns = (int)draw(&t, 3) == 2 ? COLUMNS : (int)draw(&t, 2);
        draw_processors(&t, owner);
        make_operands(&t, draw_maker(&t));
        good += try_round(&t);
    }
    print_message("%d of %d plans\n", good, rounds);
    EXPECT(good > rounds / 4);
    spl_context_destroy(t.s.context);
}

/* Each method where it computes, for a matrix that most serve: dense blocks of two unknowns. */
static void every_method_follows(void **state)
{
    const zoo_maker box = {"box", zoo_box, {4, 3, 1, 2}, false};
    setting t = {.s = several_start(1), .plain = true};
    int good = 0, tried = 0;
    (void)state;
    zoo_random_seed(&t.random, testing_seed());
    for (int32_t m = (int32_t)draw(&t, testing_scale()); m < spl_method_count();
         m += testing_scale()) {
        spl_method_info info = SPL_METHOD_INFO_INIT;
        EXPECT_OK(spl_method(m, &info));
        int owner = strcmp(info.processor, "gpu") == 0;
        t.s.place = place_of(&t, owner);
        t.columns = strncmp(info.id, "spgemm/", 7) == 0 ? 0
                    : strncmp(info.id, "spmm/", 5) == 0 ? COLUMNS
                                                        : 1;
        t.options = (spl_options)SPL_OPTIONS_INIT;
        t.options.processors = (uint64_t)1 << owner;
        t.options.method = info.id;
        t.options.keep_result = t.columns == 0;
        make_operands(&t, box);
        good += try_round(&t);
        tried++;
    }
    print_message("%d of %d methods\n", good, tried);
    EXPECT(good > tried / 2);
    spl_context_destroy(t.s.context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(operands_move),
                                       cmocka_unit_test(every_method_follows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
