/* SPDX-License-Identifier: Apache-2.0 */
#include "partition/division.h"

#include "matrix/row_distribution.h"
#include "partition/cut.h"
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
static spl_status pick_methods(spl_plan *plan, spl__share *share)
{
    const char *ids = plan->problem.options.method, *other = share->device ? "/cpu/" : "/gpu/";
    char *out;
    if (!ids || !*ids)
        return SPL_OK;
    SPL__TRY(spl__alloc(&plan->account, (int64_t)strlen(ids) + 1, 1, (void **)&share->method));
    out = share->method;
    for (const char *cursor = ids; *cursor;) {
        size_t length = strcspn(cursor, ",");
        const char *found = strstr(cursor, other);
        bool selected = !found || found >= cursor + length;
        if (selected && out > share->method)
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

static spl_status list_shares(spl_plan *plan, spl__division *d)
{
    const spl__problem *p = &plan->problem;
    uint64_t processors = processors_of(p);
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &d->shares, __builtin_popcountll(processors)));
    for (int32_t i = 0; i <= p->context->device_count; i++) {
        if (!(processors >> i & 1))
            continue;
        spl__share *share = &d->shares[d->count++];
        share->processor = i;
        share->device = i > 0 ? p->context->devices[i - 1] : NULL;
        share->in_place = share->device && share->device == p->queue.device;
        SPL__TRY(pick_methods(plan, share));
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

int64_t spl__division_work_at(const spl_plan *plan, const spl__division *d, int64_t position)
{
    const int64_t row = d->order ? d->order[position] : position;
    return plan->problem.traits->sparse ? products_of(&plan->problem, row) : length_of(&d->a, row);
}

/* ---- cutting ---- */

typedef struct cutting {
    spl__workload load;
    spl__workload_seconds seconds;
    int64_t *lengths, *sums; /* of rows ordered by length; else NULL */
    int64_t *begin;
    double *numbers; /* per processor four: those of `seconds`, and speed */
    spl__rates *rates;
} cutting;

static void cutting_free(cutting *c)
{
    void *const all[] = {c->lengths, c->sums, c->begin, c->numbers, c->rates};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        spl__free(all[k]);
}

static spl_status cutting_make(spl_plan *plan, const spl__division *d, cutting *c)
{
    const int32_t count = d->count;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &c->begin, (int64_t)count + 1));
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &c->numbers, 4 * (int64_t)count));
    c->seconds =
        (spl__workload_seconds){c->numbers, c->numbers + count, c->numbers + 2 * (size_t)count};
    c->load = (spl__workload){plan->problem.rows, d->a.offsets, d->a.offset_type, count,
                              c->numbers + 3 * (size_t)count};
    return SPL__NEW_ZERO(&plan->account, &c->rates, count);
}

static int64_t work_before(const cutting *c, int64_t position)
{
    return spl__index_at(c->load.work, c->load.type, position);
}

/* Orders rows by length. */
static spl_status arrange_by_length(spl_plan *plan, spl__division *d, cutting *c)
{
    const int64_t rows = plan->problem.rows;
    SPL__TRY(spl__row_lengths(&plan->account, &d->a, &c->lengths));
    SPL__TRY(SPL__NEW(&plan->account, &c->sums, rows + 1));
    SPL__TRY(SPL__NEW(&plan->account, &d->order, rows));
    SPL__TRY(spl__order_rows(&plan->account, true, c->lengths, rows, d->order, c->sums));
    c->load.work = c->sums;
    c->load.type = SPL_I64;
    return SPL_OK;
}

/* For rows in natural order A's offsets are the prefix sums of work, or those of the survey of a
 * sparse product. An order by length permutes y, which SpGEMM does not support. */
static spl_status arrange(spl_plan *plan, spl__division *d, cutting *c)
{
    static const int64_t no_rows[1];
    const bool sparse = plan->problem.traits->sparse;
    if (sparse || plan->problem.rows == 0) {
        c->load.work = sparse ? spl__product_of(plan)->work : no_rows;
        c->load.type = SPL_I64;
    }
    if (plan->problem.options.partition != SPL_PARTITION_DENSITY)
        return SPL_OK;
    if (spl__owner_of_a(plan))
        return spl__fail(
            SPL_UNSUPPORTED,
            "rows of a matrix on a device are shared out in order, not by distribution density");
    return sparse ? spl__fail(SPL_UNSUPPORTED,
                              "rows of a sparse product are not shared out by distribution density")
                  : arrange_by_length(plan, d, c);
}

/* ---- rates ---- */

static double sum_of(spl__seconds s)
{
    return s.transfer + s.execution;
}

/* Predicted rates, or those of the caller's capabilities, in units of work per second. */
static void find_rate(const spl_plan *plan, const spl__share *share, double work, spl__rates *r)
{
    const spl__problem *p = &plan->problem;
    const double *capabilities = p->options.capabilities;
    spl_plan assumed;
    spl__plan_assume(plan, &assumed);
    spl__plan_rate_by(&assumed, share->device);
    if (!capabilities) {
        spl__rates_predict(&assumed, share, work, r);
        return;
    }
    *r = (spl__rates){.unit.execution = (p->kind == SPL__KIND_spmm ? (double)p->cols : 1) /
                                        capabilities[share->processor]};
    spl__rates_add_transfers(&assumed, share, r);
}

