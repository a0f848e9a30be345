/* SPDX-License-Identifier: Apache-2.0 */
/* Promise 6: every way in which a view can be wrong, in every function that takes one and at every
 * argument. */
#include "lib/run_products.h"

#include <string.h>

/* A valid 6x5 matrix whose arrays and header the faults below change; `tail` is the memory after
 * the known struct. */
typedef struct subject {
    zoo_matrix matrix;
    spl_sparse view;
    unsigned char tail[16];
} subject;

typedef struct fault {
    const char *name;
    spl_status expected;
    int formats; /* bit 0: CSR, 1: CSC, 2: COO */
    void (*apply)(subject *s, int64_t number);
    int64_t number;
} fault;

enum { CSR = 1, CSC = 2, COO = 4, LINES = CSR | CSC, ALL = 7 };

static void set_size(subject *s, int64_t n)
{
    s->view.size = (uint32_t)n;
}
static void set_tail(subject *s, int64_t n)
{
    s->view.size = (uint32_t)sizeof s->view + 16;
    s->tail[n] = 1;
}
static void set_format(subject *s, int64_t n)
{
    s->view.format = (spl_format)n;
}
static void set_type(subject *s, int64_t n)
{
    s->view.type = (spl_type)n;
}
static void set_offset_type(subject *s, int64_t n)
{
    s->view.offset_type = (spl_index)n;
}
static void set_index_type(subject *s, int64_t n)
{
    s->view.index_type = (spl_index)n;
}
static void set_block_size(subject *s, int64_t n)
{
    s->view.block_size = (int32_t)n;
}
static void set_place_kind(subject *s, int64_t n)
{
    s->view.place.kind = (int32_t)n;
}
static void set_place_ordinal(subject *s, int64_t n)
{
    s->view.place.ordinal = (int32_t)n;
}
static void set_rows(subject *s, int64_t n)
{
    s->view.rows = n;
}
static void set_cols(subject *s, int64_t n)
{
    s->view.cols = n;
}
static void set_nnz(subject *s, int64_t n)
{
    s->view.nnz = n;
}
static void add_nnz(subject *s, int64_t n)
{
    s->view.nnz += n;
}
static void drop_array(subject *s, int64_t n)
{
    const void **arrays[] = {&s->view.offsets, &s->view.indices, &s->view.values};
    *arrays[n] = NULL;
}
/* Moves array n / 8 by n % 8 bytes. */
static void move_array(subject *s, int64_t n)
{
    const void **arrays[] = {&s->view.offsets, &s->view.indices, &s->view.values};
    *arrays[n / 8] = (const char *)*arrays[n / 8] + n % 8;
}
static void start_at(subject *s, int64_t n)
{
    zoo_index_set(s->matrix.offsets, s->view.offset_type, 0, n);
}
/* Line 2's end lies before its begin. */
static void decrease(subject *s, int64_t n)
{
    zoo_index_set(s->matrix.offsets, s->view.offset_type, n,
                  zoo_index_at(s->matrix.offsets, s->view.offset_type, n - 1) - 1);
}
static void overshoot(subject *s, int64_t n)
{
    zoo_index_set(s->matrix.offsets, s->view.offset_type, n, s->view.nnz + 1);
}
static void first_index(subject *s, int64_t n)
{
    zoo_index_set(s->matrix.indices, s->view.index_type, 0, n);
}
static void last_index(subject *s, int64_t n)
{
    zoo_index_set(s->matrix.indices, s->view.index_type, s->view.nnz - 1, n);
}
static void last_row_index(subject *s, int64_t n)
{
    zoo_index_set(s->matrix.offsets, s->view.index_type, s->view.nnz - 1, n);
}

