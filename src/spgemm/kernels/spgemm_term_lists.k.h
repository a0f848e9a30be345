/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that build the term lists of spgemm_terms.k.h. A team takes several entries of A at a
 * time and distributes their terms consecutively over its lanes, regardless of the entry that a
 * term belongs to: rows of B may be short or long. */
#ifndef T
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_TERM_LISTS_K_H
#define SPL_SPGEMM_KERNELS_SPGEMM_TERM_LISTS_K_H
#include "spgemm/kernels/spgemm_terms.k.h"

enum { SPGEMM_LIST_LANES = 32 }; /* lanes of a team */

/* The input of these kernels: C's structure, and the numbers of terms of entries. */
struct spgemm_term_walk {
    struct spgemm_structures s;
    const int64_t *offsets; /* [rows + 1] of C */
    const int32_t *columns;
    int64_t entries; /* nnz(C), less than 2^31 */
    /* [entries + 1] at first numbers of terms, then their prefix sums; while terms are listed:
     * the position of the next one */
    int32_t *firsts;
    /* columns of a row of B may be unsorted or repeat: each term is a run of its own */
    int32_t single_terms;
};

struct spgemm_count_terms_args {
    struct spgemm_term_walk w;
};

/* Computes where blocks begin and bounds of their numbers of runs and of single terms; zero for
 * the last one, which only marks the end. */
struct spgemm_cut_terms_args {
    struct spgemm_term_walk w;
    struct spgemm_term_block *blocks; /* [count + 1] */
    int64_t count;
    int32_t *runs, *singles; /* [count + 1] */
};

/* Computes where entries begin in their blocks. */
struct spgemm_start_terms_args {
    int64_t entries;
    const int32_t *firsts;
    const struct spgemm_term_block *blocks;
    uint16_t *starts;
};

/* Fills the arrays of spgemm_terms. */
struct spgemm_list_terms_args {
    struct spgemm_term_walk w;
    const struct spgemm_term_block *blocks;
    int64_t count;
    const int32_t *run_firsts, *single_firsts;
    uint16_t *terms, *first_runs;
    struct spgemm_term_run *runs, *singles;
};

/* Computes the positions of D's entries in C. */
struct spgemm_position_addends_args {
    struct spgemm_term_walk w;
    int32_t *slots;
};
#endif
#else

#include "spgemm/kernels/spgemm_factors.h"

/* The number of the `count` ascending numbers that are less than `bound`. */
DEVICE int32_t FN(count_below)(const int32_t *RESTRICT numbers, int32_t count, int32_t bound)
{
    int32_t low = 0;
    while (count > 0) {
        const int32_t half = count / 2;
        const bool in_upper = READ(&numbers[low + half]) < bound;
        low += in_upper ? half + 1 : 0;
        count = in_upper ? count - half - 1 : half;
    }
    return low;
}

