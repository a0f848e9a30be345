/* SPDX-License-Identifier: Apache-2.0 */
/* gallop.h: searches in a row whose columns ascend. A template.
 * Source: J. Bentley, A. Yao, An almost optimal algorithm for unbounded searching, Inf. Process.
 * Lett. 5(3), 1976. */

/* The first position from `begin` whose column is not below `column`; length: none. */
static inline int64_t FN(gallop)(const I *columns, int64_t begin, int64_t length, I column)
{
    int64_t step = 1, low = begin, high = begin;
    while (high < length && columns[high] < column) {
        low = high + 1;
        high += step;
        step *= 2;
    }
    high = high < length ? high : length;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (columns[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
