/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* triple_spread_rows.c: rows of A*P and C as words of bits, and their masks: see triple_spread.c.
 */
#include "spgemm/triple/triple_spread.h"

#include "core/checked.h"
#include "core/lanes.h"
#include "core/variant.h"

#include <string.h>

typedef const kernels *kernels_ref;

static SPL__UNUSED spl_status make_room(const search *s, spl__growing *to, size_t more)
{
    return spl__growing_reserve(to, &s->plan->account, more);
}

static SPL__UNUSED int64_t quads_of(int64_t words)
{
    return (words + QUAD - 1) / QUAD;
}

static SPL__UNUSED size_t masks_of(int64_t count, int64_t length)
{
    return (size_t)(count * ((length + MASK - 1) / MASK));
}

#define SELF "spgemm/triple/triple_spread_rows.c"
#include "core/each_type.h"

SPL__KERNELS(spgemm_triple_spread_rows, kernels_ref, &kernels, SPL__V4)

#ifndef SPL__VARIANT

const kernels *spl__triple_spread_kernels(const spl_plan *plan)
{
    return spl__variant_of_cpu() >= SPL__V4 && plan->problem.a.csr.type == SPL_F64
               ? kernel(plan->problem.combination)
               : NULL;
}

#endif
#else

#ifdef __AVX512VL__

/* ---- words ---- */

/* Entries of a row that are not there have the last word, and no bits. */
static SPL__INLINED void FN(fill)(quad *q, int64_t count, int32_t word)
{
    for (int64_t m = count; m % QUAD != 0; m++) {
        q[m / QUAD].words[m % QUAD] = word;
        q[m / QUAD].bits[m % QUAD] = 0;
    }
}

/* False: columns of a row do not ascend. */
static bool FN(pack)(const spl_sparse *p, packed *to)
{
    const P *offsets = p->offsets;
    const I *columns = p->indices;
    quad *quads = to->quads;
    for (int64_t i = 0; i < p->rows; i++) {
        int64_t last = -1, word = -1, m = -1;
        to->begins[i] = quads - to->quads;
        for (P q = offsets[i]; q < offsets[i + 1]; q++) {
            const int64_t column = (int64_t)columns[q], bit = column % WORD;
            if (column <= last)
                return false;
            last = column;
            if (column >> WORD_BITS != word) {
                m++;
                word = column >> WORD_BITS;
                quads[m / QUAD].words[m % QUAD] = (int32_t)word;
                quads[m / QUAD].bits[m % QUAD] = 0;
            }
            quads[m / QUAD].bits[m % QUAD] |= (uint64_t)1 << bit;
        }
        FN(fill)(quads, m + 1, (int32_t)word);
        quads += (m + QUAD) / QUAD;
    }
    to->begins[p->rows] = quads - to->quads;
    return true;
}

/* Fetches a row before it is needed. */
static SPL__INLINED void FN(fetch)(const packed *of, const I *list, int64_t t, int64_t count)
{
    enum { AHEAD = 6 };
    if (t + AHEAD >= count)
        return;
    const char *row = (const char *)(of->quads + of->begins[list[t + AHEAD]]);
    __builtin_prefetch(row);
    __builtin_prefetch(row + SPL__LINE);
}

/* Or of words of rows. */
static SPL__INLINED void FN(unite)(notes *n, const rows *r, bool few)
{
    const I *list = r->list;
    const packed of = *r->of;
    uint64_t *bits = n->bits, *summary = n->summary, only = 0;
    for (int64_t t = 0; t < r->count; t++) {
        FN(fetch)(&of, list, t, r->count);
        for (const quad *q = of.quads + of.begins[list[t]],
                        *end = of.quads + of.begins[list[t] + 1];
             q < end; q++)
            for (int m = 0; m < QUAD; m++) {
                const int32_t word = q->words[m];
                bits[word] |= q->bits[m];
                if (few)
                    only |= (uint64_t)1 << word;
                else
                    summary[word >> WORD_BITS] |= (uint64_t)1 << (word % WORD);
            }
    }
    if (few)
        summary[0] = only;
}

/* Lists the words that have any bits; returns how many bits all have. */
static SPL__INLINED int64_t FN(list_words)(const search *s, notes *n)
{
    int64_t length = 0;
    n->listed = 0;
    for (int64_t w = 0; w < s->summaries; w++) {
        for (uint64_t left = n->summary[w]; left; left &= left - 1) {
            const int32_t word = (int32_t)(w * WORD + __builtin_ctzll(left));
            n->before[word] = (int32_t)length;
            n->list[n->listed++] = word;
            length += __builtin_popcountll(n->bits[word]);
        }
        n->summary[w] = 0;
    }
    return length;
}

/* Joins rows to one, as words in the notes; returns its length. */
static SPL__INLINED int64_t FN(join_rows)(const search *s, notes *n, const rows *r)
{
    if (s->summaries == 1)
        FN(unite)(n, r, true);
    else
        FN(unite)(n, r, false);
    return FN(list_words)(s, n);
}

