/* SPDX-License-Identifier: Apache-2.0 */
/* spl_describe against counting in a dense array. */
#include "lib/testing.h"

#include <math.h>
#include <stdlib.h>

/* sums[i*cols+j], counts[i*cols+j] of a small matrix, and the length of each row and column. */
typedef struct tally {
    int64_t rows, cols, *counts, *row_length, *col_length;
    double *sums;
} tally;

static tally tally_of(const zoo_triples *t)
{
    tally c = {t->rows,
               t->cols,
               calloc((size_t)(t->rows * t->cols) + 1, sizeof(int64_t)),
               calloc((size_t)t->rows + 1, sizeof(int64_t)),
               calloc((size_t)t->cols + 1, sizeof(int64_t)),
               calloc((size_t)(t->rows * t->cols) + 1, sizeof(double))};
    for (int64_t e = 0; e < t->nnz; e++) {
        c.counts[t->i[e] * t->cols + t->j[e]]++;
        c.sums[t->i[e] * t->cols + t->j[e]] += t->v[e];
        c.row_length[t->i[e]]++;
        c.col_length[t->j[e]]++;
    }
    return c;
}

static void tally_free(tally *c)
{
    free(c->counts);
    free(c->sums);
    free(c->row_length);
    free(c->col_length);
}

static void expect_rows(const spl_description *d, const tally *c)
{
    int64_t empty = 0, longest = 0, nnz = 0;
    double squares = 0;
    for (int64_t i = 0; i < c->rows; i++) {
        empty += c->row_length[i] == 0;
        longest = c->row_length[i] > longest ? c->row_length[i] : longest;
        nnz += c->row_length[i];
    }
    double mean = c->rows ? (double)nnz / (double)c->rows : 0;
    for (int64_t i = 0; i < c->rows; i++)
        squares += ((double)c->row_length[i] - mean) * ((double)c->row_length[i] - mean);
    double deviation = c->rows ? sqrt(squares / (double)c->rows) : 0;
    EXPECT(d->rows == c->rows && d->cols == c->cols && d->nnz == nnz);
    EXPECT(d->empty_rows == empty && d->longest_row == longest);
    EXPECT(fabs(d->mean_row - mean) <= 1e-12 * (1 + mean));
    EXPECT(fabs(d->row_deviation - deviation) <= 1e-7 * (1 + mean));
    double elements = (double)c->rows * (double)c->cols;
    EXPECT(fabs(d->density - (elements > 0 ? (double)nnz / elements : 0)) <= 1e-12);
}

static void expect_positions(const spl_description *d, const tally *c)
{
    int64_t duplicates = 0, bandwidth = -1;
    int32_t square = c->rows == c->cols, pattern = square, value = square;
    for (int64_t i = 0; i < c->rows; i++)
        for (int64_t j = 0; j < c->cols; j++) {
            int64_t position = i * c->cols + j, across = j * c->cols + i;
            if (c->counts[position] == 0)
                continue;
            duplicates += c->counts[position] - 1;
            bandwidth = llabs(i - j) > bandwidth ? llabs(i - j) : bandwidth;
            pattern = pattern && c->counts[across] > 0;
            value = value && c->sums[position] == c->sums[across];
        }
    EXPECT(d->duplicates == duplicates && d->bandwidth == bandwidth);
    EXPECT(d->pattern_symmetric == pattern && d->value_symmetric == (pattern && value));
}

static void expect_products(const spl_description *d, const zoo_triples *t, const tally *c)
{
    int64_t products = 0;
    for (int64_t e = 0; e < t->nnz; e++)
        products += t->rows == t->cols ? c->row_length[t->j[e]] : c->col_length[t->j[e]];
    EXPECT(d->products == products);
}

/* The share of entries in those blocks of `size` that have any; 0: the size does not divide the
 * order, or there are none. */
static double fill_of(const tally *c, int64_t size)
{
    int64_t entries = 0, blocks = 0;
    if (c->rows % size != 0 || c->cols % size != 0)
        return 0;
    for (int64_t block = 0; block < c->rows / size * (c->cols / size); block++) {
        int64_t first = block / (c->cols / size) * size * c->cols + block % (c->cols / size) * size,
                here = 0;
        for (int64_t position = 0; position < size * size; position++)
            here += c->counts[first + position / size * c->cols + position % size] > 0;
        entries += here;
        blocks += here > 0;
    }
    return blocks ? (double)entries / (double)(blocks * size * size) : 0;
}

