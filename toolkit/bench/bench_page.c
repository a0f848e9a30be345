/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_page.h"

#include "markup_text.h"
#include "plot_bench.h"
#include "readable.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A click on a heading sorts the table by that column: as numbers where data-n has them, else as
 * texts. */
static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Sparloom "
    "benchmarks</title>\n<style>\n"
    "body { font: 14px/1.4 sans-serif; color: #222; max-width: 1120px; margin: 2em auto; padding: "
    "0 1em }\n"
    "table { border-collapse: collapse; margin: 1em 0 }\n"
    "th, td { padding: 2px 10px; text-align: right; border-bottom: 1px solid #ddd }\n"
    "th { cursor: pointer; border-bottom: 2px solid #666 }\n"
    "th.text, td.text { text-align: left }\n"
    "td.loss { color: #a63f00; font-weight: bold }\n"
    ".bar { display: inline-block; height: 9px; background: #0072B2 }\n"
    ".loss .bar { background: #D55E00 }\n"
    "img { max-width: 100% }\n"
    "</style>\n<script>\n"
    "function sort(cell) {\n"
    "  const table = cell.closest('table'), column = cell.cellIndex, down = cell.dataset.down !== "
    "'1';\n"
    "  cell.dataset.down = down ? '1' : '0';\n"
    "  const value = row => row.cells[column].dataset.n ?? row.cells[column].textContent;\n"
    "  const order = (a, b) => isNaN(a) || isNaN(b) || a === '' || b === '' ? a.localeCompare(b) : "
    "a - b;\n"
    "  const rows = [...table.tBodies[0].rows].sort((a, b) => order(value(a), value(b)));\n"
    "  table.tBodies[0].append(...(down ? rows : rows.reverse()));\n"
    "}\n</script>\n</head>\n<body>\n<h1>Sparloom benchmarks</h1>\n"
    "<p>Times are medians of executions, checked against the reference. A ratio is the time of the "
    "fastest rival / the "
    "time of sparloom: below 1 is a "
    "loss. Losses come first; a click on a heading sorts.</p>\n";

void bench_page_begin(tool_buffer *page)
{
    tool_buffer_text(page, "%s", head);
}

void bench_page_end(tool_buffer *page)
{
    tool_buffer_text(page, "</body>\n</html>\n");
}

/* ------------------------------------------------------------------------------------ the table */

static void add_text_cell(tool_buffer *page, const char *text)
{
    tool_buffer_text(page, "<td class=\"text\">");
    tool_add_escaped(page, text);
    tool_buffer_text(page, "</td>");
}

/* `shown` for people, the number for sorting; nothing for NaN. */
static void add_number_cell(tool_buffer *page, double value, const char *shown)
{
    if (isfinite(value))
        tool_buffer_text(page, "<td data-n=\"%.9g\">%s</td>", value, shown);
    else
        tool_buffer_text(page, "<td data-n=\"-1\"></td>");
}

/* The ratio and a bar as long as the speed-up, losses as the slow-down, on a logarithmic scale that
 * ends at 16. */
static void add_ratio_cell(tool_buffer *page, double ratio)
{
    if (isnan(ratio)) {
        tool_buffer_text(page, "<td data-n=\"1e9\"></td>");
        return;
    }
    double length = 30 * fmin(4, fabs(log2(ratio)));
    tool_buffer_text(page,
                     "<td class=\"text%s\" data-n=\"%.9g\"><span class=\"bar\" "
                     "style=\"width:%.0fpx\"></span> %.2f</td>",
                     ratio < 1 ? " loss" : "", ratio, length, ratio);
}

static void add_row(tool_buffer *page, const bench_point *point)
{
    char columns[32] = "", gflops[32];
    tool_buffer_text(page, "<tr>");
    add_text_cell(page, point->set);
    add_text_cell(page, point->matrix);
    add_text_cell(page, point->operation);
    add_text_cell(page, point->type);
    snprintf(columns, sizeof columns, "%lld", (long long)point->columns);
    add_number_cell(page, (double)point->columns, columns);
    add_number_cell(page, (double)point->nnz, tool_thousands(point->nnz).text);
    snprintf(gflops, sizeof gflops, "%.3g", point->flop / point->ours.median * 1e-9);
    add_number_cell(page, point->ours.median, tool_duration(point->ours.median).text);
    add_number_cell(page, point->flop / point->ours.median, gflops);
    add_number_cell(page, point->rival.median, tool_duration(point->rival.median).text);
    add_text_cell(page, point->rival_name);
    add_ratio_cell(page, point->ratio);
    tool_buffer_text(page, "</tr>\n");
}

static void add_table(tool_buffer *page, const bench_results *results)
{
    static const char *const texts[] = {"set", "matrix", "operation", "type"};
    static const char *const numbers[] = {"K", "entries", "sparloom", "GFLOP/s", "fastest rival"};
    static const char *const last[] = {"which", "ratio"};
    tool_buffer_text(page, "<table>\n<thead><tr>");
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        tool_buffer_text(page, "<th class=\"text\" onclick=\"sort(this)\">%s</th>", texts[i]);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        tool_buffer_text(page, "<th onclick=\"sort(this)\">%s</th>", numbers[i]);
    for (size_t i = 0; i < sizeof last / sizeof last[0]; i++)
        tool_buffer_text(page, "<th class=\"text\" onclick=\"sort(this)\">%s</th>", last[i]);
    tool_buffer_text(page, "</tr></thead>\n<tbody>\n");
    for (int64_t i = 0; i < results->count; i++)
        add_row(page, &results->points[i]);
    tool_buffer_text(page, "</tbody>\n</table>\n");
}

/* ---------------------------------------------------------------------------------- the picture */

/* As an image of its own: what styles the page leaves it alone. */
static void add_picture(tool_buffer *page, const bench_results *results)
{
    plot_scene scene = {0};
    tool_buffer svg = {0};
    if (plot_bench(&scene, results) && !plot_draw(&scene, PLOT_SVG, &svg)) {
        tool_buffer_text(page, "<img alt=\"speed-up of each case, and the roofline\" "
                               "src=\"data:image/svg+xml;base64,");
        tool_add_base64(page, &svg);
        tool_buffer_text(page, "\">\n");
    }
    tool_buffer_free(&svg);
    plot_scene_free(&scene);
}

void bench_page_section(tool_buffer *page, const char *title, const bench_results *results)
{
    double mean = bench_points_mean(results->points, results->count);
    tool_buffer_text(page, "<h2>");
    tool_add_escaped(page, title);
    tool_buffer_text(page, "</h2>\n<p>sparloom %s on ", results->version);
    tool_add_escaped(page, results->device);
    tool_buffer_text(page, ", %lld threads", (long long)results->threads);
    if (results->bandwidth > 0)
        tool_buffer_text(page, ", measured bandwidth %.4g GB/s", results->bandwidth * 1e-9);
    if (!isnan(mean))
        tool_buffer_text(page, "; geometric mean of the ratios %.2f", mean);
    if (results->skipped)
        tool_buffer_text(page, "; matrices skipped: %lld", (long long)results->skipped);
    tool_buffer_text(page, ".</p>\n");
    add_picture(page, results);
    add_table(page, results);
}
