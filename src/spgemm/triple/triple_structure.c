/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* triple_structure.c: the structure of C = P'*A*P.
 *
 * A row of C: the columns of the rows of A that its row of P' names, each once by a stamp, then the
 * columns of these rows of P as bits. A second level of bits says which words have any, so that
 * columns come out in order, and rows cost what they contain. Rows are found in blocks, whose
 * columns are joined in the end.
 *
 * Cost: entries of A for each entry of P, entries of P for each of P'*A; in nodes the squares of
 * their sizes less. Memory: per thread two indices a row of A and a bit
 * a column of P; the columns of C twice, while they are joined, and those of P'*A once. */
#include "spgemm/triple/triple_state.h"

#include "core/checked.h"
#include "core/combination.h"
#include "core/growing.h"
#include "core/lanes.h"

#include <math.h>
#include <omp.h>
#include <string.h>

enum { WORD = 64, WORD_BITS = 6, AHEAD = 8 }; /* rows of A that are fetched ahead */

/* A thread's notes, in one block of memory. */
typedef struct notes {
    void *stamps, *list;      /* fine nodes: the last row that met them; those of this row */
    uint64_t *bits, *summary; /* coarse nodes; words that have any */
} notes;

/* Of a block of rows: those of C, and of P'*A where these are kept. */
typedef struct piece {
    spl__growing c, lists;
    int64_t longest_middle, longest_row;
} piece;

typedef struct search {
    spl_plan *plan;
    spl__triple *triple;
    piece *pieces;
    double expected, middle; /* columns of a row of C, of P'*A */
    double masks;            /* of C, if rows are spread */
    bool keeps;              /* lists of P'*A */
    spl__triple_reach reach; /* instead of marks, if it pays */
    size_t index;            /* bytes of a column */
} search;

static int64_t words_for(int64_t count)
{
    return (count + WORD - 1) / WORD;
}

static size_t notes_bytes(const search *s)
{
    int64_t words = spl__triple_words(s->triple);
    return SPL__LINE + (size_t)(words + words_for(words)) * sizeof(uint64_t) +
           (2 * (size_t)s->triple->fine_nodes + 1) * s->index;
}

/* `memory` has been cleared: no bits, no stamps. */
static void start_notes(const search *s, void *memory)
{
    notes *n = memory;
    int64_t words = spl__triple_words(s->triple);
    n->bits = (uint64_t *)((char *)memory + SPL__LINE);
    n->summary = n->bits + words;
    n->stamps = n->summary + words_for(words);
    n->list = (char *)n->stamps + (size_t)s->triple->fine_nodes * s->index;
}

/* Room for `more` columns. */
static spl_status make_room(const search *s, spl__growing *to, int64_t more)
{
    return spl__growing_reserve(to, &s->plan->account, (size_t)more * s->index);
}

typedef struct functions {
    int64_t (*meet_row)(const search *s, notes *n, int64_t k, int64_t *middle);
    void (*take_row)(const search *s, notes *n, spl__growing *to);
    void (*keep_list)(const notes *n, int64_t middle, spl__growing *to);
    void (*expand)(const spl__triple *t, void *columns);
} functions;

#define SELF "spgemm/triple/triple_structure.c"
#include "core/each_type.h"

static const functions *functions_of(const spl_plan *plan)
{
    static const functions *const table[] = SPL__TABLE(&functions);
    return table[spl__combination_of_structure(&plan->problem.a.csr)];
}

/* ---- rows of C ---- */

