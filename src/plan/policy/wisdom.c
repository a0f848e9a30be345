/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/policy/wisdom.h"

#include "plan/plan.h"

#include <string.h>

/* The type of context->wisdom, protected by spl__lock. */
typedef struct spl__wisdom {
    spl__wisdom_entry *entries;
    int64_t count, room;
} spl__wisdom;

void spl__wisdom_about(const spl__task *task, spl__wisdom_entry *entry)
{
    const spl__problem *p = &task->plan->problem;
    *entry = (spl__wisdom_entry){0};
    spl__machine_signature(p->context, p->queue.device, p->threads, entry->machine);
    spl__signature(task, entry->problem);
}

static spl__wisdom_entry *find(const spl__wisdom *wisdom, const spl__wisdom_entry *sought)
{
    for (int64_t i = 0; wisdom && i < wisdom->count; i++)
        if (strcmp(wisdom->entries[i].problem, sought->problem) == 0 &&
            strcmp(wisdom->entries[i].machine, sought->machine) == 0)
            return &wisdom->entries[i];
    return NULL;
}

bool spl__wisdom_recall(spl_context *context, spl__wisdom_entry *entry)
{
    spl__lock();
    const spl__wisdom_entry *known = find(context->wisdom, entry);
    if (known)
        *entry = *known;
    spl__unlock();
    return known != NULL;
}

/* ---- remembering ---- */

static spl_status grow(spl_context *context, int64_t room)
{
    spl__wisdom *w = context->wisdom;
    spl__wisdom_entry *entries;
    SPL__TRY(SPL__NEW(&context->account, &entries, room));
    if (w->count > 0)
        memcpy(entries, w->entries, (size_t)w->count * sizeof *entries);
    spl__free(w->entries);
    w->entries = entries;
    w->room = room;
    return SPL_OK;
}

/* Reserves memory for `count` more entries. The lock is held. */
static spl_status reserve(spl_context *context, int64_t count)
{
    enum { LEAST_ROOM = 16 };
    if (!context->wisdom)
        SPL__TRY(SPL__NEW_ZERO(&context->account, &context->wisdom, 1));
    spl__wisdom *w = context->wisdom;
    if (w->count + count <= w->room)
        return SPL_OK;
    int64_t room = 2 * w->room > w->count + count ? 2 * w->room : w->count + count;
    return grow(context, room > LEAST_ROOM ? room : LEAST_ROOM);
}

/* Adds an entry; memory has been reserved. */
static void put(spl__wisdom *wisdom, const spl__wisdom_entry *entry)
{
    spl__wisdom_entry *known = find(wisdom, entry);
    if (!known)
        wisdom->entries[wisdom->count++] = *entry;
    else if (entry->measured_here || !known->measured_here)
        *known = *entry;
}

spl_status spl__wisdom_remember(spl_context *context, const spl__wisdom_entry *entries,
                                int64_t count)
{
    spl__lock();
    spl_status status = reserve(context, count);
    for (int64_t i = 0; i < count && status == SPL_OK; i++)
        put(context->wisdom, &entries[i]);
    spl__unlock();
    return status;
}

/* ---- looking ---- */

int64_t spl__wisdom_count(spl_context *context)
{
    spl__lock();
    int64_t count = context->wisdom ? context->wisdom->count : 0;
    spl__unlock();
    return count;
}

bool spl__wisdom_get(spl_context *context, int64_t number, spl__wisdom_entry *entry)
{
    spl__lock();
    bool found = context->wisdom && number >= 0 && number < context->wisdom->count;
    if (found)
        *entry = context->wisdom->entries[number];
    spl__unlock();
    return found;
}

void spl__wisdom_forget(spl_context *context)
{
    spl__lock();
    if (context->wisdom)
        spl__free(context->wisdom->entries);
    spl__free(context->wisdom);
    context->wisdom = NULL;
    spl__unlock();
}