/* The rates of all processors, and their speeds: the largest 1; a processor with infinite time has
 * speed 0. */
static spl_status find_rates(const spl_plan *plan, const spl__division *d, cutting *c)
{
    const double *capabilities = plan->problem.options.capabilities;
    const double rows = (double)plan->problem.rows;
    const int32_t count = d->count;
    double work = (double)work_before(c, plan->problem.rows), fastest = 0;
    double *row = c->numbers, *unit = row + count, *start = unit + count, *speed = start + count;
    for (int32_t k = 0; k < count; k++) {
        spl__rates *r = &c->rates[k];
        find_rate(plan, &d->shares[k], work, r);
        start[k] = sum_of(r->start);
        row[k] = sum_of(r->row);
        unit[k] = sum_of(r->unit);
        speed[k] = capabilities ? capabilities[d->shares[k].processor]
                                : 1 / fmax(1e-300, start[k] + rows * row[k] + work * unit[k]);
        fastest = fmax(fastest, speed[k]);
    }
    if (!capabilities && fastest == 0)
        return spl__fail(SPL_UNSUPPORTED, "none of %d processors has a method that can serve",
                         (int)count);
    if (capabilities)
        SPL__TRY(spl__check_capabilities(count, speed, NULL));
    for (int32_t k = 0; k < count; k++)
        speed[k] /= fastest;
    return SPL_OK;
}

/* ---- shares ---- */

/* If a device holds the operands, sharing its rows must gain a tenth: predictions are not more
 * accurate than that, and other processors have threads to wake and results to copy. H100 and 16
 * cores: SpGEMM on grids predicted to gain 4 % lost 10 to 50, SpMV and SpMM .98 to 1.03. */
static void keep_together(const spl__division *d, cutting *c)
{
    const double least_gain = 1.1;
    const int64_t rows = c->load.rows;
    double longest = 0;
    int32_t owner = -1;
    for (int32_t k = 0; k < d->count; k++) {
        longest = fmax(
            longest, spl__seconds_of_rows(&c->load, &c->seconds, k, c->begin[k], c->begin[k + 1]));
        if (d->shares[k].in_place)
            owner = k;
    }
    if (owner < 0 ||
        spl__seconds_of_rows(&c->load, &c->seconds, owner, 0, rows) > least_gain * longest)
        return;
    for (int32_t k = 0; k <= d->count; k++)
        c->begin[k] = k <= owner ? 0 : rows;
}

static void cut_rows(const spl_plan *plan, const spl__division *d, cutting *c)
{
    const spl_partition_kind kind = plan->problem.options.partition;
    spl__cut(kind, &c->load, &c->seconds, c->begin);
    if ((!kind || kind == SPL_PARTITION_COST) && !plan->problem.options.capabilities)
        keep_together(d, c);
}

static double predicted(double start, double row, double unit, const spl__share *share)
{
    return share->rows > 0 ? start + (double)share->rows * row + (double)share->work * unit : 0;
}

static void note_shares(spl__division *d, const cutting *c)
{
    for (int32_t k = 0; k < d->count; k++) {
        spl__share *share = &d->shares[k];
        const spl__rates *r = &c->rates[k];
        share->begin = c->begin[k];
        share->rows = c->begin[k + 1] - share->begin;
        share->work = work_before(c, c->begin[k + 1]) - work_before(c, share->begin);
        share->predicted.transfer =
            predicted(r->start.transfer, r->row.transfer, r->unit.transfer, share);
        share->predicted.execution =
            predicted(r->start.execution, r->row.execution, r->unit.execution, share);
    }
}

static spl_status divide(spl_plan *plan, spl__division *d)
{
    cutting c = {0};
    spl_status status = cutting_make(plan, d, &c);
    if (status == SPL_OK)
        status = arrange(plan, d, &c);
    if (status == SPL_OK)
        status = find_rates(plan, d, &c);
    if (status == SPL_OK) {
        cut_rows(plan, d, &c);
        note_shares(d, &c);
    }
    cutting_free(&c);
    return status;
}

spl_status spl__division_make(spl_plan *plan, spl__division *d)
{
    SPL__TRY(list_shares(plan, d));
    if (!plan->problem.traits->sparse)
        return divide(plan, d);
    spl_status status = spl__product_survey(plan);
    if (status == SPL_OK)
        status = divide(plan, d);
    spl__product_survey_free(plan);
    return status;
}

void spl__division_free(spl__division *d)
{
    for (int32_t k = 0; k < d->count; k++)
        spl__free(d->shares[k].method);
    spl__free(d->shares);
    spl__free(d->order);
    spl__free(d->offsets);
}

bool spl__division_has_others(const spl__division *d)
{
    for (int32_t k = 0; k < d->count; k++)
        if (d->shares[k].rows > 0 && !d->shares[k].in_place)
            return true;
    return false;
}

spl__device *spl__division_receiver(const spl__division *d)
{
    for (int32_t k = 0; k < d->count; k++)
        if (d->shares[k].rows > 0 && d->shares[k].device && !d->shares[k].in_place)
            return d->shares[k].device;
    return NULL;
}
