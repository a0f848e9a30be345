/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/formats.h"

spl__account test_formats_account;

int test_formats_start(void **state)
{
    (void)state;
    spl__account_init(&test_formats_account, &spl__malloc_allocator, NULL, 0);
    return 0;
}

size_t test_formats_live(void)
{
    return atomic_load(&test_formats_account.live);
}

spl_sparse test_formats_example(void)
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
