/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_summary.h"
#include "readable.h"
#include "shown_text.h"
#include "typed_array.h"

#include <math.h>

static const char *const inside[BENCH_OPERATIONS] = {
    "one execution after the preparation",
    "one execution after the preparation",
    "symbolic and numeric phase, allocation of C, sorted rows; nothing prepared",
    "values of C, its structure planned before",
};

/* On a device there is no triad to compare with. */
static int shows_bandwidth(const bench_case *item, const bench_setup *setup)
{
    return setup->device && isfinite(item->bytes);
}

static void print_head(const bench_group *group, const bench_setup *setup, FILE *stream)
{
    const bench_case *first = group->cases;
    fprintf(stream, "\n%s  %s %s", first->set, bench_operation_names[first->operation],
            tool_type_name(first->type));
    if (first->operation == BENCH_SPMM)
        fprintf(stream, " K=%lld%s%s", (long long)first->columns,
                setup->order == SPL_COLUMN_MAJOR ? " column major" : "",
                setup->accuracy == SPL_ACCURACY_REDUCED ? " of reduced accuracy" : "");
    fprintf(stream, "  (%s; warm median, quartiles)\n", inside[first->operation]);
    fprintf(stream, "%-22s %11s  %-10s %-19s %7s", "matrix", "entries", setup->rivals[0]->name,
            "[quartiles]", "GFLOP/s");
    if (shows_bandwidth(first, setup))
        fprintf(stream, " %6s", "GB/s");
    else if (first->operation == BENCH_SPMV)
        fprintf(stream, " %6s %6s", "warm/T", "cold/T");
    for (int i = 1; i < setup->count; i++)
        fprintf(stream, "  %-10s", setup->rivals[i]->name);
    if (setup->device)
        fprintf(stream, "  %-7s  %-7s", "memory", "rival's");
    fprintf(stream, "  %s\n", "best/ours  prepare");
}

static void print_entry(const bench_entry *entry, FILE *stream)
{
    if (entry->verdict == BENCH_GOOD)
        fprintf(stream, "%-10s", tool_duration(entry->warm.median).text);
    else
        fprintf(stream, "%-10s", bench_verdict_names[entry->verdict]);
}

/* Ours, and the fastest rival's. */
static void print_memory(const bench_case *item, FILE *stream)
{
    const int entries[] = {0, bench_best_rival(item)};
    for (int i = 0; i < 2; i++) {
        double bytes = i && !entries[i] ? (double)NAN : item->entries[entries[i]].peak;
        fprintf(stream, "  %-7s", isfinite(bytes) ? tool_bytes(bytes).text : "-");
    }
}

static void print_case(const bench_case *item, const bench_setup *setup, FILE *stream)
{
    const bench_entry *own_entry = &item->entries[0];
    char quartiles[112];
    snprintf(quartiles, sizeof quartiles, "[%s, %s]", tool_duration(own_entry->warm.q1).text,
             tool_duration(own_entry->warm.q3).text);
    fprintf(stream, "%-22s %11s  ", tool_shown(item->matrix).text, tool_thousands(item->nnz).text);
    print_entry(own_entry, stream);
    fprintf(stream, " %-19s %7.2f", quartiles, item->flop / own_entry->warm.median * 1e-9);
    if (shows_bandwidth(item, setup))
        fprintf(stream, " %6.1f", item->bytes / own_entry->warm.median * 1e-9);
    else if (item->operation == BENCH_SPMV)
        fprintf(stream, " %6.2f %6.2f", item->bytes / own_entry->warm.median / setup->triad,
                item->bytes / own_entry->cold.median / setup->triad);
    for (int i = 1; i < item->count; i++) {
        fputs("  ", stream);
        print_entry(&item->entries[i], stream);
    }
    if (setup->device)
        print_memory(item, stream);
    double ratio = bench_best_ratio(item), executions = bench_break_even(item);
    if (isnan(ratio))
        fprintf(stream, "      -       %s", tool_duration(own_entry->prepare).text);
    else
        fprintf(stream, "  %5.2f%s  %s", ratio, ratio < 1 ? " LOSS" : "     ",
                tool_duration(own_entry->prepare).text);
    if (executions > 1)
        fprintf(stream, ", pays after %.0f", executions);
    fputc('\n', stream);
}

static void print_means(const bench_group *group, const bench_setup *setup, FILE *stream)
{
    int cases = 0;
    double mean = bench_mean_ratio(group, -1, &cases);
    if (!cases)
        return;
    fprintf(stream, "geometric mean over %d: best rival/ours %.2f", cases, mean);
    for (int i = 1; i < setup->count; i++) {
        mean = bench_mean_ratio(group, i, &cases);
        if (cases)
            fprintf(stream, ", %s %.2f (%d)", setup->rivals[i]->name, mean, cases);
    }
    fputc('\n', stream);
}

void bench_write_text(const bench_report *report, const bench_setup *setup, FILE *stream)
{
    if (setup->device)
        fprintf(stream, "device %s, ", setup->device);
    fprintf(stream, "threads %d", setup->threads);
    if (setup->triad > 0)
        fprintf(stream, ", triad %.1f GB/s (T)", setup->triad * 1e-9);
    fputs(", libraries:", stream);
    for (int i = 0; i < setup->count; i++)
        fprintf(stream, " %s %s%s", setup->rivals[i]->name, setup->rivals[i]->version(),
                i + 1 < setup->count ? "," : "\n");
    for (int64_t first = 0; first < report->count;) {
        bench_group group = bench_group_at(report, first);
        print_head(&group, setup, stream);
        for (int64_t i = 0; i < group.count; i++)
            print_case(&group.cases[i], setup, stream);
        print_means(&group, setup, stream);
        first += group.count;
    }
    if (report->skipped)
        fprintf(stream, "\nskipped: %s\n", tool_thousands(report->skipped).text);
}