static spl_status find_block(const search *s, notes *n, int64_t block)
{
    const spl__triple *t = s->triple;
    const functions *f = functions_of(s->plan);
    piece *to = &s->pieces[block];
    int64_t begin = t->rows.begin[block], end = t->rows.begin[block + 1];
    SPL__TRY(make_room(s, &to->c, (int64_t)((double)(end - begin) * s->expected)));
    if (s->keeps)
        SPL__TRY(make_room(s, &to->lists, (int64_t)((double)(end - begin) * s->middle)));
    for (int64_t k = begin; k < end; k++) {
        int64_t middle, length = f->meet_row(s, n, k, &middle);
        SPL__TRY(make_room(s, &to->c, length));
        f->take_row(s, n, &to->c);
        if (s->keeps) {
            SPL__TRY(make_room(s, &to->lists, middle + 1));
            f->keep_list(n, middle, &to->lists);
        }
        t->offsets[k + 1] = length;
        to->longest_middle = spl__max_i64(to->longest_middle, middle);
        to->longest_row = spl__max_i64(to->longest_row, length);
    }
    SPL__TRY(spl__growing_end(&to->lists));
    return spl__growing_end(&to->c);
}

static spl_status find_blocks(const search *s, int threads, void **memory)
{
    const spl__triple *t = s->triple;
    spl__watch *watch = spl__account_watch(&s->plan->account);
    spl__failure failure = {0};
    spl__watch_stage(watch, "symbolic", t->rows.count);
#pragma omp parallel for num_threads(spl__team(threads)) schedule(dynamic)
    for (int64_t b = 0; b < t->rows.count; b++)
        if (!spl__failed(&failure) && spl__watch_goes_on(watch))
            spl__failure_note(&failure, find_block(s, memory[omp_get_thread_num()], b));
    SPL__TRY(spl__failure_raise(&failure));
    return spl__watch_check(watch);
}

/* Offsets from lengths, and one array of columns. */
static spl_status join(const search *s)
{
    spl__triple *t = s->triple;
    char *to;
    for (int64_t k = 0; k < t->coarse_nodes; k++)
        t->offsets[k + 1] += t->offsets[k];
    SPL__TRY(spl__alloc(&s->plan->account, t->offsets[t->coarse_nodes], s->index, &t->columns));
    if (s->keeps)
        SPL__TRY(SPL__NEW_ZERO(&s->plan->account, &t->lists, t->rows.count));
    to = t->columns;
    for (int64_t b = 0; b < t->rows.count; b++) {
        piece *p = &s->pieces[b];
        if (p->c.count > 0)
            memcpy(to, p->c.memory, p->c.count);
        to += p->c.count;
        spl__free(spl__growing_take(&p->c));
        if (s->keeps)
            t->lists[b] = spl__growing_take(&p->lists);
        t->longest_middle = spl__max_i64(t->longest_middle, p->longest_middle);
        t->longest_row = spl__max_i64(t->longest_row, p->longest_row);
    }
    return SPL_OK;
}

/* What P' and a thread's notes take: nothing is known of C yet. */
static void expect_start(const search *s)
{
    enum { COLUMNS = 4 }; /* of C, at a guess, for each block of P */
    const spl__triple *t = s->triple;
    const spl_sparse *b = &s->plan->problem.b.csr;
    double blocks = (double)b->nnz / t->fine / t->coarse, index = (double)s->index;
    spl__plan_expect(s->plan,
                     blocks * ((1 + COLUMNS) * index + (double)spl__index_size(b->offset_type)) +
                         3.0 * sizeof(int64_t) * (double)(t->coarse_nodes + 1) +
                         (double)notes_bytes(s),
                     0);
}

/* Lists save values the search for what is new: of entries, and of half the operands' bytes. */
static bool keeps_lists(const search *s)
{
    const spl__triple *t = s->triple;
    const spl_sparse *a = &s->plan->problem.a.csr, *b = &s->plan->problem.b.csr;
    const double bytes =
        ((double)a->nnz + (double)b->nnz) * (double)(s->index + spl__type_size(a->type));
    return t->fine == 1 && t->coarse == 1 &&
           2 * s->middle * (double)t->coarse_nodes * (double)s->index <= bytes;
}

/* The columns of some rows say about what C takes, while it is joined or with the workspace of its
 * values. */