/* The least (2 + 6/d) / fill^2 of the sizes d that are 60 % full. */
static void expect_blocks(const spl_description *d, const tally *c)
{
    int64_t size = d->block_size;
    double fill = 1, least = INFINITY;
    EXPECT(size == 1 || fill_of(c, size) == 1);
    for (int64_t other = 2; other <= 6 && d->block_size == 1; other++) {
        double full = fill_of(c, other), steps = (2 + 6 / (double)other) / (full * full);
        if (full < .6 || steps >= least)
            continue;
        least = steps;
        fill = full;
        size = other;
    }
    EXPECT(d->holed_block_size == size);
    EXPECT(fabs(d->block_fill - fill) <= 1e-12);
}

/* Rows in which some entry is followed, in stored order, by one with a lower column. */
static int64_t count_unsorted(const spl_sparse *csr)
{
    int64_t count = 0;
    for (int64_t i = 0; i < csr->rows; i++) {
        bool unsorted = false;
        int64_t end = zoo_index_at(csr->offsets, csr->offset_type, i + 1);
        for (int64_t e = zoo_index_at(csr->offsets, csr->offset_type, i) + 1; e < end; e++)
            unsorted |= zoo_index_at(csr->indices, csr->index_type, e) <
                        zoo_index_at(csr->indices, csr->index_type, e - 1);
        count += unsorted;
    }
    return count;
}

static void expect_description(spl_context *context, const zoo_triples *t, zoo_form form)
{
    zoo_matrix a;
    spl_description d = SPL_DESCRIPTION_INIT;
    tally c = tally_of(t);
    zoo_build(&a, t, form);
    EXPECT_OK(spl_describe(context, &a.view, &d));
    EXPECT(d.size == sizeof d);
    expect_rows(&d, &c);
    expect_positions(&d, &c);
    expect_products(&d, t, &c);
    expect_blocks(&d, &c);
    if (form.format == SPL_CSR)
        EXPECT(d.unsorted_rows == count_unsorted(&a.view));
    tally_free(&c);
    zoo_matrix_free(&a);
}

static void tiny_matrices(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    for (int m = 0; m < zoo_tiny_count; m++)
        for (int form = 0; form < ZOO_FORMS; form++) {
            zoo_triples t;
            zoo_make(&t, &zoo_tiny[m], testing_seed());
            if (!zoo_tiny[m].nonfinite) /* integers: sums do not depend on their order */
                zoo_triples_fill(&t, ZOO_INTEGERS, 1);
            testing_case("%s %s", zoo_tiny[m].name, zoo_form_name(zoo_form_number(form)));
            expect_description(context, &t, zoo_form_number(form));
            zoo_triples_free(&t);
        }
    spl_context_destroy(context);
}

/* A + A^T is symmetric; changing one value leaves the pattern symmetric; adding an entry destroys
 * that too. */
static void symmetry(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    for (int form = 0; form < ZOO_FORMS; form++)
        for (int step = 0; step < 3; step++) {
            zoo_triples t;
            zoo_uniform(&t, (const int64_t[]){20, 20, 2}, testing_seed());
            for (int64_t e = 0, n = t.nnz; e < n; e++)
                zoo_triples_add(&t, t.j[e], t.i[e], t.v[e] = 0.5 * (double)(e + 1));
            spl_description d = SPL_DESCRIPTION_INIT;
            zoo_matrix a;
            if (step >= 1)
                t.v[0] += t.i[0] == t.j[0] ? 0 : 1;
            if (step == 2) {
                zoo_triples_add(&t, 19, 0, 1);
                zoo_triples_add(&t, 19, 1, 1);
                zoo_triples_add(&t, 19, 2, 1);
            }
            zoo_build(&a, &t, zoo_form_number(form));
            testing_case("form %d, step %d", form, step);
            EXPECT_OK(spl_describe(context, &a.view, &d));
            EXPECT(d.pattern_symmetric == (step < 2));
            EXPECT(d.value_symmetric == (step == 0 || (step == 1 && t.i[0] == t.j[0])));
            zoo_matrix_free(&a);
            zoo_triples_free(&t);
        }
    spl_context_destroy(context);
}

/* A mesh of nodes of `size` unknowns without `tenths` tenths of its entries; each third of what is
 * left is stored twice. */
