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

enum { SPL__OUTCOMES = 12, SPL__FORESIGHT_ENOUGH = 4096 }; /* products to learn from */

typedef struct spl__foresight {
    uint32_t asked;
    struct spl__foresight_by {
        uint32_t outcomes, wrong;             /* a bit each; products that were not foreseen */
        uint8_t expected[1 << SPL__OUTCOMES]; /* 0 to 3; from 2 on, that the column is new */
    } row, rows;
} spl__foresight;

static inline void spl__foresight_start(spl__foresight *f)
{
    memset(f, 0, sizeof *f);
}

/* A row begins. */
static inline void spl__foresight_row(spl__foresight *f)
{
    f->row.outcomes = 1;
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
    return (uint64_t)wrong * selections <= f->asked;
}

#endif
