/* SPDX-License-Identifier: Apache-2.0 */
/* The report for programs: CSV and JSON. */
#include "bench_summary.h"
#include "json_helpers.h"
#include "typed_array.h"

#include <math.h>
#include <string.h>

/* A field in quotes if it needs them. */
static void put_field(const char *text, FILE *stream)
{
    if (!strpbrk(text, ",\"\n")) {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (; *text; text++)
        fprintf(stream, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', stream);
}

/* Empty for NaN. */
static void put_real(double value, FILE *stream)
{
    if (isfinite(value))
        fprintf(stream, ",%.9g", value);
    else
        fputc(',', stream);
}

static void put_entry(const bench_case *item, int i, const char *library, FILE *stream)
{
    const bench_entry *entry = &item->entries[i];
    put_field(item->set, stream);
    fputc(',', stream);
    put_field(item->matrix, stream);
    fprintf(stream, ",%lld,%lld,%lld,%s,%s,%lld,%s,%s", (long long)item->rows,
            (long long)item->cols, (long long)item->nnz, bench_operation_names[item->operation],
            tool_type_name(item->type), (long long)item->columns, library,
            bench_verdict_names[entry->verdict]);
    const double values[] = {
        item->flop,     item->bytes,        entry->prepare, entry->first,
        entry->warm.q1, entry->warm.median, entry->warm.q3, (double)entry->warm.runs,
        entry->cold.q1, entry->cold.median, entry->cold.q3, (double)entry->cold.runs,
        item->batch,    entry->peak};
    for (size_t k = 0; k < sizeof values / sizeof values[0]; k++)
        put_real(values[k], stream);
    fputc('\n', stream);
}

int bench_write_csv(const bench_report *report, const bench_setup *setup, FILE *stream)
{
    fputs("set,matrix,rows,cols,nnz,operation,type,columns,library,verdict,flop,bytes,prepare,"
          "first,warm_q1,warm_median,"
          "warm_q3,warm_runs,cold_q1,cold_median,cold_q3,cold_runs,batch,device_peak\n",
          stream);
    for (int64_t k = 0; k < report->count; k++)
        for (int i = 0; i < report->cases[k].count; i++)
            put_entry(&report->cases[k], i, setup->rivals[i]->name, stream);
    return fflush(stream) == 0 && !ferror(stream);
}

static void add_quantiles(cJSON *object, const char *key, const tool_quantiles *times)
{
    if (!times->runs) {
        tool_json_null(object, key);
        return;
    }
    cJSON *item = cJSON_AddObjectToObject(object, key);
    tool_json_real(item, "median", times->median);
    tool_json_real(item, "q1", times->q1);
    tool_json_real(item, "q3", times->q3);
    tool_json_integer(item, "runs", (int64_t)times->runs);
}

static void add_entry(const bench_entry *entry, const char *library, cJSON *array)
{
    cJSON *object = tool_json_object(array);
    tool_json_text(object, "library", library);
    tool_json_text(object, "verdict", bench_verdict_names[entry->verdict]);
    tool_json_real(object, "prepare", entry->prepare);
    tool_json_real(object, "first", entry->first);
    add_quantiles(object, "warm", &entry->warm);
    add_quantiles(object, "cold", &entry->cold);
    tool_json_real(object, "device_peak", entry->peak);
    if (entry->reason[0])
        tool_json_text(object, "reason", entry->reason);
    else
        tool_json_null(object, "reason");
}

static void add_right(const bench_case *item, cJSON *object)
{
    if (item->b_nnz < 0) {
        tool_json_null(object, "b");
        return;
    }
    cJSON *b = cJSON_AddObjectToObject(object, "b");
    tool_json_integer(b, "rows", item->b_rows);
    tool_json_integer(b, "cols", item->b_cols);
    tool_json_integer(b, "nnz", item->b_nnz);
}

static void add_case(const bench_case *item, const bench_setup *setup, cJSON *array)
{
    cJSON *object = tool_json_object(array);
    tool_json_text(object, "set", item->set);
    tool_json_text(object, "matrix", item->matrix);
    tool_json_integer(object, "rows", item->rows);
    tool_json_integer(object, "cols", item->cols);
    tool_json_integer(object, "nnz", item->nnz);
    add_right(item, object);
    tool_json_text(object, "operation", bench_operation_names[item->operation]);
    tool_json_text(object, "type", tool_type_name(item->type));
    tool_json_integer(object, "columns", item->columns);
    tool_json_real(object, "flop", item->flop);
    tool_json_real(object, "bytes", item->bytes);
    tool_json_integer(object, "batch", item->batch);
    tool_json_real(object, "ratio", bench_best_ratio(item));
    tool_json_real(object, "break_even", bench_break_even(item));
    cJSON *entries = cJSON_AddArrayToObject(object, "entries");
    for (int i = 0; i < item->count; i++)
        add_entry(&item->entries[i], setup->rivals[i]->name, entries);
}

static void add_group(const bench_group *group, const bench_setup *setup, cJSON *array)
{
    cJSON *object = tool_json_object(array);
    int cases = 0;
    tool_json_text(object, "set", group->cases->set);
    tool_json_text(object, "operation", bench_operation_names[group->cases->operation]);
    tool_json_text(object, "type", tool_type_name(group->cases->type));
    tool_json_integer(object, "columns", group->cases->columns);
    tool_json_real(object, "best", bench_mean_ratio(group, -1, &cases));
    tool_json_integer(object, "cases", cases);
    cJSON *ratios = cJSON_AddObjectToObject(object, "rivals");
    for (int i = 1; i < setup->count; i++)
        tool_json_real(ratios, setup->rivals[i]->name, bench_mean_ratio(group, i, &cases));
}

void bench_write_json(const bench_report *report, const bench_setup *setup, cJSON *object)
{
    tool_json_text(object, "device", setup->device ? setup->device : "cpu");
    tool_json_text(object, "order", setup->order == SPL_COLUMN_MAJOR ? "column" : "row");
    tool_json_text(object, "accuracy",
                   setup->accuracy == SPL_ACCURACY_REDUCED ? "reduced" : "full");
    tool_json_integer(object, "threads", setup->threads);
    tool_json_real(object, "triad_bytes_per_second", setup->triad > 0 ? setup->triad : NAN);
    tool_json_real(object, "device_copy_bytes_per_second", setup->copy > 0 ? setup->copy : NAN);
    cJSON *libraries = cJSON_AddArrayToObject(object, "libraries");
    for (int i = 0; i < setup->count; i++) {
        cJSON *library = cJSON_CreateObject();
        cJSON_AddItemToArray(libraries, library);
        tool_json_text(library, "name", setup->rivals[i]->name);
        tool_json_text(library, "version", setup->rivals[i]->version());
    }
    cJSON *means = cJSON_AddArrayToObject(object, "geometric_means");
    for (int64_t first = 0; first < report->count;) {
        bench_group group = bench_group_at(report, first);
        add_group(&group, setup, means);
        first += group.count;
    }
    tool_json_integer(object, "skipped", report->skipped);
    cJSON *cases = cJSON_AddArrayToObject(object, "cases");
    for (int64_t k = 0; k < report->count; k++)
        add_case(&report->cases[k], setup, cases);
}
