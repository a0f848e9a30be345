/* SPDX-License-Identifier: Apache-2.0 */
#include "partition/spread_explain.h"

#include "partition/parts.h"

int32_t spl__spread_part_count(const spl_plan *plan)
{
    return plan->spread->division.count;
}

/* The seconds of the last timed execution; a device must have been waited for. */
static spl__seconds measured(spl__part *part)
{
    return part->kind->seconds ? part->kind->seconds(part) : part->measured;
}

static spl_place place_of(const spl__share *share)
{
    return share->device ? share->device->place : (spl_place){SPL_HOST, 0};
}

/* The distributed arrays, without gaps. */
static void note_held(const spl__spread *s, const spl__part *part, spl_part_info *info)
{
    info->x = s->x.data;
    info->y = part->image.data;
    if (part->kind->held)
        part->kind->held(part, &info->x, &info->y);
}

spl_status spl__spread_part_info(spl_plan *plan, int32_t number, spl_part_info *info)
{
    spl__spread *s = plan->spread;
    spl__part *part = s->parts[number];
    const spl__share *share = &s->division.shares[number];
    SPL__TRY(spl__parts_wait(plan));
    const spl__seconds seconds = part ? measured(part) : (spl__seconds){0};
    *info = (spl_part_info){.processor = share->processor,
                            .place = place_of(share),
                            .begin = share->begin,
                            .rows = share->rows,
                            .order = s->division.order,
                            .work = share->work,
                            .blocks = part ? part->block_count : 0,
                            .predicted_transfer = share->predicted.transfer,
                            .predicted_execution = share->predicted.execution,
                            .transfer = seconds.transfer,
                            .execution = seconds.execution};
    if (part && plan->problem.options.distributed)
        note_held(s, part, info);
    return SPL_OK;
}

/* ---- text ---- */

static void add_seconds(spl__text *text, const char *label, spl__seconds seconds)
{
    spl__text_add(text, "  %s T_t ", label);
    spl__text_seconds(text, seconds.transfer);
    spl__text_add(text, ", T_e ");
    spl__text_seconds(text, seconds.execution);
}

static void explain_part(const spl_plan *plan, int32_t number, spl__text *text)
{
    const spl__share *share = &plan->spread->division.shares[number];
    spl__part *part = plan->spread->parts[number];
    const char *unit = plan->problem.traits->sparse ? "products" : "entries";
    double percent =
        plan->problem.rows > 0 ? 100 * (double)share->rows / (double)plan->problem.rows : 0;
    spl__text_add(text, "part %d: %s: %s rows (%.1f %%), ", number + 1,
                  share->device ? share->device->properties.name : plan->problem.context->cpu,
                  spl__thousands(share->rows), percent);
    spl__text_add(text, "%s %s", spl__thousands(share->work), unit);
    if (part && part->block_count > 1)
        spl__text_add(text, ", in %s blocks that pass through the device",
                      spl__thousands(part->block_count));
    spl__text_add(text, "\n");
    add_seconds(text, "predicted", share->predicted);
    spl__text_add(text, "\n");
    if (atomic_load(&plan->executions) > 0 && part) {
        add_seconds(text, "measured", measured(part));
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
    const spl__device *owner = spl__owner_of_a(plan);
    spl__plan_explain(plan, text);
    spl__text_add(text, "rows are shared out among %d processors by %s; ", (int)s->division.count,
                  words_of(plan->problem.options.partition));
    spl__text_add(text, "rates are %s\n",
                  plan->factors ? "those of this machine" : "the cost model's defaults");
    if (owner)
        spl__text_add(
            text,
            "%s are read on %s, where they live; to and from others they go by way of the host\n",
            plan->problem.traits->sparse ? "A, B and D" : "A, x and y", owner->properties.name);
    for (int32_t k = 0; k < s->division.count; k++) {
        const spl_plan *part_plan = s->parts[k] ? spl__part_plan(s->parts[k]) : NULL;
        explain_part(plan, k, text);
        if (part_plan)
            spl__plan_explain(part_plan, text);
    }
}

/* ---- numbers ---- */

const spl_plan *spl__spread_inner(const spl_plan *plan, int32_t k)
{
    const spl__spread *s = plan->spread;
    for (spl__part *p = spl__parts_next(s, NULL); p; p = spl__parts_next(s, p))
        if (spl__part_plan(p) && k-- == 0)
            return spl__part_plan(p);
    return NULL;
}

/* The account of a part's queue includes those of its plans; on the device that holds A, the
 * account of the plan's queue includes the part's. */
static void count_part(const spl__part *part, spl_counters *counters)
{
    if (part->queue)
        spl__queue_count(part->queue, counters);
    if (part->queue && part->share->in_place)
        counters->allocations -= atomic_load(&part->queue->account.allocations);
    for (int64_t i = 0; i < part->block_count; i++) {
        const spl_plan *plan = part->blocks[i].plan;
        if (!plan)
            continue;
        if (part->queue)
            counters->allocations -= atomic_load(&plan->problem.queue.account.allocations);
        spl__queue_count(&plan->problem.queue, counters);
    }
}

void spl__spread_count(const spl_plan *plan, spl_counters *counters)
{
    const spl__spread *s = plan->spread;
    spl__plan_count(plan, counters);
    for (spl__part *p = spl__parts_next(s, NULL); p; p = spl__parts_next(s, p))
        count_part(p, counters);
}
