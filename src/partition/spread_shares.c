/* SPDX-License-Identifier: Apache-2.0 */
/* spread_shares.c: which rows each processor of a plan gets.
 *
 * Each is predicted to take a fixed time for x (the same bytes for any share), a time per row (offsets, y) and one per unit of work. Rows are cut so
 * that the slowest is as fast as can be ([S2], chapter 4: T_t + T_e of all processors alike), or in proportion to speeds. */
#include "partition/spread.h"

#include "core/checked.h"
#include "partition/partition.h"

#include <math.h>
#include <string.h>

/* ---- rates ---- */

/* The plan's problem, for a moment, as the part's processor sees it. */
static double predict_dense(spl_plan *plan, const spl__spread_part *part)
{
    spl__problem *p = &plan->problem;
    const char *methods = p->options.method;
    spl__row_set all = spl__all_rows(plan);
    p->options.method = part->method;
    p->queue.device = part->device;
    const spl__registry_entry *best = spl__plan_preview(plan, SPL__PHASE_compute, &all);
    double seconds = best ? spl__plan_predict(plan, SPL__PHASE_compute, &all, best) : INFINITY;
    p->queue.device = NULL;
    p->options.method = methods;
    return seconds;
}

static double predict_product(const spl_plan *plan, const spl__spread_part *part, double work)
{
    if (part->device)
        return work / plan->gpu_machine->spgemm_products / part->device->properties.units;
    return work * plan->machine->dense_product / spl__assumed_threads(&plan->problem);
}

/* A row counts as much as what is read and written for it once; the rest of the time is the work's. */
static double bytes_of_row(const spl__problem *p)
{
    return (double)spl__index_size(p->a.csr.offset_type) + (double)spl__type_size(p->a.csr.type) * (double)p->cols;
}

static double bytes_of_entry(const spl__problem *p)
{
    return (double)spl__index_size(p->a.csr.index_type) + (double)spl__type_size(p->a.csr.type);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Whether A goes to the device in each execution: the only one, or as often as it does not fit. */
static bool carries_a(const spl_plan *plan, const spl__spread_part *part)
{
    const spl__problem *p = &plan->problem;
    const spl_sparse *a = &p->a.csr;
    size_t room = least(part->device->account.budget, part->device->properties.memory_bytes);
    if (p->options.memory_budget)
        room = least(room, p->options.memory_budget);
    return p->once || (double)a->nnz * bytes_of_entry(p) + (double)a->rows * bytes_of_row(p) > (double)room;
}

/* What is carried to or from a device in each execution: x, y unless they stay, and A if need be. */
static void add_transfers(const spl_plan *plan, const spl__spread_part *part, spl__rates *r)
{
    const spl__problem *p = &plan->problem;
    const spl_sparse *a = &p->a.csr;
    double value = (double)spl__type_size(a->type), link = plan->gpu_machine->link;
    if (p->kind == SPL__KIND_spgemm) { /* C's values come home: how many products an entry has is not known yet */
        const double products_of_entry = 2, launches = 20;
        r->start.execution = launches * plan->gpu_machine->launch;
        r->unit.transfer = value / products_of_entry / link;
    } else if (!p->options.distributed) {
        r->start.transfer = (double)p->inner * (double)p->cols * value / link;
        r->row.transfer = (double)p->cols * value / link;
    }
    if (p->kind != SPL__KIND_spgemm && carries_a(plan, part)) {
        r->row.transfer += (double)spl__index_size(a->offset_type) / link;
        r->unit.transfer = (value + (double)spl__index_size(a->index_type)) / link;
    }
}

void spl__processor_rates(spl_plan *plan, const spl__spread_part *part, double work, spl__rates *r)
{
    const spl__problem *p = &plan->problem;
    bool sparse = p->kind == SPL__KIND_spgemm;
    if (part->device && (p->inner > INT32_MAX || p->cols > INT32_MAX)) { /* columns that devices do not number */
        *r = (spl__rates){.start.execution = INFINITY};
        return;
    }
    double seconds = sparse ? predict_product(plan, part, work) : predict_dense(plan, part);
    if (isinf(seconds)) {
        *r = (spl__rates){.start.execution = INFINITY};
        return;
    }
    double rows = sparse ? 0 : (double)p->rows * bytes_of_row(p), units = work * bytes_of_entry(p);
    double bytes = fmax(1, rows + units);
    *r = (spl__rates){.row.execution = p->rows > 0 ? seconds * (rows / bytes) / (double)p->rows : 0,
                      .unit.execution = work > 0 ? seconds * (units / bytes) / work : 0};
    if (part->device)
        add_transfers(plan, part, r);
}

/* ---- the processors ---- */

static uint64_t processors_of(const spl__problem *p)
{
    if (p->options.processors)
        return p->options.processors;
    return p->context->uses_cpu ? 1 : 2;
}

/* Those ids of the list that name methods of the processor's kind, or nothing that is known. */
static spl_status pick_methods(spl_plan *plan, spl__spread_part *part)
{
    const char *ids = plan->problem.options.method, *other = part->device ? "/cpu/" : "/gpu/";
    char *out;
    if (!ids || !*ids)
        return SPL_OK;
    SPL__TRY(spl__alloc(&plan->account, (int64_t)strlen(ids) + 1, 1, (void **)&part->method));
    out = part->method;
    for (const char *at = ids; *at;) {
        size_t length = strcspn(at, ",");
        const char *found = strstr(at, other);
        bool mine = !found || found >= at + length;
        if (mine && out > part->method)
            *out++ = ',';
        if (mine) {
            memcpy(out, at, length);
            out += length;
        }
        at += length + (at[length] == ',');
    }
    *out = 0;
    return SPL_OK;
}

static spl_status list_parts(spl_plan *plan, spl__spread *s)
{
    const spl__problem *p = &plan->problem;
    uint64_t processors = processors_of(p);
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s->parts, __builtin_popcountll(processors)));
    for (int32_t i = 0; i <= p->context->device_count; i++) {
        if (!(processors >> i & 1))
            continue;
        spl__spread_part *part = &s->parts[s->count++];
        part->processor = i;
        part->device = i > 0 ? p->context->devices[i - 1] : NULL;
        SPL__TRY(pick_methods(plan, part));
    }
    return SPL_OK;
}

