/* SPDX-License-Identifier: Apache-2.0 */
/* Every conversion of every matrix from every form to every form, against a sort of its triples. */
#include "lib/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An entry with its position in stored order, which makes sorting stable. */
typedef struct ordered {
    int64_t i, j, number;
    double v;
} ordered;

static int by_row(const void *a, const void *b)
{
    const ordered *x = a, *y = b;
    if (x->i != y->i)
        return x->i < y->i ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

static int by_position(const void *a, const void *b)
{
    const ordered *x = a, *y = b;
    return x->i == y->i && x->j != y->j ? (x->j < y->j ? -1 : 1) : by_row(a, b);
}

static int by_column_position(const void *a, const void *b)
{
    ordered x = *(const ordered *)a, y = *(const ordered *)b;
    ordered swapped_x = {x.j, x.i, x.number, x.v}, swapped_y = {y.j, y.i, y.number, y.v};
    return by_position(&swapped_x, &swapped_y);
}

static void reorder(zoo_triples *t, int (*compare)(const void *, const void *))
{
    ordered *entries = zoo_allocate((size_t)t->nnz * sizeof *entries);
    for (int64_t e = 0; e < t->nnz; e++)
        entries[e] = (ordered){t->i[e], t->j[e], e, t->v[e]};
    if (t->nnz > 0)
        qsort(entries, (size_t)t->nnz, sizeof *entries, compare);
    for (int64_t e = 0; e < t->nnz; e++) {
        t->i[e] = entries[e].i;
        t->j[e] = entries[e].j;
        t->v[e] = entries[e].v;
    }
    free(entries);
}

/* Adds neighbours of equal position, in the precision of `type`. */
static void sum_neighbours(zoo_triples *t, spl_type type)
{
    int64_t k = -1;
    for (int64_t e = 0; e < t->nnz; e++) {
        if (k >= 0 && t->i[k] == t->i[e] && t->j[k] == t->j[e]) {
            t->v[k] = type == SPL_F32 ? (float)t->v[k] + (float)t->v[e] : t->v[k] + t->v[e];
            continue;
        }
        k++;
        t->i[k] = t->i[e];
        t->j[k] = t->j[e];
        t->v[k] = t->v[e];
    }
    t->nnz = k + 1;
}

/* Of values as the type holds them: a number that is rounded to 0 is one. */
static void drop_zeros(zoo_triples *t, spl_type type)
{
    int64_t k = 0;
    for (int64_t e = 0; e < t->nnz; e++) {
        if ((type == SPL_F32 ? (float)t->v[e] : t->v[e]) == 0)
            continue;
        t->i[k] = t->i[e];
        t->j[k] = t->j[e];
        t->v[k++] = t->v[e];
    }
    t->nnz = k;
}

static void expected_matrix(zoo_matrix *expected, const spl_sparse *source,
                            const spl_convert_options *o, zoo_form form)
{
    zoo_triples t;
    zoo_triples_of_view(&t, source);
    if (o->transpose)
        zoo_triples_transpose(&t);
    bool sort = o->sort || o->sum_duplicates;
    if (sort)
        reorder(&t, form.format == SPL_CSC ? by_column_position : by_position);
    else if (form.format == SPL_COO && source->format != SPL_COO)
        reorder(&t, by_row);
    if (o->sum_duplicates)
        sum_neighbours(&t, form.type);
    if (o->drop_zeros)
        drop_zeros(&t, form.type);
    zoo_build(expected, &t, form);
    zoo_triples_free(&t);
}

static void expect_same_array(const void *a, const void *b, size_t bytes)
{
    EXPECT(bytes == 0 || memcmp(a, b, bytes) == 0);
}

static void expect_same_values(const spl_sparse *a, const spl_sparse *b, bool rounded)
{
    for (int64_t e = 0; e < a->nnz; e++) {
        double x = zoo_value_at(a->values, a->type, e), y = zoo_value_at(b->values, b->type, e);
        EXPECT(x == y || (isnan(x) && isnan(y)) ||
               (rounded && fabs(x - y) <= 1e-5 * (1 + fabs(x))));
    }
}

static void expect_same_matrix(const spl_sparse *got, const spl_sparse *expected, bool rounded)
{
    EXPECT(got->size == sizeof *got && got->format == expected->format &&
           got->type == expected->type);
    EXPECT(got->index_type == expected->index_type && got->block_size == 0 &&
           got->place.kind == SPL_HOST);
    EXPECT(got->format == SPL_COO || got->offset_type == expected->offset_type);
    EXPECT(got->rows == expected->rows && got->cols == expected->cols && got->nnz == expected->nnz);
    int64_t lines = got->format == SPL_CSR   ? got->rows + 1
                    : got->format == SPL_CSC ? got->cols + 1
                                             : got->nnz;
    spl_index first = got->format == SPL_COO ? got->index_type : got->offset_type;
    expect_same_array(got->offsets, expected->offsets, (size_t)lines * zoo_index_bytes(first));
    expect_same_array(got->indices, expected->indices,
                      (size_t)got->nnz * zoo_index_bytes(got->index_type));
    expect_same_values(got, expected, rounded);
    EXPECT_OK(spl_validate(got));
}

static void try_conversion(spl_context *context, const zoo_matrix *source, zoo_form to, int flags)
{
    spl_convert_options o = SPL_CONVERT_OPTIONS_INIT;
    spl_sparse view = SPL_SPARSE_INIT;
    spl_matrix *result = NULL;
    zoo_matrix expected;
    o.format = to.format;
    o.type = to.type;
    o.offset_type = to.offset_type;
    o.index_type = to.index_type;
    o.transpose = flags & 1;
    o.sort = flags >> 1 & 1;
    o.sum_duplicates = flags >> 2 & 1;
    o.drop_zeros = flags >> 3 & 1;
    EXPECT_OK(spl_convert(context, &source->view, &o, &result));
    EXPECT_OK(spl_matrix_view(result, &view));
    expected_matrix(&expected, &source->view, &o, to);
    expect_same_matrix(&view, &expected.view, o.sum_duplicates && to.type == SPL_F32);
    zoo_matrix_free(&expected);
    spl_matrix_destroy(result);
}

static void every_form_to_every_form(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    for (int m = 0; m < zoo_tiny_count; m++)
        for (int from = 0; from < ZOO_FORMS; from++) {
            zoo_matrix source;
            zoo_matrix_make(&source, &zoo_tiny[m], zoo_form_number(from), testing_seed());
            for (int to = (m + from) % testing_scale(); to < ZOO_FORMS; to += testing_scale())
                for (int flags = 0; flags < 8; flags++) {
                    testing_case("%s from %s to %s, transpose %d, sort %d, sum %d",
                                 zoo_tiny[m].name, zoo_form_name(zoo_form_number(from)),
                                 zoo_form_name(zoo_form_number(to)), flags & 1, flags >> 1 & 1,
                                 flags >> 2);
                    try_conversion(context, &source, zoo_form_number(to), flags);
                }
            zoo_matrix_free(&source);
        }
    spl_context_destroy(context);
}

static void large_matrices(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    for (int m = 0; m < zoo_large_count; m++) {
        zoo_matrix source;
        zoo_matrix_make(&source, &zoo_large[m], zoo_form_number(m % ZOO_FORMS), testing_seed());
        for (int flags = 0; flags < 8; flags++) {
            testing_case("%s, flags %d", zoo_large[m].name, flags);
            try_conversion(context, &source, zoo_form_number((5 * m + flags) % ZOO_FORMS), flags);
        }
        zoo_matrix_free(&source);
    }
    spl_context_destroy(context);
}

/* Many values of 0 and -0, some that are 0 only in f32, and positions where values cancel. */
static void zeros_are_dropped(void **state)
{
    (void)state;
    static const double values[] = {0, -0.0, 1, -1, 1e-60, -1e-60, 2};
    spl_context *context = testing_context(2);
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    for (int n = 0; n < 400; n += testing_scale()) {
        zoo_triples t;
        zoo_matrix source;
        int64_t rows = 1 + (int64_t)zoo_random_below(&random, 9);
        int64_t cols = 1 + (int64_t)zoo_random_below(&random, 9);
        zoo_triples_start(&t, rows, cols);
        for (uint64_t e = zoo_random_below(&random, 40); e > 0; e--)
            zoo_triples_add(&t, (int64_t)zoo_random_below(&random, (uint64_t)rows),
                            (int64_t)zoo_random_below(&random, (uint64_t)cols),
                            values[zoo_random_below(&random, 7)]);
        zoo_build(&source, &t, zoo_form_number((int)zoo_random_below(&random, ZOO_FORMS)));
        int to = (int)zoo_random_below(&random, ZOO_FORMS), flags = n % 8 | 8;
        testing_case("case %d, to %s, flags %d", n, zoo_form_name(zoo_form_number(to)), flags);
        try_conversion(context, &source, zoo_form_number(to), flags);
        zoo_matrix_free(&source);
        zoo_triples_free(&t);
    }
    spl_context_destroy(context);
}

/* Without options, or with all zero, a plain copy in the source's own form. */
static void defaults_copy(void **state)
{
    (void)state;
    spl_context *context = testing_context(1);
    for (int form = 0; form < ZOO_FORMS; form++) {
        zoo_matrix source;
        spl_matrix *copy = NULL;
        spl_sparse view = SPL_SPARSE_INIT;
        zoo_matrix_make(&source, zoo_find("duplicates_12"), zoo_form_number(form), testing_seed());
        testing_case("%s", zoo_form_name(zoo_form_number(form)));
        EXPECT_OK(spl_convert(context, &source.view, NULL, &copy));
        EXPECT_OK(spl_matrix_view(copy, &view));
        expect_same_matrix(&view, &source.view, false);
        EXPECT(view.values != source.view.values);
        spl_matrix_destroy(copy);
        zoo_matrix_free(&source);
    }
    spl_context_destroy(context);
}

static void arrays_are_writable(void **state)
{
    (void)state;
    spl_context *context = testing_context(1);
    zoo_matrix source;
    spl_matrix *copy = NULL;
    spl_sparse view = SPL_SPARSE_INIT;
    void *offsets, *indices, *values;
    zoo_matrix_make(&source, zoo_find("uniform_40"), zoo_form_number(0), testing_seed());
    EXPECT_OK(spl_convert(context, &source.view, NULL, &copy));
    EXPECT_OK(spl_matrix_arrays(copy, &offsets, &indices, &values));
    EXPECT_OK(spl_matrix_arrays(copy, NULL, NULL, NULL));
    EXPECT_OK(spl_matrix_view(copy, &view));
    EXPECT(offsets == view.offsets && indices == view.indices && values == view.values);
    ((double *)values)[0] = 42;
    EXPECT(((const double *)view.values)[0] == 42);
    spl_matrix_destroy(copy);
    zoo_matrix_free(&source);
    spl_context_destroy(context);
}

/* Large enough for buckets and for several threads. */
static void random_triples(zoo_triples *t)
{
    enum { ROWS = 70000, COLUMNS = 3000, ENTRIES = 200000 };
    zoo_random random;
    *t = (zoo_triples){.rows = ROWS, .cols = COLUMNS, .nnz = ENTRIES};
    t->i = zoo_allocate(ENTRIES * sizeof *t->i);
    t->j = zoo_allocate(ENTRIES * sizeof *t->j);
    t->v = zoo_allocate(ENTRIES * sizeof *t->v);
    zoo_random_seed(&random, testing_seed());
    for (int e = 0; e < ENTRIES; e++) {
        t->i[e] = (int64_t)zoo_random_below(&random, e % 3 ? ROWS : 5);
        t->j[e] = (int64_t)zoo_random_below(&random, COLUMNS);
        t->v[e] = e;
    }
}

static void try_threads(const zoo_matrix *source, const spl_convert_options *o)
{
    enum { TRIES = 4 };
    spl_context *contexts[TRIES];
    spl_matrix *results[TRIES];
    spl_sparse views[TRIES];
    const spl_sparse *s = &source->view;
    for (int i = 0; i < TRIES; i++) {
        spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
        options.threads = i == 3 ? 2 : 2 * i + 1;
        if (i == 3 && !o->sort) /* the result with 64-bit indices, but no buckets */
            options.memory_budget =
                (size_t)s->nnz * 17 + (size_t)(s->rows > s->cols ? s->rows : s->cols) * 9 + 4096;
        testing_case("from format %d to %d, sort %d, %d threads", (int)s->format, (int)o->format,
                     o->sort, (int)options.threads);
        views[i] = (spl_sparse)SPL_SPARSE_INIT;
        EXPECT_OK(spl_context_create(&options, &contexts[i]));
        EXPECT_OK(spl_convert(contexts[i], s, o, &results[i]));
        EXPECT_OK(spl_matrix_view(results[i], &views[i]));
        expect_same_matrix(&views[i], &views[0], false);
    }
    for (int i = 0; i < TRIES; i++) {
        spl_matrix_destroy(results[i]);
        spl_context_destroy(contexts[i]);
    }
}

/* The same bytes for any number of threads, and under a budget that leaves no room for buckets. */
static void threads_do_not_matter(void **state)
{
    (void)state;
    zoo_triples t;
    random_triples(&t);
    for (int n = 0; n < ZOO_FORMS * 4; n += testing_scale()) {
        zoo_matrix source;
        zoo_form form = zoo_form_number(n % ZOO_FORMS);
        spl_convert_options o = SPL_CONVERT_OPTIONS_INIT;
        o.format = n / ZOO_FORMS % 2 ? SPL_CSR : SPL_CSC;
        o.index_type = o.offset_type = form.index_type;
        o.sort = n / ZOO_FORMS / 2;
        zoo_build(&source, &t, form);
        try_threads(&source, &o);
        zoo_matrix_free(&source);
    }
    zoo_triples_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_to_every_form), cmocka_unit_test(large_matrices),
        cmocka_unit_test(threads_do_not_matter),    cmocka_unit_test(defaults_copy),
        cmocka_unit_test(arrays_are_writable),      cmocka_unit_test(zeros_are_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