static void expect_rows(search *s, notes *n)
{
    enum { SAMPLES = 32, LEAST = 8, LITTLE = 1 << 17, MARGIN = 2 }; /* a row of 8, unless short */
    spl__triple *t = s->triple;
    const functions *f = functions_of(s->plan);
    const spl_sparse *a = &s->plan->problem.a.csr;
    const double look_at_all = (double)t->starts[t->coarse_nodes] * (double)a->nnz /
                               ((double)spl__max_i64(1, a->rows) * t->fine); /* entries of A */
    spl__growing none = {0};
    int64_t step = t->coarse_nodes / SAMPLES + 1, found = 0, listed = 0, rows = 0, middle;
    double masks = 0;
    if (step < LEAST && look_at_all > LITTLE)
        step = LEAST;
    for (int64_t k = spl__min_i64(step, t->coarse_nodes) / 2; k < t->coarse_nodes;
         k += step, rows++) {
        int64_t length = f->meet_row(s, n, k, &middle);
        f->take_row(s, n, &none);
        found += length;
        listed += middle;
        masks += (double)(t->starts[k + 1] - t->starts[k]) * (double)((length + 7) / 8);
        t->longest_middle = spl__max_i64(t->longest_middle, MARGIN * middle);
        t->longest_row = spl__max_i64(t->longest_row, MARGIN * length);
    }
    memset(n->stamps, 0, (size_t)t->fine_nodes * s->index); /* these rows come again */
    s->expected = rows > 0 ? 1.125 * (double)found / (double)rows + 1 : 0;
    s->middle = rows > 0 ? 1.125 * (double)listed / (double)rows + 2 : 0;
    s->masks = rows > 0 ? masks * (double)t->coarse_nodes / (double)rows : 0;
    s->keeps = keeps_lists(s);
    double columns = s->expected * (double)t->coarse_nodes * (double)s->index,
           lists = s->keeps ? s->middle * (double)t->coarse_nodes * (double)s->index : 0,
           values = (double)spl__triple_workspace(s->plan) - (double)notes_bytes(s);
    spl__plan_expect(s->plan, columns + lists + fmax(columns, values), 0);
    t->longest_middle = t->longest_row = 0;
}

/* They have lists of their own. */
static spl_status make_bundles(search *s)
{
    if (!s->keeps)
        return SPL_OK;
    SPL__TRY(spl__triple_bundle(s->plan, s->middle));
    s->keeps = s->triple->bundles.count == 0;
    return SPL_OK;
}

/* Columns of A*P as bits, if that pays and there is room for them. */
static spl_status make_reach(search *s)
{
    if (!spl__triple_reach_pays(s->plan, s->middle, s->keeps))
        return SPL_OK;
    spl_status status = spl__triple_reach_make(s->plan, &s->reach);
    return status == SPL_OVER_BUDGET || status == SPL_OUT_OF_MEMORY ? SPL_OK : status;
}

/* Blocks of rows of about equal numbers of entries of P. */
static spl_status cut_rows(spl_plan *plan, spl__triple *t)
{
    enum { LEAST = 1024, PER_THREAD = 16 };
    int64_t work = t->starts[t->coarse_nodes] + t->coarse_nodes;
    int64_t target = spl__max_i64(LEAST, work / ((int64_t)plan->problem.threads * PER_THREAD));
    return spl__blocks_make(&plan->account, t->starts, NULL, t->coarse_nodes, target, &t->rows);
}

/* By way of A*P, or of rows of P'*A. */
static spl_status find_rows(search *s, int threads, void **memory)
{
    const spl__triple_sample sample = {s->expected, s->masks};
    SPL__TRY(make_bundles(s));
    if (s->triple->bundles.count == 0)
        SPL__TRY(spl__triple_spread_find(s->plan, &sample));
    if (s->triple->spread.blocks > 0)
        return SPL_OK;
    SPL__TRY(make_reach(s));
    return find_blocks(s, threads, memory);
}

