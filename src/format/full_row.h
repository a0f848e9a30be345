/* SPDX-License-Identifier: Apache-2.0 */
/* full_row.h: whether a row of blocks is full. A template: P, I, FN come from core/each_type.h. */

/* Whether the blocks of a row of blocks, whose columns ascend, are full: its rows are equal then,
 * and made of whole stretches. They are told apart far sooner than blocks are collected. */
static SPL__INLINED bool FN(row_is_full)(const spl_sparse *csr, int size, int64_t row)
{
    const P *begin = (const P *)csr->offsets + row * size;
    if ((row + 1) * size > csr->rows || (begin[1] - begin[0]) % size)
        return false;
    const I *first = (const I *)csr->indices + begin[0];
    const P length = begin[1] - begin[0];
    if (length == 0)
        return false; /* there may be no array */
    for (int l = 1; l < size; l++)
        if (begin[l + 1] - begin[l] != length ||
            memcmp(first, first + l * length, (size_t)length * sizeof *first) != 0)
            return false;
    int odd = 0;
    for (P q = 0; q < length; q += (P)size)
        odd |= first[q] % (I)size != 0 || first[q + (P)size - 1] - first[q] != (I)size - 1;
    return !odd;
}
