/* SPDX-License-Identifier: Apache-2.0 */
/* foresight.h: whether a processor foresees which products meet a column first: a model of how it
 * predicts branches, by counters that are chosen by the latest outcomes. Source: T. Yeh, Y. Patt,
 * Two-level adaptive training branch prediction, MICRO 1991. Differs: outcomes of this row, or of
 * those before, too; what foresees better counts. */
#ifndef SPL_SPGEMM_CPU_ROWS_FORESIGHT_H
#define SPL_SPGEMM_CPU_ROWS_FORESIGHT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    SPL__OUTCOMES = 12,
    /* products to learn from, a part of all of them, between these */
    SPL__FORESIGHT_FEW = 64,
    SPL__FORESIGHT_MOST = 4096,
    SPL__FORESIGHT_PART = 64
};

/* Counts what is not foreseen in the second half, once expectations have formed in the first. */
typedef struct spl__foresight {
    uint32_t enough, asked, first; /* products: to learn from, so far, of them in the first half */
    struct spl__foresight_by {
        uint32_t outcomes, wrong;             /* a bit each; products that were not foreseen */
        uint8_t expected[1 << SPL__OUTCOMES]; /* 0 to 3; from 2 on, that the column is new */
    } row, rows;
} spl__foresight;

/* Whether so many products are worth it. */
static inline bool spl__foresight_is_worth(int64_t products)
{
    return products >= SPL__FORESIGHT_PART * SPL__FORESIGHT_FEW;
}

static inline void spl__foresight_start(spl__foresight *f, int64_t products)
{
    memset(f, 0, sizeof *f);
    f->enough = products < SPL__FORESIGHT_PART * SPL__FORESIGHT_MOST
                    ? (uint32_t)products / SPL__FORESIGHT_PART
                    : SPL__FORESIGHT_MOST;
}

/* A row begins; returns whether enough products have been seen. */
static inline bool spl__foresight_row(spl__foresight *f)
{
    f->row.outcomes = 1;
    if (f->first == 0 && 2 * f->asked >= f->enough) {
        f->first = f->asked;
        f->row.wrong = f->rows.wrong = 0;
    }
    return f->asked > f->first && f->asked >= f->enough;
}

static inline void spl__foresight_ask_by(struct spl__foresight_by *by, bool is_new)
{
    uint8_t *expected = &by->expected[by->outcomes & ((1U << SPL__OUTCOMES) - 1)];
    by->wrong += (*expected >= 2) != is_new;
    *expected = (uint8_t)(*expected + (is_new & (*expected < 3)) - (!is_new & (*expected > 0)));
    by->outcomes = by->outcomes << 1 | is_new;
}

static inline void spl__foresight_ask(spl__foresight *f, bool is_new)
{
    f->asked++;
    spl__foresight_ask_by(&f->row, is_new);
    spl__foresight_ask_by(&f->rows, is_new);
}

/* Whether branches pay: one that was not foreseen takes as long as so many selections. */
static inline bool spl__foresight_pays(const spl__foresight *f, uint32_t selections)
{
    const uint32_t wrong = f->row.wrong < f->rows.wrong ? f->row.wrong : f->rows.wrong;
    return (uint64_t)wrong * selections <= f->asked - f->first;
}

#endif