static spl_status search_rows(search *s)
{
    spl__triple *t = s->triple;
    spl_plan *plan = s->plan;
    void **memory = NULL;
    int threads = spl__team_for_parts(plan->problem.threads, t->rows.count);
    spl_status status = spl__workspaces_make(plan, &threads, notes_bytes(s), true, &memory);
    if (status == SPL_OK) {
        for (int k = 0; k < threads; k++)
            start_notes(s, memory[k]);
        expect_rows(s, memory[0]);
        status = find_rows(s, threads, memory);
    }
    spl__free(s->reach.rows);
    spl__workspaces_free(plan, memory);
    return status == SPL_OK && t->spread.blocks == 0 ? join(s) : status;
}

spl_status spl__triple_find(spl_plan *plan)
{
    spl__triple *t = spl__triple_of(plan);
    search s = {
        .plan = plan, .triple = t, .index = spl__index_size(plan->problem.a.csr.index_type)};
    spl__triple_measure(plan);
    expect_start(&s);
    SPL__TRY(spl__triple_transpose(plan));
    SPL__TRY(cut_rows(plan, t));
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &t->offsets, t->coarse_nodes + 1));
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s.pieces, t->rows.count));
    spl_status status = search_rows(&s);
    for (int64_t b = 0; b < t->rows.count; b++) {
        spl__free(s.pieces[b].c.memory);
        spl__free(s.pieces[b].lists.memory);
    }
    spl__free(s.pieces);
    if (t->bundles.count > 0) {
        spl__free(t->blocks_node);
        spl__free(t->blocks_first);
        t->blocks_node = t->blocks_first = NULL;
    }
    return status;
}

/* ---- C for callers ---- */

void spl__triple_offsets(const spl_plan *plan, void *offsets, spl_index type)
{
    const spl__triple *t = spl__triple_of(plan);
    const int64_t size = t->coarse;
    spl__index_set(offsets, type, 0, 0);
    for (int64_t k = 0; k < t->coarse_nodes; k++) {
        int64_t begin = t->offsets[k] * size * size,
                length = (t->offsets[k + 1] - t->offsets[k]) * size;
        for (int64_t c = 1; c <= size; c++)
            spl__index_set(offsets, type, k * size + c, begin + c * length);
    }
}

void spl__triple_columns(const spl_plan *plan, void *columns)
{
    functions_of(plan)->expand(spl__triple_of(plan), columns);
}

#else

/* ---- a row of C ---- */

/* Sets a bit for each column of a row of P. */
static SPL__INLINED void FN(mark_row)(const spl__problem *p, notes *n, int64_t row, I coarse)
{
    const P *offsets = p->b.csr.offsets;
    const I *columns = p->b.csr.indices;
    for (P q = offsets[row], end = offsets[row + 1]; q < end; q += (P)coarse) {
        const uint64_t node = (uint64_t)(columns[q] / coarse), word = node >> WORD_BITS;
        n->bits[word] |= (uint64_t)1 << (node % WORD);
        n->summary[word >> WORD_BITS] |= (uint64_t)1 << (word % WORD);
    }
}

/* Lists the fine nodes of row k of P'*A; returns their number. */
static SPL__INLINED int64_t FN(list_middle)(const search *s, notes *n, int64_t k, I fine)
{
    const spl__triple *t = s->triple;
    const P *offsets = s->plan->problem.a.csr.offsets;
    const I *columns = s->plan->problem.a.csr.indices, *nodes = t->blocks_node;
    I *stamps = n->stamps, *list = n->list, stamp = (I)(k + 1);
    const int64_t last = t->starts[t->coarse_nodes] - 1;
    int64_t count = 0;
    for (int64_t e = t->starts[k]; e < t->starts[k + 1]; e++) {
        const int64_t later = (int64_t)nodes[spl__min_i64(e + AHEAD, last)] * fine;
        __builtin_prefetch(columns + offsets[later]);
        const int64_t row = (int64_t)nodes[e] * fine;
        for (P q = offsets[row], end = offsets[row + 1]; q < end; q += (P)fine) {
            const I j = columns[q] / fine;
            list[count] = j; /* stays if it is new */
            count += stamps[j] != stamp;
            stamps[j] = stamp;
        }
    }
    return count;
}

