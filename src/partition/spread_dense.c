/* SPDX-License-Identifier: Apache-2.0 */
#include "partition/spread_dense.h"

#include "core/checked.h"
#include "core/threads/parallel.h"
#include "partition/resident_dense.h"
#include "partition/resident_rows.h"
#include "partition/side_thread.h"

enum { PIECE_BYTES = 4 << 20 };

/* ---- making ---- */

/* Whether the CPU's rows are not contiguous in the caller's result. */
static bool cpu_needs_image(const spl_plan *plan, const spl__division *d)
{
    return d->order || plan->problem.options.distributed || spl__owner_of_a(plan);
}

/* Whether devices' plans are made within the execution (one-shot calls). The CPU's part then has
 * an image in any case, if memory allows, to compute in advance. */
static bool defers_plans(const spl_plan *plan, const spl__division *d)
{
    return plan->problem.once && !spl__owner_of_a(plan) && spl__division_receiver(d);
}

/* Pinning takes longer than a single product, so one-shot calls do not pin. Distributed results
 * are 0 before the first execution. */
static spl_status make_image(spl_plan *plan, spl__device *device, int64_t elements,
                             spl__image *image)
{
    const spl__problem *p = &plan->problem;
    SPL__TRY(spl__image_make(&plan->account, p->once ? NULL : device, elements,
                             spl__type_size(p->a.csr.type), image));
    if (p->options.distributed && image->bytes > 0)
        memset(image->data, 0, image->bytes);
    return SPL_OK;
}

static spl_status make_rows(spl__part *part)
{
    if (spl__owner_of_a(part->plan) && !part->share->in_place)
        SPL__TRY(spl__resident_rows_make(part));
    return part->kind->make(part);
}

static spl_status make_part(spl_plan *plan, spl__spread *s, int32_t k)
{
    const spl__share *share = &s->division.shares[k];
    spl__part **part = &s->parts[k];
    if (share->rows == 0)
        return SPL_OK;
    SPL__TRY(spl__part_new(plan, &s->division, share,
                           share->device ? &spl__part_device : &spl__part_cpu, part));
    SPL__TRY(SPL__NEW(&plan->account, &(*part)->named, share->rows));
    spl_status status = make_rows(*part);
    if (share->device && spl__lacks_memory(status)) {
        spl__part_free(*part);
        *part = NULL;
        SPL__TRY(spl__part_new(plan, &s->division, share, &spl__part_blocks, part));
        SPL__TRY(SPL__NEW(&plan->account, &(*part)->named, share->rows));
        status = make_rows(*part);
    }
    if (status != SPL_OK || share->in_place ||
        (!share->device && !cpu_needs_image(plan, &s->division)))
        return status;
    return make_image(plan, share->device ? share->device : spl__owner_of_a(plan),
                      share->rows * plan->problem.cols, &(*part)->image);
}

/* Devices first: in a one-shot call A is being copied to them while the host checks columns and
 * makes its own plan. */
static spl_status make_parts(spl_plan *plan, spl__spread *s)
{
    for (int32_t k = 0; k < s->division.count; k++)
        if (s->division.shares[k].device)
            SPL__TRY(make_part(plan, s, k));
    SPL__TRY(spl__problem_check_deferred(&plan->problem, spl__account_watch(&plan->account)));
    for (int32_t k = 0; k < s->division.count; k++)
        if (!s->division.shares[k].device)
            SPL__TRY(make_part(plan, s, k));
    return SPL_OK;
}

spl_status spl__spread_dense_make(spl_plan *plan)
{
    spl__spread *s = plan->spread;
    const spl__problem *p = &plan->problem;
    spl__device *owner = spl__owner_of_a(plan), *receiver = spl__division_receiver(&s->division);
    int64_t elements;
    s->order_x = s->order_y = SPL_ROW_MAJOR;
    if (owner)
        SPL__TRY(spl__alloc(&plan->account, p->rows / 8 + 1, sizeof(uint64_t), &s->mask));
    if (!spl__mul_i64(spl__max_i64(p->inner, p->rows), p->cols, &elements))
        return spl__fail(SPL_OUT_OF_MEMORY, "%s dense columns are more than can be addressed",
                         spl__thousands(p->cols));
    SPL__TRY(make_parts(plan, s));
    const bool needed = owner ? spl__division_has_others(&s->division) : receiver != NULL;
    if (!needed && !p->options.distributed)
        return SPL_OK;
    SPL__TRY(make_image(plan, owner ? owner : receiver, p->inner * p->cols, &s->x));
    spl__part *cpu_part = spl__parts_cpu(s);
    if (cpu_part && !cpu_part->image.account && defers_plans(plan, &s->division) &&
        make_image(plan, NULL, cpu_part->share->rows * p->cols, &cpu_part->image) != SPL_OK)
        spl__image_free(&cpu_part->image); /* optional: compute_once */
    return SPL_OK;
}

/* ---- x ---- */

/* Whether all devices can copy from that memory without blocking. */
static bool pinned_for_all(const spl__spread *s, const void *memory)
{
    for (spl__part *p = spl__parts_next(s, NULL); p; p = spl__parts_next(s, p))
        if (p->device && !spl__queue_pins(p->queue, memory))
            return false;
    return true;
}

