/* SPDX-License-Identifier: Apache-2.0 */
#include "zoo/zoo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const zoo_maker zoo_tiny[] = {
    {"empty_0x0", zoo_empty, {0, 0}, false},
    {"empty_0x5", zoo_empty, {0, 5}, false},
    {"empty_5x0", zoo_empty, {5, 0}, false},
    {"empty_7x4", zoo_empty, {7, 4}, false},
    {"one_1x1", zoo_diagonal, {1}, false},
    {"diagonal_17", zoo_diagonal, {17}, false},
    {"dense_row_9", zoo_dense_row, {9, 9, 4, 0}, false},
    {"dense_row_last", zoo_dense_row, {12, 30, 11, 2}, false},
    {"dense_column_11", zoo_dense_column, {11, 11, 10}, false},
    {"single_row", zoo_dense, {1, 33}, false},
    {"single_column", zoo_dense, {33, 1}, false},
    {"arrow_20", zoo_arrow, {20}, false},
    {"tridiagonal_25", zoo_tridiagonal, {25}, false},
    {"banded_18", zoo_banded, {18, 5}, false},
    {"box2d_d2", zoo_box, {4, 3, 1, 2}, false},
    {"box3d_d1", zoo_box, {3, 3, 3, 1}, false},
    {"dense_8x8", zoo_dense, {8, 8}, false},
    {"dense_5x40", zoo_dense, {5, 40}, false},
    {"uniform_40", zoo_uniform, {40, 40, 3}, false},
    {"wide_10x48", zoo_uniform, {10, 48, 4}, false},
    {"tall_48x10", zoo_uniform, {48, 10, 2}, false},
    {"half_empty_30", zoo_half_empty, {30, 30, 4}, false},
    {"rmat_32", zoo_rmat, {5, 90}, false},
    {"hypersparse_45", zoo_hypersparse, {45, 37, 6}, false},
    {"duplicates_12", zoo_duplicates, {12, 12, 90}, false},
    {"unsorted_24x19", zoo_unsorted, {24, 19, 4}, false},
    {"zeros_22", zoo_explicit_zeros, {22, 22, 3}, false},
    {"cancelling_14", zoo_cancelling, {14, 14}, false},
    {"nonfinite_20", zoo_nonfinite, {20, 20, 3}, true},
};
const int zoo_tiny_count = (int)(sizeof zoo_tiny / sizeof *zoo_tiny);

const zoo_maker zoo_large[] = {
    {"diagonal_3000", zoo_diagonal, {3000}, false},
    {"dense_row_2000", zoo_dense_row, {2000, 2000, 1000, 1}, false},
    {"dense_column_1500", zoo_dense_column, {1500, 1500, 3}, false},
    {"arrow_700", zoo_arrow, {700}, false},
    {"tridiagonal_4000", zoo_tridiagonal, {4000}, false},
    {"box2d_d3", zoo_box, {20, 18, 1, 3}, false},
    {"box3d_d2", zoo_box, {9, 8, 10, 2}, false},
    {"uniform_1200", zoo_uniform, {1200, 1200, 6}, false},
    {"wide_200x5000", zoo_uniform, {200, 5000, 12}, false},
    {"tall_5000x200", zoo_uniform, {5000, 200, 3}, false},
    {"rmat_1024", zoo_rmat, {10, 6000}, false},
    {"banded_800", zoo_banded, {800, 12}, false},
    {"hypersparse_5000", zoo_hypersparse, {5000, 4000, 60}, false},
    {"duplicates_300", zoo_duplicates, {300, 300, 6000}, false},
    {"unsorted_900", zoo_unsorted, {900, 900, 7}, false},
    {"half_empty_2000", zoo_half_empty, {2000, 2000, 9}, false},
    {"dense_90x110", zoo_dense, {90, 110}, false},
    {"dense_3x20000", zoo_dense, {3, 20000}, false},
};
const int zoo_large_count = (int)(sizeof zoo_large / sizeof *zoo_large);

void zoo_make(zoo_triples *triples, const zoo_maker *maker, uint64_t seed)
{
    maker->make(triples, maker->args, seed);
}

const zoo_maker *zoo_find(const char *name)
{
    for (int m = 0; m < zoo_tiny_count; m++)
        if (strcmp(zoo_tiny[m].name, name) == 0)
            return &zoo_tiny[m];
    for (int m = 0; m < zoo_large_count; m++)
        if (strcmp(zoo_large[m].name, name) == 0)
            return &zoo_large[m];
    fprintf(stderr, "zoo: no matrix is called %s\n", name);
    abort();
}
