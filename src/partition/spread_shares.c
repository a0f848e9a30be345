/* SPDX-License-Identifier: Apache-2.0 */
/* spread_shares.c: assigns rows to the processors of a plan.
 *
 * Each processor takes a fixed time for x (the same bytes for any share), a time per row
 * (offsets, y) and a time per unit of work. Rows are divided so that the slowest is as fast as
 * possible ([S2], chapter 4: equal T_t + T_e), or in proportion to speeds. */
#include "partition/spread.h"

#include "core/checked.h"
#include "partition/partition.h"
#include "partition/spread_product.h"
#include "spgemm/product.h"

#include <math.h>
#include <string.h>

/* ---- the processors ---- */

static uint64_t processors_of(const spl__problem *p)
{
    if (p->options.processors)
        return p->options.processors;
    for (int32_t i = 0; i < p->context->device_count; i++)
        if (p->context->devices[i] == p->queue.device)
            return (uint64_t)2 << i;
    return p->context->uses_cpu ? 1 : 2;
}

/* The ids of the list for methods of the processor's kind, and unknown ids. */
static spl_status pick_methods(spl_plan *plan, spl__spread_part *part)
{
    const char *ids = plan->problem.options.method, *other = part->device ? "/cpu/" : "/gpu/";
    char *out;
    if (!ids || !*ids)
        return SPL_OK;
    SPL__TRY(spl__alloc(&plan->account, (int64_t)strlen(ids) + 1, 1, (void **)&part->method));
    out = part->method;
    for (const char *cursor = ids; *cursor;) {
        size_t length = strcspn(cursor, ",");
        const char *found = strstr(cursor, other);
        bool selected = !found || found >= cursor + length;
        if (selected && out > part->method)
            *out++ = ',';
        if (selected) {
            memcpy(out, cursor, length);
            out += length;
        }
        cursor += length + (cursor[length] == ',');
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
        part->in_place = part->device && part->device == p->queue.device;
        SPL__TRY(pick_methods(plan, part));
    }
    return SPL_OK;
}

/* ---- the work of rows ---- */

static int64_t length_of(const spl_sparse *m, int64_t i)
{
    return spl__index_at(m->offsets, m->offset_type, i + 1) -
           spl__index_at(m->offsets, m->offset_type, i);
}

static int64_t products_of(const spl__problem *p, int64_t i)
{
    const spl_sparse *a = &p->a.csr, *b = &p->b.csr;
    int64_t begin = spl__index_at(a->offsets, a->offset_type, i),
            sum = p->has_d ? length_of(&p->d.csr, i) : 0;
    for (int64_t k = begin; k < begin + length_of(a, i); k++)
        sum += length_of(b, spl__index_at(a->indices, a->index_type, k));
    return sum;
}

int64_t spl__spread_work_of(const spl_plan *plan, int64_t row)
{
    const spl__problem *p = &plan->problem;
    return p->kind == SPL__KIND_spgemm ? products_of(p, row) : length_of(&plan->spread->a, row);
}

static void measure_work(const spl_plan *plan, int64_t *work)
{
    const spl__problem *p = &plan->problem;
#pragma omp parallel for num_threads(spl__team(p->threads)) schedule(static)
    for (int64_t i = 0; i < p->rows; i++)
        work[i] = spl__spread_work_of(plan, i);
}

/* ---- cutting ---- */

