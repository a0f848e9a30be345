/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* triple_reach.c: the columns of A*P as bits, row by row, and rows of C as unions of them.
 *
 *   bits of P     a bit for each column of a row
 *   bits of A*P   of a row: those of the rows of P that its columns name, or'ed
 *   bits of C     of row k: those of the rows of A*P that P' names, or'ed
 *
 * Where C has few columns, as on the coarser levels of multigrid, an or of some words replaces many
 * entries: of a row of A with 31 entries and rows of P with 11, 341. The structure of P'*A*P of
 * Poisson's second level in GAMG (6,734 rows, 959 columns) takes a half to a third of the time.
 *
 * Cost: a row of words for each entry of A and twice for each of P. Memory: a bit for each row of A
 * and column of P, twice while those of A*P are made. */
#include "spgemm/triple/triple_state.h"

#include "core/combination.h"
#include "core/lanes.h"

#include <omp.h>
#include <string.h>

enum { WORD = 64, CHUNK = 8 };

typedef struct functions {
    void (*mark)(const spl__problem *p, int64_t words, int64_t i, uint64_t *row);
    void (*join)(const spl__problem *p, int64_t words, int64_t i, const uint64_t *from,
                 uint64_t *row);
    int64_t (*unite)(const spl__problem *p, const spl__triple *t, const spl__triple_reach *reach,
                     int64_t k, uint64_t *bits);
} functions;

/* Some words of a row: a constant number, so that they stay in registers. */
static SPL__INLINED void or_words(uint64_t *sums, const uint64_t *row, int count)
{
    for (int w = 0; w < count; w++)
        sums[w] |= row[w];
}

#define SELF "spgemm/triple/triple_reach.c"
#include "core/each_type.h"

static const functions *functions_of(const spl_plan *plan)
{
    static const functions *const table[] = SPL__TABLE(&functions);
    return table[spl__combination_of_structure(&plan->problem.a.csr)];
}

int64_t spl__triple_words(const spl__triple *t)
{
    int64_t words = (t->coarse_nodes + WORD - 1) / WORD;
    return words <= 2 ? words : words <= 4 ? 4 : (words + CHUNK - 1) / CHUNK * CHUNK;
}

bool spl__triple_reach_pays(const spl_plan *plan, double middle, bool keeps)
{
    enum { GAIN = 6 }; /* ors of words in the time of a mark */
    const spl__triple *t = spl__triple_of(plan);
    const spl_sparse *a = &plan->problem.a.csr, *b = &plan->problem.b.csr;
    const double words = (double)spl__triple_words(t), rows = (double)t->fine_nodes,
                 length = (double)b->nnz / rows, listed = keeps ? 0 : length * (double)a->nnz,
                 marks = listed + length * middle * (double)t->coarse_nodes,
                 ors = ((double)a->nnz + 2 * (double)b->nnz + rows) * words,
                 entry = (double)(spl__index_size(a->index_type) + spl__type_size(a->type));
    return t->fine == 1 && t->coarse == 1 && ors < GAIN * marks &&
           rows * words * sizeof(uint64_t) <= ((double)a->nnz + (double)b->nnz) * entry;
}

spl_status spl__triple_reach_make(spl_plan *plan, spl__triple_reach *reach)
{
    const spl__triple *t = spl__triple_of(plan);
    const spl__problem *p = &plan->problem;
    const functions *f = functions_of(plan);
    const int64_t words = spl__triple_words(t), rows = t->fine_nodes;
    uint64_t *of_p;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &of_p, rows * words));
    spl_status status = SPL__NEW(&plan->account, &reach->rows, rows * words);
    if (status == SPL_OK) {
        reach->words = words;
#pragma omp parallel num_threads(spl__team(p->threads))
        {
#pragma omp for schedule(static)
            for (int64_t i = 0; i < rows; i++)
                f->mark(p, words, i, of_p);
#pragma omp for schedule(dynamic, 256)
            for (int64_t i = 0; i < rows; i++)
                f->join(p, words, i, of_p, reach->rows);
        }
    }
    spl__free(of_p);
    return status;
}

int64_t spl__triple_reach_row(const spl_plan *plan, const spl__triple_reach *reach, int64_t k,
                              uint64_t *bits)
{
    return functions_of(plan)->unite(&plan->problem, spl__triple_of(plan), reach, k, bits);
}

#else

static void FN(mark)(const spl__problem *p, int64_t words, int64_t i, uint64_t *rows)
{
    const P *offsets = p->b.csr.offsets;
    const I *columns = p->b.csr.indices;
    uint64_t *row = rows + i * words;
    for (P q = offsets[i]; q < offsets[i + 1]; q++)
        row[(uint64_t)columns[q] / WORD] |= (uint64_t)1 << ((uint64_t)columns[q] % WORD);
}

/* to = or of words of the listed rows. */
static SPL__INLINED void FN(or_rows)(const I *list, int64_t count, const uint64_t *rows,
                                     int64_t words, uint64_t *to, int chunk)
{
    for (int64_t w = 0; w < words; w += chunk) {
        uint64_t sums[CHUNK] = {0};
        for (int64_t m = 0; m < count; m++)
            or_words(sums, rows + (int64_t)list[m] * words + w, chunk);
        memcpy(to + w, sums, (size_t)chunk * sizeof *sums);
    }
}

static void FN(or_listed)(const I *list, int64_t count, const uint64_t *rows, int64_t words,
                          uint64_t *to)
{
    switch (words) {
    case 1:
        FN(or_rows)(list, count, rows, words, to, 1);
        break;
    case 2:
        FN(or_rows)(list, count, rows, words, to, 2);
        break;
    case 4:
        FN(or_rows)(list, count, rows, words, to, 4);
        break;
    default:
        FN(or_rows)(list, count, rows, words, to, CHUNK);
    }
}

static void FN(join)(const spl__problem *p, int64_t words, int64_t i, const uint64_t *from,
                     uint64_t *rows)
{
    const P *offsets = p->a.csr.offsets;
    const I *columns = p->a.csr.indices;
    FN(or_listed)(columns + offsets[i], (int64_t)(offsets[i + 1] - offsets[i]), from, words,
                  rows + i * words);
}

/* Returns a bound of the columns of P'*A's row: the entries that are added up to it. */
static int64_t FN(unite)(const spl__problem *p, const spl__triple *t,
                         const spl__triple_reach *reach, int64_t k, uint64_t *bits)
{
    const P *offsets = p->a.csr.offsets;
    const I *nodes = (const I *)t->blocks_node + t->starts[k];
    const int64_t count = t->starts[k + 1] - t->starts[k];
    int64_t entries = 0;
    FN(or_listed)(nodes, count, reach->rows, reach->words, bits);
    for (int64_t m = 0; m < count; m++)
        entries += (int64_t)(offsets[nodes[m] + 1] - offsets[nodes[m]]);
    return entries < t->fine_nodes ? entries : t->fine_nodes;
}

static const functions FN(functions) = {FN(mark), FN(join), FN(unite)};

#endif
