/* SPDX-License-Identifier: Apache-2.0 */
/* sample_columns.h: products and columns of a few evenly spaced rows of C, of operands that have
 * not been checked: rows that are not valid are passed over. A template. */

enum { FN(SLOTS) = 2048, FN(MOST_COLUMNS) = FN(SLOTS) / 2, FN(MOST_PRODUCTS) = 1 << 15 };

/* Inserts a column; returns whether it is new. */
static inline bool FN(insert_column)(I *slots, I column)
{
    uint32_t slot = (uint32_t)column * 2654435769U >> 21; /* D. Knuth, multiplicative hashing */
    while (slots[slot] >= 0 && slots[slot] != column)
        slot = (slot + 1) % FN(SLOTS);
    const bool is_new = slots[slot] < 0;
    slots[slot] = column;
    return is_new;
}

/* Whether entries [begin, end) are in an array of `nnz` entries. */
static inline bool FN(is_range)(P begin, P end, int64_t nnz)
{
    return begin >= 0 && begin <= end && (int64_t)end <= nnz;
}

/* Columns of a row of C: the first, the last, and how many, 0: none, or not known, as of a row that
 * is not valid; and their products. */
typedef struct FN(extent) {
    int64_t first, last, found, products;
} FN(extent);

static FN(extent) FN(extent_of)(const spl_sparse *a, const spl_sparse *b, int64_t i)
{
    const P *a_offsets = a->offsets, *b_offsets = b->offsets;
    const I *a_columns = a->indices, *b_columns = b->indices;
    static const FN(extent) unknown;
    FN(extent) e = {.first = b->cols};
    I slots[FN(SLOTS)];
    memset(slots, -1, sizeof slots);
    if (!FN(is_range)(a_offsets[i], a_offsets[i + 1], a->nnz))
        return unknown;
    for (P p = a_offsets[i]; p < a_offsets[i + 1]; p++) {
        const I k = a_columns[p];
        if (k < 0 || k >= b->rows || !FN(is_range)(b_offsets[k], b_offsets[k + 1], b->nnz))
            return unknown;
        for (P q = b_offsets[k]; q < b_offsets[k + 1]; q++) {
            if (b_columns[q] < 0 || e.found == FN(MOST_COLUMNS) ||
                e.products == FN(MOST_PRODUCTS)) /* looking must not take as long as multiplying */
                return unknown;
            e.first = spl__min_i64(e.first, b_columns[q]);
            e.last = spl__max_i64(e.last, b_columns[q]);
            e.found += FN(insert_column)(slots, b_columns[q]);
            e.products++;
        }
    }
    return e;
}

/* Whether most columns of row i of A are those of the row before or behind, as in
 * blocks, with holes or without. */
static bool FN(is_like_next)(const spl_sparse *a, int64_t i)
{
    const P *offsets = a->offsets;
    const I *columns = a->indices;
    const P begin = offsets[i], end = offsets[i + 1];
    const bool valid = FN(is_range)(begin, end, a->nnz);
    for (int64_t j = i - 1; valid && j <= i + 1; j += 2) {
        int64_t common = 0;
        if (j < 0 || j >= a->rows || !FN(is_range)(offsets[j], offsets[j + 1], a->nnz))
            continue;
        for (P p = begin, q = offsets[j]; p < end && q < offsets[j + 1];) {
            common += columns[p] == columns[q];
            const bool next = columns[p] <= columns[q];
            q += columns[q] <= columns[p];
            p += next;
        }
        if (5 * common > 3 * (int64_t)(end - begin))
            return true;
    }
    return false;
}

/* Whether all rows of C are placed, however many products they have: they need no order, or find it
 * soon, and planning takes long. Not where rows of A are alike, which plans make use of. */
static SPL__APART void FN(sample)(spl__once_product *c)
{
    /* ROWS: for each sample. A plan takes time per row of B met, and to find columns: long beside
     * the products of short rows, and where a column has few products. */
    enum { SAMPLES = 8, ROWS = 128 };
    const spl__machine *m = &spl__machine_cpu;
    const spl_sparse *a = c->a, *b = c->b;
    const int64_t samples = spl__min_i64(SAMPLES, a->rows / ROWS + 1);
    int64_t like = 0, sorted = 0, scanned = 0, products = 0, columns = 0;
    for (int64_t s = 0; s < samples; s++)
        like += FN(is_like_next)(a, (2 * s + 1) * a->rows / (2 * samples));
    if (2 * like > samples || (spl__is_shifted(a) && spl__is_shifted(b)))
        return;
    for (int64_t s = 0; s < samples && !c->unsorted; s++) {
        const FN(extent) e = FN(extent_of)(a, b, (2 * s + 1) * a->rows / (2 * samples));
        const bool near = e.found > 0 && e.last - e.first < FN(SCANNED_SPAN) * e.found;
        scanned += near;
        sorted += near || (e.found > 0 && spl__sum_is_sorted(e.found + e.found / 4, b->cols));
        products += e.products;
        columns += e.found;
    }
    c->scans = 2 * scanned > samples;
    c->places_all = c->unsorted || (4 * sorted >= 3 * samples &&
                                    ((double)b->nnz <= m->once_short * (double)b->rows ||
                                     (double)products <= m->once_again * (double)columns));
}