/* ---- the work of rows ---- */

static int64_t length_of(const spl_sparse *m, int64_t i)
{
    return spl__index_at(m->offsets, m->offset_type, i + 1) - spl__index_at(m->offsets, m->offset_type, i);
}

static int64_t products_of(const spl__problem *p, int64_t i)
{
    const spl_sparse *a = &p->a.csr, *b = &p->b.csr;
    int64_t begin = spl__index_at(a->offsets, a->offset_type, i), sum = p->has_d ? length_of(&p->d.csr, i) : 0;
    for (int64_t k = begin; k < begin + length_of(a, i); k++)
        sum += length_of(b, spl__index_at(a->indices, a->index_type, k));
    return sum;
}

int64_t spl__spread_work_of(const spl__problem *p, int64_t row)
{
    return p->kind == SPL__KIND_spgemm ? products_of(p, row) : length_of(&p->a.csr, row);
}

static void measure_work(const spl__problem *p, int64_t *work)
{
#pragma omp parallel for num_threads(p->threads) schedule(static)
    for (int64_t i = 0; i < p->rows; i++)
        work[i] = spl__spread_work_of(p, i);
}

/* ---- cutting ---- */

typedef struct cutting {
    int64_t *work, *before, *begin;
    double *row, *unit, *start, *speed;
    spl__rates *rates;
} cutting;

static void cutting_free(cutting *c)
{
    void *const all[] = {c->work, c->before, c->begin, c->row, c->unit, c->start, c->speed, c->rates};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        spl__free(all[k]);
}

static spl_status cutting_make(spl__account *account, int64_t rows, int32_t count, cutting *c)
{
    SPL__TRY(SPL__NEW(account, &c->work, rows));
    SPL__TRY(SPL__NEW(account, &c->before, rows + 1));
    SPL__TRY(SPL__NEW_ZERO(account, &c->begin, (int64_t)count + 1));
    SPL__TRY(SPL__NEW_ZERO(account, &c->row, count));
    SPL__TRY(SPL__NEW_ZERO(account, &c->unit, count));
    SPL__TRY(SPL__NEW_ZERO(account, &c->start, count));
    SPL__TRY(SPL__NEW_ZERO(account, &c->speed, count));
    return SPL__NEW_ZERO(account, &c->rates, count);
}

static double both(spl__spread_seconds s)
{
    return s.transfer + s.execution;
}

/* Rates as the caller's capabilities say: units of work a second. */
static void rates_of_caller(const spl_plan *plan, const spl__spread_part *part, double capability, spl__rates *r)
{
    *r = (spl__rates){.unit.execution =
                          (plan->problem.kind == SPL__KIND_spmm ? (double)plan->problem.cols : 1) / capability};
    if (part->device)
        add_transfers(plan, part, r);
}

