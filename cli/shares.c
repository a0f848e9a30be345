/* SPDX-License-Identifier: Apache-2.0 */
#include "shares.h"

#include "failure.h"

#include <ctype.h>
#include <json_helpers.h>
#include <math.h>
#include <readable.h>
#include <stdlib.h>
#include <string.h>
#include <typed_array.h>

static int32_t words_of(const char *list)
{
    int32_t count = 1;
    for (; *list; list++)
        count += *list == ',';
    return count;
}

/* `count` numbers between commas. */
static int parse_list(const char *option, const char *list, int32_t count, double **numbers)
{
    *numbers = tool_array(count, sizeof **numbers);
    if (!*numbers)
        return cli_fail(SPL_OUT_OF_MEMORY, "no memory for %d numbers", (int)count);
    for (int32_t i = 0; i < count; i++) {
        char *end = NULL;
        (*numbers)[i] = strtod(list, &end);
        if (end == list || (*end && *end != ',') || isspace((unsigned char)*list))
            return cli_fail_usage("--%s: \"%.40s\" is not a number", option, list);
        list = *end ? end + 1 : end;
    }
    return CLI_OK;
}

int cli_shares_parse(const cli_request *request, spl_partition_kind kind, cli_shares *shares)
{
    *shares = (cli_shares){.kind = kind, .count = words_of(request->capabilities)};
    int code =
        parse_list("capabilities", request->capabilities, shares->count, &shares->capabilities);
    if (code || !request->links)
        return code;
    if (words_of(request->links) != shares->count)
        return cli_fail_usage("--links has %d numbers, --capabilities %d",
                              (int)words_of(request->links), (int)shares->count);
    return parse_list("links", request->links, shares->count, &shares->links);
}

int cli_shares_cut(cli_session *session, const spl_sparse *matrix, cli_shares *shares)
{
    shares->parts = tool_array(shares->count, sizeof *shares->parts);
    shares->order = tool_array(matrix->rows, sizeof *shares->order);
    if (!shares->parts || !shares->order)
        return cli_fail(SPL_OUT_OF_MEMORY, "no memory for the order of %s rows",
                        tool_thousands(matrix->rows).text);
    for (int32_t i = 0; i < shares->count; i++)
        shares->parts[i] = (spl_part)SPL_PART_INIT;
    return cli_check_of(spl_partition(session->context, matrix, shares->kind, shares->count,
                                      shares->capabilities, shares->links, shares->order,
                                      shares->parts),
                        "the partition");
}

void cli_shares_free(cli_shares *shares)
{
    free(shares->capabilities);
    free(shares->links);
    free(shares->parts);
    free(shares->order);
}

const char *cli_shares_kind(const cli_shares *shares)
{
    return cli_choice_name("partition", shares->kind);
}

double cli_shares_density(const cli_shares *shares)
{
    double entries = 0, positions = 0;
    for (int32_t i = 0; i < shares->count; i++) {
        const spl_part *part = &shares->parts[i];
        entries += (double)part->nnz;
        positions += part->nnz > 0 ? (double)part->nnz / part->density : 0;
    }
    return positions > 0 ? entries / positions : 0;
}

double cli_shares_seconds(const cli_shares *shares)
{
    double slowest = 0;
    for (int32_t i = 0; i < shares->count; i++)
        slowest = fmax(slowest, shares->parts[i].seconds);
    return slowest;
}

static void add_part(const cli_shares *shares, int32_t i, cJSON *array)
{
    const spl_part *part = &shares->parts[i];
    cJSON *object = tool_json_object(array);
    tool_json_real(object, "capability", shares->capabilities[i]);
    tool_json_real(object, "link", shares->links ? shares->links[i] : (double)INFINITY);
    tool_json_integer(object, "rows", part->rows);
    tool_json_integer(object, "nnz", part->nnz);
    tool_json_integer(object, "width", part->width);
    tool_json_real(object, "density", part->density);
    tool_json_real(object, "seconds", part->seconds);
}

void cli_shares_json(const cli_shares *shares, cJSON *json)
{
    cJSON *object = cJSON_AddObjectToObject(json, "partition");
    tool_json_text(object, "kind", cli_shares_kind(shares));
    tool_json_real(object, "density", cli_shares_density(shares));
    tool_json_real(object, "seconds", cli_shares_seconds(shares));
    cJSON *parts = cJSON_AddArrayToObject(object, "parts");
    for (int32_t i = 0; i < shares->count; i++)
        add_part(shares, i, parts);
}
