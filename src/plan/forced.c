/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/forced.h"

#include <string.h>

bool spl__method_listed(const char *ids, const char *id)
{
    size_t length = strlen(id);
    for (const char *cursor = ids; cursor;
         cursor = strchr(cursor, ',') ? strchr(cursor, ',') + 1 : NULL)
        if (strncmp(cursor, id, length) == 0 && (cursor[length] == ',' || cursor[length] == 0))
            return true;
    return false;
}

static const spl__registry_entry *find_entry(const struct spl__registry *registry, const char *id,
                                             size_t length)
{
    for (int i = 0; i < registry->count; i++)
        if (strlen(registry->entries[i].id) == length &&
            strncmp(registry->entries[i].id, id, length) == 0)
            return &registry->entries[i];
    return NULL;
}

spl__processor spl__processor_of(const spl_plan *plan)
{
    return plan->problem.queue.device ? SPL__PROCESSOR_gpu : SPL__PROCESSOR_cpu;
}

spl_status spl__served_check(const spl_plan *plan)
{
    const struct spl__registry *registry = plan->problem.context->registry;
    if (plan->problem.traits->triple || plan->problem.traits->frontier)
        return SPL_OK;
    for (int i = 0; i < registry->count; i++)
        if (registry->entries[i].kind == plan->problem.kind &&
            registry->entries[i].processor == spl__processor_of(plan))
            return SPL_OK;
    return spl__fail(SPL_UNSUPPORTED, "%s has no method that runs on a device",
                     plan->problem.traits->name);
}

spl_status spl__forced_check(const spl_plan *plan)
{
    for (const char *cursor = plan->problem.options.method; cursor && *cursor;) {
        size_t length = strcspn(cursor, ",");
        const spl__registry_entry *entry =
            find_entry(plan->problem.context->registry, cursor, length);
        if (!entry)
            return spl__fail(SPL_INVALID_ARGUMENT, "there is no method \"%.*s\"",
                             (int)(length < 100 ? length : 100), cursor);
        if (entry->kind != plan->problem.kind)
            return spl__fail(SPL_INVALID_ARGUMENT, "%s is not a method of %s", entry->id,
                             plan->problem.traits->name);
        if (entry->processor != spl__processor_of(plan))
            return spl__fail(SPL_INVALID_ARGUMENT,
                             "%s does not run on what this plan computes on: %s", entry->id,
                             plan->problem.queue.device ? "a device" : "the CPU");
        cursor += length + (cursor[length] == ',');
    }
    return SPL_OK;
}

bool spl__phase_is_forced(const spl_plan *plan, spl__phase phase)
{
    const struct spl__registry *registry = plan->problem.context->registry;
    if (!plan->problem.options.method)
        return false;
    for (int i = 0; i < registry->count; i++)
        if (registry->entries[i].kind == plan->problem.kind &&
            registry->entries[i].phase == phase &&
            spl__method_listed(plan->problem.options.method, registry->entries[i].id))
            return true;
    return false;
}

bool spl__attribute_is_forced(const spl_plan *plan, spl__processor processor, unsigned attribute)
{
    const struct spl__registry *registry = plan->problem.context->registry;
    for (int i = 0; plan->problem.options.method && i < registry->count; i++) {
        const spl__registry_entry *e = &registry->entries[i];
        if ((e->method->attributes & attribute) && e->kind == plan->problem.kind &&
            e->processor == processor && spl__method_listed(plan->problem.options.method, e->id))
            return true;
    }
    return false;
}
