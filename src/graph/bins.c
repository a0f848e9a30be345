/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/bins.h"

#include <math.h>

enum { BLOCK = SPL__BIN_BLOCK, LAST = SPL__BINS - 1 };

spl_status spl__bins_make(spl__bins *bins, spl__account *account, int32_t vertices, int threads)
{
    /* at least half the vertices can be added anew after all were; each thread fills a block for
     * each bin, and reads one */
    const int64_t blocks =
        ((int64_t)vertices + vertices / 2) / BLOCK + 1 + SPL__BINS + (SPL__BINS + 1LL) * threads;
    bins->blocks = (int32_t)blocks;
    bins->threads = threads;
    SPL__TRY(SPL__NEW(account, &bins->entries, blocks * BLOCK));
    SPL__TRY(SPL__NEW(account, &bins->counts, blocks));
    SPL__TRY(SPL__NEW(account, &bins->after, blocks));
    SPL__TRY(SPL__NEW(account, &bins->ring, blocks + 1));
    return SPL__NEW(account, &bins->fillers, threads);
}

void spl__bins_free(spl__bins *bins)
{
    spl__free(bins->entries);
    spl__free(bins->counts);
    spl__free(bins->after);
    spl__free(bins->ring);
    spl__free(bins->fillers);
}

static void empty(spl__bins *bins)
{
    bins->now = 0;
    bins->dropped = false;
    bins->fresh = bins->head = bins->tail = bins->waiting = 0;
    for (int64_t k = 0; k <= bins->blocks; k++)
        bins->ring[k] = -1;
    for (int k = 0; k < SPL__BINS; k++)
        bins->full[k] = -1;
    for (int t = 0; t < bins->threads; t++) {
        bins->fillers[t].unused = -1;
        for (int k = 0; k < SPL__BINS; k++)
            bins->fillers[t].at[k] = -1;
    }
}

void spl__bins_start(spl__bins *bins, double width)
{
    empty(bins);
    bins->begin = 0;
    bins->per_width = fmin(1 / width, DBL_MAX); /* times 0 it is 0 */
}

/* ------------------------------------------------------------------------------------------ blocks
 */

/* What the ring has at a place that was reached so many times: the turn tells that it is not the
 * block of an earlier one, which nobody takes out. */
static int64_t in_ring(const spl__bins *bins, int64_t place, int32_t block)
{
    return place / (bins->blocks + 1) * ((int64_t)INT32_MAX + 1) + block;
}

/* The ring has a place more than there are blocks: none is written before it was read. */
static void enter_ring(spl__bins *bins, int32_t block)
{
    __atomic_fetch_add(&bins->waiting, bins->counts[block], __ATOMIC_RELAXED);
    const int64_t place = __atomic_fetch_add(&bins->tail, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&bins->ring[place % (bins->blocks + 1)], in_ring(bins, place, block),
                     __ATOMIC_RELEASE);
}

static int32_t leave_ring(spl__bins *bins)
{
    int64_t place = __atomic_load_n(&bins->head, __ATOMIC_RELAXED);
    for (;;) {
        const int64_t found =
            __atomic_load_n(&bins->ring[place % (bins->blocks + 1)], __ATOMIC_ACQUIRE);
        const int64_t block = found - in_ring(bins, place, 0);
        if (block < 0) /* not there yet */
            return -1;
        if (__atomic_compare_exchange_n(&bins->head, &place, place + 1, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED)) {
            __atomic_fetch_sub(&bins->waiting, bins->counts[block], __ATOMIC_RELAXED);
            return (int32_t)block;
        }
    }
}

void spl__bins_hand_over(spl__bins *bins, spl__bin_filler *filler, int bin)
{
    const int32_t block = (int32_t)((filler->at[bin] - 1) / BLOCK);
    bins->counts[block] = (int32_t)(filler->at[bin] - (int64_t)block * BLOCK);
    filler->at[bin] = -1;
    if (bin == bins->now) {
        enter_ring(bins, block);
        return;
    }
    int32_t first = __atomic_load_n(&bins->full[bin], __ATOMIC_RELAXED);
    do
        bins->after[block] = first;
    while (!__atomic_compare_exchange_n(&bins->full[bin], &first, block, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED));
}

