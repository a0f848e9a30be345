/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices with up to 2^50 rows or columns and few entries: no function allocates memory for
 * lines without entries, except in its result. */
#include "lib/hook_allocator.h"
#include "lib/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bytes per entry and per line with stored offsets, and a constant. */
enum { PER_ENTRY = 256, ANY = 1 << 16, GROUP = 60, MOST_GROUPS = 3 };

/* ---- far matrices: those of a near one, whose groups of 60 lines (which blocks of up to 6
 * divide) were moved anywhere ---- */

typedef struct far_matrix {
    zoo_triples near, far;
    zoo_matrix a, of_near;
} far_matrix;

/* Groups of lines, ascending, within `all`. */
static void draw_groups(hooked *s, int64_t all, int64_t *groups)
{
    for (int64_t g = 0; g < MOST_GROUPS; g++)
        groups[g] =
            all / GROUP / MOST_GROUPS * g + zoo_random_below(&s->random, all / GROUP / MOST_GROUPS);
}

static int64_t spread(const int64_t *groups, int64_t line)
{
    return groups[line / GROUP] * GROUP + line % GROUP;
}

/* Entries anywhere; in blocks; mirrored; some twice. */
static void draw_near(hooked *s, int64_t rows, int64_t cols, zoo_triples *t)
{
    int64_t size = 1 + zoo_random_below(&s->random, rows < 4 ? rows : 4),
            count = zoo_random_below(&s->random, 30);
    bool mirrors = rows == cols && zoo_random_below(&s->random, 2),
         holes = zoo_random_below(&s->random, 2);
    zoo_triples_start(t, rows, cols);
    for (int64_t e = 0; e < count; e++) {
        int64_t i = zoo_random_below(&s->random, rows / size) * size,
                j = zoo_random_below(&s->random, cols / size) * size;
        for (int64_t position = 0; position < size * size; position++) {
            double v = (double)zoo_random_below(&s->random, 5);
            if (holes && zoo_random_below(&s->random, 5) == 0)
                continue;
            zoo_triples_add(t, i + position / size, j + position % size, v);
            if (mirrors)
                zoo_triples_add(t, j + position % size, i + position / size, v);
        }
    }
}

static far_matrix make(hooked *s, int64_t rows, int64_t cols, spl_format format)
{
    far_matrix m;
    int64_t near_rows = rows < MOST_GROUPS * GROUP ? rows : MOST_GROUPS * GROUP;
    int64_t near_cols = cols < MOST_GROUPS * GROUP ? cols : MOST_GROUPS * GROUP;
    int64_t row_groups[MOST_GROUPS] = {0, 1, 2}, col_groups[MOST_GROUPS] = {0, 1, 2};
    zoo_form form = {format, SPL_F64, SPL_I64, SPL_I64};
    if (rows > near_rows)
        draw_groups(s, rows, row_groups);
    if (rows == cols)
        memcpy(col_groups, row_groups, sizeof row_groups);
    else if (cols > near_cols)
        draw_groups(s, cols, col_groups);
    draw_near(s, near_rows, near_cols, &m.near);
    /* it is square where the far one is */
    m.near.cols += rows != cols ? (MOST_GROUPS + 1) * GROUP : 0;
    zoo_triples_start(&m.far, rows, cols);
    for (int64_t e = 0; e < m.near.nnz; e++)
        zoo_triples_add(&m.far, spread(row_groups, m.near.i[e]), spread(col_groups, m.near.j[e]),
                        m.near.v[e]);
    zoo_build(&m.a, &m.far, form);
    zoo_build(&m.of_near, &m.near, form);
    return m;
}

static void drop(far_matrix *m)
{
    zoo_matrix_free(&m->a);
    zoo_matrix_free(&m->of_near);
    zoo_triples_free(&m->near);
    zoo_triples_free(&m->far);
}

static size_t allowed(const spl_sparse *v)
{
    int64_t lines = v->format == SPL_CSR ? v->rows : v->format == SPL_CSC ? v->cols : 0;
    return (size_t)(v->nnz + lines) * PER_ENTRY + ANY;
}

/* Begins to watch the allocator; ends it. */
static size_t begin(hooked *s)
{
    s->hook.peak = s->hook.live;
    return s->hook.live;
}

static void expect_little(hooked *s, size_t live, const spl_sparse *v)
{
    EXPECT(s->hook.live == live);
    EXPECT(s->hook.peak - live <= allowed(v));
}

/* ---- descriptions ---- */