static const fault faults[] = {
    {"size 0", SPL_INVALID_ARGUMENT, ALL, set_size, 0},
    {"size 3", SPL_INVALID_ARGUMENT, ALL, set_size, 3},
    {"size 2^31", SPL_INVALID_ARGUMENT, ALL, set_size, 1LL << 31},
    {"a byte behind the known struct", SPL_INVALID_ARGUMENT, ALL, set_tail, 0},
    {"the last byte of a longer struct", SPL_INVALID_ARGUMENT, ALL, set_tail, 15},
    {"format 0", SPL_INVALID_ARGUMENT, ALL, set_format, 0},
    {"format 9", SPL_INVALID_ARGUMENT, ALL, set_format, 9},
    {"format BSR", SPL_UNSUPPORTED, ALL, set_format, SPL_BSR},
    {"type 0", SPL_INVALID_ARGUMENT, ALL, set_type, 0},
    {"type 77", SPL_INVALID_ARGUMENT, ALL, set_type, 77},
    {"type c32", SPL_UNSUPPORTED, ALL, set_type, SPL_C32},
    {"type c64", SPL_UNSUPPORTED, ALL, set_type, SPL_C64},
    {"offset type 0", SPL_INVALID_ARGUMENT, LINES, set_offset_type, 0},
    {"offset type 3", SPL_INVALID_ARGUMENT, LINES, set_offset_type, 3},
    {"index type 0", SPL_INVALID_ARGUMENT, ALL, set_index_type, 0},
    {"index type -1", SPL_INVALID_ARGUMENT, ALL, set_index_type, -1},
    {"block size 2", SPL_INVALID_ARGUMENT, ALL, set_block_size, 2},
    {"CUDA", SPL_UNSUPPORTED, ALL, set_place_kind, SPL_CUDA},
    {"HIP", SPL_UNSUPPORTED, ALL, set_place_kind, SPL_HIP},
    {"emulator", SPL_UNSUPPORTED, ALL, set_place_kind, SPL_EMULATOR},
    {"place 9", SPL_INVALID_ARGUMENT, ALL, set_place_kind, 9},
    {"place -1", SPL_INVALID_ARGUMENT, ALL, set_place_kind, -1},
    {"host 1", SPL_INVALID_ARGUMENT, ALL, set_place_ordinal, 1},
    {"rows -1", SPL_INVALID_ARGUMENT, ALL, set_rows, -1},
    {"cols -1", SPL_INVALID_ARGUMENT, ALL, set_cols, -1},
    {"nnz -1", SPL_INVALID_ARGUMENT, ALL, set_nnz, -1},
    {"no rows but entries", SPL_INVALID_MATRIX, ALL, set_rows, 0},
    {"no columns but entries", SPL_INVALID_MATRIX, ALL, set_cols, 0},
    {"one entry more", SPL_INVALID_MATRIX, LINES, add_nnz, 1},
    {"one entry less", SPL_INVALID_MATRIX, LINES, add_nnz, -1},
    {"no entries", SPL_INVALID_MATRIX, LINES, set_nnz, 0},
    {"NULL offsets", SPL_INVALID_ARGUMENT, ALL, drop_array, 0},
    {"NULL indices", SPL_INVALID_ARGUMENT, ALL, drop_array, 1},
    {"NULL values", SPL_INVALID_ARGUMENT, ALL, drop_array, 2},
    {"offsets moved by 1", SPL_INVALID_ARGUMENT, ALL, move_array, 1},
    {"offsets moved by 2", SPL_INVALID_ARGUMENT, ALL, move_array, 2},
    {"indices moved by 1", SPL_INVALID_ARGUMENT, ALL, move_array, 8 + 1},
    {"indices moved by 6", SPL_INVALID_ARGUMENT, ALL, move_array, 8 + 6},
    {"values moved by 1", SPL_INVALID_ARGUMENT, ALL, move_array, 16 + 1},
    {"values moved by 4", SPL_INVALID_ARGUMENT, ALL, move_array, 16 + 4},
    {"first offset 1", SPL_INVALID_MATRIX, LINES, start_at, 1},
    {"first offset -1", SPL_INVALID_MATRIX, LINES, start_at, -1},
    {"offsets decrease in line 1", SPL_INVALID_MATRIX, LINES, decrease, 2},
    {"offsets decrease in line 3", SPL_INVALID_MATRIX, LINES, decrease, 4},
    {"an offset beyond nnz", SPL_INVALID_MATRIX, LINES, overshoot, 3},
    {"first index -1", SPL_INVALID_MATRIX, ALL, first_index, -1},
    {"first index 7", SPL_INVALID_MATRIX, ALL, first_index, 7},
    {"last index too large", SPL_INVALID_MATRIX, CSR | COO, last_index, 5},
    {"last index too large", SPL_INVALID_MATRIX, CSC, last_index, 6},
    {"last index -1", SPL_INVALID_MATRIX, ALL, last_index, -1},
    {"last index huge", SPL_INVALID_MATRIX, ALL, last_index, INT32_MAX},
    {"last row too large", SPL_INVALID_MATRIX, COO, last_row_index, 6},
    {"last row -1", SPL_INVALID_MATRIX, COO, last_row_index, -1},
};
enum { FAULTS = sizeof faults / sizeof *faults };

