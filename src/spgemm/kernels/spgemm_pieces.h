/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_pieces.h: rows of B and D as the terms of a row of C. Part of the templates of kernel
 * files: read once per combination of types, without a guard. */

/* A row of B or D and its factor. */
typedef struct FN(piece) {
    P begin, length;
    T scale;
    const I *columns;
    const T *values; /* NULL: the factor is zero, nothing is read */
} FN(piece);

DEVICE T FN(term_at)(const FN(piece) *p, P index)
{
    return p->values ? p->scale * READ(&p->values[p->begin + index]) : (T)0;
}

/* A piece of no entries of B. */
DEVICE FN(piece) FN(empty_piece)(const struct spgemm_operands *o)
{
    const T alpha = SCALAR(T, o->scalars.alpha);
    FN(piece) p;
    p.begin = p.length = 0;
    p.scale = 0;
    p.columns = (const I *)o->s.b_columns;
    p.values = alpha != 0 ? (const T *)o->b_values : (const T *)0;
    return p;
}

DEVICE FN(piece) FN(piece_of_addend)(const struct spgemm_operands *o, int64_t row)
{
    const P *d_offsets = (const P *)o->s.d_offsets;
    FN(piece) p;
    p.begin = READ(&d_offsets[row]);
    p.length = READ(&d_offsets[row + 1]) - p.begin;
    p.scale = SCALAR(T, o->scalars.beta);
    p.columns = (const I *)o->s.d_columns;
    p.values = p.scale != 0 ? (const T *)o->d_values : (const T *)0;
    return p;
}
