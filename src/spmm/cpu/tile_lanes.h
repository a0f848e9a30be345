/* SPDX-License-Identifier: Apache-2.0 */
/* tile_lanes.h: the registers of a tile of C, and their loads and stores.
 *
 * A template: T, ACC, FN come from core/each_type.h, loops and sizes from tile_loops.h. */
typedef ACC FN(lanes) __attribute__((vector_size(SPL__REGISTER_BYTES)));

enum { FN(WIDTH) = SPL__REGISTER_BYTES / sizeof(ACC) };

/* C = alpha*sums + beta*C */
typedef struct FN(result) {
    T *c;
    int64_t row; /* elements between rows */
    ACC alpha, beta;
    bool reads, adds; /* alpha, or beta, is not 0 */
    bool streams;     /* C fills cache lines without gaps, and is stored past the caches */
} FN(result);

static inline FN(result) FN(result_of)(const spl__call *call)
{
    const ACC alpha = *(const ACC *)call->alpha, beta = *(const ACC *)call->beta;
    return (FN(result)){.c = call->c->values,
                        .row = call->c->ld,
                        .alpha = alpha,
                        .beta = beta,
                        .reads = alpha != 0,
                        .adds = beta != 0};
}

/* The upper left corner of the tile's first register, and the number of columns from there on; the
 * first `skip` are not the tile's: the lanes of the mask `skipped`. */
typedef struct FN(origin) {
    int64_t i, j, columns, skip;
    unsigned skipped;
} FN(origin);

/* Register t of the tile's piece of a row, which begins at `line`. */
ALWAYS_INLINE FN(lanes) FN(load)(const T *line, const int t, FN(origin) origin, const int registers,
                                 const spl__tile_masks masks)
{
    const T *x = line + t * FN(WIDTH);
#ifdef SHIFTED
    if (masks == SPL__MASK_ENDS && (t == 0 || t == registers - 1))
        return (FN(lanes))SPL__LOAD_MASKED(x, t == 0 ? ~origin.skipped : origin.skipped);
#endif
    if (spl__tile_cuts(masks, t, registers))
        return (FN(lanes))SPL__LOAD_SOME_VALUES(x, origin.columns - t * FN(WIDTH));
    return (FN(lanes))SPL__LOAD_VALUES(x);
}

ALWAYS_INLINE void FN(store)(T *line, const int t, FN(lanes) lanes, FN(origin) origin,
                             const int registers, const spl__tile_masks masks)
{
    T *x = line + t * FN(WIDTH);
#ifdef SHIFTED
    if (masks == SPL__MASK_ENDS && (t == 0 || t == registers - 1)) {
        SPL__STORE_MASKED(x, t == 0 ? ~origin.skipped : origin.skipped, lanes);
        return;
    }
#endif
    if (spl__tile_cuts(masks, t, registers))
        SPL__STORE_SOME_VALUES(x, origin.columns - t * FN(WIDTH), lanes);
    else
        SPL__STORE_VALUES(x, lanes);
}

/* alpha*sum past the caches, but for columns that a mask may cut off. */
ALWAYS_INLINE void FN(stream_row)(const FN(result) *to, T *line, FN(origin) origin,
                                  const int registers, const spl__tile_masks masks, FN(lanes) *sum)
{
    UNROLL
    for (int t = 0; t < registers; t++) {
        sum[t] *= to->alpha;
        if (spl__tile_cuts(masks, t, registers))
            FN(store)(line, t, sum[t], origin, registers, masks);
        else
            SPL__STREAM(line + t * FN(WIDTH), sum[t]);
    }
}

/* The tile's piece of a row of C, which begins at `line`: alpha*sum + beta*C */
ALWAYS_INLINE void FN(store_row)(const FN(result) *to, T *line, FN(origin) origin,
                                 const int registers, const spl__tile_masks masks, FN(lanes) *sum)
{
    if (sizeof(T) == sizeof(ACC) && masks != SPL__MASK_ENDS && to->streams) {
        FN(stream_row)(to, line, origin, registers, masks, sum);
        return;
    }
    UNROLL
    for (int t = 0; t < registers; t++) {
        sum[t] *= to->alpha;
        if (__builtin_expect(to->adds, false))
            sum[t] += to->beta * FN(load)(line, t, origin, registers, masks);
        FN(store)(line, t, sum[t], origin, registers, masks);
    }
}

/* The same for row i of C. */
ALWAYS_INLINE void FN(finish_row)(const FN(result) *to, FN(origin) origin, const int registers,
                                  const spl__tile_masks masks, FN(lanes) *sum)
{
    T *line = to->c + origin.i * to->row + origin.j;
    FN(store_row)(to, line, origin, registers, masks, sum);
}
