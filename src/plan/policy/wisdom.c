/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/policy/wisdom.h"

#include "core/growing.h"
#include "plan/plan.h"

#include <string.h>

/* The type of context->wisdom, protected by spl__lock. */
typedef struct spl__wisdom {
    spl__growing entries;
} spl__wisdom;

static int64_t count_of(const spl__wisdom *wisdom)
{
    return wisdom ? (int64_t)(wisdom->entries.count / sizeof(spl__wisdom_entry)) : 0;
}

static spl__wisdom_entry *entry_of(const spl__wisdom *wisdom, int64_t number)
{
    return (spl__wisdom_entry *)wisdom->entries.memory + number;
}

void spl__wisdom_about(const spl__task *task, spl__wisdom_entry *entry)
{
    const spl__problem *p = &task->plan->problem;
    *entry = (spl__wisdom_entry){0};
    spl__machine_signature(p->context, p->queue.device, p->threads, entry->machine);
    spl__signature(task, entry->problem);
}

static spl__wisdom_entry *find(const spl__wisdom *wisdom, const spl__wisdom_entry *sought)
{
    for (int64_t i = 0; i < count_of(wisdom); i++) {
        spl__wisdom_entry *entry = entry_of(wisdom, i);
        if (strcmp(entry->problem, sought->problem) == 0 &&
            strcmp(entry->machine, sought->machine) == 0)
            return entry;
    }
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

/* Reserves memory for `count` more entries. The lock is held. */
static spl_status reserve(spl_context *context, int64_t count)
{
    if (!context->wisdom)
        SPL__TRY(SPL__NEW_ZERO(&context->account, &context->wisdom, 1));
    return spl__growing_reserve(&context->wisdom->entries, &context->account,
                                (size_t)count * sizeof(spl__wisdom_entry));
}

/* Adds an entry; memory has been reserved. */
static void put(spl__wisdom *wisdom, const spl__wisdom_entry *entry)
{
    spl__wisdom_entry *known = find(wisdom, entry);
    if (!known) {
        *entry_of(wisdom, count_of(wisdom)) = *entry;
        wisdom->entries.count += sizeof *entry;
    } else if (entry->measured_here || !known->measured_here)
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
    int64_t count = count_of(context->wisdom);
    spl__unlock();
    return count;
}

bool spl__wisdom_get(spl_context *context, int64_t number, spl__wisdom_entry *entry)
{
    spl__lock();
    bool found = number >= 0 && number < count_of(context->wisdom);
    if (found)
        *entry = *entry_of(context->wisdom, number);
    spl__unlock();
    return found;
}

void spl__wisdom_forget(spl_context *context)
{
    spl__lock();
    if (context->wisdom)
        spl__free(context->wisdom->entries.memory);
    spl__free(context->wisdom);
    context->wisdom = NULL;
    spl__unlock();
}
