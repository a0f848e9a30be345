/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/signature.h"

#include "core/variant.h"
#include "plan/plan.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* Adds a name as one word: runs of characters that are neither letters nor digits become one
 * dash. */
static void add_word(spl__text *text, const char *name)
{
    bool gap = false, begun = false;
    for (const unsigned char *cursor = (const unsigned char *)name; *cursor; cursor++) {
        bool plain = *cursor < 128 && (isalnum(*cursor) || *cursor == '.');
        if (plain && gap && begun)
            spl__text_add(text, "-");
        if (plain)
            spl__text_add(text, "%c", *cursor);
        begun = begun || plain;
        gap = !plain;
    }
}

void spl__machine_signature(const spl_context *context, const spl__device *device, int threads,
                            char text[SPL__MACHINE_BYTES])
{
    spl__text out = spl__text_begin(text, SPL__MACHINE_BYTES);
    spl__text_add(&out, device ? "gpu/" : "cpu/");
    add_word(&out, device ? device->properties.name : context->cpu);
    if (device)
        spl__text_add(&out, "/%d", (int)device->properties.units);
    else
        spl__text_add(&out, "/%s/%d", spl__variant_name(spl__variant_of_cpu()), threads);
}

int spl__first_like(const spl_context *context, int number)
{
    char first[SPL__MACHINE_BYTES], wanted[SPL__MACHINE_BYTES];
    int i = 0;
    spl__machine_signature(context, context->devices[number], 0, wanted);
    for (; i < number; i++) {
        spl__machine_signature(context, context->devices[i], 0, first);
        if (strcmp(first, wanted) == 0)
            break;
    }
    return i;
}

bool spl__machine_matches(const spl_context *context, const char *machine)
{
    char signature[SPL__MACHINE_BYTES];
    spl__machine_signature(context, NULL, 0, signature);
    size_t model = (size_t)(strrchr(signature, '/') - signature) + 1;
    if (strncmp(signature, machine, model) == 0)
        return true;
    for (int i = 0; i < context->device_count; i++) {
        spl__machine_signature(context, context->devices[i], 0, signature);
        if (strcmp(signature, machine) == 0)
            return true;
    }
    return false;
}

/* Steps of a number: 8 from 1 to 2^0.5, 9 to 2^1.5, ...; eighths below 1. */
static void add_step(spl__text *text, double value)
{
    if (isnan(value))
        spl__text_add(text, ".-");
    else
        spl__text_add(text, ".%d", (int)(value < 1 ? round(8 * value) : 8 + round(log2(value))));
}

static void add_features(spl__text *text, const spl__features *features)
{
    for (int i = 0; i < SPL__FEATURES; i++) {
        spl_feature feature;
        spl__feature_get(features, i, &feature);
        add_step(text, feature.value);
    }
}

void spl__signature(const spl__task *task, char text[SPL__SIGNATURE_BYTES])
{
    const spl__problem *p = &task->plan->problem;
    spl__text out = spl__text_begin(text, SPL__SIGNATURE_BYTES);
    spl__text_add(&out, "%s/%s/%s/%s/%s/%c%c%c/", p->traits->name, spl__phase_name(task->phase),
                  spl__type_name(p->a.csr.type), spl__index_name(p->a.csr.offset_type),
                  spl__index_name(p->a.csr.index_type), p->has_d ? 'd' : '-',
                  p->options.unsorted ? 'u' : '-', p->by_columns ? 'c' : '-');
    spl__text_add(&out, "%d", SPL__FEATURES);
    add_features(&out, &task->plan->features);
    add_step(&out, (double)task->rows.count);
    add_step(&out, task->rows.products);
    add_step(&out, task->rows.longest_products);
}