static spl_status send_right(const spl__execution *e)
{
    spl__spread *s = e->spread;
    const spl__dense_rows all = {.all = *e->b, .rows = e->b->rows};
    char *contiguous = spl__dense_rows_contiguous(&all);
    size_t bytes = spl__rows_bytes(e->b, e->b->rows), step = contiguous ? PIECE_BYTES : bytes;
    if (!s->x.data)
        return SPL_OK; /* only the CPU has rows */
    if (!e->plan->problem.options.distributed && contiguous &&
        (!s->x.device || pinned_for_all(s, contiguous)))
        return spl__parts_send(s, contiguous, 0, bytes);
    if (!contiguous)
        spl__dense_rows_take(&all, e->threads, s->x.data);
    for (size_t offset = 0; offset < bytes; offset += step) {
        size_t piece = bytes - offset < step ? bytes - offset : step;
        char *image = (char *)s->x.data + offset;
        if (contiguous)
            spl__copy_bytes(e->threads, image, contiguous + offset, piece);
        SPL__TRY(spl__parts_send(s, image, offset, piece));
    }
    return SPL_OK;
}

/* ---- one-shot calls ---- */

static spl_status start_parts(void *work)
{
    return spl__parts_run(SPL__START, work);
}

static void use_threads(const spl__execution *e, int threads)
{
    for (spl__part *p = spl__parts_next(e->spread, NULL); p; p = spl__parts_next(e->spread, p))
        if (p->queue)
            p->queue->threads = threads;
}

/* Makes the devices' plans in another thread, after A has been copied there, while the CPU
 * computes its part, unless `cpu_part` is NULL. */
static spl_status compute_side_by_side(const spl__execution *e, spl__part *cpu_part)
{
    spl__side_thread devices;
    spl__failure failure = {0};
    spl__execution single_threaded = *e;
    single_threaded.threads = 1;
    use_threads(e, 1);
    spl__side_thread_begin(&devices, start_parts, &single_threaded);
    if (cpu_part)
        spl__failure_note(&failure, spl__part_run(cpu_part, SPL__COMPUTE, e));
    spl_status device_status = spl__side_thread_end(&devices);
    use_threads(e, e->threads);
    SPL__TRY(spl__failure_raise(&failure));
    return device_status;
}

/* Computes the CPU's rows into an array of their own while the devices' plans are made; if that
 * takes memory that the plans need, afterwards. *computed: the rows are computed. */
static spl_status compute_once(const spl__execution *e, spl__part *cpu_part, bool *computed)
{
    *computed = cpu_part && cpu_part->image.account;
    spl_status status = compute_side_by_side(e, *computed ? cpu_part : NULL);
    if (!*computed || !spl__lacks_memory(status) || cpu_needs_image(e->plan, &e->spread->division))
        return status;
    *computed = false;
    spl__image_free(&cpu_part->image);
    return compute_side_by_side(e, NULL);
}

static spl_status run_once(const spl__execution *e)
{
    spl__part *cpu_part = spl__parts_cpu(e->spread);
    bool computed;
    SPL__TRY(compute_once(e, cpu_part, &computed));
    SPL__TRY(spl__parts_run(SPL__GIVE, e));
    if (cpu_part && !computed)
        SPL__TRY(spl__part_run(cpu_part, SPL__COMPUTE, e));
    return spl__parts_run(SPL__FINISH, e);
}

/* ---- executions ---- */

static spl_status run_again(const spl__execution *e)
{
    SPL__TRY(spl__parts_run(SPL__START, e));
    SPL__TRY(spl__parts_run(SPL__GIVE, e));
    SPL__TRY(spl__parts_run(SPL__COMPUTE, e));
    return e->c ? spl__parts_run(SPL__FINISH, e) : SPL_OK;
}

static spl_status run(const spl__execution *e)
{
    spl__spread *s = e->spread;
    const bool transfers = e->b || e->c, resident = transfers && spl__owner_of_a(e->plan);
    if (transfers && s->in_flight)
        SPL__TRY(spl__parts_wait(e->plan));
    if (resident)
        SPL__TRY(spl__resident_check(e));
    if (e->b && e->reads_b)
        s->order_x = e->b->order;
    if (e->c)
        s->order_y = e->c->order;
    if (resident)
        return spl__resident_run(e);
    s->in_flight = true;
    SPL__TRY(spl__parts_run(SPL__BEGIN, e));
    if (e->b && e->reads_b)
        SPL__TRY(send_right(e));
    SPL__TRY(defers_plans(e->plan, &s->division) ? run_once(e) : run_again(e));
    s->in_flight = !e->c;
    return SPL_OK;
}

spl_status spl__spread_run_dense(spl_plan *plan, spl__call *call, const spl_stream *stream)
{
    const spl_type type = plan->problem.a.csr.type;
    const spl__execution e = {.plan = plan,
                              .spread = plan->spread,
                              .call = call,
                              .threads = plan->problem.threads,
                              .stream = stream,
                              .b = call->b,
                              .c = call->c,
                              .reads_b = spl__scalar(call->alpha, type, 1) != 0,
                              .reads_c = spl__scalar(call->beta, type, 0) != 0 ||
                                         (call->rows && !call->rows->clear)};
    SPL__TRY(spl__plan_enter(plan, stream));
    return spl__parts_end(&e, run(&e));
}
