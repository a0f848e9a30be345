/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_value_rows.h: the values of rows of C whose columns are known. A team has the sums of its
 * row in shared memory, in the order of C's columns. Kinds of rows differ in the lookup of a
 * product's position.
 *
 * The lanes of a part walk a row of B. If its columns differ (`ordered`), lanes add to different
 * sums, so that a team of one part needs no atomic additions, and its sums are the same in every
 * run. Part of the templates of kernel files: read once per combination of types, without a
 * guard. */

/* ---- adding ---- */

DEVICE void FN(add)(T *sum, T value, bool alone)
{
    if (alone)
        *sum += value;
    else
        ATOMIC_ADD(sum, value);
}

/* Adds the loaded entries of AT_ONCE rows of B, row by row. `before`: terms of the row of C that
 * precede theirs. */
DEVICE void FN(add_at_once)(const FN(positions) *p, const FN(team) *t, int kind, bool alone,
                            const FN(rows_at_once) *r, P before, P start,
                            const I *RESTRICT b_columns, const T *RESTRICT b_values)
{
    const P j = start + t->lane;
    int32_t position[FN(AT_ONCE)];
    T value[FN(AT_ONCE)];
    for (int u = 0; u < FN(AT_ONCE); u++) {
        position[u] = j >= r->length[u]     ? -1
                      : kind == SPGEMM_KEPT ? READ(&p->kept[before + j])
                                            : READ(&b_columns[r->begin[u] + j]);
        value[u] = j < r->length[u] ? r->value[u] * READ(&b_values[r->begin[u] + j]) : (T)0;
        before += r->length[u];
    }
    for (int u = 0; u < FN(AT_ONCE); u++)
        position[u] = position[u] >= 0 ? FN(position_of)(p, position[u], kind) : -1;
    for (int u = 0; u < FN(AT_ONCE); u++) {
        if (position[u] >= 0)
            FN(add)(&p->sums[position[u]], value[u], alone);
        SYNC_WARP(t->mask);
    }
}

/* `before`: entries of D, whose positions come first. */
DEVICE void FN(add_products)(const FN(positions) *p, const FN(team) *t, int kind, bool alone,
                             T alpha, P first, P last, P before, const I *RESTRICT a_columns,
                             const T *RESTRICT a_values, const P *RESTRICT b_offsets,
                             const I *RESTRICT b_columns, const T *RESTRICT b_values)
{
    for (P from = first + t->part; from < last; from += (P)t->parts * t->width) {
        const FN(entries) e =
            FN(entries_from)(t, from, last, alpha, a_columns, a_values, b_offsets);
        for (int i = 0; i < e.count; i += FN(AT_ONCE)) {
            const FN(rows_at_once) r = FN(rows_from)(t, &e, i, true);
            for (P start = 0; start < r.longest; start += t->width)
                FN(add_at_once)(p, t, kind, alone, &r, before, start, b_columns, b_values);
            for (int u = 0; u < FN(AT_ONCE); u++)
                before += r.length[u];
        }
    }
}

DEVICE void FN(add_singly_at)(const FN(positions) *p, int kind, T value, P index,
                              const I *RESTRICT b_columns, const T *RESTRICT b_values)
{
    const int32_t position = FN(position_of)(p, READ(&b_columns[index]), kind);
    if (position >= 0)
        ATOMIC_ADD(&p->sums[position], value * READ(&b_values[index]));
}

/* The same, but each lane walks rows of B of its own, whose columns other lanes may have as
 * well. */
