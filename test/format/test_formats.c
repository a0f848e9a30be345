/* SPDX-License-Identifier: Apache-2.0 */
/* ELL, RVS, sliced ELL and BSR: every entry in its place, layouts of small examples, memory to the
 * byte. */
#include "format/bsr.h"
#include "format/ell.h"
#include "format/rvs.h"
#include "format/sliced_columns.h"
#include "format/storage.h"
#include "lib/testing.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER = 64 }; /* bytes in front of each allocation, see core/memory.h */

static spl__account account;

static int start(void **state)
{
    (void)state;
    spl__account_init(&account, &spl__malloc_allocator, NULL, 0);
    return 0;
}

static size_t live(void)
{
    return atomic_load(&account.live);
}

/* Whether entry p of the CSR matrix has that column, and the value at the same position as
 * `columns` has it: number q. */
static bool is_entry(const spl_sparse *a, int64_t p, const void *columns, const void *values,
                     int64_t q)
{
    size_t value = zoo_type_bytes(a->type);
    return spl__index_at(columns, a->index_type, q) ==
               spl__index_at(a->indices, a->index_type, p) &&
           memcmp((const char *)values + (size_t)q * value,
                  (const char *)a->values + (size_t)p * value, value) == 0;
}

static int64_t begin_of(const spl_sparse *a, int64_t row)
{
    return spl__index_at(a->offsets, a->offset_type, row);
}

/* Row `row` of A in a line of `width` positions, from q on, `step` apart; columns behind it are -1.
 * Returns its length. */
static int64_t check_line(const spl_sparse *a, int64_t row, const void *columns, const void *values,
                          int64_t q, int64_t step, int64_t width)
{
    int64_t begin = row < 0 ? 0 : begin_of(a, row),
            length = row < 0 ? 0 : begin_of(a, row + 1) - begin;
    EXPECT(length <= width);
    for (int64_t k = 0; k < width; k++)
        EXPECT(k < length ? is_entry(a, begin + k, columns, values, q + k * step)
                          : spl__index_at(columns, a->index_type, q + k * step) == -1);
    return length;
}

static void ell_has_all(const spl_sparse *a)
{
    spl__ell ell;
    EXPECT_OK(spl__ell_make(&account, a, 2, &ell));
    spl__ell_fill(NULL, &ell, a, 2);
    for (int64_t i = 0; i < a->rows; i++)
        check_line(a, i, ell.indices, ell.values, i * ell.width, 1, ell.width);
    spl__ell_free(&ell);
}

static void rvs_has_all(const spl_sparse *a)
{
    spl__rvs rvs;
    int64_t entries = 0;
    EXPECT_OK(spl__rvs_make(&account, a, 2, &rvs));
    spl__rvs_fill(NULL, &rvs, a, 2);
    for (const spl__rvs_block *b = rvs.blocks, *last = b + rvs.count; b < last; b++)
        for (int64_t r = b->first; r < b[1].first; r++)
            entries +=
                check_line(a, spl__index_at(rvs.rows, a->index_type, r), rvs.indices, rvs.values,
                           b->first_entry + (r - b->first) * b->length, 1, b->length);
    EXPECT(entries == a->nnz);
    spl__rvs_free(&rvs);
}

static void sliced_ell_has_all(const spl_sparse *a, int lanes, int64_t window)
{
    spl__sliced_ell s;
    int64_t *lengths = NULL, stored = 0, entries = 0;
    EXPECT_OK(spl__sliced_ell_make(&account, a, lanes, window, 2, &s));
    spl__sliced_ell_fill(NULL, &s, a, 2);
    EXPECT_OK(spl__row_lengths(&account, a, &lengths));
    EXPECT_OK(spl__sliced_ell_stored(&account, lengths, a->rows, lanes, window, &stored));
    EXPECT(stored == s.begin[s.slices]);
    for (int64_t lane = 0; lane < s.slices * lanes; lane++) {
        int64_t k = lane / lanes;
        entries +=
            check_line(a, spl__index_at(s.rows, a->index_type, lane), s.indices, s.values,
                       s.begin[k] + lane % lanes, lanes, (s.begin[k + 1] - s.begin[k]) / lanes);
    }
    EXPECT(entries == a->nnz);
    spl__free(lengths);
    spl__sliced_ell_free(&s);
}