typedef struct cutting {
    /* sums[rows+1]: prefix sums of work, in order; both NULL if such sums exist already */
    int64_t *work, *sums, *begin;
    const void *before; /* sums, A's offsets, or those of a product's survey */
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

static int64_t work_before(const cutting *c, int64_t position)
{
    return spl__index_at(c->before, c->type, position);
}

static double both(spl__spread_seconds s)
{
    return s.transfer + s.execution;
}

/* Rates from the caller's capabilities, in units of work per second. */
static void rates_of_caller(spl_plan *plan, const spl__spread_part *part, double capability,
                            spl__rates *r)
{
    *r = (spl__rates){.unit.execution =
                          (plan->problem.kind == SPL__KIND_spmm ? (double)plan->problem.cols : 1) /
                          capability};
    spl__add_transfers(plan, part, r);
}

/* The relative speeds of all, the largest 1; a processor with infinite time has speed 0. */
static spl_status find_rates(spl_plan *plan, const spl__spread *s, cutting *c)
{
    const spl__problem *p = &plan->problem;
    const double *capabilities = p->options.capabilities;
    double work = (double)work_before(c, p->rows), fastest = 0;
    for (int32_t k = 0; k < s->count; k++) {
        const spl__spread_part *part = &s->parts[k];
        spl__rates *r = &c->rates[k];
        spl__plan_rate_by(plan, part->device);
        if (capabilities)
            rates_of_caller(plan, part, capabilities[part->processor], r);
        else
            spl__processor_rates(plan, part, work, r);
        c->start[k] = both(r->start);
        c->row[k] = both(r->row);
        c->unit[k] = both(r->unit);
        c->speed[k] =
            capabilities
                ? capabilities[part->processor]
                : 1 / fmax(1e-300, c->start[k] + (double)p->rows * c->row[k] + work * c->unit[k]);
        fastest = fmax(fastest, c->speed[k]);
    }
    spl__plan_rate_by(plan, NULL);
    if (!capabilities && fastest == 0)
        return spl__fail(SPL_UNSUPPORTED, "none of %d processors has a method that can serve",
                         (int)s->count);
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

/* Rows ordered by length permute y, which SpGEMM does not support. For rows in natural order A's
 * offsets are the prefix sums. */
static spl_status arrange(spl_plan *plan, spl__spread *s, cutting *c)
{
    const spl__problem *p = &plan->problem;
    bool by_length = p->options.partition == SPL_PARTITION_DENSITY;
    c->before = s->a.offsets;
    c->type = s->a.offset_type;
    if (by_length && spl__spread_owner_of_a(plan))
        return spl__fail(
            SPL_UNSUPPORTED,
            "rows of a matrix on a device are shared out in order, not by distribution density");
    if (p->kind == SPL__KIND_spgemm) {
        c->before = spl__product_of(plan)->work;
        c->type = SPL_I64;
        return by_length
                   ? spl__fail(
                         SPL_UNSUPPORTED,
                         "rows of a sparse product are not shared out by distribution density")
                   : SPL_OK;
    }
    if (!by_length && p->rows > 0)
        return SPL_OK;
    SPL__TRY(SPL__NEW(&plan->account, &c->work, p->rows));
    SPL__TRY(SPL__NEW(&plan->account, &c->sums, p->rows + 1));
    measure_work(plan, c->work);
    if (by_length) {
        SPL__TRY(SPL__NEW(&plan->account, &s->order, p->rows));
        SPL__TRY(spl__order_by_length(&plan->account, c->work, p->rows, s->order));
    }
    return add_up(plan, s, c);
}

static bool by_seconds(const spl_plan *plan)
{
    spl_partition_kind kind = plan->problem.options.partition;
    return !kind || kind == SPL_PARTITION_COST;
}

static void share_out(const spl_plan *plan, spl__spread *s, const cutting *c)
{
    spl_partition_kind kind = plan->problem.options.partition;
    spl__shares shares = {plan->problem.rows, c->before, c->type, s->count, c->speed};
    spl__part_seconds seconds = {c->row, c->unit, c->start};
    if (by_seconds(plan))
        spl__cut_by_seconds(&shares, &seconds, c->begin);
    else if (kind == SPL_PARTITION_ROWS)
        spl__cut_by_rows(&shares, c->begin);
    else
        spl__cut_by_entries(&shares, c->begin);
}

static double predicted(double start, double row, double unit, const spl__spread_part *part)
{
    return part->rows > 0 ? start + (double)part->rows * row + (double)part->work * unit : 0;
}

/* Seconds of rows begin..end on processor k; 0 without rows. */
static double seconds_of(const cutting *c, int32_t k, int64_t begin, int64_t end)
{
    double work = (double)(work_before(c, end) - work_before(c, begin));
    return end > begin ? c->start[k] + (double)(end - begin) * c->row[k] + work * c->unit[k] : 0;
}

/* If a device holds the operands, sharing its rows must gain a tenth: predictions are not more
 * accurate than that, and other processors have threads to wake and results to copy. H100 and 16
 * cores: SpGEMM on grids predicted to gain 4 % lost 10 to 50, SpMV and SpMM .98 to 1.03. */
static void keep_together(const spl_plan *plan, const spl__spread *s, cutting *c)
{
    const double least_gain = 1.1;
    int64_t rows = plan->problem.rows;
    double longest = 0;
    int32_t slowest = -1;
    for (int32_t k = 0; k < s->count; k++) {
        longest = fmax(longest, seconds_of(c, k, c->begin[k], c->begin[k + 1]));
        if (s->parts[k].in_place)
            slowest = k;
    }
    if (slowest < 0 || seconds_of(c, slowest, 0, rows) > least_gain * longest)
        return;
    for (int32_t k = 0; k <= s->count; k++)
        c->begin[k] = k <= slowest ? 0 : rows;
}

static void note_parts(spl__spread *s, const cutting *c)
{
    for (int32_t k = 0; k < s->count; k++) {
        spl__spread_part *part = &s->parts[k];
        const spl__rates *r = &c->rates[k];
        part->begin = c->begin[k];
        part->rows = c->begin[k + 1] - part->begin;
        part->work = work_before(c, c->begin[k + 1]) - work_before(c, part->begin);
        part->predicted.transfer =
            predicted(r->start.transfer, r->row.transfer, r->unit.transfer, part);
        part->predicted.execution =
            predicted(r->start.execution, r->row.execution, r->unit.execution, part);
    }
}

static spl_status cut(spl_plan *plan, spl__spread *s)
{
    cutting c = {0};
    spl_status status = cutting_make(&plan->account, s->count, &c);
    if (status == SPL_OK)
        status = arrange(plan, s, &c);
    if (status == SPL_OK)
        status = find_rates(plan, s, &c);
    if (status == SPL_OK) {
        share_out(plan, s, &c);
        if (by_seconds(plan) && !plan->problem.options.capabilities)
            keep_together(plan, s, &c);
        note_parts(s, &c);
    }
    cutting_free(&c);
    return status;
}

spl_status spl__spread_cut(spl_plan *plan, spl__spread *s)
{
    bool sparse = plan->problem.kind == SPL__KIND_spgemm;
    SPL__TRY(sparse ? spl__resident_product_look(plan, s) : spl__resident_look(plan, s));
    SPL__TRY(list_parts(plan, s));
    spl_status status = sparse ? spl__product_survey(plan) : SPL_OK;
    if (status == SPL_OK)
        status = cut(plan, s);
    if (sparse)
        spl__product_survey_free(plan);
    return status;
}
