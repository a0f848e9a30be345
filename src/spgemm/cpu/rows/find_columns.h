/* SPDX-License-Identifier: Apache-2.0 */
/* find_columns.h: the columns of one row of C = A*B + D with a hash set. A template: T, I, P, FN
 * come from core/each_type.h.
 *
 * Open addressing, linear probing, empty slots hold -1; the table of each row is at most half
 * full. */

#include "spgemm/cpu/rows/column_hash.h"

#define ELEMENT    I
#define COLUMN(e)  (e)
#define SORT(name) FN(name##_columns)
#include "spgemm/cpu/rows/stable_sort.h"

/* Adds columns[0..count) to the set; new ones are appended to out[0..found). Returns the new
 * `found`. */
static inline int64_t FN(insert_columns)(const I *restrict columns, int64_t count,
                                         I *restrict table, int64_t slots, I *restrict out,
                                         int64_t found)
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

/* Writes the distinct columns of row i of C to out, which must be large enough; returns their
 * number. The workspace (see spl__finder_bytes) holds the row's table, followed by scratch for
 * sorting. */
static inline int64_t FN(find_columns)(const spl__problem *p, const spl__product *c,
                                       void *workspace, int64_t i, I *out)
{
    const P *a_offsets = p->a.csr.offsets, *b_offsets = p->b.csr.offsets;
    const I *a_columns = p->a.csr.indices, *b_columns = p->b.csr.indices;
    int64_t bound = spl__row_bound(c, p->cols, i), found = 0;
    int64_t slots = spl__slots_for(bound);
    I *table = workspace;
    for (int64_t s = 0; s < slots; s++)
        table[s] = -1;
    for (P q = a_offsets[i]; q < a_offsets[i + 1]; q++) {
        P begin = b_offsets[a_columns[q]], end = b_offsets[a_columns[q] + 1];
        found = FN(insert_columns)(b_columns + begin, end - begin, table, slots, out, found);
    }
    if (p->has_d) {
        const P *d_offsets = p->d.csr.offsets;
        const I *d_columns = p->d.csr.indices;
        found = FN(insert_columns)(d_columns + d_offsets[i], d_offsets[i + 1] - d_offsets[i], table,
                                   slots, out, found);
    }
    if (!p->options.unsorted)
        FN(sort_columns)(out, found, table + slots);
    return found;
}
