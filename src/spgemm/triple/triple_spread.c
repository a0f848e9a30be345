/* SPDX-License-Identifier: Apache-2.0 */
/* triple_spread.c: the structures of A*P and C, and the masks by which packed rows are spread: of P
 * over rows of A*P, of these over rows of C: see triple_state.h.
 *
 * Columns of a row are words of bits. A row is the or of those that it is the sum of; the places of
 * one of them in it are its bits at those that the row has (pext). Which words a row has is in
 * registers where these are within 128. It pays where masks are fewer than the products that they
 * stand for: where neighbours in a row meet the same columns of P, as unknowns of a grid do.
 * Entries of P whose row of A*P is empty are dropped from P'.
 *
 * Cost: twice a word for each entry of A and of P and each 64 columns that it meets. Memory: values
 * of A*P and masks, no more than twice the operands; words of P and of A*P, until C is known. */
#include "spgemm/triple/triple_spread.h"

#include "core/checked.h"

#include <omp.h>
#include <string.h>

void spl__triple_spread_free(const spl__triple *t, spl__triple_spread *s)
{
    for (int64_t b = 0; s->first && b < s->blocks; b++)
        spl__free(s->first[b]);
    for (int64_t b = 0; s->last && b < t->rows.count; b++)
        spl__free(s->last[b]);
    spl__free(s->first);
    spl__free(s->last);
    spl__free(s->offsets);
    spl__free(s->values);
    *s = (spl__triple_spread){0};
}

static void free_packed(packed *p)
{
    spl__free(p->begins);
    spl__free(p->quads);
    *p = (packed){0};
}

static void free_pieces(search *s)
{
    for (int64_t b = 0; s->pieces && b < s->pieces_made; b++) {
        piece *p = &s->pieces[b];
        spl__free(p->quads.memory);
        spl__free(p->columns.memory);
        spl__free(p->masks.memory);
    }
    spl__free(s->pieces);
    s->pieces = NULL;
}

static spl_status make_pieces(search *s, int64_t count)
{
    s->pieces_made = count;
    return SPL__NEW_ZERO(&s->plan->account, &s->pieces, count);
}

/* ---- does it pay? ---- */

/* Masks cost more than one execution saves. */
static bool is_built(const spl_plan *plan)
{
    return spl__triple_spread_kernels(plan) && spl__triple_of(plan)->coarse == 1 &&
           plan->problem.b.csr.nnz > 0 && !spl__problem_is_single(&plan->problem);
}

static bool pays(search *s, notes *n)
{
    enum { SAMPLES = 32 };
    const double margin = 1.125,
                 gain = 1.5; /* products of a mask in its time, with the structure's */
    const spl_sparse *a = &s->plan->problem.a.csr, *p = &s->plan->problem.b.csr;
    const int64_t step = a->rows / SAMPLES + 1;
    estimate all = {0};
    double count = 0;
    for (int64_t i = spl__min_i64(step, a->rows) / 2; i < a->rows; i += step, count++)
        spl__triple_spread_kernels(s->plan)->sample(s, n, i, &all);
    const double share = (double)a->rows / count,
                 kept = all.factors > 0 ? all.kept / all.factors : 1,
                 masks = all.masks * share + s->sample->masks * kept,
                 operands = ((double)a->nnz + (double)p->nnz) *
                            (double)(spl__index_size(a->index_type) + sizeof(double));
    s->expected = (estimate){.entries = all.entries * margin / count,
                             .quads = all.quads * margin / count,
                             .masks = all.masks * margin / count};
    return gain * masks < all.products * share &&
           masks + all.entries * share * sizeof(double) <= 2 * operands;
}

/* ---- notes ---- */

static spl_status make_notes(search *s)
{
    const size_t words = (size_t)s->words + QUAD,
                 bytes = (2 * words + (size_t)s->summaries + 2) * sizeof(uint64_t) +
                         2 * words * sizeof(int32_t) + words / QUAD * sizeof(quad);
    int threads = s->plan->problem.threads;
    return spl__workspaces_make(s->plan, &threads, bytes, true, &s->memory);
}

static notes notes_in(const search *s, int thread)
{
    const int64_t words = s->words + QUAD;
    notes n = {.bits = s->memory[thread]};
    n.summary = n.bits + words;
    n.groups = n.summary + s->summaries;
    n.quads = (quad *)(n.groups + words + 2);
    n.before = (int32_t *)(n.quads + words / QUAD);
    n.list = n.before + words;
    return n;
}

static spl_status do_blocks(const search *s, block_fn what, int64_t count)
{
    spl__watch *watch = spl__account_watch(&s->plan->account);
    spl__failure failure = {0};
    const int threads = spl__team_for_parts(s->plan->problem.threads, count);
    spl__watch_stage(watch, "symbolic", count);
#pragma omp parallel for num_threads(spl__team(threads)) schedule(dynamic)
    for (int64_t b = 0; b < count; b++)
        if (!spl__failed(&failure) && spl__watch_goes_on(watch)) {
            notes n = notes_in(s, omp_get_thread_num());
            spl__failure_note(&failure, what(s, &n, b));
        }
    SPL__TRY(spl__failure_raise(&failure));
    return spl__watch_check(watch);
}