static char poison[64];

/* One place where a view can be given; `a` is the faulty one, `good` a valid 5x5 matrix, `tall` a
 * valid 6x5 one. */
typedef struct arguments {
    spl_context *context;
    const spl_sparse *a, *good, *tall;
} arguments;

static spl_status by_validate(const arguments *v)
{
    return spl_validate(v->a);
}
static spl_status by_convert(const arguments *v)
{
    spl_matrix *result = (void *)poison;
    spl_status status = spl_convert(v->context, v->a, NULL, &result);
    EXPECT(result == (void *)poison);
    return status;
}
static spl_status by_describe(const arguments *v)
{
    spl_description description = SPL_DESCRIPTION_INIT, before = SPL_DESCRIPTION_INIT;
    spl_status status = spl_describe(v->context, v->a, &description);
    EXPECT(memcmp(&description, &before, sizeof before) == 0);
    return status;
}
static spl_status by_spmv_plan(const arguments *v)
{
    spl_plan *plan = (void *)poison;
    spl_status status = spl_spmv_plan(v->context, v->a, NULL, &plan);
    EXPECT(plan == (void *)poison);
    return status;
}
static spl_status by_spmm_plan(const arguments *v)
{
    spl_plan *plan = (void *)poison;
    spl_status status = spl_spmm_plan(v->context, v->a, 4, NULL, &plan);
    EXPECT(plan == (void *)poison);
    return status;
}
static spl_status spgemm_plan(const arguments *v, const spl_sparse *a, const spl_sparse *b,
                              const spl_sparse *d)
{
    spl_plan *plan = (void *)poison;
    spl_status status = spl_spgemm_plan(v->context, a, b, d, NULL, &plan);
    EXPECT(plan == (void *)poison);
    return status;
}
static spl_status by_spgemm_a(const arguments *v)
{
    return spgemm_plan(v, v->a, v->good, NULL);
}
static spl_status by_spgemm_b(const arguments *v)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = (void *)poison;
    options.op_a = SPL_TRANSPOSE;
    spl_status status = spl_spgemm_plan(v->context, v->tall, v->a, NULL, &options, &plan);
    EXPECT(plan == (void *)poison);
    return status;
}
static spl_status by_spgemm_d(const arguments *v)
{
    return spgemm_plan(v, v->tall, v->good, v->a);
}
static spl_status by_one_shot(const arguments *v)
{
    spl_matrix *c = (void *)poison;
    spl_status status = spl_spgemm(v->context, NULL, v->a, v->good, NULL, NULL, NULL, &c);
    EXPECT(c == (void *)poison);
    return status;
}
static spl_status by_spmv(const arguments *v)
{
    const double x[8] = {0};
    guarded y = guarded_new(8 * sizeof(double));
    spl_status status = spl_spmv(v->context, NULL, v->a, x, NULL, y.data, NULL);
    EXPECT(guarded_untouched(&y));
    guarded_free(&y);
    return status;
}
static spl_status by_check(const arguments *v)
{
    const double x[8] = {0}, y[8] = {0};
    spl_check check = SPL_CHECK_INIT;
    return spl_check_spmv(NULL, v->a, x, NULL, NULL, y, NULL, &check);
}
static spl_status by_check_c(const arguments *v)
{
    spl_check check = SPL_CHECK_INIT;
    return spl_check_spgemm(NULL, v->a, v->good, NULL, NULL, v->tall, NULL, &check);
}

typedef spl_status (*entrance)(const arguments *v);
static const entrance entrances[] = {by_validate,  by_convert,  by_describe, by_spmv_plan,
                                     by_spmm_plan, by_spgemm_a, by_spgemm_b, by_spgemm_d,
                                     by_one_shot,  by_spmv,     by_check,    by_check_c};
enum { ENTRANCES = sizeof entrances / sizeof *entrances };

static void make_dense_subject(zoo_matrix *matrix, int64_t rows, int form)
{
    const zoo_maker maker = {"subject", zoo_dense, {rows, 5}, false};
    zoo_matrix_make(matrix, &maker, zoo_form_number(form), testing_seed());
}

static void try_fault(const arguments *rest, const fault *f, int form)
{
    for (int e = 0; e < ENTRANCES; e++) {
        subject s;
        memset(&s, 0, sizeof s);
        make_dense_subject(&s.matrix, 6, form);
        s.view = s.matrix.view;
        f->apply(&s, f->number);
        arguments v = *rest;
        v.a = &s.view;
        testing_case("%s in %s, entrance %d", f->name, zoo_form_name(zoo_form_number(form)), e);
        testing_status(f->expected, entrances[e](&v), f->name, __FILE__, __LINE__);
        zoo_matrix_free(&s.matrix);
    }
}

