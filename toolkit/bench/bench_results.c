/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_results.h"

#include "typed_array.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double number_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
}

static int64_t whole_of(const cJSON *object, const char *key)
{
    double value = number_of(object, key);
    return value >= 0 && value < 0x1p53 ? (int64_t)value : 0;
}

static void copy_text(const cJSON *object, const char *key, char *text, size_t capacity)
{
    const char *found = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
    snprintf(text, capacity, "%s", found ? found : "");
}

static bench_times times_of(const cJSON *entry)
{
    const cJSON *warm = cJSON_GetObjectItemCaseSensitive(entry, "warm");
    return (bench_times){number_of(warm, "median"), number_of(warm, "q1"), number_of(warm, "q3"),
                         whole_of(warm, "runs")};
}

/* The first entry is ours; of the others the fastest counts. */
static void read_entries(const cJSON *entries, bench_point *point)
{
    point->ours = times_of(cJSON_GetArrayItem(entries, 0));
    point->rival = (bench_times){NAN, NAN, NAN, 0};
    for (int i = 1; i < cJSON_GetArraySize(entries); i++) {
        const cJSON *entry = cJSON_GetArrayItem(entries, i);
        bench_times times = times_of(entry);
        if (isnan(times.median) || times.median >= point->rival.median)
            continue;
        point->rival = times;
        copy_text(entry, "library", point->rival_name, sizeof point->rival_name);
    }
    point->ratio = point->rival.median / point->ours.median;
}

static void read_point(const cJSON *item, bench_point *point)
{
    *point = (bench_point){.nnz = whole_of(item, "nnz"),
                           .columns = whole_of(item, "columns"),
                           .flop = number_of(item, "flop"),
                           .bytes = number_of(item, "bytes")};
    copy_text(item, "set", point->set, sizeof point->set);
    copy_text(item, "matrix", point->matrix, sizeof point->matrix);
    copy_text(item, "operation", point->operation, sizeof point->operation);
    copy_text(item, "type", point->type, sizeof point->type);
    read_entries(cJSON_GetObjectItemCaseSensitive(item, "entries"), point);
}

static int by_ratio(const void *left, const void *right)
{
    const bench_point *a = left, *b = right;
    if (isnan(a->ratio) || isnan(b->ratio))
        return isnan(a->ratio) - isnan(b->ratio);
    return (a->ratio > b->ratio) - (a->ratio < b->ratio);
}

/* The libraries after the first, which is ours. "cusparse-1" is one more algorithm of the one
 * before it. */
static void list_rivals(const cJSON *libraries, char *text, size_t capacity)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 1; i < cJSON_GetArraySize(libraries) && used < capacity; i++) {
        char name[32], version[64];
        const cJSON *library = cJSON_GetArrayItem(libraries, i);
        copy_text(library, "name", name, sizeof name);
        copy_text(library, "version", version, sizeof version);
        if (!strchr(name, '-'))
            used += (size_t)snprintf(text + used, capacity - used, "%s%s %s", used ? ", " : "",
                                     name, version);
    }
}

const char *bench_results_read(const cJSON *object, bench_results *results)
{
    const cJSON *cases = cJSON_GetObjectItemCaseSensitive(object, "cases"), *item;
    *results = (bench_results){.threads = whole_of(object, "threads"),
                               .skipped = whole_of(object, "skipped")};
    if (!cJSON_IsArray(cases))
        return "not the JSON of sparloom bench: it has no cases";
    copy_text(object, "sparloom", results->version, sizeof results->version);
    copy_text(object, "device", results->device, sizeof results->device);
    copy_text(object, "cpu", results->cpu, sizeof results->cpu);
    list_rivals(cJSON_GetObjectItemCaseSensitive(object, "libraries"), results->rivals,
                sizeof results->rivals);
    results->bandwidth = number_of(object, "triad_bytes_per_second");
    if (isnan(results->bandwidth))
        results->bandwidth = number_of(object, "device_copy_bytes_per_second");
    results->points = tool_array(cJSON_GetArraySize(cases), sizeof *results->points);
    if (!results->points)
        return "no memory for the cases";
    cJSON_ArrayForEach(item, cases) read_point(item, &results->points[results->count++]);
    if (results->count)
        qsort(results->points, (size_t)results->count, sizeof *results->points, by_ratio);
    return NULL;
}

void bench_results_free(bench_results *results)
{
    free(results->points);
    *results = (bench_results){0};
}

void bench_point_label(const bench_point *point, char *text, size_t capacity)
{
    int used = snprintf(text, capacity, "%s %s %s", point->matrix, point->operation, point->type);
    if (point->columns > 1 && used > 0 && (size_t)used < capacity)
        snprintf(text + used, capacity - (size_t)used, " K=%lld", (long long)point->columns);
}

double bench_points_mean(const bench_point *points, int64_t count)
{
    double sum = 0;
    int64_t with_ratio = 0;
    for (int64_t i = 0; i < count; i++)
        if (!isnan(points[i].ratio)) {
            sum += log(points[i].ratio);
            with_ratio++;
        }
    return with_ratio ? exp(sum / (double)with_ratio) : (double)NAN;
}