/* The entries of a row in one block, from entry p of the matrix on; holes are zeros. Returns the
 * entry behind them. */
static int64_t check_block_line(const spl_sparse *a, const spl__bsr *b, int64_t block, int64_t line,
                                int64_t p)
{
    static const double zero = 0;
    size_t value = zoo_type_bytes(a->type);
    for (int64_t j = 0; j < b->size; j++) {
        int64_t slot = line * b->size + j;
        const char *held =
            (const char *)b->values + (size_t)(block * b->size * b->size + slot) * value;
        if (!(b->masks[block] >> slot & 1)) {
            EXPECT(memcmp(held, &zero, value) == 0);
            continue;
        }
        EXPECT(spl__index_at(a->indices, a->index_type, p) ==
               spl__index_at(b->indices, a->index_type, block) * b->size + j);
        EXPECT(memcmp(held, (const char *)a->values + (size_t)p++ * value, value) == 0);
    }
    return p;
}

/* BSR knows a position once, and takes columns that ascend. */
static void bsr_has_all(const spl_sparse *a, int size)
{
    spl_convert_options sum = {.size = sizeof sum, .format = SPL_CSR, .sum_duplicates = 1};
    spl__bsr bsr;
    spl_matrix *sorted = NULL;
    EXPECT_OK(spl__convert(&account, 1, a, &sum, &sorted));
    EXPECT_OK(spl__bsr_make(&account, 2, &sorted->view, size, &bsr));
    EXPECT_OK(spl__bsr_make_values(&account, &bsr));
    spl__bsr_fill(NULL, &bsr, &sorted->view, 2);
    for (int64_t i = 0, p = 0; i < a->rows; i++) {
        for (int64_t k = spl__index_at(bsr.offsets, a->offset_type, i / size);
             k < spl__index_at(bsr.offsets, a->offset_type, i / size + 1); k++)
            p = check_block_line(&sorted->view, &bsr, k, i % size, p);
        EXPECT(p == begin_of(&sorted->view, i + 1));
    }
    spl__bsr_free(&bsr);
    spl_matrix_destroy(sorted);
}

static void formats_have_all_entries(void **state)
{
    (void)state;
    for (int m = 0; m < zoo_tiny_count; m++)
        for (int form = 0; form < ZOO_FORMS; form++) {
            zoo_matrix a;
            if (zoo_form_number(form).format != SPL_CSR)
                continue;
            zoo_matrix_make(&a, &zoo_tiny[m], zoo_form_number(form), testing_seed());
            testing_case("%s, %s", zoo_tiny[m].name, zoo_form_name(zoo_form_number(form)));
            ell_has_all(&a.view);
            rvs_has_all(&a.view);
            sliced_ell_has_all(&a.view, 4, 8);
            sliced_ell_has_all(&a.view, SPL__SLICE_LANES, SPL__SLICE_WINDOW);
            for (int size = 1; size <= SPL__LARGEST_BLOCK; size++)
                bsr_has_all(&a.view, size);
            EXPECT(live() == 0);
            zoo_matrix_free(&a);
        }
}

/* Rows of very different and of very long length, several windows. */
static void large_matrices(void **state)
{
    (void)state;
    static const char *const names[] = {"rmat_1024", "dense_row_2000", "box3d_d2", "unsorted_900",
                                        "duplicates_300"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        zoo_matrix a;
        zoo_matrix_make(&a, zoo_find(names[n]), zoo_form_number(0), testing_seed());
        testing_case("%s", names[n]);
        ell_has_all(&a.view);
        rvs_has_all(&a.view);
        sliced_ell_has_all(&a.view, 8, 64);
        sliced_ell_has_all(&a.view, SPL__SLICE_LANES, SPL__SLICE_WINDOW);
        bsr_has_all(&a.view, 3);
        EXPECT(live() == 0);
        zoo_matrix_free(&a);
    }
}

