/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/tuning/tuning.h"

#include "file/number.h"
#include "file/sealed_text.h"
#include "plan/plan.h"
#include "plan/signature.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char kind[] = "machine";

/* Coefficients by name, with their offsets in the CPU's or a device's table. */
static const struct row {
    const char *name;
    spl__processor processor;
    size_t offset;
    double usual;
} rows[] = {
#define COEFFICIENT(name, value, unit, meaning)                                                    \
    {"cpu/" #name, SPL__PROCESSOR_cpu, offsetof(spl__machine, name), (value)},
#include "machine/cpu.def"
#undef COEFFICIENT
#define COEFFICIENT(name, value, unit, meaning)                                                    \
    {"gpu/" #name, SPL__PROCESSOR_gpu, offsetof(spl__gpu_machine, name), (value)},
#include "machine/gpu.def"
#undef COEFFICIENT
};
enum { ROWS = sizeof rows / sizeof *rows };

static double *coefficient(const spl__tuning *t, int table, int row)
{
    const void *coefficients = rows[row].processor == SPL__PROCESSOR_cpu
                                   ? (const void *)&t->cpu
                                   : (const void *)&t->gpu[table];
    return (double *)((uintptr_t)coefficients + rows[row].offset);
}

static double *factor(const spl__tuning *t, int table, int method)
{
    return &t->factors[(int64_t)table * t->methods + method];
}

int spl__tuning_table(const spl_context *context, const spl__device *device)
{
    for (int i = 0; i < context->device_count; i++)
        if (context->devices[i] == device)
            return i;
    return 0;
}

/* Whether `machine`, the signature of a device, matches that table; NULL: matches all. */
static bool is_about(const spl_context *context, int table, const char *machine)
{
    char signature[SPL__MACHINE_BYTES];
    if (!machine || table >= context->device_count)
        return true;
    spl__machine_signature(context, context->devices[table], 0, signature);
    return strcmp(signature, machine) == 0;
}

const spl__tuning *spl__tuning_of(spl_context *context)
{
    spl__lock();
    const spl__tuning *tuning = context->tuning;
    spl__unlock();
    return tuning;
}

void spl__tuning_free(spl_context *context)
{
    for (spl__tuning *t = context->tuning, *previous; t; t = previous) {
        previous = t->previous;
        spl__free(t);
    }
    context->tuning = NULL;
}

/* ---- changing ---- */

/* Makes a mutable copy of the current tuning, or of the defaults. Tables follow the struct. */
static spl_status begin(spl_context *context, spl__tuning **tuning)
{
    const spl__tuning *now = spl__tuning_of(context);
    const int methods = context->registry->count,
              tables = context->device_count > 0 ? context->device_count : 1;
    const size_t gpu = (size_t)tables * sizeof(spl__gpu_machine);
    const size_t factors = (size_t)tables * (size_t)methods * sizeof(double);
    spl__tuning *t;
    SPL__TRY(spl__alloc(&context->account, 1, sizeof *t + gpu + factors, (void **)&t));
    *t = (spl__tuning){
        .cpu = now ? now->cpu : spl__machine_cpu, .tables = tables, .methods = methods};
    t->gpu = (spl__gpu_machine *)(void *)(t + 1);
    t->factors = (double *)(void *)(t->gpu + tables);
    for (int i = 0; i < tables; i++)
        t->gpu[i] = now ? now->gpu[i] : spl__machine_gpu;
    for (int i = 0; i < tables * methods; i++)
        t->factors[i] = now ? now->factors[i] : 1;
    *tuning = t;
    return SPL_OK;
}

static void publish(spl_context *context, spl__tuning *tuning)
{
    spl__lock();
    tuning->previous = context->tuning;
    context->tuning = tuning;
    spl__unlock();
}

/* The address of the named value in a table; NULL: no such coefficient or method. revision 0:
 * any. */
static double *value_of(const spl_context *context, const spl__tuning *tuning, int table,
                        const char *name, int revision)
{
    const struct spl__registry *registry = context->registry;
    for (int i = 0; i < ROWS && revision == 0; i++)
        if (strcmp(rows[i].name, name) == 0)
            return coefficient(tuning, table, i);
    for (int i = 0; i < registry->count; i++)
        if (strcmp(registry->entries[i].id, name) == 0 &&
            (revision == 0 || revision == registry->entries[i].method->revision))
            return factor(tuning, table, i);
    return NULL;
}

/* Sets the value in all tables that match `machine`. False: no such name. */
static bool put(const spl_context *context, spl__tuning *tuning, const char *machine,
                const char *name, int revision, double value)
{
    for (int table = 0; table < tuning->tables; table++) {
        double *position = value_of(context, tuning, table, name, revision);
        if (!position)
            return false;
        if (is_about(context, table, machine))
            *position = value;
    }
    return true;
}

static bool is_good(double value)
{
    return value > 0 && isfinite(value);
}

static spl_status fail_name(const char *name)
{
    return spl__fail(SPL_INVALID_ARGUMENT,
                     "%.100s is neither a coefficient of the cost model nor a method", name);
}

spl_status spl__tuning_set(spl_context *context, const spl__device *device, const char *name,
                           double value)
{
    spl__tuning *tuning;
    char machine[SPL__MACHINE_BYTES];
    if (!is_good(value))
        return spl__fail(SPL_INVALID_ARGUMENT, "%s: %g is not above 0 and finite", name, value);
    if (device)
        spl__machine_signature(context, device, 0, machine);
    SPL__TRY(begin(context, &tuning));
    if (put(context, tuning, device ? machine : NULL, name, 0, value)) {
        publish(context, tuning);
        return SPL_OK;
    }
    spl__free(tuning);
    return fail_name(name);
}

spl_status spl__tuning_get(spl_context *context, const char *name, double *value)
{
    spl__tuning *copy;
    SPL__TRY(begin(context, &copy));
    const double *coefficient = value_of(context, copy, 0, name, 0);
    if (coefficient)
        *value = *coefficient;
    spl__free(copy);
    return coefficient ? SPL_OK : fail_name(name);
}

/* ---- reading ---- */

typedef struct reading {
    spl_context *context;
    spl__sealed_reader reader;
    spl__tuning *tuning;
    bool named, this_machine; /* a machine line was read; it matches this machine */
    char machine[SPL__MACHINE_BYTES];
    spl_import report;
} reading;

enum { NAME_BYTES = 128 };

/* Coefficients of the CPU are stored with every device's table. */
static void take(reading *r, const char *name, int revision, double value)
{
    const char *machine = strncmp(r->machine, "gpu/", 4) == 0 ? r->machine : NULL;
    if (!r->this_machine)
        r->report.foreign++;
    else if (put(r->context, r->tuning, machine, name, revision, value))
        r->report.taken++;
    else
        r->report.unknown++;
}

static spl_status read_line(void *context)
{
    reading *r = context;
    _Static_assert(SPL__MACHINE_BYTES == 160 && NAME_BYTES == 128, "see the formats");
    const char *line = r->reader.line;
    char name[NAME_BYTES];
    int revision = 0, end = 0;
    double value = 0;
    if (sscanf(line, "machine %159s%n", r->machine, &end) == 1 && !line[end]) {
        r->named = true;
        r->this_machine = spl__machine_matches(r->context, r->machine);
        return SPL_OK;
    }
    bool good = (sscanf(line, "set %127s %lf%n", name, &value, &end) == 2 && !line[end]) ||
                (sscanf(line, "factor %127s %d %lf%n", name, &revision, &value, &end) == 3 &&
                 !line[end] && revision > 0);
    if (!good || !r->named || !is_good(value))
        return spl__sealed_fail(&r->reader, "this is no machine, no coefficient and no factor");
    take(r, name, revision, value);
    return SPL_OK;
}

spl_status spl__tuning_read(spl_context *context, const spl__text_file *file, spl_import *report)
{
    reading r = {.context = context};
    SPL__TRY(spl__sealed_begin(&r.reader, file, kind));
    spl__c_locale locale = spl__c_locale_enter();
    spl_status status = begin(context, &r.tuning);
    if (status == SPL_OK)
        status = spl__sealed_each(&r.reader, read_line, &r);
    spl__c_locale_leave(locale);
    spl__sealed_close(&r.reader);
    if (status != SPL_OK) {
        spl__free(r.tuning);
        return status;
    }
    publish(context, r.tuning);
    *report = r.report;
    return SPL_OK;
}

/* ---- writing ---- */

static spl_status write_pair(spl__sealed_writer *writer, const char *key, double value)
{
    char line[SPL__SEALED_LINE];
    snprintf(line, sizeof line, "%s %.6e", key, value);
    return spl__sealed_line(writer, line);
}

/* Writes the values of one kind of processor, of a device from its table. */
static spl_status write_values(const spl_context *context, const spl__tuning *tuning,
                               spl__processor processor, int table, spl__sealed_writer *writer)
{
    char key[SPL__SEALED_LINE - 32];
    for (int i = 0; i < ROWS; i++) {
        double value = *coefficient(tuning, table, i);
        if (rows[i].processor != processor || value == rows[i].usual)
            continue;
        snprintf(key, sizeof key, "set %s", rows[i].name);
        SPL__TRY(write_pair(writer, key, value));
    }
    for (int i = 0; i < context->registry->count; i++) {
        const spl__registry_entry *entry = &context->registry->entries[i];
        double value = *factor(tuning, table, i);
        if (entry->processor != processor || value == 1)
            continue;
        snprintf(key, sizeof key, "factor %s %d", entry->id, entry->method->revision);
        SPL__TRY(write_pair(writer, key, value));
    }
    return SPL_OK;
}

static spl_status write_machine(const spl_context *context, const spl__tuning *tuning,
                                const spl__device *device, spl__sealed_writer *writer)
{
    char machine[SPL__MACHINE_BYTES], line[SPL__MACHINE_BYTES + 16];
    spl__processor processor = device ? SPL__PROCESSOR_gpu : SPL__PROCESSOR_cpu;
    spl__machine_signature(context, device, spl__threads(context, 0), machine);
    snprintf(line, sizeof line, "machine %s", machine);
    SPL__TRY(spl__sealed_line(writer, line));
    return tuning ? write_values(context, tuning, processor, spl__tuning_table(context, device),
                                 writer)
                  : SPL_OK;
}

/* Equal devices have equal values, which are written once. */
static spl_status write_all(const spl_context *context, const spl__tuning *tuning,
                            spl__sealed_writer *writer)
{
    SPL__TRY(write_machine(context, tuning, NULL, writer));
    for (int i = 0; i < context->device_count; i++)
        if (spl__first_like(context, i) == i)
            SPL__TRY(write_machine(context, tuning, context->devices[i], writer));
    return SPL_OK;
}

spl_status spl__tuning_write(spl_context *context, const char *path)
{
    spl__sealed_writer writer;
    SPL__TRY(spl__sealed_open(&writer, path, kind));
    spl__c_locale locale = spl__c_locale_enter();
    spl_status status = write_all(context, spl__tuning_of(context), &writer);
    spl__c_locale_leave(locale);
    if (status == SPL_OK)
        return spl__sealed_commit(&writer);
    spl__sealed_abandon(&writer);
    return status;
}
