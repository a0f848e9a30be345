/* SPDX-License-Identifier: Apache-2.0 */
/* find_columns.h: the columns of one row of C = A*B + D with a hash set. A template: T, I, P, FN come from core/each_type.h.
 *
 * Open addressing, linear probing, empty slots hold -1; the table is sized per row for at most half its slots to fill. */

#include "spgemm/column_hash.h"

static inline void FN(insertion_sort)(I *a, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        I moving = a[i];
        int64_t j = i;
        for (; j > 0 && a[j - 1] > moving; j--)
            a[j] = a[j - 1];
        a[j] = moving;
    }
}

/* One pass of a least-significant-digit radix sort. */
static inline void FN(radix_pass)(const I *restrict from, I *restrict to, int64_t n, I smallest, int shift)
{
    int64_t place[SPL__DIGITS] = {0}, sum = 0;
    for (int64_t k = 0; k < n; k++)
        place[((uint64_t)(from[k] - smallest) >> shift) & (SPL__DIGITS - 1)]++;
    for (int digit = 0; digit < SPL__DIGITS; digit++) {
        int64_t count = place[digit];
        place[digit] = sum;
        sum += count;
    }
    for (int64_t k = 0; k < n; k++)
        to[place[((uint64_t)(from[k] - smallest) >> shift) & (SPL__DIGITS - 1)]++] = from[k];
}

/* Sorts a[0..n) ascending with n elements of scratch: as many passes as the spread of the columns needs. */
static inline void FN(sort_columns)(I *a, int64_t n, I *scratch)
{
    if (n <= SPL__SHORT_ROW) {
        FN(insertion_sort)(a, n);
        return;
    }
    I smallest = a[0], largest = a[0];
    for (int64_t k = 1; k < n; k++) {
        smallest = a[k] < smallest ? a[k] : smallest;
        largest = a[k] > largest ? a[k] : largest;
    }
    I *from = a, *to = scratch;
    for (int shift = 0; shift < 64 && (uint64_t)(largest - smallest) >> shift; shift += SPL__DIGIT_BITS) {
        FN(radix_pass)(from, to, n, smallest, shift);
        I *swap = from;
        from = to;
        to = swap;
    }
    for (int64_t k = 0; from != a && k < n; k++)
        a[k] = from[k];
}

/* Adds columns[0..count) to the set; new ones are appended to out[0..found). Returns the new `found`. */
static inline int64_t FN(insert_columns)(const I *restrict columns, int64_t count, I *restrict table, int64_t slots,
                                         I *restrict out, int64_t found)
{
    int shift = spl__slot_shift(slots);
    for (int64_t k = 0; k < count; k++) {
        I column = columns[k];
        int64_t slot = spl__slot(column, shift);
        while (table[slot] != column && table[slot] != -1)
            slot = (slot + 1) & (slots - 1);
        if (table[slot] == -1) {
            table[slot] = column;
            out[found++] = column;
        }
    }
    return found;
}

/* Writes the distinct columns of row i of C to out, which has room for them; returns their number. */
static inline int64_t FN(find_columns)(const spl__problem *p, const spl__product *c, const spl__finder *finder,
                                       int64_t i, I *out)
{
    const P *a_offsets = p->a.csr.offsets, *b_offsets = p->b.csr.offsets;
    const I *a_columns = p->a.csr.indices, *b_columns = p->b.csr.indices;
    int64_t bound = spl__row_bound(c, p->cols, i), found = 0;
    int64_t slots = spl__slots_for(bound);
    I *table = finder->table;
    for (int64_t s = 0; s < slots; s++)
        table[s] = -1;
    for (P q = a_offsets[i]; q < a_offsets[i + 1]; q++) {
        P begin = b_offsets[a_columns[q]], end = b_offsets[a_columns[q] + 1];
        found = FN(insert_columns)(b_columns + begin, end - begin, table, slots, out, found);
    }
    if (p->has_d) {
        const P *d_offsets = p->d.csr.offsets;
        const I *d_columns = p->d.csr.indices;
        found = FN(insert_columns)(d_columns + d_offsets[i], d_offsets[i + 1] - d_offsets[i], table, slots, out, found);
    }
    if (!p->options.unsorted)
        FN(sort_columns)(out, found, finder->scratch);
    return found;
}