/* [S2], example 1: rows (1 7 0 0), (0 2 8 0), (5 0 3 9), (0 6 4 0). */
static spl_sparse example(void)
{
    static const int32_t offsets[] = {0, 2, 4, 7, 9}, columns[] = {0, 1, 1, 2, 0, 2, 3, 1, 2};
    static const double values[] = {1, 7, 2, 8, 5, 3, 9, 6, 4};
    spl_sparse a = SPL_SPARSE_INIT;
    a.format = SPL_CSR;
    a.type = SPL_F64;
    a.offset_type = a.index_type = SPL_I32;
    a.rows = a.cols = 4;
    a.nnz = 9;
    a.offsets = offsets;
    a.indices = columns;
    a.values = values;
    return a;
}

static void example_in_ell(void **state)
{
    (void)state;
    static const int32_t columns[] = {0, 1, -1, 1, 2, -1, 0, 2, 3, 1, 2, -1};
    static const double values[] = {1, 7, 0, 2, 8, 0, 5, 3, 9, 6, 4, 0};
    spl_sparse a = example();
    spl__ell ell;
    EXPECT_OK(spl__ell_make(&account, &a, 1, &ell));
    spl__ell_fill(NULL, &ell, &a, 1);
    EXPECT(ell.width == 3);
    EXPECT(memcmp(ell.indices, columns, sizeof columns) == 0 &&
           memcmp(ell.values, values, sizeof values) == 0);
    EXPECT(live() == spl__bytes_ell(4, 3, 8, 4) + 2 * HEADER);
    spl__ell_free(&ell);
}

static void example_in_rvs(void **state)
{
    (void)state;
    static const int32_t rows[] = {0, 1, 3, 2}, columns[] = {0, 1, 1, 2, 1, 2, 0, 2, 3};
    spl_sparse a = example();
    spl__rvs rvs;
    EXPECT_OK(spl__rvs_make(&account, &a, 1, &rvs));
    EXPECT(rvs.count == 2 && rvs.blocks[0].length == 2 && rvs.blocks[1].length == 3);
    EXPECT(rvs.blocks[0].first == 0 && rvs.blocks[1].first == 3 && rvs.blocks[2].first == 4);
    EXPECT(memcmp(rvs.rows, rows, sizeof rows) == 0 &&
           memcmp(rvs.indices, columns, sizeof columns) == 0);
    const int64_t lengths[] = {2, 3}, counts[] = {3, 1};
    EXPECT(live() ==
           spl__bytes_rvs(lengths, counts, 2, 8, 4) + 3 * sizeof(spl__rvs_block) + 4 * HEADER);
    spl__rvs_free(&rvs);
}

static void example_in_slices(void **state)
{
    (void)state;
    static const int32_t rows[] = {0, 1, 2, 3}, columns[] = {0, 1, 1, 2, 0, 1, 2, 2, 3, -1};
    spl_sparse a = example();
    spl__sliced_ell s;
    EXPECT_OK(spl__sliced_ell_make(&account, &a, 2, 4, 1, &s));
    EXPECT(s.slices == 2 && s.begin[1] == 4 && s.begin[2] == 10 && s.full[0] == 2 &&
           s.full[1] == 2);
    EXPECT(memcmp(s.rows, rows, sizeof rows) == 0 &&
           memcmp(s.indices, columns, sizeof columns) == 0);
    EXPECT(live() == spl__bytes_sliced_ell(10, 2, 2, 8, 4) + 5 * HEADER);
    spl__sliced_ell_free(&s);
}

/* Rows 0, 1 in lines on the diagonals 0 and 1; rows 2, 3 in lines on diagonal -2, at distances 0
 * and -1, and of one lane. */
