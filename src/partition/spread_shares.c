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

/* Bytes a second to and from the part's device. */
typedef struct link {
    double to, from;
} link;

/* For such memory of the host; what is deterministic does not depend on where arrays are. */
static link link_of(const spl_plan *plan, const spl__spread_part *part, const void *memory)
{
    const spl__gpu_machine *m = plan->gpu_machine;
    const spl__device *d = part->device;
    bool pinned = plan->problem.options.deterministic || d->driver->is_pinned(d->handle, memory);
    return pinned ? (link){m->link_to, m->link_from} : (link){m->link_to_pageable, m->link_from_pageable};
}

/* What making a plan takes on a device beside its kernels, where a call makes one for itself: launches and waits. */
static double planning(const spl_plan *plan)
{
    enum { LAUNCHES = 40, WAITS = 8 };
    const spl__gpu_machine *m = plan->gpu_machine;
    return plan->problem.once ? LAUNCHES * m->launch_host + WAITS * m->link_latency : 0;
}

static double bytes_of_matrix(const spl_sparse *m)
{
    return (double)m->rows * (double)spl__index_size(m->offset_type) +
           (double)m->nnz * (double)(spl__index_size(m->index_type) + spl__type_size(m->type));
}

/* Values of C come home; its structure, too, and A and B go there, where a call makes a plan for itself. How many products an entry has is not known yet. */
static void add_product_transfers(const spl_plan *plan, link arrays, spl__rates *r)
{
    enum { PRODUCTS_OF_ENTRY = 2, LAUNCHES = 20 };
    const spl__problem *p = &plan->problem;
    double entry = (double)spl__type_size(p->a.csr.type);
    r->start.execution = LAUNCHES * plan->gpu_machine->launch_host + planning(plan);
    if (p->once) {
        entry += (double)spl__index_size(p->a.csr.index_type);
        r->start.transfer = bytes_of_matrix(&p->b.csr) / arrays.to;
        r->row.transfer = p->rows > 0 ? bytes_of_matrix(&p->a.csr) / (double)p->rows / arrays.to : 0;
    }
    r->unit.transfer = entry / PRODUCTS_OF_ENTRY / arrays.from;
}

/* x and y, unless they stay, and A if need be. Dense operands of a plan go through pinned images; a call's are taken to be like its A. */
static void add_dense_transfers(const spl_plan *plan, const spl__spread_part *part, link arrays, spl__rates *r)
{
    const spl__problem *p = &plan->problem;
    const spl_sparse *a = &p->a.csr;
    const spl__gpu_machine *m = plan->gpu_machine;
    link dense = p->once ? arrays : (link){m->link_to, m->link_from};
    double row = (double)spl__type_size(a->type) * (double)p->cols;
    r->start.execution += planning(plan);
    if (!p->options.distributed) {
        r->start.transfer = 2 * m->link_latency + (double)p->inner * row / dense.to;
        r->row.transfer = row / dense.from;
    }
    if (carries_a(plan, part)) {
        r->row.transfer += (double)spl__index_size(a->offset_type) / arrays.to;
        r->unit.transfer = bytes_of_entry(p) / arrays.to;
    }
}

/* What is carried to or from a device in each execution. */
static void add_transfers(const spl_plan *plan, const spl__spread_part *part, spl__rates *r)
{
    link arrays = link_of(plan, part, plan->problem.a.csr.values);
    if (plan->problem.kind == SPL__KIND_spgemm)
        add_product_transfers(plan, arrays, r);
    else
        add_dense_transfers(plan, part, arrays, r);
}