/* On a device, its place is a fault of the arrays: test/device/test_device_refusals.c. */
static bool is_place_of_device(const fault *f)
{
    return f->apply == set_place_kind && f->number >= SPL_CUDA && f->number <= SPL_EMULATOR &&
           testing_device() &&
           !strncmp(testing_device(),
                    f->number == SPL_CUDA  ? "cuda"
                    : f->number == SPL_HIP ? "hip"
                                           : "emu",
                    3);
}

static void every_fault_everywhere(void **state)
{
    (void)state;
    zoo_matrix good, tall;
    make_dense_subject(&good, 5, 0);
    make_dense_subject(&tall, 6, 0);
    arguments v = {testing_context(2), NULL, &good.view, &tall.view};
    for (int f = 0; f < FAULTS; f++)
        for (int form = 0; form < 9; form++)
            if (faults[f].formats >> form % 3 & 1 && !is_place_of_device(&faults[f]))
                try_fault(&v, &faults[f], form);
    spl_context_destroy(v.context);
    zoo_matrix_free(&good);
    zoo_matrix_free(&tall);
}

/* The detail names the position of a fault. */
static void the_detail_has_the_place(void **state)
{
    (void)state;
    zoo_matrix a;
    make_dense_subject(&a, 6, 0);
    zoo_index_set(a.indices, SPL_I32, 22, 900);
    EXPECT_STATUS(SPL_INVALID_MATRIX, spl_validate(&a.view));
    testing_case("detail \"%s\"", spl_error_detail());
    EXPECT(strstr(spl_error_detail(), "row 4") && strstr(spl_error_detail(), "900"));
    EXPECT(strstr(spl_error_detail(), "22") != NULL);
    zoo_matrix_free(&a);
}

/* The detail names a misaligned array, also 64-bit elements that are off by 4 bytes. An array
 * without elements may be any pointer. */
static void misaligned_arrays_are_named(void **state)
{
    (void)state;
    static const char *const names[] = {"matrix: offsets", "matrix: indices", "matrix: values"};
    for (int k = 0; k < 3; k++) {
        subject s;
        memset(&s, 0, sizeof s);
        make_dense_subject(&s.matrix, 6, 6); /* CSR 64/64 */
        s.view = s.matrix.view;
        EXPECT_OK(spl_validate(&s.view));
        move_array(&s, 8 * k + 4);
        EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_validate(&s.view));
        testing_case("detail \"%s\"", spl_error_detail());
        EXPECT(strstr(spl_error_detail(), names[k]) &&
               strstr(spl_error_detail(), "aligned to the 8 bytes"));
        zoo_matrix_free(&s.matrix);
    }
    int64_t nothing[2] = {0, 0};
    spl_sparse empty = SPL_SPARSE_INIT;
    empty.format = SPL_CSR;
    empty.type = SPL_F64;
    empty.offset_type = empty.index_type = SPL_I64;
    empty.rows = empty.cols = 1;
    empty.offsets = nothing;
    empty.indices = empty.values = (char *)nothing + 1;
    testing_case("no entries");
    EXPECT_OK(spl_validate(&empty));
}

/* Valid oddities that must not be refused. */
static void odd_but_valid(void **state)
{
    (void)state;
    for (int m = 0; m < zoo_tiny_count; m++)
        for (int form = 0; form < ZOO_FORMS; form++) {
            zoo_matrix a;
            zoo_matrix_make(&a, &zoo_tiny[m], zoo_form_number(form), testing_seed());
            testing_case("%s %s", zoo_tiny[m].name, zoo_form_name(zoo_form_number(form)));
            EXPECT_OK(spl_validate(&a.view));
            zoo_matrix_free(&a);
        }
    subject s;
    memset(&s, 0, sizeof s);
    make_dense_subject(&s.matrix, 6, 0);
    s.view = s.matrix.view;
    s.view.size += 16; /* a newer caller that uses nothing new */
    testing_case("longer struct of zeros");
    EXPECT_OK(spl_validate(&s.view));
    zoo_matrix_free(&s.matrix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault_everywhere),
        cmocka_unit_test(the_detail_has_the_place),
        cmocka_unit_test(misaligned_arrays_are_named),
        cmocka_unit_test(odd_but_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