static void example_in_columns(void **state)
{
    (void)state;
    static const int32_t narrow[] = {0, 1, -2, INT32_MIN, 1}, wide[] = {0, 1, -2, INT32_MIN + 1, 1};
    static const int16_t distances[] = {0, -1};
    static const int32_t columns[] = {2, 2, 3, -1};
    spl_sparse a = example();
    spl__sliced_ell s;
    spl__sliced_columns c;
    EXPECT_OK(spl__sliced_ell_make(&account, &a, 2, 4, 1, &s));
    EXPECT_OK(spl__sliced_columns_make(&account, &s, true, 1, &c));
    EXPECT(c.lines == 5 && memcmp(c.codes, narrow, sizeof narrow) == 0 && c.code_offsets[1] == 0 &&
           c.code_offsets[2] == 12);
    EXPECT(memcmp(c.listed, distances, 4) == 0 && memcmp(c.listed + 4, columns + 2, 8) == 0);
    spl__sliced_columns_free(&c);
    EXPECT_OK(spl__sliced_columns_make(&account, &s, false, 1, &c));
    EXPECT(memcmp(c.codes, wide, sizeof wide) == 0 && c.code_offsets[2] == 16 &&
           memcmp(c.listed, columns, 16) == 0);
    spl__sliced_columns_free(&c);
    spl__sliced_ell_free(&s);
    EXPECT(live() == 0);
}

static void example_in_blocks(void **state)
{
    (void)state;
    static const int32_t offsets[] = {0, 2, 4}, columns[] = {0, 1, 0, 1};
    static const uint64_t masks[] = {0xb, 0x4, 0x9, 0x7};
    static const double values[] = {1, 7, 0, 2, 0, 0, 8, 0, 5, 0, 0, 6, 3, 9, 4, 0};
    spl_sparse a = example();
    spl__bsr b;
    EXPECT_OK(spl__bsr_make(&account, 2, &a, 2, &b));
    EXPECT_OK(spl__bsr_make_values(&account, &b));
    spl__bsr_fill(NULL, &b, &a, 2);
    EXPECT(b.block_rows == 2 && b.blocks == 4 && memcmp(b.offsets, offsets, sizeof offsets) == 0);
    EXPECT(memcmp(b.indices, columns, sizeof columns) == 0 &&
           memcmp(b.masks, masks, sizeof masks) == 0);
    EXPECT(memcmp(b.values, values, sizeof values) == 0);
    spl__bsr_free(&b);
}

enum { SPOILT_COLS = 61, SPOILT_ROWS = 200 };
typedef struct spoilt {
    int32_t offsets[SPOILT_ROWS + 1], columns[SPOILT_ROWS * SPOILT_COLS];
    double values[SPOILT_ROWS * SPOILT_COLS];
} spoilt;

/* The columns of a row of full blocks, as bits; or what is like them in all rows of the row of
 * blocks: shifted by one, or with one entry more or less. */
static uint64_t draw_blocks(zoo_random *random, int size)
{
    uint64_t blocks = 0;
    for (int k = 0; k < SPOILT_COLS / size; k++)
        if (zoo_random_next(random) % 3 == 0)
            blocks |= (((uint64_t)1 << size) - 1) << (k * size);
    switch (zoo_random_next(random) % 4) {
    case 0:
        return blocks << 1;
    case 1:
        return blocks ^ (uint64_t)1 << zoo_random_next(random) % SPOILT_COLS;
    default:
        return blocks;
    }
}

/* The same for a single row. */
static uint64_t spoil_row(zoo_random *random, uint64_t row)
{
    switch (zoo_random_next(random) % 12) {
    case 0:
        return row << 1;
    case 1:
        return row ^ (uint64_t)1 << zoo_random_next(random) % SPOILT_COLS;
    default:
        return row;
    }
}

static void draw_spoilt(zoo_random *random, int size, spoilt *s)
{
    uint64_t blocks = 0;
    int32_t nnz = 0;
    s->offsets[0] = 0;
    for (int i = 0; i < SPOILT_ROWS; i++) {
        if (i % size == 0)
            blocks = draw_blocks(random, size);
        uint64_t row = spoil_row(random, blocks);
        for (int j = 0; j < SPOILT_COLS; j++)
            if (row >> j & 1) {
                s->values[nnz] = nnz + 1;
                s->columns[nnz++] = j;
            }
        s->offsets[i + 1] = nnz;
    }
}