/* In a call that makes a plan for itself devices have their rows, and the CPU has not begun: it looks at all columns and lengths, and makes a plan. */
static double host_start(const spl_plan *plan)
{
    enum { REGIONS = 12, PASSES_OF_OFFSETS = 3 };
    const spl__problem *p = &plan->problem;
    const spl_sparse *a = &p->a.csr;
    double threads = spl__assumed_threads(p);
    double bytes = (double)a->nnz * (double)spl__index_size(a->index_type) +
                   PASSES_OF_OFFSETS * (double)a->rows * (double)spl__index_size(a->offset_type);
    bool late = p->once && p->kind != SPL__KIND_spgemm;
    return late ? bytes / threads / spl__memory_rate(plan->machine, threads) + REGIONS * plan->machine->parallel_start
                : 0;
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
    else
        r->start.execution = host_start(plan);
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
    int64_t *work, *sums, *begin; /* sums[rows+1]: of work, in the order; both NULL where A's offsets are those */
    const void *before;           /* sums or A's offsets */
    spl_index type;
    double *row, *unit, *start, *speed;
    spl__rates *rates;
} cutting;

static void cutting_free(cutting *c)
{
    void *const all[] = {c->work, c->sums, c->begin, c->row, c->unit, c->start, c->speed, c->rates};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        spl__free(all[k]);
}

static spl_status cutting_make(spl__account *account, int32_t count, cutting *c)
{
    SPL__TRY(SPL__NEW_ZERO(account, &c->begin, (int64_t)count + 1));
    SPL__TRY(SPL__NEW_ZERO(account, &c->row, count));
    SPL__TRY(SPL__NEW_ZERO(account, &c->unit, count));
    SPL__TRY(SPL__NEW_ZERO(account, &c->start, count));
    SPL__TRY(SPL__NEW_ZERO(account, &c->speed, count));
    return SPL__NEW_ZERO(account, &c->rates, count);
}

static int64_t work_before(const cutting *c, int64_t place)
{
    return spl__index_at(c->before, c->type, place);
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
    double work = (double)work_before(c, p->rows), fastest = 0;
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

static spl_status add_up(spl_plan *plan, const spl__spread *s, cutting *c)
{
    const spl__problem *p = &plan->problem;
    c->sums[0] = 0;
    for (int64_t i = 0; i < p->rows; i++)
        if (!spl__add_i64(c->sums[i], c->work[s->order ? s->order[i] : i], &c->sums[i + 1]))
            return spl__fail(SPL_INDEX_OVERFLOW, "more than 2^63 products");
    c->before = c->sums;
    c->type = SPL_I64;
    return SPL_OK;
}

/* Rows in the order of their length are another order of y, for which SpGEMM has no use. Entries of rows as they are A's offsets count. */
static spl_status arrange(spl_plan *plan, spl__spread *s, cutting *c)
{
    const spl__problem *p = &plan->problem;
    bool by_length = p->options.partition == SPL_PARTITION_DENSITY;
    if (p->kind == SPL__KIND_spgemm && by_length)
        return spl__fail(SPL_UNSUPPORTED, "rows of a sparse product are not shared out by distribution density");
    c->before = p->a.csr.offsets;
    c->type = p->a.csr.offset_type;
    if (p->kind != SPL__KIND_spgemm && !by_length && p->rows > 0)
        return SPL_OK;
    SPL__TRY(SPL__NEW(&plan->account, &c->work, p->rows));
    SPL__TRY(SPL__NEW(&plan->account, &c->sums, p->rows + 1));
    measure_work(p, c->work);
    if (by_length) {
        SPL__TRY(SPL__NEW(&plan->account, &s->order, p->rows));
        SPL__TRY(spl__order_by_length(&plan->account, c->work, p->rows, s->order));
    }
    return add_up(plan, s, c);
}

static void share_out(const spl_plan *plan, spl__spread *s, const cutting *c)
{
    spl_partition_kind kind = plan->problem.options.partition;
    spl__shares shares = {plan->problem.rows, c->before, c->type, s->count, c->speed};
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
        part->work = work_before(c, c->begin[k + 1]) - work_before(c, part->begin);
        part->predicted.transfer = predicted(r->start.transfer, r->row.transfer, r->unit.transfer, part);
        part->predicted.execution = predicted(r->start.execution, r->row.execution, r->unit.execution, part);
    }
}

spl_status spl__spread_cut(spl_plan *plan, spl__spread *s)
{
    cutting c = {0};
    SPL__TRY(list_parts(plan, s));
    spl_status status = cutting_make(&plan->account, s->count, &c);
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
