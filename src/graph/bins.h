/* SPDX-License-Identifier: Apache-2.0 */
/* bins.h: vertices that wait for their turn by distance, in bins of equal width.
 *
 * Whoever lowers a distance adds the vertex with it. Nothing is taken out when a distance falls
 * again: the older entry no longer has the vertex's distance and is passed over. So threads need no
 * common marks. Entries are in blocks, which each thread fills for itself, and hands over full.
 * The first bin's turn is `now`; the last one has what is farther away than all other bins. If the
 * blocks run out, entries are dropped, and later found again among all vertices. */
#ifndef SPL_GRAPH_BINS_H
#define SPL_GRAPH_BINS_H

#include "core/memory.h"

#include <float.h>
#include <stdbool.h>

enum { SPL__BINS = 32, SPL__BIN_BLOCK = 128 };

typedef struct spl__waiting {
    int32_t vertex;
    float distance; /* spl__bin_rounded */
} spl__waiting;

/* What one thread fills. */
typedef struct spl__bin_filler {
    int64_t at[SPL__BINS]; /* where each bin's next entry goes; -1: a new block is needed */
    int32_t unused;        /* a list of blocks; -1: empty */
    int32_t padding[15];   /* no line of a cache is shared */
} spl__bin_filler;

typedef struct spl__bins {
    spl__waiting *entries;
    int32_t *counts;         /* of the entries of each block that was handed over */
    int32_t *after;          /* of each block: the next of its list; -1: none */
    int64_t *ring;           /* blocks of the bin `now`, each with the turn of its place */
    int32_t full[SPL__BINS]; /* of later bins: lists of blocks */
    spl__bin_filler *fillers;
    int threads;
    int32_t blocks;
    double begin, per_width; /* where the first bin begins */
    int now;
    bool dropped;               /* whether entries were */
    _Alignas(64) int64_t fresh; /* blocks that were not used yet begin here */
    _Alignas(64) int64_t head;  /* of the ring */
    _Alignas(64) int64_t tail;
    int64_t waiting; /* entries in the ring */
} spl__bins;

/* Memory: 13n, and 35 kB, and as much for each thread. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET: free
 * what there is. */
spl_status spl__bins_make(spl__bins *bins, spl__account *account, int32_t vertices, int threads);
void spl__bins_free(spl__bins *bins);
/* Empties them; bins of such a width begin at 0. */
void spl__bins_start(spl__bins *bins, double width);
/* Without other threads: makes the next bin with entries the one whose turn it is. False: none. */
bool spl__bins_advance(spl__bins *bins, const double *distance);
/* Likewise, after entries were dropped: adds all vertices that may have waited. */
void spl__bins_refill(spl__bins *bins, const double *distance, int32_t vertices);
/* A block whose turn it is; -1: none now. */
int32_t spl__bins_take(spl__bins *bins, spl__bin_filler *filler);
/* For spl__bins_add. */
void spl__bins_hand_over(spl__bins *bins, spl__bin_filler *filler, int bin);
bool spl__bins_new_block(spl__bins *bins, spl__bin_filler *filler, int bin);

/* Rounding keeps the order. */
static inline float spl__bin_rounded(double distance)
{
    return distance < (double)FLT_MAX ? (float)distance : FLT_MAX;
}

static inline int spl__bin_of(const spl__bins *bins, float distance)
{
    const double place = ((double)distance - bins->begin) * bins->per_width;
    return place < SPL__BINS - 1 ? (int)place : SPL__BINS - 1;
}

static inline void spl__bins_add(spl__bins *bins, spl__bin_filler *filler, int32_t vertex,
                                 double distance)
{
    const float rounded = spl__bin_rounded(distance);
    const int bin = spl__bin_of(bins, rounded);
    if (filler->at[bin] < 0 && !spl__bins_new_block(bins, filler, bin))
        return;
    bins->entries[filler->at[bin]++] = (spl__waiting){vertex, rounded};
    if (filler->at[bin] % SPL__BIN_BLOCK == 0)
        spl__bins_hand_over(bins, filler, bin);
}

/* Entries whose turn it is, but for a block that each thread is filling. */
static inline int64_t spl__bins_waiting(const spl__bins *bins)
{
    return __atomic_load_n(&bins->waiting, __ATOMIC_RELAXED);
}

/* Of a block that was taken: it is used anew. */
static inline void spl__bins_give_back(spl__bins *bins, spl__bin_filler *filler, int32_t block)
{
    bins->after[block] = filler->unused;
    filler->unused = block;
}

#endif
