/* SPDX-License-Identifier: Apache-2.0 */
#include "partition/rates.h"

#include "core/checked.h"
#include "spgemm/product.h"

#include <math.h>

/* Entries of C per product, from the sample. */
static double entries_of_product(const spl_plan *plan)
{
    return 1 / plan->features.compression_sampled;
}

/* Predicts for the share's processor: a question that assumes the plan to be there. */
static double predict(const spl_plan *plan, const spl__share *share)
{
    spl_plan question;
    bool sparse = plan->problem.traits->sparse;
    spl__plan_assume(plan, &question);
    /* some methods need structures that are not searched here */
    question.problem.options.method = sparse && share->device ? NULL : share->method;
    question.problem.queue.device = share->device;
    if (sparse)
        return spl__product_predict(&question);
    spl__row_set all = spl__all_rows(plan);
    return spl__plan_predict(&question, SPL__PHASE_compute, &all, NULL).seconds;
}

/* The cost of a row is its offsets and results; the rest of the time is assigned to the work. */
static double bytes_of_row(const spl__problem *p)
{
    return (double)spl__index_size(p->a.csr.offset_type) +
           (double)spl__type_size(p->a.csr.type) * (double)p->cols;
}

static double bytes_of_entry(const spl__problem *p)
{
    return (double)spl__index_size(p->a.csr.index_type) + (double)spl__type_size(p->a.csr.type);
}

/* Whether A is copied to the device in each execution: if there is only one, or if A does not
 * fit. */
static bool carries_a(const spl_plan *plan, const spl__share *share)
{
    const spl__problem *p = &plan->problem;
    const spl_sparse *a = &p->a.csr;
    size_t room =
        spl__min_size(share->device->account.budget, share->device->properties.memory_bytes);
    if (p->options.memory_budget)
        room = spl__min_size(room, p->options.memory_budget);
    return p->once ||
           (double)a->nnz * bytes_of_entry(p) + (double)a->rows * bytes_of_row(p) > (double)room;
}

/* Bandwidth to and from the share's device, in bytes per second. */
typedef struct link {
    double to, from;
} link;

/* The link for that kind of host memory; deterministic plans do not depend on where arrays are. */
static link link_of(const spl_plan *plan, const spl__share *share, const void *memory)
{
    const spl__gpu_machine *m = plan->gpu_machine;
    const spl__device *d = share->device;
    bool pinned = plan->problem.options.deterministic || d->driver->is_pinned(d->handle, memory);
    return pinned ? (link){m->link_to, m->link_from}
                  : (link){m->link_to_pageable, m->link_from_pageable};
}

/* The cost of planning on a device besides kernels, in one-shot calls: launches and waits. */
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

/* Launches besides those that methods count: there are few in executions of a plan. */
static void add_product_launches(const spl_plan *plan, spl__rates *r)
{
    enum { OF_CALL = 20, OF_PLAN = 2 };
    int launches = plan->problem.once ? OF_CALL : OF_PLAN;
    r->start.execution = launches * plan->gpu_machine->launch_host + planning(plan);
}

/* Values of C are copied to the host; in one-shot calls also its structure, to a new array, and
 * A and B are copied to the device. */
static void add_product_transfers(const spl_plan *plan, link arrays, spl__rates *r)
{
    const spl__problem *p = &plan->problem;
    const spl__gpu_machine *m = plan->gpu_machine;
    double entry = (double)spl__type_size(p->a.csr.type), from = arrays.from;
    add_product_launches(plan, r);
    if (p->once) {
        entry += (double)spl__index_size(p->a.csr.index_type);
        from = m->link_from_pageable;
        r->start.transfer = bytes_of_matrix(&p->b.csr) / arrays.to;
        r->row.transfer =
            p->rows > 0 ? bytes_of_matrix(&p->a.csr) / (double)p->rows / arrays.to : 0;
    }
    r->unit.transfer = entry * entries_of_product(plan) / from;
}

/* For operands on a device: results of other processors are copied to that device; their
 * operands have been copied before rows are divided. */
static void add_resident_product_transfers(const spl_plan *plan, const spl__share *share,
                                           spl__rates *r)
{
    const spl__problem *p = &plan->problem;
    double entry = (double)spl__type_size(p->a.csr.type) +
                   (p->once ? (double)spl__index_size(p->a.csr.index_type) : 0);
    if (share->in_place) {
        add_product_launches(plan, r);
        return;
    }
    if (share->device)
        add_product_transfers(plan, link_of(plan, share, p->a.csr.values), r);
    const spl__gpu_machine *owner = spl__plan_gpu_machine(plan, p->queue.device);
    double onward = p->once ? owner->link_to_pageable : owner->link_to;
    r->unit.transfer += entry * entries_of_product(plan) / onward;
}

