/* SPDX-License-Identifier: Apache-2.0 */
/* collector.h: vertices that a thread has found for a queue of all threads. */
#ifndef SPL_GRAPH_COLLECTOR_H
#define SPL_GRAPH_COLLECTOR_H

#include <stdint.h>
#include <string.h>

enum { SPL__COLLECTED = 512 };

typedef struct spl__collector {
    int32_t *queue; /* of all threads */
    int64_t *tail;  /* its length */
    int64_t count;
    int32_t found[SPL__COLLECTED];
} spl__collector;

/* Appends what was found to the queue; also at the end. */
static inline void spl__collector_empty(spl__collector *c)
{
    int64_t first = __atomic_fetch_add(c->tail, c->count, __ATOMIC_RELAXED);
    if (c->count > 0)
        memcpy(c->queue + first, c->found, (size_t)c->count * sizeof *c->found);
    c->count = 0;
}

static inline void spl__collector_add(spl__collector *c, int32_t vertex)
{
    c->found[c->count++] = vertex;
    if (c->count == SPL__COLLECTED)
        spl__collector_empty(c);
}

static inline void spl__collector_start(spl__collector *c, int32_t *queue, int64_t *tail)
{
    c->queue = queue;
    c->tail = tail;
    c->count = 0;
}

#endif