static void expect_alike(const spl_description *f, const spl_description *n, const far_matrix *m)
{
    double mean = (double)n->nnz / (double)m->far.rows;
    double squares =
        (n->row_deviation * n->row_deviation + n->mean_row * n->mean_row) * (double)n->rows;
    double deviation = sqrt(fmax(0, squares / (double)m->far.rows - mean * mean));
    int64_t width = -1;
    for (int64_t e = 0; e < m->far.nnz; e++)
        width = llabs(m->far.i[e] - m->far.j[e]) > width ? llabs(m->far.i[e] - m->far.j[e]) : width;
    EXPECT(f->rows == m->far.rows && f->cols == m->far.cols && f->nnz == n->nnz &&
           f->bandwidth == width);
    EXPECT(f->rows - f->empty_rows == n->rows - n->empty_rows && f->longest_row == n->longest_row);
    EXPECT(f->duplicates == n->duplicates && f->unsorted_rows == n->unsorted_rows &&
           f->products == n->products);
    EXPECT(f->pattern_symmetric == n->pattern_symmetric &&
           f->value_symmetric == n->value_symmetric);
    EXPECT(f->distinct_values == n->distinct_values && f->value_bytes == n->value_bytes);
    EXPECT(f->block_size == n->block_size && f->holed_block_size == n->holed_block_size);
    EXPECT(fabs(f->block_fill - n->block_fill) <= 1e-12 &&
           fabs(f->mean_row - mean) <= 1e-12 * mean);
    EXPECT(fabs(f->row_deviation - deviation) <= 1e-9 * deviation);
    EXPECT(fabs(f->density - mean / (double)m->far.cols) <= 1e-12 * mean / (double)m->far.cols);
}

static void try_description(hooked *s, const far_matrix *m)
{
    spl_description f = SPL_DESCRIPTION_INIT, n = SPL_DESCRIPTION_INIT;
    size_t live = begin(s);
    EXPECT_OK(spl_describe(s->context, &m->a.view, &f));
    expect_little(s, live, &m->a.view);
    EXPECT_OK(spl_describe(s->context, &m->of_near.view, &n));
    expect_alike(&f, &n, m);
}

/* ---- the other functions, for matrices whose rows are stored, or which need no rows ---- */

static void try_rows(hooked *s, const spl_sparse *v)
{
    spl_storage storage = SPL_STORAGE_INIT;
    spl_part parts[2] = {SPL_PART_INIT, SPL_PART_INIT};
    const double capabilities[2] = {1, 2};
    int64_t count, *order = zoo_allocate((size_t)v->rows * sizeof *order);
    size_t live = begin(s);
    EXPECT_OK(spl_distribution(s->context, v, 0, NULL, NULL, &count));
    EXPECT_OK(spl_measure_storage(s->context, v, &storage));
    EXPECT_OK(spl_partition(s->context, v, SPL_PARTITION_NNZ, 2, capabilities, NULL, order, parts));
    expect_little(s, live, v);
    EXPECT(parts[0].nnz + parts[1].nnz == v->nnz);
    free(order);
}

static void try_conversion(hooked *s, const spl_sparse *v, spl_format format, int sum)
{
    spl_convert_options options = SPL_CONVERT_OPTIONS_INIT;
    spl_sparse device_view = SPL_SPARSE_INIT;
    spl_matrix *c = NULL;
    size_t live = begin(s);
    options.format = format;
    options.sum_duplicates = sum;
    EXPECT_OK(spl_convert(s->context, v, &options, &c));
    EXPECT_OK(spl_matrix_view(c, &device_view));
    EXPECT(device_view.rows == v->rows && device_view.cols == v->cols && device_view.nnz <= v->nnz);
    spl_matrix_destroy(c);
    expect_little(s, live, v);
}

static void try_matrix(hooked *s, int64_t rows, int64_t cols, spl_format format)
{
    far_matrix m = make(s, rows, cols, format);
    const spl_sparse *v = &m.a.view;
    testing_case("%lld x %lld, format %d, %lld entries", (long long)rows, (long long)cols,
                 (int)format, (long long)v->nnz);
    EXPECT_OK(spl_validate(v));
    try_description(s, &m);
    try_conversion(s, v, format, 0);
    if (format != SPL_COO)
        try_conversion(s, v, format, 1);
    if (format != SPL_CSC)
        try_conversion(s, v, SPL_COO, format == SPL_CSR);
    if (format == SPL_CSR)
        try_rows(s, v);
    drop(&m);
}

static int64_t far_size(hooked *s)
{
    int bits = 20 + (int)zoo_random_below(&s->random, 29);
    return ((int64_t)1 << bits) + zoo_random_below(&s->random, (int64_t)1 << bits);
}

static void nothing_is_as_long_as_a_dimension(void **state)
{
    (void)state;
    hooked s;
    hooked_start(&s, 64 << 20);
    for (int repeat = 0; repeat < 60 / testing_scale(); repeat++) {
        int64_t few = GROUP * (1 + zoo_random_below(&s.random, MOST_GROUPS)),
                many = far_size(&s) / GROUP * GROUP;
        try_matrix(&s, few, many, SPL_CSR);
        try_matrix(&s, few, many, SPL_COO);
        try_matrix(&s, many, few, SPL_COO);
        try_matrix(&s, many, few, SPL_CSC);
        try_matrix(&s, many, many, SPL_COO);
    }
    try_matrix(&s, 3, ((int64_t)1 << 40) / GROUP * GROUP, SPL_CSR);
    hooked_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_as_long_as_a_dimension),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