static SPL__INLINED void FN(forget)(notes *n)
{
    for (int64_t m = 0; m < n->listed; m++)
        n->bits[n->list[m]] = 0;
}

/* Row i of A*P. P's rows are not packed yet: where A*P does not pay they never are. */
static void FN(sample)(const search *s, notes *n, int64_t i, estimate *sum)
{
    const spl_sparse *a = &s->plan->problem.a.csr, *p = &s->plan->problem.b.csr;
    const P *offsets = a->offsets, *p_offsets = p->offsets;
    const I *columns = a->indices, *p_columns = p->indices;
    for (P q = offsets[i]; q < offsets[i + 1]; q++)
        for (P e = p_offsets[columns[q]]; e < p_offsets[columns[q] + 1]; e++) {
            const int64_t column = (int64_t)p_columns[e], word = column >> WORD_BITS;
            n->bits[word] |= (uint64_t)1 << (column % WORD);
            n->summary[word >> WORD_BITS] |= (uint64_t)1 << (word % WORD);
            sum->products++;
        }
    const int64_t length = FN(list_words)(s, n);
    const double factors = (double)(p_offsets[i + 1] - p_offsets[i]);
    sum->entries += (double)length;
    sum->quads += (double)quads_of(n->listed);
    sum->masks += (double)masks_of((int64_t)(offsets[i + 1] - offsets[i]), length);
    sum->products += (double)length * factors;
    sum->factors += factors;
    sum->kept += length > 0 ? factors : 0;
    FN(forget)(n);
}

/* ---- masks ---- */

/* Of rows that are joined to one of up to 64 columns. A word that is written may be longer than
 * what it says; the next one is written over its end. */
static SPL__INLINED void FN(put_short)(const notes *n, const rows *r, int64_t length, uint8_t *to)
{
    const I *list = r->list;
    const int64_t width = (length + MASK - 1) / MASK;
    const packed of = *r->of;
    const uint64_t *bits = n->bits;
    const int32_t *before = n->before;
    for (int64_t t = 0; t < r->count; t++, to += width) {
        uint64_t places = 0;
        for (const quad *q = of.quads + of.begins[list[t]],
                        *end = of.quads + of.begins[list[t] + 1];
             q < end; q++)
            for (int m = 0; m < QUAD; m++) {
                const int32_t word = q->words[m];
                places |= _pext_u64(q->bits[m], bits[word]) << (before[word] % WORD);
            }
        memcpy(to, &places, sizeof places);
    }
}

/* Of longer ones: 64 columns of all rows, then the next ones. */
static SPL__INLINED void FN(put_long)(const notes *n, const rows *r, int64_t length, uint8_t *to)
{
    const I *list = r->list;
    const int64_t groups = length / WORD, rest = (length % WORD + MASK - 1) / MASK;
    for (int64_t t = 0; t < r->count; t++) {
        memset(n->groups, 0, (size_t)(groups + 2) * sizeof *n->groups);
        for (const quad *q = r->of->quads + r->of->begins[list[t]],
                        *end = r->of->quads + r->of->begins[list[t] + 1];
             q < end; q++)
            for (int m = 0; m < QUAD; m++) {
                const uint64_t places = _pext_u64(q->bits[m], n->bits[q->words[m]]);
                const int32_t before = n->before[q->words[m]];
                n->groups[before / WORD] |= places << (before % WORD);
                n->groups[before / WORD + 1] |= places >> 1 >> (WORD - 1 - before % WORD);
            }
        for (int64_t g = 0; g < groups; g++)
            memcpy(to + (g * r->count + t) * MASK, &n->groups[g], MASK);
        memcpy(to + groups * r->count * MASK + t * rest, &n->groups[groups], (size_t)rest);
    }
}

static SPL__INLINED spl_status FN(put)(const search *s, const notes *n, const rows *r,
                                       int64_t length, spl__growing *masks)
{
    const size_t bytes = masks_of(r->count, length);
    if (length == 0)
        return SPL_OK;
    SPL__TRY(make_room(s, masks, bytes + sizeof(uint64_t)));
    uint8_t *to = spl__growing_at(masks);
    if (length <= WORD)
        FN(put_short)(n, r, length, to);
    else
        FN(put_long)(n, r, length, to);
    masks->count += bytes;
    return SPL_OK;
}

/* ---- A*P ---- */

