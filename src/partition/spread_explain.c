/* SPDX-License-Identifier: Apache-2.0 */
/* spread_explain.c: describes the work of each processor of a plan, predicted and measured. */
#include "partition/spread.h"

/* ---- seconds ---- */

static double between(spl__spread_part *part, int from, int to)
{
    return spl__queue_seconds(&part->queue, part->moments[from], part->moments[to]);
}

/* The seconds of the last timed execution; a device must have been waited for. */
static spl__spread_seconds measured(const spl__spread *s, spl__spread_part *part)
{
    const spl_plan *part_plan = spl__spread_plan_of(part);
    if (part_plan && part_plan->problem.kind == SPL__KIND_spgemm && part->in_place)
        return (spl__spread_seconds){
            .execution = spl__queue_seconds(&spl__spread_plan_of(part)->problem.queue,
                                            part->moments[SPL__BEGUN], part->moments[SPL__DONE])};
    if (!part->has_queue)
        return part->measured;
    if (s->averaged > 0)
        return (spl__spread_seconds){.execution = between(part, SPL__READY, SPL__DONE) /
                                                  (double)s->averaged};
    return (spl__spread_seconds){between(part, SPL__BEGUN, SPL__READY) +
                                     between(part, SPL__DONE, SPL__RETURNED),
                                 between(part, SPL__READY, SPL__DONE)};
}

static spl_place place_of(const spl__spread_part *part)
{
    return part->device ? part->device->place : (spl_place){SPL_HOST, 0};
}

spl_status spl__spread_part_info(spl_plan *plan, int32_t number, spl_part_info *info)
{
    spl__spread *s = plan->spread;
    spl__spread_part *part = &s->parts[number];
    SPL__TRY(spl__spread_wait(plan));
    spl__spread_seconds seconds = measured(s, part);
    bool held = plan->problem.options.distributed && part->rows > 0;
    *info = (spl_part_info){.processor = part->processor,
                            .place = place_of(part),
                            .begin = part->begin,
                            .rows = part->rows,
                            .order = s->order,
                            .work = part->work,
                            .blocks = part->block_count,
                            .predicted_transfer = part->predicted.transfer,
                            .predicted_execution = part->predicted.execution,
                            .transfer = seconds.transfer,
                            .execution = seconds.execution};
    if (held) {
        info->x = part->has_queue ? part->device_x.data : s->x.data;
        info->y = part->has_queue ? part->device_y.data : part->y.data;
    }
    return SPL_OK;
}

/* ---- text ---- */

static void add_seconds(spl__text *text, const char *what, spl__spread_seconds seconds)
{
    spl__text_add(text, "  %s T_t ", what);
    spl__text_seconds(text, seconds.transfer);
    spl__text_add(text, ", T_e ");
    spl__text_seconds(text, seconds.execution);
}

static void explain_part(const spl_plan *plan, int32_t number, spl__text *text)
{
    spl__spread_part *part = &plan->spread->parts[number];
    const char *unit = plan->problem.kind == SPL__KIND_spgemm ? "products" : "entries";
    double share =
        plan->problem.rows > 0 ? 100 * (double)part->rows / (double)plan->problem.rows : 0;
    spl__text_add(text, "part %d: %s: %s rows (%.1f %%), ", number + 1,
                  part->device ? part->device->properties.name : plan->problem.context->cpu,
                  spl__thousands(part->rows), share);
    spl__text_add(text, "%s %s", spl__thousands(part->work), unit);
    if (part->block_count > 1)
        spl__text_add(text, ", in %s blocks that pass through the device",
                      spl__thousands(part->block_count));
    spl__text_add(text, "\n");
    add_seconds(text, "predicted", part->predicted);
    spl__text_add(text, "\n");
    if (atomic_load(&plan->executions) > 0 && part->rows > 0) {
        add_seconds(text, "measured", measured(plan->spread, part));
        spl__text_add(text, "\n");
    }
}

static const char *words_of(spl_partition_kind kind)
{
    static const char *const words[] = {"cost: the slowest part as fast as can be", "rows",
                                        "work of rows in order", "work of rows by length",
                                        "cost: the slowest part as fast as can be"};
    return words[kind];
}

void spl__spread_explain(const spl_plan *plan, spl__text *text)
{
    const spl__spread *s = plan->spread;
    const spl__device *owner = spl__spread_owner_of_a(plan);
    spl__plan_explain(plan, text);
    spl__text_add(text, "rows are shared out among %d processors by %s; ", (int)s->count,
                  words_of(plan->problem.options.partition));
    spl__text_add(text, "rates are %s\n",
                  plan->factors ? "those of this machine" : "the cost model's defaults");
    if (owner)
        spl__text_add(
            text,
            "%s are read on %s, where they live; to and from others they go by way of the host\n",
            plan->problem.kind == SPL__KIND_spgemm ? "A, B and D" : "A, x and y",
            owner->properties.name);
    for (int32_t k = 0; k < s->count; k++) {
        explain_part(plan, k, text);
        if (spl__spread_plan_of(&s->parts[k]))
            spl__plan_explain(spl__spread_plan_of(&s->parts[k]), text);
    }
}

/* ---- numbers ---- */

int32_t spl__spread_part_count(const spl_plan *plan)
{
    return plan->spread->count;
}

const spl_plan *spl__spread_inner(const spl_plan *plan, int32_t k)
{
    for (int32_t n = 0; n < plan->spread->count; n++) {
        const spl_plan *part_plan = spl__spread_plan_of(&plan->spread->parts[n]);
        if (part_plan && k-- == 0)
            return part_plan;
    }
    return NULL;
}

void spl__spread_count(const spl_plan *plan, spl_counters *counters)
{
    spl__plan_count(plan, counters);
    for (int32_t k = 0; k < plan->spread->count; k++) {
        const spl__spread_part *part = &plan->spread->parts[k];
        if (part->has_queue || part->passing)
            spl__queue_count(&part->queue, counters);
        if (part->has_queue && part->in_place) /* counted by the account of the plan's queue */
            counters->allocations -= atomic_load(&part->queue.account.allocations);
        for (int64_t i = 0; i < part->block_count && !part->passing; i++) {
            const spl__queue *block_queue = &part->blocks[i].plan->problem.queue;
            counters->allocations -=
                part->has_queue ? atomic_load(&block_queue->account.allocations) : 0;
            /* a device part's account includes those of its plans */
            spl__queue_count(block_queue, counters);
        }
    }
}
