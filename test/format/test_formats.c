/* SPDX-License-Identifier: Apache-2.0 */
/* ELL, RVS and sliced ELL: every entry at its position, layouts of small examples, memory to the
 * byte. BSR: test_bsr.c. */
#include "format/ell.h"
#include "format/rvs.h"
#include "format/sliced_columns.h"
#include "format/storage.h"
#include "lib/formats.h"
#include "lib/testing.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER = 64 }; /* bytes in front of each allocation, see core/memory.h */

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
    EXPECT_OK(spl__ell_make(&test_formats_account, a, 2, &ell));
    spl__ell_fill(NULL, &ell, a, 2);
    for (int64_t i = 0; i < a->rows; i++)
        check_line(a, i, ell.indices, ell.values, i * ell.width, 1, ell.width);
    spl__ell_free(&ell);
}

static void rvs_has_all(const spl_sparse *a)
{
    spl__rvs rvs;
    int64_t entries = 0;
    EXPECT_OK(spl__rvs_make(&test_formats_account, a, 2, &rvs));
    spl__rvs_fill(NULL, &rvs, a, 2);
    for (const spl__rvs_block *b = rvs.blocks, *last = b + rvs.count; b < last; b++)
        for (int64_t r = b->first; r < b[1].first; r++)
            entries +=
                check_line(a, spl__index_at(rvs.rows, a->index_type, r), rvs.indices, rvs.values,
                           b->first_entry + (r - b->first) * b->length, 1, b->length);
    EXPECT(entries == a->nnz);
    spl__rvs_free(&rvs);
}

/* Lane `lane` of a slice on diagonals has row `row`, an entry wherever its mask says so. Returns
 * the row's length. */
static int64_t check_diagonals(const spl_sparse *a, const spl__sliced_ell *s, int64_t slice,
                               int lane)
{
    const int64_t row = spl__index_at(s->rows, a->index_type, slice * s->lanes + lane);
    int64_t begin = begin_of(a, row), length = begin_of(a, row + 1) - begin, next = begin;
    for (int64_t q = s->begin[slice] + lane; q < s->begin[slice + 1]; q += s->lanes)
        if (s->masks[q / s->lanes] >> lane & 1)
            EXPECT(next < begin + length && is_entry(a, next++, s->indices, s->values, q));
        else
            EXPECT(spl__index_at(s->indices, a->index_type, q) == -1);
    EXPECT(next == begin + length);
    return length;
}

/* Slices on diagonals hold all entries of their rows, each line at one distance, and are filled. */
static void diagonals_have_all(const spl_sparse *a, int lanes, double fill)
{
    spl__sliced_ell s;
    spl__sliced_columns c;
    int64_t entries = 0, found = 0;
    EXPECT_OK(spl__sliced_ell_make(&test_formats_account, a, lanes, 2 * lanes, fill, 2, &s));
    EXPECT_OK(spl__sliced_columns_make(&test_formats_account, &s, true, 2, &c));
    spl__sliced_ell_fill(NULL, &s, a, 2);
    for (int64_t k = 0; k < s.slices; k++) {
        const int64_t width = (s.begin[k + 1] - s.begin[k]) / lanes;
        int64_t here = 0;
        found += s.full[k] == SPL__ON_DIAGONALS;
        for (int r = 0; r < lanes; r++)
            here += s.full[k] == SPL__ON_DIAGONALS
                        ? check_diagonals(a, &s, k, r)
                        : check_line(a, spl__index_at(s.rows, a->index_type, k * lanes + r),
                                     s.indices, s.values, s.begin[k] + r, lanes, width);
        EXPECT(s.full[k] != SPL__ON_DIAGONALS ||
               (double)here >= fill * (double)(s.begin[k + 1] - s.begin[k]));
        for (int64_t q = s.begin[k]; s.full[k] == SPL__ON_DIAGONALS && q < s.begin[k + 1]; q++)
            EXPECT(spl__index_at(s.indices, a->index_type, q) < 0 ||
                   spl__index_at(s.indices, a->index_type, q) -
                           spl__index_at(s.rows, a->index_type, k * lanes + q % lanes) ==
                       spl__index_at(c.codes, a->index_type, q / lanes));
        entries += here;
    }
    EXPECT(entries == a->nnz && found == s.on_diagonals && (s.masks != NULL) == (found > 0));
    spl__sliced_columns_free(&c);
    spl__sliced_ell_free(&s);
}

