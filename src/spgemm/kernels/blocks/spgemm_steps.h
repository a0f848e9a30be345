/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_steps.h: the walk of a team over the products of rows of C that it computes together, in
 * steps: some columns of rows of B that one lane each takes, and entries of A that all lanes see.
 * For node blocks, holed blocks and identical rows. Part of the templates of kernel files: read
 * once per combination of types, without a guard, after spgemm_positions.h. */

/* Iterator over the entries of A's row whose rows of B are not empty, and the columns of those. */
typedef struct FN(walk) {
    const FN(factors) *f;
    int size;  /* columns that an entry of B represents: those of a block */
    bool runs; /* entries of A are runs, which begin at run_starts in a row of row_length */
    const int32_t *run_starts;
    int32_t row_length;
    FN(entries) e;                   /* one per lane */
    int32_t lane_start, lane_length; /* this lane's run: its begin in the row, its columns */
    P from, last;                    /* of A: the first entry in e, and the end */
    int index;                       /* of the current entry in e */
    P begin;                         /* of its row of B */
    int32_t length, column;          /* columns of that row; the first one of the step */
    bool done;
} FN(walk);

DEVICE FN(walk) FN(walk_from)(const FN(factors) *f, const spgemm_team *t, int64_t row, int size)
{
    FN(walk) w;
    w.f = f;
    w.size = size;
    w.runs = false;
    w.e.begin = w.e.length = 0;
    w.e.count = w.index = 0;
    w.from = READ(&f->a.offsets[row]) - t->width;
    w.last = READ(&f->a.offsets[row + 1]);
    return w;
}

/* Loads the entries from w->from on, one per lane. */
DEVICE void FN(next_entries)(FN(walk) *w, const spgemm_team *t)
{
    const P entry = w->from + t->lane;
    w->e = FN(entries_from)(t, w->f, w->from, w->last);
    if (!w->runs)
        return;
    w->lane_start = entry < w->last ? READ(&w->run_starts[entry]) : 0;
    w->lane_length =
        (entry + 1 < w->last ? READ(&w->run_starts[entry + 1]) : w->row_length) - w->lane_start;
}

/* Advances to the next entry of A whose row of B is not empty. */
DEVICE void FN(walk_on)(FN(walk) *w, const spgemm_team *t)
{
    w->column = 0;
    do {
        w->index++;
        if (w->index >= w->e.count) {
            w->from += t->width;
            w->index = 0;
            w->done = w->from >= w->last;
            if (w->done)
                return;
            FN(next_entries)(w, t);
        }
        w->begin = SHUFFLE(t->mask, w->e.begin, t->base + w->index);
        w->length = (int32_t)SHUFFLE(t->mask, w->e.length, t->base + w->index) * w->size;
    } while (w->length == 0);
}

/* One or two entries of A per lane, loaded at the begin of a row of B. */
typedef struct FN(of_a) {
    T value[2];
    bool loaded;
} FN(of_a);

/* Stores alpha times them to shared memory, `count` in all. The sums of the previous rows of B are
 * complete afterwards. */
DEVICE void FN(show)(const FN(of_a) *a, const spgemm_team *t, int count, T alpha, T *shown)
{
    if (!a->loaded)
        return;
    SYNC_WARP(t->mask);
    UNROLL
    for (int i = 0; i < 2; i++)
        if (t->lane + i * t->width < count)
            shown[t->lane + i * t->width] = alpha * a->value[i];
    SYNC_WARP(t->mask);
}
