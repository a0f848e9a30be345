/* SPDX-License-Identifier: Apache-2.0 */
/* sparloom bench compare: two results files of the same cases */
#include "bench_files.h"
#include "failure.h"

#include <bench_compare.h>
#include <json_helpers.h>
#include <readable.h>
#include <shown_text.h>
#include <stdio.h>
#include <string.h>

static void print_change(const bench_change *change)
{
    char label[2 * BENCH_NAME];
    const bench_times *old = &change->before->ours, *now = &change->after->ours;
    bench_point_label(change->before, label, sizeof label);
    printf("%6.2f  %-9s [%s, %s]", change->factor, tool_duration(old->median).text,
           tool_duration(old->q1).text, tool_duration(old->q3).text);
    printf(" -> %-9s [%s, %s]  %s  %s\n", tool_duration(now->median).text,
           tool_duration(now->q1).text, tool_duration(now->q3).text,
           tool_shown(change->before->set).text, tool_shown(label).text);
}

static void print_kind(const bench_comparison *c, bench_change_kind kind, const char *heading)
{
    int any = 0;
    for (int64_t i = 0; i < c->count; i++)
        if (c->changes[i].kind == kind) {
            if (!any++)
                printf("%s, by factor:\n", heading);
            print_change(&c->changes[i]);
        }
}

static void print_text(const bench_comparison *c)
{
    print_kind(c, BENCH_SLOWER, "slower");
    print_kind(c, BENCH_FASTER, "faster");
    printf("%lld slower, %lld faster, %lld unchanged", (long long)c->slower, (long long)c->faster,
           (long long)(c->count - c->slower - c->faster));
    printf("; only in the first file: %lld, only in the second: %lld\n", (long long)c->missing,
           (long long)c->added);
}

static void add_change(const bench_change *change, cJSON *array)
{
    static const char *const kinds[] = {"slower", "unchanged", "faster"};
    const bench_point *point = change->before;
    cJSON *object = tool_json_object(array);
    tool_json_text(object, "set", point->set);
    tool_json_text(object, "matrix", point->matrix);
    tool_json_text(object, "operation", point->operation);
    tool_json_text(object, "type", point->type);
    tool_json_integer(object, "columns", point->columns);
    tool_json_real(object, "before", point->ours.median);
    tool_json_real(object, "after", change->after->ours.median);
    tool_json_real(object, "factor", change->factor);
    tool_json_text(object, "verdict", kinds[change->kind]);
}

static void fill_json(const bench_comparison *c, cJSON *json)
{
    tool_json_integer(json, "slower", c->slower);
    tool_json_integer(json, "faster", c->faster);
    tool_json_integer(json, "unchanged", c->count - c->slower - c->faster);
    tool_json_integer(json, "missing", c->missing);
    tool_json_integer(json, "added", c->added);
    cJSON *changes = cJSON_AddArrayToObject(json, "changes");
    for (int64_t i = 0; i < c->count; i++)
        add_change(&c->changes[i], changes);
}

static int report(cli_session *session, const bench_results *before, const bench_results *after)
{
    bench_comparison c;
    if (!bench_compare(before, after, &c))
        return cli_fail(SPL_OUT_OF_MEMORY, "no memory for the comparison");
    if (strcmp(before->device, after->device) != 0 || before->threads != after->threads)
        cli_remark(session, "measured on %s, %lld threads, and on %s, %lld threads", before->device,
                   (long long)before->threads, after->device, (long long)after->threads);
    if (session->json)
        fill_json(&c, session->json);
    else
        print_text(&c);
    int64_t slower = c.slower;
    bench_comparison_free(&c);
    if (!slower || !session->request->fail)
        return CLI_OK;
    /* a finding, not a failure of the tool */
    cli_remark(session, "%lld cases are slower", (long long)slower);
    return CLI_SLOWER;
}

int cli_bench_compare(cli_session *session)
{
    const cli_request *request = session->request;
    bench_results before = {0}, after = {0};
    int code = cli_bench_only(request, "fail");
    if (!code && request->operand_count != 3)
        code = cli_fail_usage("usage: sparloom bench compare BEFORE.json AFTER.json");
    if (!code)
        code = cli_bench_read(request->operands[1], &before);
    if (!code)
        code = cli_bench_read(request->operands[2], &after);
    if (!code)
        code = report(session, &before, &after);
    bench_results_free(&before);
    bench_results_free(&after);
    return code;
}
