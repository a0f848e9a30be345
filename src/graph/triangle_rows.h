/* SPDX-License-Identifier: Apache-2.0 */
/* triangle_rows.h: the rows in which triangles are counted, and how much work they are. */
#ifndef SPL_GRAPH_TRIANGLE_ROWS_H
#define SPL_GRAPH_TRIANGLE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct spl__triangle_rows {
    const void *begin; /* n + 1 offsets of 64 or 32 bits */
    const int32_t *to;
    uint32_t *next; /* of each vertex the entry that is due: the position in `to` */
    int64_t edges;
    int32_t n;
    int32_t followed; /* rows below this one begin with eight entries, their own or others' */
    bool wide;
    bool narrow; /* hardly any row of a neighbour has more than four entries */
} spl__triangle_rows;

static inline __attribute__((always_inline)) int64_t
spl__triangle_begin(const spl__triangle_rows *r, int32_t v, bool wide)
{
    return wide ? ((const int64_t *)r->begin)[v] : ((const int32_t *)r->begin)[v];
}

/* What a sample of the rows tells. */
enum { SPL__SAMPLED_ROWS = 1024 };
typedef struct spl__row_sample {
    int32_t count;                        /* of sampled rows */
    double before[SPL__SAMPLED_ROWS + 1]; /* the work of those before each, in steps */
    double shorter;                       /* the mean over edges of the shorter row */
    double narrow; /* the part of the edges to rows of at most four entries */
} spl__row_sample;
void spl__row_sample_take(spl__row_sample *sample, const spl__triangle_rows *rows);
/* The first vertex of a range: threads that take a range each, the last one first, end together;
 * the others come later than the first thread. That of `ranges` is n. */
int32_t spl__row_sample_cut(const spl__row_sample *sample, int32_t n, int range, int ranges);

#endif