/* The row of an entry of C, or of A if of_c is NULL. */
DEVICE int64_t FN(row_of_entry)(const int64_t *RESTRICT of_c, const P *RESTRICT of_a, int64_t rows,
                                int64_t entry)
{
    int64_t low = 0, high = rows;
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;
        if ((of_c ? READ(&of_c[middle]) : (int64_t)READ(&of_a[middle])) <= entry)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* ---- terms ---- */

/* Entries of A, one per lane, and their terms. */
typedef struct FN(batch) {
    int64_t a;              /* the first entry */
    int64_t entry;          /* of C: the begin of this lane's row */
    int32_t entries;        /* entries of that row */
    P begin;                /* of this lane's terms in B */
    int32_t length, before; /* terms of this lane, and of the lanes before */
    int32_t total;
} FN(batch);

/* Limits this lane's terms to entries of C from `least` to `end`: where columns ascend, rows can
 * be cut. */
DEVICE void FN(limit_terms)(const struct spgemm_term_walk *w, FN(batch) *b, int64_t row,
                            int64_t least, int64_t end)
{
    const int64_t from = READ(&w->offsets[row]), to = READ(&w->offsets[row + 1]);
    const I *const columns = (const I *)w->s.b_columns + b->begin;
    b->entry = from > least ? from : least;
    b->entries = (int32_t)((to < end ? to : end) - b->entry);
    if (b->entries <= 0)
        b->length = 0;
    else if (!w->single_terms && b->entries < to - from) {
        const int32_t last = w->columns[b->entry + b->entries - 1];
        const int32_t skipped = FN(count_below)(columns, b->length, w->columns[b->entry]);
        b->length = FN(count_below)(columns, b->length, last + 1) - skipped;
        b->begin += skipped;
    }
}

/* The entries of A from `first` to `last`, with their terms in entries of C from `least` to
 * `end`. */
DEVICE FN(batch) FN(batch_from)(const struct spgemm_term_walk *w, const spgemm_team *t,
                                int64_t first, int64_t last, int64_t least, int64_t end)
{
    const FN(factors) f = FN(structures_of)(&w->s);
    const FN(entries) e = FN(entries_from)(t, &f, (P)first, (P)last);
    FN(batch) b;
    b.a = first;
    b.entry = least;
    b.entries = 0;
    b.begin = e.begin;
    b.length = (int32_t)e.length;
    if (b.length > 0)
        FN(limit_terms)(
            w, &b, FN(row_of_entry)((const int64_t *)0, f.a.offsets, w->s.rows, first + t->lane),
            least, end);
    int32_t sum = b.length;
    for (int d = 1; d < SPGEMM_LIST_LANES; d *= 2) {
        const int32_t other = SHUFFLE_UP(t->mask, sum, d, SPGEMM_LIST_LANES);
        sum += t->lane >= d ? other : 0;
    }
    b.before = sum - b.length;
    b.total = SHUFFLE(t->mask, sum, t->base + SPGEMM_LIST_LANES - 1);
    return b;
}

/* A term: the entries of C, A and B. */
typedef struct FN(term) {
    int64_t c, a, b; /* c: -1: no term */
    bool begins;     /* a run */
} FN(term);

/* Term k of the batch. All lanes of the team must call this. */
DEVICE FN(term) FN(term_of)(const struct spgemm_term_walk *w, const spgemm_team *t,
                            const FN(batch) *b, int32_t k)
{
    int owner = 0; /* the last lane whose terms begin at or before k */
    for (int half = SPGEMM_LIST_LANES / 2; half > 0; half /= 2)
        owner += SHUFFLE(t->mask, b->before, t->base + owner + half) <= k ? half : 0;
    const int from = t->base + owner;
    const int32_t number = k - SHUFFLE(t->mask, b->before, from),
                  count = SHUFFLE(t->mask, b->entries, from);
    const int64_t entry = SHUFFLE(t->mask, b->entry, from);
    FN(term) term;
    term.a = b->a + owner;
    term.b = SHUFFLE(t->mask, b->begin, from) + number;
    term.c = -1;
    term.begins = w->single_terms || number == 0;
    if (k < b->total) {
        const int32_t column = READ(&((const I *)w->s.b_columns)[term.b]);
        const int32_t position = FN(count_below)(w->columns + entry, count, column);
        term.c = position < count && w->columns[entry + position] == column ? entry + position : -1;
    }
    return term;
}

/* A block of threads for some entries of A, whose terms its teams take in turn. */
KERNEL(spgemm_count_terms, SPGEMM_ROWS_THREADS, args)
{
    const struct spgemm_term_walk *w = &args.w;
    const spgemm_team t = spgemm_team_of(SPGEMM_LIST_LANES, SPGEMM_LIST_LANES);
    const int64_t entries = ((const P *)w->s.a_offsets)[w->s.rows];
    for (int64_t first = BLOCK * SPGEMM_LIST_LANES; first < entries;
         first += BLOCKS * SPGEMM_LIST_LANES) {
        const FN(batch) b = FN(batch_from)(w, &t, first, entries, 0, w->entries);
        for (int32_t k = t.number * SPGEMM_LIST_LANES; k < b.total; k += THREADS) {
            const FN(term) term = FN(term_of)(w, &t, &b, k + t.lane);
            if (term.c >= 0)
                ATOMIC_ADD(&w->firsts[term.c], 1);
        }
    }
}

/* ---- blocks ---- */

DEVICE int64_t FN(first_of_block)(const struct spgemm_cut_terms_args *args, int64_t k)
{
    const int32_t entries = (int32_t)args->w.entries;
    return k == args->count
               ? entries
               : FN(count_below)(args->w.firsts, entries, (int32_t)(k * SPGEMM_TERMS_EACH));
}

/* An entry of A has at most one run in the block, unless runs are single terms. */
DEVICE void FN(count_in_block)(const struct spgemm_cut_terms_args *args, int64_t k,
                               const struct spgemm_term_block *block)
{
    const struct spgemm_term_walk *w = &args->w;
    const P *a_offsets = (const P *)w->s.a_offsets;
    const int64_t next = k < args->count ? FN(first_of_block)(args, k + 1) : block->entry;
    const int64_t terms = (int64_t)w->firsts[next] - block->term;
    const int64_t held = terms < SPGEMM_TERMS_HELD ? terms : SPGEMM_TERMS_HELD;
    int64_t spans = 0;
    if (next > block->entry)
        spans = READ(&a_offsets[FN(row_of_entry)(w->offsets, a_offsets, w->s.rows, next - 1) + 1]) -
                block->of_a;
    args->runs[k] = (int32_t)(spans < held && !w->single_terms ? spans : held);
    args->singles[k] = (int32_t)(terms - held);
}

KERNEL(spgemm_cut_terms, SPGEMM_ROWS_THREADS, args)
{
    const struct spgemm_term_walk *w = &args.w;
    const P *a_offsets = (const P *)w->s.a_offsets;
    for (int64_t k = BLOCK * THREADS + THREAD; k <= args.count; k += BLOCKS * THREADS) {
        struct spgemm_term_block block;
        block.entry = FN(first_of_block)(&args, k);
        block.of_a =
            READ(&a_offsets[block.entry < w->entries
                                ? FN(row_of_entry)(w->offsets, a_offsets, w->s.rows, block.entry)
                                : w->s.rows]);
        block.term = w->firsts[block.entry];
        args.blocks[k] = block;
        FN(count_in_block)(&args, k, &block);
    }
}

KERNEL(spgemm_start_terms, SPGEMM_ROWS_THREADS, args)
{
    for (int64_t e = BLOCK * THREADS + THREAD; e < args.entries; e += BLOCKS * THREADS) {
        const int32_t first = READ(&args.firsts[e]);
        args.starts[e] = (uint16_t)(first - READ(&args.blocks[first / SPGEMM_TERMS_EACH].term));
    }
}

/* ---- listing ---- */

/* The lists of block k while a team builds them. */
typedef struct FN(listing) {
    struct spgemm_term_block block;
    /* the end of the block's entries of C, and of the entries of A that may contribute */
    int64_t end, end_in_a;
    uint16_t *terms, *first_runs;
    struct spgemm_term_run *runs, *singles;
    int32_t term, run; /* the next term and run */
} FN(listing);

DEVICE FN(listing) FN(listing_of)(const struct spgemm_list_terms_args *args, int64_t k)
{
    const struct spgemm_term_walk *w = &args->w;
    const P *a_offsets = (const P *)w->s.a_offsets;
    FN(listing) l;
    l.block = args->blocks[k];
    l.end = args->blocks[k + 1].entry;
    l.end_in_a = l.block.of_a;
    if (l.end > l.block.entry)
        l.end_in_a =
            READ(&a_offsets[FN(row_of_entry)(w->offsets, a_offsets, w->s.rows, l.end - 1) + 1]);
    l.terms = args->terms + l.block.term;
    l.first_runs = args->first_runs + k * SPGEMM_TERMS_PARTS;
    l.runs = args->runs + READ(&args->run_firsts[k]);
    l.singles = args->singles + READ(&args->single_firsts[k]);
    l.term = l.run = 0;
    return l;
}

/* The index of the lane's term among the block's products of its entry of C. Lanes with terms of
 * the same entry are in order. -1: no term. */
DEVICE int32_t FN(term_index)(const struct spgemm_term_walk *w, const spgemm_team *t,
                              const FN(listing) *l, int64_t c)
{
    const int32_t entry_of_lane = c >= 0 ? (int32_t)(c - l->block.entry) : -1,
                  next = c >= 0 ? w->firsts[c] : 0;
    int32_t rank = 0, all = 0;
    for (int i = 0; i < SPGEMM_LIST_LANES; i++) {
        const bool equal = SHUFFLE(t->mask, entry_of_lane, t->base + i) == entry_of_lane;
        rank += equal && i < t->lane ? 1 : 0;
        all += equal ? 1 : 0;
    }
    SYNC_WARP(t->mask);
    if (c >= 0 && rank == 0)
        w->firsts[c] = next + all;
    SYNC_WARP(t->mask);
    return c >= 0 ? next + rank - l->block.term : -1;
}

DEVICE void FN(note_run)(struct spgemm_term_run *to, int64_t in_a, int64_t in_b)
{
    to->in_a = (int32_t)in_a;
    to->in_b = (int32_t)in_b;
}

/* Lists one term per lane. */
DEVICE void FN(list_terms)(const struct spgemm_term_walk *w, const spgemm_team *t, FN(listing) *l,
                           const FN(term) *term)
{
    const int32_t position = FN(term_index)(w, t, l, term->c);
    const lane_mask upto = ((lane_mask)2 << LANE) - 1;
    const bool listed = position >= 0 && position < SPGEMM_TERMS_HELD;
    const lane_mask terms = BALLOT(t->mask, listed),
                    begin = BALLOT(t->mask, listed && term->begins);
    const int32_t index = l->term + POPCOUNT(terms & upto) - 1,
                  run = l->run + POPCOUNT(begin & upto) - 1;
    if (listed && term->begins)
        FN(note_run)(&l->runs[run], term->a - l->block.of_a, term->b - index);
    if (position >= SPGEMM_TERMS_HELD)
        FN(note_run)(&l->singles[position - SPGEMM_TERMS_HELD], term->a - l->block.of_a, term->b);
    if (listed && index % SPGEMM_TERMS_ABREAST == 0)
        l->first_runs[SPGEMM_TERMS_PART(index)] = (uint16_t)run;
    SYNC_WARP(t->mask);
    if (listed) {
        const int32_t first =
            l->first_runs[SPGEMM_TERMS_PART(index / SPGEMM_TERMS_ABREAST * SPGEMM_TERMS_ABREAST)];
        l->terms[index] = (uint16_t)((run - first) << SPGEMM_TERM_POSITION_BITS | position);
    }
    l->term += POPCOUNT(terms);
    l->run += POPCOUNT(begin);
}

/* One team per block of terms. */
KERNEL(spgemm_list_terms, SPGEMM_ROWS_THREADS, args)
{
    const struct spgemm_term_walk *w = &args.w;
    const spgemm_team t = spgemm_team_of(SPGEMM_LIST_LANES, SPGEMM_LIST_LANES);
    const int64_t teams = THREADS / SPGEMM_LIST_LANES;
    for (int64_t k = BLOCK * teams + t.number; k < args.count; k += BLOCKS * teams) {
        FN(listing) l = FN(listing_of)(&args, k);
        for (int64_t first = l.block.of_a; first < l.end_in_a; first += SPGEMM_LIST_LANES) {
            const FN(batch) b = FN(batch_from)(w, &t, first, l.end_in_a, l.block.entry, l.end);
            for (int32_t i = 0; i < b.total; i += SPGEMM_LIST_LANES) {
                const FN(term) term = FN(term_of)(w, &t, &b, i + t.lane);
                FN(list_terms)(w, &t, &l, &term);
            }
        }
    }
}

/* ---- D ---- */

/* SPGEMM_ROW_LANES lanes per row. */
KERNEL(spgemm_position_addends, SPGEMM_ROWS_THREADS, args)
{
    const struct spgemm_term_walk *w = &args.w;
    const P *d_offsets = (const P *)w->s.d_offsets;
    const int64_t teams = THREADS / SPGEMM_ROW_LANES;
    for (int64_t row = BLOCK * teams + THREAD / SPGEMM_ROW_LANES; row < w->s.rows;
         row += BLOCKS * teams) {
        const int64_t begin = READ(&w->offsets[row]), count = READ(&w->offsets[row + 1]) - begin;
        const P end = READ(&d_offsets[row + 1]);
        for (P q = READ(&d_offsets[row]) + THREAD % SPGEMM_ROW_LANES; q < end;
             q += SPGEMM_ROW_LANES)
            args.slots[q] = (int32_t)(begin + FN(count_below)(w->columns + begin, (int32_t)count,
                                                              ((const I *)w->s.d_columns)[q]));
    }
}
#endif