/* ---- A*P ---- */

/* Those of all blocks in one array. */
static spl_status join_quads(search *s)
{
    char *to;
    if (s->pieces_made == 1) {
        s->ap.quads = spl__growing_take(&s->pieces->quads);
        return SPL_OK;
    }
    SPL__TRY(SPL__NEW(&s->plan->account, &s->ap.quads, s->ap.begins[s->plan->problem.a.csr.rows]));
    to = (char *)s->ap.quads;
    for (int64_t b = 0; b < s->pieces_made; b++) {
        const spl__growing *g = &s->pieces[b].quads;
        if (g->count > 0)
            memcpy(to, g->memory, g->count);
        to += g->count;
    }
    return SPL_OK;
}

static spl_status find(search *s, const kernels *f)
{
    spl__account *account = &s->plan->account;
    spl__triple_spread *to = s->spread;
    const spl_sparse *a = &s->plan->problem.a.csr;
    bool empty = false;
    to->rows = s->plan->problem.threads > 1 ? SPL__SPREAD_ROWS : spl__max_i64(1, a->rows);
    to->blocks = (a->rows + to->rows - 1) / to->rows;
    SPL__TRY(spl__alloc_zero(account, a->rows + 1, spl__index_size(a->offset_type), &to->offsets));
    SPL__TRY(SPL__NEW_ZERO(account, &s->ap.begins, a->rows + 1));
    SPL__TRY(SPL__NEW_ZERO(account, &to->first, to->blocks));
    SPL__TRY(make_pieces(s, to->blocks));
    SPL__TRY(do_blocks(s, f->find, to->blocks));
    f->number(s, &empty);
    if (a->offset_type == SPL_I32 && to->entries > INT32_MAX) /* no place for offsets of these */
        return spl__fail(SPL_OVER_BUDGET, "A*P has more entries than offsets of 32 bits can count");
    SPL__TRY(join_quads(s));
    if (empty)
        f->drop(s->triple);
    free_pieces(s);
    free_packed(&s->p);
    return spl__alloc(account, to->entries, sizeof(double), &to->values);
}

/* ---- C ---- */

static spl_status join_columns(search *s)
{
    spl__triple *t = s->triple;
    char *to;
    for (int64_t k = 0; k < t->coarse_nodes; k++) {
        t->longest_row = spl__max_i64(t->longest_row, t->offsets[k + 1]);
        s->spread->most = spl__max_i64(s->spread->most, t->starts[k + 1] - t->starts[k]);
        t->offsets[k + 1] += t->offsets[k];
    }
    SPL__TRY(spl__alloc(&s->plan->account, t->offsets[t->coarse_nodes],
                        spl__index_size(s->plan->problem.a.csr.index_type), &t->columns));
    to = t->columns;
    for (int64_t b = 0; b < t->rows.count; b++) {
        const spl__growing *g = &s->pieces[b].columns;
        if (g->count > 0)
            memcpy(to, g->memory, g->count);
        to += g->count;
    }
    return SPL_OK;
}

static spl_status join(search *s, const kernels *f)
{
    SPL__TRY(SPL__NEW_ZERO(&s->plan->account, &s->spread->last, s->triple->rows.count));
    SPL__TRY(make_pieces(s, s->triple->rows.count));
    SPL__TRY(do_blocks(s, f->join, s->triple->rows.count));
    return join_columns(s);
}

static spl_status search_rows(search *s)
{
    const kernels *f = spl__triple_spread_kernels(s->plan);
    const spl_sparse *p = &s->plan->problem.b.csr;
    SPL__TRY(make_notes(s));
    notes n = notes_in(s, 0);
    if (!pays(s, &n))
        return SPL_OK;
    SPL__TRY(SPL__NEW(&s->plan->account, &s->p.begins, p->rows + 1));
    SPL__TRY(SPL__NEW(&s->plan->account, &s->p.quads,
                      p->nnz / QUAD + spl__min_i64(p->rows, p->nnz) + 1));
    if (!f->pack(p, &s->p))
        return SPL_OK;
    SPL__TRY(find(s, f));
    return join(s, f);
}

/* Where there is no room rows of P'*A are computed first. */
spl_status spl__triple_spread_find(spl_plan *plan, const spl__triple_sample *sample)
{
    spl__triple *t = spl__triple_of(plan);
    search s = {.plan = plan, .triple = t, .spread = &t->spread, .sample = sample};
    s.words = (t->coarse_nodes + WORD - 1) / WORD;
    s.summaries = (s.words + WORD - 1) / WORD;
    if (!is_built(plan))
        return SPL_OK;
    const spl_status status = search_rows(&s);
    free_pieces(&s);
    free_packed(&s.p);
    free_packed(&s.ap);
    spl__workspaces_free(plan, s.memory);
    if (status == SPL_OK)
        return SPL_OK;
    spl__triple_spread_free(t, &t->spread);
    spl__free(t->columns);
    t->columns = NULL;
    return status == SPL_OVER_BUDGET || status == SPL_OUT_OF_MEMORY ? SPL_OK : status;
}
