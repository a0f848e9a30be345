/* SPDX-License-Identifier: Apache-2.0 */
/* compressed_rows.h: the terms of a row of C when B is compressed, and the conversion of words
 * to columns. A template: I, P, FN come from core/each_type.h; exact.h defines views. */

/* The next compressed row of B for A's entries *q..end, NULL at the end. Neighbours that share
 * their pairs are returned once, empty rows are skipped. `before`: the last returned row. */
static inline const spl__compressed_row *FN(next_row)(const spl__exact_view *view, P *q, P end,
                                                      const spl__compressed_row *before)
{
    const I *a_columns = view->problem->a.csr.indices;
    while (*q < end) {
        const spl__compressed_row *row = &view->b->rows[a_columns[(*q)++]];
        if (row->begin < row->end && !(before && before->end == row->end))
            return row;
    }
    return NULL;
}

static inline uint64_t FN(bit_of)(I column)
{
    return (uint64_t)1 << (column & (SPL__WORD_BITS - 1));
}

/* Writes the columns of word `id` to out; returns the end of the output. */
static inline I *FN(unpack_word)(uint64_t word, int64_t id, I *restrict out)
{
    I first = (I)(id << SPL__WORD_SHIFT);
    for (; word; word &= word - 1)
        *out++ = (I)(first + __builtin_ctzll(word));
    return out;
}

/* ORs row i of C into a bitmap. */
static inline void FN(fill_bitmap)(const spl__exact_view *view, int64_t i,
                                   uint64_t *restrict bitmap)
{
    const spl__problem *p = view->problem;
    const P *a_offsets = p->a.csr.offsets, *d_offsets = p->d.csr.offsets;
    const I *restrict ids = view->b->ids, *d_columns = p->d.csr.indices;
    const uint64_t *restrict masks = view->b->masks;
    const spl__compressed_row *row = NULL;
    for (P q = a_offsets[i]; (row = FN(next_row)(view, &q, a_offsets[i + 1], row));)
        for (int64_t k = row->begin; k < row->end; k++)
            bitmap[ids[k]] |= masks[k];
    for (P q = p->has_d ? d_offsets[i] : 0; p->has_d && q < d_offsets[i + 1]; q++)
        bitmap[d_columns[q] >> SPL__WORD_SHIFT] |= FN(bit_of)(d_columns[q]);
}

/* Writes the columns of bitmap[first..last] to out and clears the words; returns the end of the
 * output. */
static inline I *FN(empty_bitmap)(uint64_t *restrict bitmap, int64_t first, int64_t last,
                                  I *restrict out)
{
    for (int64_t id = first; id <= last; id++) {
        if (!bitmap[id])
            continue;
        out = FN(unpack_word)(bitmap[id], id, out);
        bitmap[id] = 0;
    }
    return out;
}