static void blocks_nearly_full(void **state)
{
    (void)state;
    static spoilt s;
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    for (int size = 1; size <= SPL__LARGEST_BLOCK; size++) {
        spl_sparse a = example();
        draw_spoilt(&random, size, &s);
        a.rows = SPOILT_ROWS;
        a.cols = SPOILT_COLS;
        a.nnz = s.offsets[SPOILT_ROWS];
        a.offsets = s.offsets;
        a.indices = s.columns;
        a.values = s.values;
        testing_case("size %d", size);
        bsr_has_all(&a, size);
    }
    EXPECT(live() == 0);
}

static void blocks_refuse_duplicates(void **state)
{
    (void)state;
    static const int32_t columns[] = {0, 0, 1, 2, 0, 2, 3, 1, 2};
    spl_sparse a = example();
    spl__bsr b;
    a.indices = columns;
    EXPECT_STATUS(SPL_UNSUPPORTED, spl__bsr_make(&account, 2, &a, 2, &b));
    EXPECT(!spl__bsr_serves(NULL, &a, 2) && spl__bsr_count(&a, 2, 0, 2) == -1);
    EXPECT(live() == 0);
}

/* Back within a block, and back to a block before. */
static void blocks_refuse_columns_out_of_order(void **state)
{
    (void)state;
    static const int32_t columns[2][9] = {{1, 0, 1, 2, 0, 2, 3, 1, 2}, {0, 1, 1, 2, 2, 0, 3, 1, 2}};
    spl_sparse a = example();
    spl__bsr b;
    EXPECT(spl__bsr_serves(NULL, &a, 2) && spl__bsr_count(&a, 2, 0, 2) == 4 &&
           spl__bsr_count(&a, 2, 1, 2) == 2);
    for (int k = 0; k < 2; k++) {
        a.indices = columns[k];
        EXPECT_STATUS(SPL_UNSUPPORTED, spl__bsr_make(&account, 2, &a, 2, &b));
        EXPECT(!spl__bsr_serves(NULL, &a, 2) && spl__bsr_count(&a, 2, 0, 2) == -1);
    }
    EXPECT(live() == 0);
}

/* The k-th allocation is over budget, for every k: nothing is left. */
static void failures_leave_nothing(void **state)
{
    (void)state;
    zoo_matrix a;
    zoo_matrix_make(&a, zoo_find("unsorted_24x19"), zoo_form_number(0), testing_seed());
    for (size_t budget = 64; budget < 8192; budget += 64) {
        spl__ell ell;
        spl__rvs rvs;
        spl__sliced_ell sliced;
        spl__sliced_columns columns;
        spl__account_init(&account, &spl__malloc_allocator, NULL, budget);
        if (spl__ell_make(&account, &a.view, 1, &ell) == SPL_OK)
            spl__ell_free(&ell);
        EXPECT(live() == 0);
        if (spl__rvs_make(&account, &a.view, 1, &rvs) == SPL_OK)
            spl__rvs_free(&rvs);
        EXPECT(live() == 0);
        if (spl__sliced_ell_make(&account, &a.view, 4, 8, 1, &sliced) == SPL_OK) {
            size_t before = live();
            if (spl__sliced_columns_make(&account, &sliced, true, 1, &columns) == SPL_OK)
                spl__sliced_columns_free(&columns);
            EXPECT(live() == before);
            spl__sliced_ell_free(&sliced);
        }
        EXPECT(live() == 0);
    }
    zoo_matrix_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(formats_have_all_entries, start),
        cmocka_unit_test_setup(large_matrices, start),
        cmocka_unit_test_setup(example_in_ell, start),
        cmocka_unit_test_setup(example_in_rvs, start),
        cmocka_unit_test_setup(example_in_slices, start),
        cmocka_unit_test_setup(example_in_columns, start),
        cmocka_unit_test_setup(example_in_blocks, start),
        cmocka_unit_test_setup(blocks_nearly_full, start),
        cmocka_unit_test_setup(blocks_refuse_duplicates, start),
        cmocka_unit_test_setup(blocks_refuse_columns_out_of_order, start),
        cmocka_unit_test_setup(failures_leave_nothing, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