/* The speeds of all, the largest 1; whoever takes for ever has none. */
static spl_status find_rates(spl_plan *plan, const spl__spread *s, cutting *c)
{
    const spl__problem *p = &plan->problem;
    const double *capabilities = p->options.capabilities;
    double work = (double)c->before[p->rows], fastest = 0;
    for (int32_t k = 0; k < s->count; k++) {
        const spl__spread_part *part = &s->parts[k];
        spl__rates *r = &c->rates[k];
        if (capabilities)
            rates_of_caller(plan, part, capabilities[part->processor], r);
        else
            spl__processor_rates(plan, part, work, r);
        c->start[k] = both(r->start);
        c->row[k] = both(r->row);
        c->unit[k] = both(r->unit);
        c->speed[k] = capabilities ? capabilities[part->processor]
                                   : 1 / fmax(1e-300, c->start[k] + (double)p->rows * c->row[k] + work * c->unit[k]);
        fastest = fmax(fastest, c->speed[k]);
    }
    if (!capabilities && fastest == 0)
        return spl__fail(SPL_UNSUPPORTED, "none of %d processors has a method that can serve", (int)s->count);
    if (capabilities)
        SPL__TRY(spl__check_capabilities(s->count, c->speed, NULL));
    for (int32_t k = 0; k < s->count; k++)
        c->speed[k] /= fastest;
    return SPL_OK;
}

/* Rows in the order of their length are another order of y, for which SpGEMM has no use. */
static spl_status arrange(spl_plan *plan, spl__spread *s, cutting *c)
{
    const spl__problem *p = &plan->problem;
    measure_work(p, c->work);
    if (p->options.partition == SPL_PARTITION_DENSITY) {
        if (p->kind == SPL__KIND_spgemm)
            return spl__fail(SPL_UNSUPPORTED, "rows of a sparse product are not shared out by distribution density");
        SPL__TRY(SPL__NEW(&plan->account, &s->order, p->rows));
        SPL__TRY(spl__order_by_length(&plan->account, c->work, p->rows, s->order));
    }
    c->before[0] = 0;
    for (int64_t i = 0; i < p->rows; i++)
        if (!spl__add_i64(c->before[i], c->work[s->order ? s->order[i] : i], &c->before[i + 1]))
            return spl__fail(SPL_INDEX_OVERFLOW, "more than 2^63 products");
    return SPL_OK;
}

static void share_out(const spl_plan *plan, spl__spread *s, const cutting *c)
{
    spl_partition_kind kind = plan->problem.options.partition;
    spl__shares shares = {plan->problem.rows, c->before, s->count, c->speed};
    spl__part_seconds seconds = {c->row, c->unit, c->start};
    if (kind == SPL_PARTITION_ROWS)
        spl__cut_by_rows(&shares, c->begin);
    else if (kind == SPL_PARTITION_NNZ || kind == SPL_PARTITION_DENSITY)
        spl__cut_by_entries(&shares, c->begin);
    else
        spl__cut_by_seconds(&shares, &seconds, c->begin);
}

static double predicted(double start, double row, double unit, const spl__spread_part *part)
{
    return part->rows > 0 ? start + (double)part->rows * row + (double)part->work * unit : 0;
}

static void note_parts(spl__spread *s, const cutting *c)
{
    for (int32_t k = 0; k < s->count; k++) {
        spl__spread_part *part = &s->parts[k];
        const spl__rates *r = &c->rates[k];
        part->begin = c->begin[k];
        part->rows = c->begin[k + 1] - part->begin;
        part->work = c->before[c->begin[k + 1]] - c->before[part->begin];
        part->predicted.transfer = predicted(r->start.transfer, r->row.transfer, r->unit.transfer, part);
        part->predicted.execution = predicted(r->start.execution, r->row.execution, r->unit.execution, part);
    }
}

spl_status spl__spread_cut(spl_plan *plan, spl__spread *s)
{
    cutting c = {0};
    SPL__TRY(list_parts(plan, s));
    spl_status status = cutting_make(&plan->account, plan->problem.rows, s->count, &c);
    if (status == SPL_OK)
        status = arrange(plan, s, &c);
    if (status == SPL_OK)
        status = find_rates(plan, s, &c);
    if (status == SPL_OK) {
        share_out(plan, s, &c);
        note_parts(s, &c);
    }
    cutting_free(&c);
    return status;
}