static spl_status FN(find_row)(const search *s, notes *n, int64_t i, piece *to)
{
    const P *offsets = s->plan->problem.a.csr.offsets;
    const rows r = {(const I *)s->plan->problem.a.csr.indices + offsets[i],
                    (int64_t)(offsets[i + 1] - offsets[i]), &s->p};
    const int64_t length = FN(join_rows)(s, n, &r);
    const int64_t count = quads_of(n->listed);
    const size_t bytes = (size_t)count * sizeof(quad);
    SPL__TRY(make_room(s, &to->quads, bytes));
    SPL__TRY(FN(put)(s, n, &r, length, &to->masks));
    quad *quads = spl__growing_at(&to->quads);
    for (int64_t m = 0; m < n->listed; m++) {
        quads[m / QUAD].words[m % QUAD] = n->list[m];
        quads[m / QUAD].bits[m % QUAD] = n->bits[n->list[m]];
    }
    if (count > 0)
        FN(fill)(quads, n->listed, n->list[n->listed - 1]);
    to->quads.count += bytes;
    s->ap.begins[i + 1] = count;
    ((P *)s->spread->offsets)[i + 1] = (P)length;
    FN(forget)(n);
    return SPL_OK;
}

static spl_status FN(find)(const search *s, notes *n, int64_t block)
{
    const int64_t size = s->spread->rows, begin = block * size,
                  end = spl__min_i64(begin + size, s->plan->problem.a.csr.rows);
    const double count = (double)(end - begin);
    piece *to = &s->pieces[block];
    SPL__TRY(make_room(s, &to->quads, (size_t)(count * s->expected.quads) * sizeof(quad)));
    SPL__TRY(make_room(s, &to->masks, (size_t)(count * s->expected.masks) + sizeof(uint64_t)));
    for (int64_t i = begin; i < end; i++)
        SPL__TRY(FN(find_row)(s, n, i, to));
    SPL__TRY(spl__growing_end(&to->masks));
    s->spread->first[block] = spl__growing_take(&to->masks);
    return SPL_OK;
}

static void FN(number)(search *s, bool *empty)
{
    const P *of_a = s->plan->problem.a.csr.offsets;
    P *offsets = s->spread->offsets;
    int64_t sum = 0;
    for (int64_t i = 0; i < s->plan->problem.a.csr.rows; i++) {
        *empty = *empty || offsets[i + 1] == 0;
        sum += (int64_t)offsets[i + 1];
        offsets[i + 1] = (P)sum;
        s->ap.begins[i + 1] += s->ap.begins[i];
        s->spread->most = spl__max_i64(s->spread->most, (int64_t)(of_a[i + 1] - of_a[i]));
    }
    s->spread->entries = sum;
}

/* Entries of P' whose row of A*P is empty. */
static void FN(drop)(spl__triple *t)
{
    const P *offsets = t->spread.offsets;
    I *nodes = t->blocks_node;
    P *first = t->blocks_first;
    int64_t kept = 0;
    for (int64_t k = 0; k < t->coarse_nodes; k++) {
        const int64_t begin = t->starts[k];
        t->starts[k] = kept;
        for (int64_t e = begin, end = t->starts[k + 1]; e < end; e++)
            if (offsets[nodes[e]] < offsets[nodes[e] + 1]) {
                nodes[kept] = nodes[e];
                first[kept++] = first[e];
            }
    }
    t->starts[t->coarse_nodes] = kept;
}

/* ---- C ---- */

static spl_status FN(join_row)(const search *s, notes *n, int64_t k, piece *to)
{
    spl__triple *t = s->triple;
    const rows r = {(const I *)t->blocks_node + t->starts[k], t->starts[k + 1] - t->starts[k],
                    &s->ap};
    const int64_t length = FN(join_rows)(s, n, &r);
    SPL__TRY(make_room(s, &to->columns, (size_t)length * sizeof(I)));
    SPL__TRY(FN(put)(s, n, &r, length, &to->masks));
    I *columns = spl__growing_at(&to->columns);
    for (int64_t m = 0; m < n->listed; m++)
        for (uint64_t bits = n->bits[n->list[m]]; bits; bits &= bits - 1)
            *columns++ = (I)n->list[m] * WORD + (I)__builtin_ctzll(bits);
    to->columns.count += (size_t)length * sizeof(I);
    t->offsets[k + 1] = length;
    FN(forget)(n);
    return SPL_OK;
}

static spl_status FN(join)(const search *s, notes *n, int64_t block)
{
    const spl__triple *t = s->triple;
    const int64_t begin = t->rows.begin[block], end = t->rows.begin[block + 1];
    const double count = (double)(end - begin);
    piece *to = &s->pieces[block];
    SPL__TRY(make_room(s, &to->columns, (size_t)(count * s->sample->length) * sizeof(I)));
    SPL__TRY(
        make_room(s, &to->masks,
                  (size_t)(count * s->sample->masks / (double)t->coarse_nodes) + sizeof(uint64_t)));
    for (int64_t k = begin; k < end; k++)
        SPL__TRY(FN(join_row)(s, n, k, to));
    SPL__TRY(spl__growing_end(&to->masks));
    s->spread->last[block] = spl__growing_take(&to->masks);
    return SPL_OK;
}

static const kernels FN(kernels) = {FN(pack), FN(sample), FN(find), FN(join), FN(number), FN(drop)};

#else /* never called */
static const kernels FN(kernels) = {NULL, NULL, NULL, NULL, NULL, NULL};
#endif

#endif