static void sliced_ell_has_all(const spl_sparse *a, int lanes, int64_t window)
{
    spl__sliced_ell s;
    int64_t *lengths = NULL, stored = 0, entries = 0;
    EXPECT_OK(spl__sliced_ell_make(&test_formats_account, a, lanes, window, 2, 2, &s));
    spl__sliced_ell_fill(NULL, &s, a, 2);
    EXPECT_OK(spl__row_lengths(&test_formats_account, a, &lengths));
    EXPECT_OK(
        spl__sliced_ell_stored(&test_formats_account, lengths, a->rows, lanes, window, &stored));
    EXPECT(stored == s.begin[s.slices]);
    if (window == SPL__SLICE_WINDOW && a->rows <= 64 * window && stored > 0) /* all are looked at */
        EXPECT(spl__sliced_ell_fill_sampled(a) == (double)a->nnz / (double)stored);
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

static void formats_have_all(const spl_sparse *a)
{
    ell_has_all(a);
    rvs_has_all(a);
    sliced_ell_has_all(a, 4, 8);
    sliced_ell_has_all(a, SPL__SLICE_LANES, SPL__SLICE_WINDOW);
    diagonals_have_all(a, 4, .3);
    diagonals_have_all(a, 16, .5);
}

static void formats_have_all_of_several_windows(const spl_sparse *a)
{
    ell_has_all(a);
    rvs_has_all(a);
    sliced_ell_has_all(a, 8, 64);
    sliced_ell_has_all(a, SPL__SLICE_LANES, SPL__SLICE_WINDOW);
}

static void formats_have_all_entries(void **state)
{
    (void)state;
    test_formats_of_tiny(formats_have_all);
}

static void large_matrices(void **state)
{
    (void)state;
    test_formats_of_large(formats_have_all_of_several_windows);
}

static void example_in_ell(void **state)
{
    (void)state;
    static const int32_t columns[] = {0, 1, -1, 1, 2, -1, 0, 2, 3, 1, 2, -1};
    static const double values[] = {1, 7, 0, 2, 8, 0, 5, 3, 9, 6, 4, 0};
    spl_sparse a = test_formats_example();
    spl__ell ell;
    EXPECT_OK(spl__ell_make(&test_formats_account, &a, 1, &ell));
    spl__ell_fill(NULL, &ell, &a, 1);
    EXPECT(ell.width == 3);
    EXPECT(memcmp(ell.indices, columns, sizeof columns) == 0 &&
           memcmp(ell.values, values, sizeof values) == 0);
    EXPECT(test_formats_live() == spl__bytes_ell(4, 3, 8, 4) + 2 * HEADER);
    spl__ell_free(&ell);
}

static void example_in_rvs(void **state)
{
    (void)state;
    static const int32_t rows[] = {0, 1, 3, 2}, columns[] = {0, 1, 1, 2, 1, 2, 0, 2, 3};
    spl_sparse a = test_formats_example();
    spl__rvs rvs;
    EXPECT_OK(spl__rvs_make(&test_formats_account, &a, 1, &rvs));
    EXPECT(rvs.count == 2 && rvs.blocks[0].length == 2 && rvs.blocks[1].length == 3);
    EXPECT(rvs.blocks[0].first == 0 && rvs.blocks[1].first == 3 && rvs.blocks[2].first == 4);
    EXPECT(memcmp(rvs.rows, rows, sizeof rows) == 0 &&
           memcmp(rvs.indices, columns, sizeof columns) == 0);
    const int64_t lengths[] = {2, 3}, counts[] = {3, 1};
    EXPECT(test_formats_live() ==
           spl__bytes_rvs(lengths, counts, 2, 8, 4) + 3 * sizeof(spl__rvs_block) + 4 * HEADER);
    spl__rvs_free(&rvs);
}

static void example_in_slices(void **state)
{
    (void)state;
    static const int32_t rows[] = {0, 1, 2, 3}, columns[] = {0, 1, 1, 2, 0, 1, 2, 2, 3, -1};
    spl_sparse a = test_formats_example();
    spl__sliced_ell s;
    EXPECT_OK(spl__sliced_ell_make(&test_formats_account, &a, 2, 4, 2, 1, &s));
    EXPECT(s.slices == 2 && s.begin[1] == 4 && s.begin[2] == 10 && s.full[0] == 2 &&
           s.full[1] == 2);
    EXPECT(memcmp(s.rows, rows, sizeof rows) == 0 &&
           memcmp(s.indices, columns, sizeof columns) == 0);
    EXPECT(test_formats_live() == spl__bytes_sliced_ell(10, 2, 2, 8, 4) + 5 * HEADER);
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
    spl_sparse a = test_formats_example();
    spl__sliced_ell s;
    spl__sliced_columns c;
    EXPECT_OK(spl__sliced_ell_make(&test_formats_account, &a, 2, 4, 2, 1, &s));
    EXPECT_OK(spl__sliced_columns_make(&test_formats_account, &s, true, 1, &c));
    EXPECT(c.lines == 5 && memcmp(c.codes, narrow, sizeof narrow) == 0 && c.code_offsets[1] == 0 &&
           c.code_offsets[2] == 12);
    EXPECT(memcmp(c.listed, distances, 4) == 0 && memcmp(c.listed + 4, columns + 2, 8) == 0);
    spl__sliced_columns_free(&c);
    EXPECT_OK(spl__sliced_columns_make(&test_formats_account, &s, false, 1, &c));
    EXPECT(memcmp(c.codes, wide, sizeof wide) == 0 && c.code_offsets[2] == 16 &&
           memcmp(c.listed, columns, 16) == 0);
    spl__sliced_columns_free(&c);
    spl__sliced_ell_free(&s);
    EXPECT(test_formats_live() == 0);
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
        spl__account_init(&test_formats_account, &spl__malloc_allocator, NULL, budget);
        if (spl__ell_make(&test_formats_account, &a.view, 1, &ell) == SPL_OK)
            spl__ell_free(&ell);
        EXPECT(test_formats_live() == 0);
        if (spl__rvs_make(&test_formats_account, &a.view, 1, &rvs) == SPL_OK)
            spl__rvs_free(&rvs);
        EXPECT(test_formats_live() == 0);
        if (spl__sliced_ell_make(&test_formats_account, &a.view, 4, 8, 2, 1, &sliced) == SPL_OK) {
            size_t before = test_formats_live();
            if (spl__sliced_columns_make(&test_formats_account, &sliced, true, 1, &columns) ==
                SPL_OK)
                spl__sliced_columns_free(&columns);
            EXPECT(test_formats_live() == before);
            spl__sliced_ell_free(&sliced);
        }
        EXPECT(test_formats_live() == 0);
    }
    zoo_matrix_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(formats_have_all_entries, test_formats_start),
        cmocka_unit_test_setup(large_matrices, test_formats_start),
        cmocka_unit_test_setup(example_in_ell, test_formats_start),
        cmocka_unit_test_setup(example_in_rvs, test_formats_start),
        cmocka_unit_test_setup(example_in_slices, test_formats_start),
        cmocka_unit_test_setup(example_in_columns, test_formats_start),
        cmocka_unit_test_setup(failures_leave_nothing, test_formats_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
