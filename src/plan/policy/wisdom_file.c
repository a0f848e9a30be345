/* SPDX-License-Identifier: Apache-2.0 */
/* wisdom_file.c: reads and writes wisdom as text. */
#include "core/growing.h"
#include "file/number.h"
#include "file/sealed_text.h"
#include "plan/plan.h"
#include "plan/policy/wisdom.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { METHOD_BYTES = 128 };
static const char kind[] = "wisdom";

/* ---- reading ---- */

typedef struct reading {
    spl_context *context;
    spl__sealed_reader reader;
    spl__growing entries; /* taken */
    spl_import report;
} reading;

static const spl__registry_entry *find_method(const spl_context *context, const char *id,
                                              int revision)
{
    const struct spl__registry *registry = context->registry;
    for (int i = 0; i < registry->count; i++)
        if (strcmp(registry->entries[i].id, id) == 0)
            return registry->entries[i].method->revision == revision ? &registry->entries[i] : NULL;
    return NULL;
}

static spl_status append(reading *r, const spl__wisdom_entry *entry)
{
    SPL__TRY(spl__growing_reserve(&r->entries, &r->context->account, sizeof *entry));
    memcpy(spl__growing_at(&r->entries), entry, sizeof *entry);
    r->entries.count += sizeof *entry;
    return SPL_OK;
}

static spl_status read_line(void *context)
{
    reading *r = context;
    _Static_assert(SPL__MACHINE_BYTES == 160 && SPL__SIGNATURE_BYTES == 256 && METHOD_BYTES == 128,
                   "see below");
    spl__wisdom_entry entry = {0};
    char method[METHOD_BYTES];
    int revision, end = 0;
    int found = sscanf(r->reader.line, "%159s %255s %127s %d %lf%n", entry.machine, entry.problem,
                       method, &revision, &entry.seconds, &end);
    if (found != 5 || r->reader.line[end] || !(entry.seconds > 0) || !isfinite(entry.seconds))
        return spl__sealed_fail(&r->reader,
                                "this is not: machine, problem, method, revision, seconds");
    entry.method = find_method(r->context, method, revision);
    if (!entry.method)
        r->report.unknown++;
    else if (spl__machine_matches(r->context, entry.machine))
        r->report.taken++;
    else
        r->report.foreign++;
    return entry.method ? append(r, &entry) : SPL_OK;
}

spl_status spl__wisdom_read(spl_context *context, const spl__text_file *file, spl_import *report)
{
    reading r = {.context = context};
    SPL__TRY(spl__sealed_begin(&r.reader, file, kind));
    spl__c_locale locale = spl__c_locale_enter();
    spl_status status = spl__sealed_each(&r.reader, read_line, &r);
    spl__c_locale_leave(locale);
    if (status == SPL_OK)
        status = spl__wisdom_remember(context, r.entries.memory,
                                      (int64_t)(r.entries.count / sizeof(spl__wisdom_entry)));
    if (status == SPL_OK)
        spl__log(context, SPL_LOG_INFO,
                 "%s: %s entries taken, %s of other machines, %s of other methods or revisions",
                 file->source.name, spl__thousands(r.report.taken),
                 spl__thousands(r.report.foreign), spl__thousands(r.report.unknown));
    spl__free(r.entries.memory);
    spl__sealed_close(&r.reader);
    *report = r.report;
    return status;
}

/* ---- writing ---- */

static spl_status write_lines(spl_context *context, spl__sealed_writer *writer)
{
    spl__wisdom_entry e;
    char line[SPL__SEALED_LINE];
    for (int64_t i = 0; spl__wisdom_get(context, i, &e); i++) {
        snprintf(line, sizeof line, "%s %s %s %d %.6e", e.machine, e.problem, e.method->id,
                 e.method->method->revision, e.seconds);
        SPL__TRY(spl__sealed_line(writer, line));
    }
    return SPL_OK;
}

spl_status spl__wisdom_write(spl_context *context, const char *path)
{
    spl__sealed_writer writer;
    SPL__TRY(spl__sealed_open(&writer, path, kind));
    spl__c_locale locale = spl__c_locale_enter();
    spl_status status = write_lines(context, &writer);
    spl__c_locale_leave(locale);
    if (status == SPL_OK)
        return spl__sealed_commit(&writer);
    spl__sealed_abandon(&writer);
    return status;
}