static SPL__INLINED int64_t FN(mark_columns)(const search *s, notes *n, int64_t k, I fine, I coarse)
{
    const int64_t count = FN(list_middle)(s, n, k, fine);
    const I *list = n->list;
    for (int64_t m = 0; m < count; m++)
        FN(mark_row)(&s->plan->problem, n, (int64_t)list[m] * fine, coarse);
    return count;
}

/* The same by those of A*P. */
static int64_t FN(reach_columns)(const search *s, notes *n, int64_t k)
{
    const int64_t bound = spl__triple_reach_row(s->plan, &s->reach, k, n->bits);
    for (int64_t w = 0; w < s->reach.words; w++)
        n->summary[w >> WORD_BITS] |= (uint64_t)(n->bits[w] != 0) << (w % WORD);
    return s->keeps ? FN(list_middle)(s, n, k, 1) : bound;
}

/* Marks the columns of row k of C; returns their number. */
static int64_t FN(meet_row)(const search *s, notes *n, int64_t k, int64_t *middle)
{
    const spl__triple *t = s->triple;
    const int64_t words = words_for(words_for(t->coarse_nodes));
    int64_t count = 0;
    if (s->reach.words > 0)
        *middle = FN(reach_columns)(s, n, k);
    else
        *middle = t->fine == 1 && t->coarse == 1
                      ? FN(mark_columns)(s, n, k, 1, 1)
                      : FN(mark_columns)(s, n, k, (I)t->fine, (I)t->coarse);
    for (int64_t w = 0; w < words; w++)
        for (uint64_t left = n->summary[w]; left; left &= left - 1)
            count += __builtin_popcountll(n->bits[w * WORD + __builtin_ctzll(left)]);
    return count;
}

/* Writes them in order, and forgets them. A piece without room only forgets. */
static void FN(take_row)(const search *s, notes *n, spl__growing *to)
{
    const int64_t words = words_for(words_for(s->triple->coarse_nodes));
    I *columns = spl__growing_at(to);
    size_t count = 0;
    for (int64_t w = 0; w < words; w++) {
        for (uint64_t left = n->summary[w]; left; left &= left - 1) {
            const int64_t word = w * WORD + __builtin_ctzll(left);
            for (uint64_t bits = columns ? n->bits[word] : 0; bits; bits &= bits - 1)
                columns[count++] = (I)(word * WORD + __builtin_ctzll(bits));
            n->bits[word] = 0;
        }
        n->summary[w] = 0;
    }
    to->count += count * sizeof(I);
}

/* The columns of the row of P'*A that was met last. */
static void FN(keep_list)(const notes *n, int64_t middle, spl__growing *to)
{
    I *list = spl__growing_at(to);
    list[0] = (I)middle;
    memcpy(list + 1, n->list, (size_t)middle * sizeof(I));
    to->count += (size_t)(middle + 1) * sizeof(I);
}

/* Columns of C of its nodes. */
static void FN(expand)(const spl__triple *t, void *columns)
{
    const I *nodes = t->columns, size = (I)t->coarse;
    I *to = columns;
    for (int64_t k = 0; k < t->coarse_nodes; k++)
        for (I c = 0; c < size; c++)
            for (int64_t p = t->offsets[k]; p < t->offsets[k + 1]; p++)
                for (I d = 0; d < size; d++)
                    *to++ = nodes[p] * size + d;
}

static const functions FN(functions) = {FN(meet_row), FN(take_row), FN(keep_list), FN(expand)};

#endif