bool spl__bins_new_block(spl__bins *bins, spl__bin_filler *filler, int bin)
{
    int64_t block = filler->unused;
    if (block >= 0)
        filler->unused = bins->after[block];
    else if (__atomic_load_n(&bins->fresh, __ATOMIC_RELAXED) < bins->blocks)
        block = __atomic_fetch_add(&bins->fresh, 1, __ATOMIC_RELAXED);
    if (block < 0 || block >= bins->blocks) {
        __atomic_store_n(&bins->dropped, true, __ATOMIC_RELAXED);
        return false;
    }
    filler->at[bin] = block * BLOCK;
    return true;
}

int32_t spl__bins_take(spl__bins *bins, spl__bin_filler *filler)
{
    int32_t block = leave_ring(bins);
    const int64_t at = filler->at[bins->now];
    if (block >= 0 || at < 0)
        return block;
    block = (int32_t)((at - 1) / BLOCK);
    bins->counts[block] = (int32_t)(at - (int64_t)block * BLOCK);
    filler->at[bins->now] = -1;
    return block;
}

/* ------------------------------------------------------------------------------------------- turns
 */

/* All blocks of a bin become a list. */
static int32_t list_of(spl__bins *bins, int bin)
{
    for (int t = 0; t < bins->threads; t++)
        if (bins->fillers[t].at[bin] >= 0)
            spl__bins_hand_over(bins, &bins->fillers[t], bin);
    const int32_t first = bins->full[bin];
    bins->full[bin] = -1;
    return first;
}

/* Entries of the last bin go to those that begin at their least distance. */
static bool begin_anew(spl__bins *bins, const double *distance)
{
    spl__bin_filler *const filler = &bins->fillers[0];
    float least = INFINITY;
    const int32_t first = list_of(bins, LAST);
    for (int32_t block = first; block >= 0; block = bins->after[block]) {
        spl__waiting *const entries = bins->entries + (int64_t)block * BLOCK;
        int32_t kept = 0;
        for (int32_t k = 0; k < bins->counts[block]; k++)
            if (spl__bin_rounded(distance[entries[k].vertex]) == entries[k].distance) {
                least = fminf(least, entries[k].distance);
                entries[kept++] = entries[k];
            }
        bins->counts[block] = kept;
    }
    bins->now = 0;
    bins->begin = (double)least;
    for (int32_t block = first, next; block >= 0; block = next) {
        const spl__waiting *const entries = bins->entries + (int64_t)block * BLOCK;
        next = bins->after[block];
        for (int32_t k = 0; k < bins->counts[block]; k++)
            spl__bins_add(bins, filler, entries[k].vertex, (double)entries[k].distance);
        spl__bins_give_back(bins, filler, block);
    }
    return !isinf(least);
}

bool spl__bins_advance(spl__bins *bins, const double *distance)
{
    for (int bin = bins->now + 1; bin < LAST; bin++) {
        int32_t block = list_of(bins, bin);
        if (block < 0)
            continue;
        bins->now = bin;
        for (; block >= 0; block = bins->after[block])
            enter_ring(bins, block);
        return true;
    }
    return begin_anew(bins, distance);
}

void spl__bins_refill(spl__bins *bins, const double *distance, int32_t vertices)
{
    const int now = bins->now;
    const double begin = bins->begin;
    float least = INFINITY;
    for (int32_t v = 0; v < vertices; v++)
        if (!isinf(distance[v]) && spl__bin_of(bins, spl__bin_rounded(distance[v])) >= now)
            least = fminf(least, spl__bin_rounded(distance[v]));
    empty(bins);
    bins->begin = isinf(least) ? begin : (double)least;
    for (int32_t v = 0; v < vertices; v++)
        if (!isinf(distance[v]) && spl__bin_rounded(distance[v]) >= least)
            spl__bins_add(bins, &bins->fillers[0], v, distance[v]);
}