DEVICE void FN(add_singly)(const FN(positions) *p, const FN(team) *t, int kind, T alpha, P first,
                           P last, const I *RESTRICT a_columns, const T *RESTRICT a_values,
                           const P *RESTRICT b_offsets, const I *RESTRICT b_columns,
                           const T *RESTRICT b_values)
{
    for (P from = first + t->rank; from < last; from += (P)FN(AT_ONCE) * t->size) {
        const FN(single_rows) r =
            FN(single_rows_from)(t, from, last, alpha, a_columns, a_values, b_offsets);
        int32_t column[FN(AT_ONCE)];
        T value[FN(AT_ONCE)];
        UNROLL
        for (int u = 0; u < FN(AT_ONCE); u++) {
            const bool any = r.begin[u] < r.end[u];
            column[u] = any ? READ(&b_columns[r.begin[u]]) : -1;
            value[u] = any ? r.value[u] * READ(&b_values[r.begin[u]]) : (T)0;
        }
        UNROLL
        for (int u = 0; u < FN(AT_ONCE); u++) {
            const int32_t position = column[u] >= 0 ? FN(position_of)(p, column[u], kind) : -1;
            if (position >= 0)
                ATOMIC_ADD(&p->sums[position], value[u]);
        }
        for (int u = 0; u < FN(AT_ONCE); u++)
            for (P j = r.begin[u] + 1; j < r.end[u]; j++)
                FN(add_singly_at)(p, kind, r.value[u], j, b_columns, b_values);
    }
}

/* Walks the long rows of B, which parts skip, for as many entries of A as a warp has lanes.
 * Returns whether the lane has seen a row that all warps share. */
DEVICE bool FN(add_long_rows_from)(const FN(positions) *p, const FN(team) *t, const FN(team) *wide,
                                   int kind, T alpha, FN(look) *look, P last,
                                   const I *RESTRICT a_columns, const T *RESTRICT a_values,
                                   const P *RESTRICT b_offsets, const I *RESTRICT b_columns,
                                   const T *RESTRICT b_values)
{
    FN(entries) e;
    lane_mask found =
        FN(find_long_rows)(wide, look->index, last, alpha, a_columns, a_values, b_offsets, &e);
    for (; found; found &= found - 1) {
        const P begin = SHUFFLE(wide->mask, e.begin, FIRST_BIT(found));
        const P length = SHUFFLE(wide->mask, e.length, FIRST_BIT(found));
        const T value = SHUFFLE(wide->mask, e.value, FIRST_BIT(found));
        P step, j = FN(first_of_long_row)(t, wide, look, length, &step);
        for (; j < length; j += step) {
            const int32_t position = FN(position_of)(p, READ(&b_columns[begin + j]), kind);
            if (position >= 0)
                ATOMIC_ADD(&p->sums[position], value * READ(&b_values[begin + j]));
        }
    }
    return FN(is_shared)(&e);
}

DEVICE void FN(add_long_rows)(const FN(positions) *p, const FN(team) *t, int kind, T alpha, P first,
                              P last, const I *RESTRICT a_columns, const T *RESTRICT a_values,
                              const P *RESTRICT b_offsets, const I *RESTRICT b_columns,
                              const T *RESTRICT b_values)
{
    if (t->long_row == INT32_MAX)
        return;
    const FN(team) wide = FN(widest_part)(t);
    FN(look) look = FN(look_from)(t, &wide, first, last);
    bool shared;
    do
        shared = FN(add_long_rows_from)(p, t, &wide, kind, alpha, &look, last, a_columns, a_values,
                                        b_offsets, b_columns, b_values);
    while (FN(look_on)(&look, t, &wide, last, shared));
}

DEVICE void FN(add_addend)(const FN(positions) *p, const FN(team) *t, int kind, bool alone, T beta,
                           P first, P last, const I *RESTRICT d_columns, const T *RESTRICT d_values)
{
    for (P q = first + t->rank; q < last; q += t->size) {
        const int32_t position = kind == SPGEMM_KEPT ? READ(&p->kept[q - first])
                                                     : FN(position_of)(p, d_columns[q], kind);
        if (position >= 0)
            FN(add)(&p->sums[position], beta * d_values[q], alone);
    }
}

