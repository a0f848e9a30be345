/* SPDX-License-Identifier: Apache-2.0 */
/* BSR with holes: every entry at its position, the layout of a small example, rows that are nearly
 * blocks, and what is refused. */
#include "format/bsr.h"
#include "lib/formats.h"
#include "lib/testing.h"

#include <stdlib.h>
#include <string.h>

static int64_t begin_of(const spl_sparse *a, int64_t row)
{
    return spl__index_at(a->offsets, a->offset_type, row);
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
    EXPECT_OK(spl__convert(&test_formats_account, 1, a, &sum, &sorted));
    EXPECT_OK(spl__bsr_make(&test_formats_account, 2, &sorted->view, size, &bsr));
    EXPECT_OK(spl__bsr_make_values(&test_formats_account, &bsr));
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

static void bsr_has_all_in_any_blocks(const spl_sparse *a)
{
    for (int size = 1; size <= SPL__LARGEST_BLOCK; size++)
        bsr_has_all(a, size);
}

static void bsr_has_all_in_blocks_of_3(const spl_sparse *a)
{
    bsr_has_all(a, 3);
}

static void bsr_has_all_entries(void **state)
{
    (void)state;
    test_formats_of_tiny(bsr_has_all_in_any_blocks);
}

static void large_matrices(void **state)
{
    (void)state;
    test_formats_of_large(bsr_has_all_in_blocks_of_3);
}

static void example_in_blocks(void **state)
{
    (void)state;
    static const int32_t offsets[] = {0, 2, 4}, columns[] = {0, 1, 0, 1};
    static const uint64_t masks[] = {0xb, 0x4, 0x9, 0x7};
    static const double values[] = {1, 7, 0, 2, 0, 0, 8, 0, 5, 0, 0, 6, 3, 9, 4, 0};
    spl_sparse a = test_formats_example();
    spl__bsr b;
    EXPECT_OK(spl__bsr_make(&test_formats_account, 2, &a, 2, &b));
    EXPECT_OK(spl__bsr_make_values(&test_formats_account, &b));
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
        spl_sparse a = test_formats_example();
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
    EXPECT(test_formats_live() == 0);
}

static void blocks_refuse_duplicates(void **state)
{
    (void)state;
    static const int32_t columns[] = {0, 0, 1, 2, 0, 2, 3, 1, 2};
    spl_sparse a = test_formats_example();
    spl__bsr b;
    a.indices = columns;
    EXPECT_STATUS(SPL_UNSUPPORTED, spl__bsr_make(&test_formats_account, 2, &a, 2, &b));
    EXPECT(!spl__bsr_serves(NULL, &a, 2) && spl__bsr_count(&a, 2, 0, 2) == -1);
    EXPECT(test_formats_live() == 0);
}

/* Back within a block, and back to a block before. */
static void blocks_refuse_columns_out_of_order(void **state)
{
    (void)state;
    static const int32_t columns[2][9] = {{1, 0, 1, 2, 0, 2, 3, 1, 2}, {0, 1, 1, 2, 2, 0, 3, 1, 2}};
    spl_sparse a = test_formats_example();
    spl__bsr b;
    EXPECT(spl__bsr_serves(NULL, &a, 2) && spl__bsr_count(&a, 2, 0, 2) == 4 &&
           spl__bsr_count(&a, 2, 1, 2) == 2);
    for (int k = 0; k < 2; k++) {
        a.indices = columns[k];
        EXPECT_STATUS(SPL_UNSUPPORTED, spl__bsr_make(&test_formats_account, 2, &a, 2, &b));
        EXPECT(!spl__bsr_serves(NULL, &a, 2) && spl__bsr_count(&a, 2, 0, 2) == -1);
    }
    EXPECT(test_formats_live() == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(bsr_has_all_entries, test_formats_start),
        cmocka_unit_test_setup(large_matrices, test_formats_start),
        cmocka_unit_test_setup(example_in_blocks, test_formats_start),
        cmocka_unit_test_setup(blocks_nearly_full, test_formats_start),
        cmocka_unit_test_setup(blocks_refuse_duplicates, test_formats_start),
        cmocka_unit_test_setup(blocks_refuse_columns_out_of_order, test_formats_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
