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

enum { NO_WORD = INT32_MAX - WORD };

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

/* Entries of a row that are not there have its last words in turn, and no bits: what is added to a
 * word waits for what was before. */
static SPL__INLINED void FN(fill)(quad *q, int64_t count)
{
    const int64_t turn = count < QUAD ? count : QUAD;
    for (int64_t m = count; m % QUAD != 0; m++) {
        q[m / QUAD].words[m % QUAD] = q[(m - turn) / QUAD].words[(m - turn) % QUAD];
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
        if (m >= 0)
            FN(fill)(quads, m + 1);
        quads += (m + QUAD) / QUAD;
    }
    to->begins[p->rows] = quads - to->quads;
    *quads = (quad){.words = {NO_WORD, NO_WORD, NO_WORD, NO_WORD}};
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

/* The first word of rows; of one that has none the next row's is taken, which does no harm. */
static SPL__INLINED int32_t FN(first_word)(const rows *r)
{
    const I *list = r->list;
    const packed of = *r->of;
    int32_t first = NO_WORD;
    for (int64_t t = 0; t < r->count; t++) {
        FN(fetch)(&of, list, t, r->count);
        const int32_t word = of.quads[of.begins[list[t]]].words[0];
        first = word < first ? word : first;
    }
    return first;
}

/* Words from the first one on that have any bits. */
typedef struct FN(window) {
    uint64_t near, next;
    bool fits;
} FN(window);

static SPL__INLINED uint64_t FN(any_of)(__m256i m)
{
    const __m128i half = _mm_or_si128(_mm256_castsi256_si128(m), _mm256_extracti128_si256(m, 1));
    return (uint64_t)_mm_extract_epi64(half, 0) | (uint64_t)_mm_extract_epi64(half, 1);
}

/* Or of words of rows. */
static SPL__INLINED FN(window) FN(unite)(notes *n, const rows *r, int32_t first)
{
    const I *list = r->list;
    const packed of = *r->of;
    uint64_t *bits = n->bits;
    const __m128i base = _mm_set1_epi32(first), word = _mm_set1_epi32(WORD);
    const __m256i one = _mm256_set1_epi64x(1);
    __m256i near = _mm256_setzero_si256(), next = near;
    __m128i far = _mm_setzero_si128();
    for (int64_t t = 0; t < r->count; t++) {
        for (const quad *q = of.quads + of.begins[list[t]],
                        *end = of.quads + of.begins[list[t] + 1];
             q < end; q++) {
            const __m128i at = _mm_sub_epi32(_mm_loadu_si128((const __m128i *)q->words), base);
            far = _mm_or_si128(far, at);
            near = _mm256_or_si256(near, _mm256_sllv_epi64(one, _mm256_cvtepu32_epi64(at)));
            next = _mm256_or_si256(
                next, _mm256_sllv_epi64(one, _mm256_cvtepu32_epi64(_mm_sub_epi32(at, word))));
            for (int m = 0; m < QUAD; m++)
                bits[q->words[m]] |= q->bits[m];
        }
    }
    return (FN(window)){FN(any_of)(near), FN(any_of)(next),
                        _mm_testz_si128(far, _mm_set1_epi32(~(2 * WORD - 1)))};
}

/* Four at a time: how many there are is not foreseen. */
static SPL__INLINED int32_t *FN(list_word)(uint64_t left, int32_t first, int32_t *list)
{
    int32_t *end = list + __builtin_popcountll(left);
    for (; left; list += QUAD)
        for (int m = 0; m < QUAD; m++) {
            list[m] = first + (int32_t)_tzcnt_u64(left);
            left &= left - 1;
        }
    return end;
}

/* Which words have any bits. */
static SPL__APART void FN(summarise)(notes *n, const rows *r)
{
    const I *list = r->list;
    for (int64_t t = 0; t < r->count; t++)
        for (const quad *q = r->of->quads + r->of->begins[list[t]],
                        *end = r->of->quads + r->of->begins[list[t] + 1];
             q < end; q++)
            for (int m = 0; m < QUAD; m++)
                n->summary[q->words[m] >> WORD_BITS] |= (uint64_t)1 << (q->words[m] % WORD);
}

/* Lists the words that have any bits. */
static SPL__APART void FN(list_words)(const search *s, notes *n)
{
    int32_t *end = n->list;
    for (int64_t w = 0; w < s->summaries; w++) {
        end = FN(list_word)(n->summary[w], (int32_t)(w * WORD), end);
        n->summary[w] = 0;
    }
    n->listed = end - n->list;
}

/* Joins rows to one, and lists its words. */
static SPL__INLINED void FN(join_rows)(const search *s, notes *n, const rows *r)
{
    const int32_t first = FN(first_word)(r);
    const FN(window) window = FN(unite)(n, r, first);
    if (window.fits) {
        int32_t *end = FN(list_word)(window.near, first, n->list);
        n->listed = FN(list_word)(window.next, first + WORD, end) - n->list;
    } else {
        FN(summarise)(n, r);
        FN(list_words)(s, n);
    }
}

/* Takes the listed words; returns how many bits they have. */
static SPL__INLINED int64_t FN(take_words)(notes *n, quad *to)
{
    int64_t length = 0;
    int32_t before = 0;
    for (int64_t k = 0; k < n->listed; k += QUAD, to++)
        for (int m = 0; m < QUAD; m++) {
            const bool there = k + m < n->listed;
            const int32_t word = n->list[there ? k + m : n->listed - 1];
            const uint64_t bits = there ? n->bits[word] : 0;
            before = there ? (int32_t)length : before;
            n->before[word] = before;
            to->words[m] = word;
            to->bits[m] = bits;
            length += __builtin_popcountll(bits);
        }
    return length;
}

static SPL__INLINED void FN(forget)(notes *n, const quad *taken)
{
    for (int64_t k = 0; k < n->listed; k += QUAD, taken++)
        for (int m = 0; m < QUAD; m++)
            n->bits[taken->words[m]] = 0;
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
    FN(list_words)(s, n);
    const int64_t length = FN(take_words)(n, n->quads);
    const double factors = (double)(p_offsets[i + 1] - p_offsets[i]);
    sum->entries += (double)length;
    sum->quads += (double)quads_of(n->listed);
    sum->masks += (double)masks_of((int64_t)(offsets[i + 1] - offsets[i]), length);
    sum->products += (double)length * factors;
    sum->factors += factors;
    sum->kept += length > 0 ? factors : 0;
    FN(forget)(n, n->quads);
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
    FN(join_rows)(s, n, &r);
    const int64_t count = quads_of(n->listed);
    SPL__TRY(make_room(s, &to->quads, (size_t)count * sizeof(quad)));
    quad *quads = spl__growing_at(&to->quads);
    const int64_t length = FN(take_words)(n, quads);
    SPL__TRY(FN(put)(s, n, &r, length, &to->masks));
    to->quads.count += (size_t)count * sizeof(quad);
    s->ap.begins[i + 1] = count;
    ((P *)s->spread->offsets)[i + 1] = (P)length;
    FN(forget)(n, quads);
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

/* Those of the words that were taken, four at a time. */
static SPL__INLINED void FN(put_columns)(const notes *n, I *columns)
{
    for (int64_t k = 0; k < n->listed; k++) {
        const int64_t first = (int64_t)n->list[k] * WORD;
        uint64_t bits = n->quads[k / QUAD].bits[k % QUAD];
        I *to = columns;
        columns += __builtin_popcountll(bits);
        do
            for (int m = 0; m < QUAD; m++) {
                *to++ = (I)(first + (int64_t)_tzcnt_u64(bits));
                bits &= bits - 1;
            }
        while (bits);
    }
}

static spl_status FN(join_row)(const search *s, notes *n, int64_t k, piece *to)
{
    spl__triple *t = s->triple;
    const rows r = {(const I *)t->blocks_node + t->starts[k], t->starts[k + 1] - t->starts[k],
                    &s->ap};
    FN(join_rows)(s, n, &r);
    const int64_t length = FN(take_words)(n, n->quads);
    SPL__TRY(make_room(s, &to->columns, (size_t)(length + QUAD) * sizeof(I)));
    SPL__TRY(FN(put)(s, n, &r, length, &to->masks));
    FN(put_columns)(n, spl__growing_at(&to->columns));
    to->columns.count += (size_t)length * sizeof(I);
    t->offsets[k + 1] = length;
    FN(forget)(n, n->quads);
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
