/* SPDX-License-Identifier: Apache-2.0 */
/* From "NAME:VALUE,name=VALUE" to a family with checked values. */
#include "gen_job.h"
#include "nearest_word.h"
#include "typed_array.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_SPEC = 512 };

static const gen_stand_in *stand_in_named(const char *name)
{
    for (const gen_stand_in *row = gen_stand_ins; row->name; row++)
        if (!strcmp(row->name, name))
            return row;
    return NULL;
}

static const gen_family *family_named(const char *name)
{
    for (const gen_family *row = gen_families; row->name; row++)
        if (!strcmp(row->name, name))
            return row;
    return NULL;
}

double gen_expected_nnz(const char *name)
{
    const gen_stand_in *known = stand_in_named(name);
    return known ? known->nnz : 0;
}

static gen_status unknown(gen_job *job, const char *name)
{
    tool_guess guess = {0};
    for (const gen_stand_in *row = gen_stand_ins; row->name; row++)
        tool_guess_add(&guess, name, row->name);
    for (const gen_family *row = gen_families; row->name; row++)
        tool_guess_add(&guess, name, row->name);
    if (guess.word)
        return gen_wrong(job, "there is no matrix \"%.60s\" to generate; did you mean \"%s\"?",
                         name, guess.word);
    return gen_wrong(job, "there is no matrix \"%.60s\" to generate; \"sparloom gen\" lists them",
                     name);
}

/* The index of a parameter; -1 if the family has none of that name. */
static int parameter_named(const gen_family *family, const char *name)
{
    for (int i = 0; family->parameters[i].name; i++)
        if (!strcmp(family->parameters[i].name, name))
            return i;
    return -1;
}

static const gen_parameter for_all[] = {{"fixed", 0, 1, 0, 0},
                                        {"nodes", 0, INT32_MAX, 0, 1},
                                        {"values", 0, INT32_MAX, 0, 1},
                                        {"holes", 0, 1, 0, 0}};

static gen_status read_value(gen_job *job, const char *family, const gen_parameter *parameter,
                             const char *text, double *to)
{
    char *end = NULL;
    double value = strtod(text, &end);
    if (!strchr("0123456789.-+", *text) || end == text || *end)
        return gen_wrong(job, "%s: %s is not a number: \"%.40s\"", family, parameter->name, text);
    if (!(value >= parameter->least && value <= parameter->most))
        return gen_wrong(job, "%s: %s = %.40s is not between %.10g and %.10g", family,
                         parameter->name, text, parameter->least, parameter->most);
    if (parameter->integral && value != floor(value))
        return gen_wrong(job, "%s: %s = %.40s is not a whole number", family, parameter->name,
                         text);
    *to = value;
    return GEN_OK;
}

static gen_status set_seed(gen_job *job, const char *text)
{
    char *end = NULL;
    uint64_t seed = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end)
        return gen_wrong(job, "the seed is not a whole number: \"%.40s\"", text);
    job->seed = seed;
    return GEN_OK;
}

/* A value that is given by name. */
static gen_status take_named(gen_job *job, const gen_family *family, const char *name,
                             const char *text)
{
    int index = parameter_named(family, name);
    if (index >= 0)
        return read_value(job, family->name, &family->parameters[index], text, &job->value[index]);
    if (!strcmp(name, "seed"))
        return set_seed(job, text);
    double *const targets[] = {&job->fixed, &job->nodes, &job->values, &job->holes};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (!strcmp(name, for_all[i].name))
            return read_value(job, family->name, &for_all[i], text, targets[i]);
    return gen_wrong(job, "%s has no parameter \"%.40s\"", family->name, name);
}

/* "name=value", or the value of parameter number `position`. */
static gen_status take_word(gen_job *job, const gen_family *family, int *position, char *word)
{
    char *equals = strchr(word, '=');
    if (equals) {
        *equals = 0;
        return take_named(job, family, word, equals + 1);
    }
    if (*position == GEN_MOST_PARAMETERS || !family->parameters[*position].name)
        return gen_wrong(job, "%s takes no more than %d values", family->name, *position);
    const int index = (*position)++;
    return read_value(job, family->name, &family->parameters[index], word, &job->value[index]);
}

/* "box2d needs a value of ny: gen:box2d:nx,ny" */
static gen_status fail_missing(gen_job *job, const gen_family *family, const char *name)
{
    char needed[128] = "";
    for (int i = 0; family->parameters[i].name && isnan(family->parameters[i].value); i++) {
        const size_t used = strlen(needed);
        snprintf(needed + used, sizeof needed - used, "%s%s", used ? "," : "",
                 family->parameters[i].name);
    }
    return gen_wrong(job, "%s needs a value of %s: gen:%s:%s", family->name, name, family->name,
                     needed);
}

static gen_status take_words(gen_job *job, const gen_family *family, char *words)
{
    gen_status status = GEN_OK;
    int position = 0;
    while (words && !status) {
        char *comma = strchr(words, ',');
        if (comma)
            *comma = 0;
        status = take_word(job, family, &position, words);
        words = comma ? comma + 1 : NULL;
    }
    for (int i = 0; !status && family->parameters[i].name; i++)
        if (isnan(job->value[i]))
            status = fail_missing(job, family, family->parameters[i].name);
    return status;
}

/* Copies the text; the name of a stand-in becomes its family with values, which may be followed by
 * more. */
static gen_status expand(gen_job *job, const char *name, char *spec)
{
    char first[64];
    size_t length = strcspn(name, ":");
    snprintf(first, sizeof first, "%.*s", (int)length, name);
    const gen_stand_in *known = stand_in_named(first);
    const char *rest = name[length] ? name + length + 1 : NULL;
    int written = known ? snprintf(spec, LONGEST_SPEC, "%s%s%s", known->spec, rest ? "," : "",
                                   rest ? rest : "")
                        : snprintf(spec, LONGEST_SPEC, "%s", name);
    if (written >= LONGEST_SPEC)
        return gen_wrong(job, "%d characters are too many for a matrix to generate", written);
    return GEN_OK;
}

static gen_status parse_and_make(gen_job *job, const char *name, gen_matrix *matrix)
{
    char spec[LONGEST_SPEC];
    gen_status status = expand(job, name, spec);
    if (status)
        return status;
    char *colon = strchr(spec, ':');
    if (colon)
        *colon = 0;
    const gen_family *family = family_named(spec);
    if (!family)
        return unknown(job, spec);
    for (int i = 0; family->parameters[i].name; i++)
        job->value[i] = family->parameters[i].value;
    status = take_words(job, family, colon ? colon + 1 : NULL);
    job->seed = gen_hash(job->seed, 8, 9);
    if (!status)
        status = family->make(job, matrix);
    if (!status)
        status = gen_change(job, matrix);
    if (!status && job->values > 0)
        tool_fill_distinct(job->type, matrix->values, matrix->nnz, (int64_t)job->values, job->seed);
    return status;
}

gen_status gen_make(const char *name, uint64_t seed, spl_type type, gen_matrix *matrix,
                    gen_message *message)
{
    gen_job job = {.seed = seed, .type = type, .message = message};
    message->text[0] = 0;
    *matrix = (gen_matrix){0};
    return parse_and_make(&job, name, matrix);
}