static void make_holed(zoo_triples *t, int64_t size, int64_t tenths)
{
    zoo_triples full;
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    zoo_box(&full, (const int64_t[]){5, 4, 1, size}, testing_seed());
    *t = (zoo_triples){.rows = full.rows, .cols = full.cols};
    for (int64_t e = 0; e < full.nnz; e++) {
        int copies = zoo_random_below(&random, 10) < tenths ? 0 : e % 3 == 0 ? 2 : 1;
        for (int copy = 0; copy < copies; copy++)
            zoo_triples_add(t, full.i[e], full.j[e], (double)(e % 7));
    }
    zoo_triples_free(&full);
}

static void blocks_with_holes(void **state)
{
    (void)state;
    static const int64_t tenths[] = {0, 1, 7};
    spl_context *context = testing_context(2);
    for (int64_t size = 1; size <= 6; size++)
        for (int n = 0; n < 3; n++) {
            zoo_triples t;
            make_holed(&t, size, tenths[n]);
            testing_case("%d unknowns per node, %d0 %% holes", (int)size, (int)tenths[n]);
            for (int form = 0; form < ZOO_FORMS; form++)
                expect_description(context, &t, zoo_form_number(form));
            zoo_triples_free(&t);
        }
    spl_context_destroy(context);
}

/* Products beyond 2^32 are counted, not wrapped: an arrow has n^2 of them in its first row and
 * column alone. */
static void many_products(void **state)
{
    (void)state;
    const int64_t n = 70000;
    spl_context *context = testing_context(2);
    zoo_matrix a;
    spl_description d = SPL_DESCRIPTION_INIT;
    const zoo_maker arrow = {"arrow", zoo_arrow, {n}, false};
    zoo_matrix_make(&a, &arrow, zoo_form_number(9), 1);
    EXPECT_OK(spl_describe(context, &a.view, &d));
    /* Row 0 has n entries, the others 2: n + 2(n-1) from row 0, n + 2 from each other row. */
    EXPECT(d.products == n + 2 * (n - 1) + (n - 1) * (n + 2));
    EXPECT(d.products > INT32_MAX);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

/* ---- values ---- */

enum { MANY = 1000 };

/* Of a diagonal matrix with that many values. */
static void expect_values(spl_context *context, spl_type type, int64_t count,
                          double (*value)(int64_t p), int64_t distinct, double bytes)
{
    int32_t offsets[MANY + 1], columns[MANY];
    double stored[MANY]; /* of the type */
    spl_description d = SPL_DESCRIPTION_INIT;
    for (int32_t p = 0; p <= MANY; p++)
        offsets[p] = p < count ? p : (int32_t)count;
    for (int32_t p = 0; p < count; p++) {
        columns[p] = p;
        zoo_value_set(stored, type, p, value(p));
    }
    const spl_sparse a = zoo_csr(type, MANY, MANY, offsets, columns, stored);
    EXPECT_OK(spl_describe(context, &a, &d));
    EXPECT(d.distinct_values == distinct && d.value_bytes == bytes);
}

static double thirds(int64_t p)
{
    return 1.0 / 3 + (double)(p % 256);
}

static double more_thirds(int64_t p)
{
    return 1.0 / 3 + (double)(p % 257);
}

static double halves(int64_t p)
{
    return (double)p / 2;
}

static double in_f32(int64_t p)
{
    return (double)(float)sin((double)p);
}

static double as_random(int64_t p)
{
    return sin((double)p);
}

static double signs_of_zero(int64_t p)
{
    return p % 2 ? -0.0 : 0.0;
}

static void values_are_described(void **state)
{
    (void)state;
    spl_context *context = NULL;
    EXPECT_OK(spl_context_create(NULL, &context));
    expect_values(context, SPL_F64, 0, thirds, 0, 0);
    expect_values(context, SPL_F64, 1, thirds, 1, 0);
    expect_values(context, SPL_F64, MANY, thirds, 256, 1);
    expect_values(context, SPL_F32, MANY, thirds, 256, 1);
    expect_values(context, SPL_F64, MANY, more_thirds, -1, 8);
    expect_values(context, SPL_F64, MANY, halves, -1, 2);
    expect_values(context, SPL_F32, MANY, halves, -1, 2);
    expect_values(context, SPL_F16, MANY, halves, -1, 2);
    expect_values(context, SPL_F64, MANY, in_f32, -1, 4);
    expect_values(context, SPL_F64, MANY, as_random, -1, 8);
    expect_values(context, SPL_F32, MANY, as_random, -1, 4);
    expect_values(context, SPL_F64, MANY, signs_of_zero, 2, 1);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiny_matrices),        cmocka_unit_test(symmetry),
        cmocka_unit_test(blocks_with_holes),    cmocka_unit_test(many_products),
        cmocka_unit_test(values_are_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
