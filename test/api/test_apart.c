/* SPDX-License-Identifier: Apache-2.0 */
/* Which outputs are refused because they overlap what is read, or each other: all arrays of a
 * call lie at drawn positions in one block of memory, and the test counts how often each byte is
 * read and written. An accepted call must give the same results as with outputs elsewhere. */
#include "lib/run_products.h"

#include <stdlib.h>
#include <string.h>

enum { DRAWS = 3000, BYTES = 1280, MOST = 6 };

typedef struct block {
    _Alignas(64) unsigned char bytes[BYTES];
    unsigned char read[BYTES], written[BYTES];
    unsigned char elsewhere[BYTES]; /* outputs at the same distances, which overlap nothing */
} block;

static void mark(unsigned char *marks, int64_t first, int64_t count)
{
    for (int64_t i = first; i < first + count; i++)
        marks[i]++;
}

/* Draws the distance of an array. */
static int64_t position_in(zoo_random *random, unsigned char *marks, int64_t count, size_t size)
{
    int64_t position = zoo_random_below(random, BYTES / (int64_t)size - count + 1) * (int64_t)size;
    mark(marks, position, count * (int64_t)size);
    return position;
}

/* The same for a dense matrix, whose header it fills. */
static int64_t position_dense(zoo_random *random, unsigned char *marks, spl_dense *d)
{
    int64_t size = (int64_t)zoo_type_bytes(d->type);
    d->order = zoo_random_below(random, 2) ? SPL_ROW_MAJOR : SPL_COLUMN_MAJOR;
    int64_t lines = d->order == SPL_ROW_MAJOR ? d->rows : d->cols,
            line = d->order == SPL_ROW_MAJOR ? d->cols : d->rows;
    d->ld = zoo_random_below(random, 2) ? 10 : line + zoo_random_below(random, 8);
    int64_t position =
        zoo_random_below(random, BYTES / size - ((lines - 1) * d->ld + line) + 1) * size;
    for (int64_t i = 0; i < lines; i++)
        mark(marks, position + i * d->ld * size, line * size);
    return position;
}

static bool overlaps(const block *m)
{
    bool any = false;
    for (int i = 0; i < BYTES; i++)
        any = any || m->written[i] > 1 || (m->read[i] && m->written[i]);
    return any;
}

/* Moves one of the matrix' arrays, or none, into the block. */
static void draw_matrix(block *m, zoo_random *random, int64_t rows, int64_t cols, zoo_matrix *a)
{
    zoo_maker maker = {
        "drawn", zoo_uniform, {rows, cols, 1 + zoo_random_below(random, cols)}, false};
    zoo_matrix_make(a, &maker, zoo_form_number((int)zoo_random_below(random, ZOO_FORMS)),
                    zoo_random_next(random));
    spl_sparse *v = &a->view;
    int64_t offsets = v->format == SPL_CSR ? rows + 1 : v->format == SPL_CSC ? cols + 1 : v->nnz;
    const void **arrays[] = {&v->offsets, &v->indices, &v->values};
    size_t sizes[] = {zoo_index_bytes(v->format == SPL_COO ? v->index_type : v->offset_type),
                      zoo_index_bytes(v->index_type), zoo_type_bytes(v->type)};
    int64_t counts[] = {offsets, v->nnz, v->nnz}, which = zoo_random_below(random, 6);
    if (which >= 3)
        return;
    int64_t position = position_in(random, m->read, counts[which], sizes[which]);
    memcpy(m->bytes + position, *arrays[which], (size_t)counts[which] * sizes[which]);
    *arrays[which] = m->bytes + position;
}

/* The call with outputs in the block gave the results of the call with outputs elsewhere, or
 * wrote nothing. */
static void expect_result(const block *m, const unsigned char *before, spl_status status)
{
    EXPECT(status == (overlaps(m) ? SPL_INVALID_ARGUMENT : SPL_OK));
    for (int i = 0; i < BYTES; i++)
        EXPECT(m->bytes[i] == (status == SPL_OK && m->written[i] ? m->elsewhere[i] : before[i]));
}

/* A block of small numbers of the type. */
static void start(block *m, zoo_random *random, spl_type type)
{
    memset(m, 0, sizeof *m);
    for (size_t i = 0; i < BYTES / zoo_type_bytes(type); i++)
        zoo_value_set(m->bytes, type, (int64_t)i, (double)zoo_random_below(random, 9));
}

static int64_t count(zoo_random *random)
{
    return 1 + zoo_random_below(random, MOST);
}