/* Adds alpha*A*B and beta*D of a row; operands with a factor of zero are not read. */
DEVICE void FN(add_row)(const FN(positions) *p, const FN(team) *t, int kind, bool alone,
                        const struct spgemm_values *v, int64_t row)
{
    const T alpha = SCALAR(T, v->o.scalars.alpha), beta = SCALAR(T, v->o.scalars.beta);
    const P *a_offsets = (const P *)v->o.s.a_offsets, *d_offsets = (const P *)v->o.s.d_offsets;
    const P addends =
        kind == SPGEMM_KEPT && d_offsets ? READ(&d_offsets[row + 1]) - READ(&d_offsets[row]) : 0;
    const bool singly = kind != SPGEMM_KEPT && v->layout.singly;
    if (alpha != 0 && singly)
        FN(add_singly)(p, t, kind, alpha, READ(&a_offsets[row]), READ(&a_offsets[row + 1]),
                       (const I *)v->o.s.a_columns, (const T *)v->o.a_values,
                       (const P *)v->o.s.b_offsets, (const I *)v->o.s.b_columns,
                       (const T *)v->o.b_values);
    else if (alpha != 0)
        FN(add_products)(p, t, kind, alone, alpha, READ(&a_offsets[row]), READ(&a_offsets[row + 1]),
                         addends, (const I *)v->o.s.a_columns, (const T *)v->o.a_values,
                         (const P *)v->o.s.b_offsets, (const I *)v->o.s.b_columns,
                         (const T *)v->o.b_values);
    if (alpha != 0 && kind != SPGEMM_KEPT) /* kept rows are short */
        FN(add_long_rows)(p, t, kind, alpha, READ(&a_offsets[row]), READ(&a_offsets[row + 1]),
                          (const I *)v->o.s.a_columns, (const T *)v->o.a_values,
                          (const P *)v->o.s.b_offsets, (const I *)v->o.s.b_columns,
                          (const T *)v->o.b_values);
    FN(team_sync)(t);
    if (beta != 0 && d_offsets)
        FN(add_addend)(p, t, kind, alone, beta, d_offsets[row], d_offsets[row + 1],
                       (const I *)v->o.s.d_columns, (const T *)v->o.d_values);
    FN(team_sync)(t);
}

/* Computes `count` columns of a row, from `begin` on in C. */
DEVICE void FN(compute_chunk)(const struct spgemm_values *v, const FN(team) *t,
                              unsigned char *shared, int kind, int64_t row, int64_t begin,
                              int64_t count)
{
    FN(positions) p = FN(positions_in)(v, t, shared, kind, begin, count, 1);
    if (kind == SPGEMM_KEPT)
        p.kept = v->kept.slots + READ(&v->kept.starts[row]);
    FN(make_positions)(&p, t, kind, v->o.columns + begin);
    if (kind != SPGEMM_SPREAD && v->ordered && t->parts == 1 &&
        (kind == SPGEMM_KEPT || !v->layout.singly))
        FN(add_row)(&p, t, kind, true, v, row);
    else
        FN(add_row)(&p, t, kind, false, v, row);
    for (int32_t i = t->rank; kind != SPGEMM_SPREAD && i < p.count; i += t->size)
        ((T *)v->o.values)[begin + i] = p.sums[i];
    FN(team_sync)(t);
}

DEVICE void FN(compute_rows)(const struct spgemm_values *v, unsigned char *shared, int kind)
{
    FN(team) t = FN(team_of)(v->layout.team, v->layout.width);
    t.long_row = v->layout.long_row;
    for (int64_t k = FN(first_of_team)(&v->layout, &t); k < v->layout.list_count * v->layout.pieces;
         k += FN(teams_of)(&v->layout, &t)) {
        const FN(piece) piece = FN(piece_of)(v, k);
        for (int64_t index = piece.begin; index < piece.end;
             index += v->layout.most * v->layout.pieces)
            FN(compute_chunk)(v, &t, shared, kind, piece.row, index,
                              FN(length_of_chunk)(v, &piece, index));
    }
}