/* x and y, unless they stay distributed, and A if needed. Operands of a plan pass through pinned
 * images; those of a one-shot call are assumed to be in memory like its A. */
static void add_dense_transfers(const spl_plan *plan, const spl__share *share, link arrays,
                                spl__rates *r)
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
    if (carries_a(plan, share)) {
        r->row.transfer += (double)spl__index_size(a->offset_type) / arrays.to;
        r->unit.transfer = bytes_of_entry(p) / arrays.to;
    }
}

/* If a device holds A: that device has no transfers; the CPU gets x and returns y over that
 * device's link, and other devices over both links, in pieces. The others keep their rows of A,
 * except in one-shot calls and where these do not fit. */
static void add_resident_transfers(const spl_plan *plan, const spl__share *share, spl__rates *r)
{
    const spl__problem *p = &plan->problem;
    double links = share->device ? 2 : 1,
           row = (double)spl__type_size(p->a.csr.type) * (double)p->cols;
    r->start.execution += share->device ? planning(plan) : 0;
    if (share->in_place)
        return;
    const spl__gpu_machine *owner = spl__plan_gpu_machine(plan, p->queue.device),
                           *m = plan->gpu_machine;
    if (!p->options.distributed) {
        r->start.transfer =
            2 * links * owner->link_latency + (double)p->inner * row / owner->link_from;
        r->row.transfer = row / owner->link_to + (links - 1) * row / m->link_from;
    }
    bool passes = share->device && carries_a(plan, share);
    double ways =
        (p->once ? 1 / owner->link_from_pageable : 0) + (passes ? 1 / m->link_to_pageable : 0);
    r->row.transfer += (double)spl__index_size(p->a.csr.offset_type) * ways;
    r->unit.transfer = bytes_of_entry(p) * ways;
}

void spl__rates_add_transfers(const spl_plan *plan, const spl__share *share, spl__rates *r)
{
    if (spl__owner_of_a(plan)) {
        if (plan->problem.traits->sparse)
            add_resident_product_transfers(plan, share, r);
        else
            add_resident_transfers(plan, share, r);
        return;
    }
    if (!share->device)
        return;
    link arrays = link_of(plan, share, plan->problem.a.csr.values);
    if (plan->problem.traits->sparse)
        add_product_transfers(plan, arrays, r);
    else
        add_dense_transfers(plan, share, arrays, r);
}

/* The cost of waking threads, which sleep while a device computes, unless they copied its
 * operands. */
static double waking(const spl_plan *plan)
{
    bool idle = spl__owner_of_a(plan) && spl__assumed_threads(&plan->problem) > 1;
    return idle ? plan->machine->parallel_wake : 0;
}

/* In one-shot calls the CPU starts after devices have got their rows: it checks all columns and
 * lengths, and makes a plan. */
static double host_start(const spl_plan *plan)
{
    enum { REGIONS = 12, PASSES_OF_OFFSETS = 3 };
    const spl__problem *p = &plan->problem;
    const spl_sparse *a = &p->a.csr;
    double threads = spl__assumed_threads(p);
    double bytes = (double)a->nnz * (double)spl__index_size(a->index_type) +
                   PASSES_OF_OFFSETS * (double)a->rows * (double)spl__index_size(a->offset_type);
    bool deferred = p->once && !p->traits->sparse;
    return deferred ? bytes / threads / spl__memory_rate(plan->machine, threads) +
                          REGIONS * plan->machine->parallel_start
                    : 0;
}

void spl__rates_predict(const spl_plan *plan, const spl__share *share, double work, spl__rates *r)
{
    const spl__problem *p = &plan->problem;
    bool sparse = p->traits->sparse;
    /* devices support 32-bit columns only */
    if (share->device && (p->inner > INT32_MAX || p->cols > INT32_MAX)) {
        *r = (spl__rates){.start.execution = INFINITY};
        return;
    }
    double seconds = predict(plan, share);
    if (isinf(seconds)) {
        *r = (spl__rates){.start.execution = INFINITY};
        return;
    }
    double rows = sparse ? 0 : (double)p->rows * bytes_of_row(p), units = work * bytes_of_entry(p);
    double bytes = fmax(1, rows + units);
    *r = (spl__rates){.row.execution = p->rows > 0 ? seconds * (rows / bytes) / (double)p->rows : 0,
                      .unit.execution = work > 0 ? seconds * (units / bytes) / work : 0};
    spl__rates_add_transfers(plan, share, r);
    if (!share->device)
        r->start.execution += host_start(plan) + waking(plan);
}
