/* SPDX-License-Identifier: Apache-2.0 */
/* meeting.h: how many of a thread's products have a position in C, for meet_row.h. */
#ifndef SPL_SPGEMM_CPU_ROWS_MEETING_H
#define SPL_SPGEMM_CPU_ROWS_MEETING_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SPL__MEET_SAMPLED = 32,  /* of so many rows one is looked at */
    SPL__MEET_FEW = 32,      /* no list where so many products have one position among them */
    SPL__MEET_SHORT = 8,     /* nor for shorter rows of B */
    SPL__MEET_LISTED = 64,   /* at a time */
    SPL__MEET_MEMORY = 4096, /* products after which the past counts half */
};

/* What a thread has seen of rows. */
typedef struct spl__meeting {
    int64_t products, hits, entries;
    uint32_t turn;
    bool open, lists; /* open: rows of B are long enough for lists at all */
} spl__meeting;

/* Whether rows of B that so many entries of A have products with are long. */
static inline bool spl__meet_is_long(double entries, double products)
{
    return products >= entries * SPL__MEET_SHORT;
}
/* Whether the next row is looked at. */
static inline bool spl__meet_looks(spl__meeting *m)
{
    return m->open && m->turn++ % SPL__MEET_SAMPLED == 0;
}

static inline void spl__meet_note(spl__meeting *m, int64_t entries, int64_t products, int64_t hits)
{
    m->entries += entries;
    m->products += products;
    m->hits += hits;
    m->lists = m->hits * SPL__MEET_FEW >= m->products &&
               spl__meet_is_long((double)m->entries, (double)m->products);
    if (m->products > SPL__MEET_MEMORY) {
        m->entries /= 2;
        m->products /= 2;
        m->hits /= 2;
    }
}
#endif