static void try_dense(spl_context *context, zoo_random *random, bool vectors)
{
    block m;
    zoo_matrix a;
    unsigned char before[BYTES];
    spl_plan *plan = NULL;
    spl_dense b = SPL_DENSE_INIT, c = SPL_DENSE_INIT;
    start(&m, random, SPL_F64);
    draw_matrix(&m, random, c.rows = count(random), b.rows = count(random), &a);
    b.type = c.type = a.view.type;
    b.cols = c.cols = vectors ? 1 : count(random);
    size_t size = zoo_type_bytes(c.type);
    int64_t from = vectors ? position_in(random, m.read, b.rows, size)
                           : position_dense(random, m.read, &b),
            to = vectors ? position_in(random, m.written, c.rows, size)
                         : position_dense(random, m.written, &c);
    memcpy(before, m.bytes, BYTES);
    memcpy(m.elsewhere, m.bytes, BYTES);
    b.values = m.bytes + from;
    c.values = m.elsewhere + to;
    spl_status status;
    if (vectors) {
        EXPECT_OK(spl_spmv_plan(context, &a.view, NULL, &plan));
        EXPECT_OK(spl_spmv_execute(plan, NULL, b.values, NULL, c.values, NULL));
        status = spl_spmv_execute(plan, NULL, b.values, NULL, m.bytes + to, NULL);
    } else {
        EXPECT_OK(spl_spmm_plan(context, &a.view, c.cols, NULL, &plan));
        EXPECT_OK(spl_spmm_execute(plan, NULL, &b, NULL, &c, NULL));
        c.values = m.bytes + to;
        status = spl_spmm_execute(plan, NULL, &b, NULL, &c, NULL);
    }
    expect_result(&m, before, status);
    spl_plan_destroy(plan);
    zoo_matrix_free(&a);
}

/* Values of C = A*A + A, written by execute or, with everything else, by export. */
static void try_sparse(spl_context *context, zoo_random *random, bool exports)
{
    block m;
    zoo_matrix a;
    unsigned char before[BYTES];
    spl_plan *plan = NULL;
    spl_options options = SPL_OPTIONS_INIT;
    spl_result c = SPL_RESULT_INIT;
    int64_t n = count(random);
    start(&m, random, SPL_F64);
    draw_matrix(&m, random, n, n, &a);
    options.method = "spgemm/symbolic/cpu/hash"; /* no bound */
    options.keep_result = exports;
    EXPECT_OK(spl_spgemm_plan(context, &a.view, &a.view, &a.view, &options, &plan));
    EXPECT_OK(spl_spgemm_result(plan, &c));
    int64_t offsets =
                exports ? position_in(random, m.written, n + 1, zoo_index_bytes(c.offset_type)) : 0,
            indices =
                exports ? position_in(random, m.written, c.nnz, zoo_index_bytes(c.index_type)) : 0,
            values = position_in(random, m.written, c.nnz, zoo_type_bytes(c.type));
    memcpy(before, m.bytes, BYTES);
    memcpy(m.elsewhere, m.bytes, BYTES);
    spl_status status = SPL_OK;
    if (exports) {
        EXPECT_OK(spl_spgemm_execute(plan, NULL, NULL, NULL, NULL));
        EXPECT_OK(spl_spgemm_export(plan, m.elsewhere + offsets, NULL, NULL, NULL));
        status =
            spl_spgemm_export(plan, m.bytes + offsets, m.bytes + indices, m.bytes + values, NULL);
        if (status == SPL_OK)
            EXPECT_OK(
                spl_spgemm_export(plan, NULL, m.elsewhere + indices, m.elsewhere + values, NULL));
    } else {
        EXPECT_OK(spl_spgemm_execute(plan, NULL, NULL, m.elsewhere + values, NULL));
        status = spl_spgemm_execute(plan, NULL, NULL, m.bytes + values, NULL);
    }
    expect_result(&m, before, status);
    spl_plan_destroy(plan);
    zoo_matrix_free(&a);
}

static void draw(const char *call_name,
                 void (*try)(spl_context *context, zoo_random *random, bool variant), bool variant)
{
    zoo_random random;
    spl_context *context = testing_context(1);
    zoo_random_seed(&random, testing_seed());
    for (int n = 0; n < DRAWS; n += testing_scale()) {
        testing_case("%s, draw %d", call_name, n);
        try(context, &random, variant);
    }
    spl_context_destroy(context);
}

static void spmv(void **state)
{
    (void)state;
    draw("spmv", try_dense, true);
}

static void spmm(void **state)
{
    (void)state;
    draw("spmm", try_dense, false);
}

static void spgemm_execute(void **state)
{
    (void)state;
    draw("spgemm execute", try_sparse, false);
}

static void spgemm_export(void **state)
{
    (void)state;
    draw("spgemm export", try_sparse, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spmv),
        cmocka_unit_test(spmm),
        cmocka_unit_test(spgemm_execute),
        cmocka_unit_test(spgemm_export),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
