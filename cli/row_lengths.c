/* SPDX-License-Identifier: Apache-2.0 */
#include "row_lengths.h"

#include "failure.h"

#include <readable.h>
#include <stdlib.h>
#include <typed_array.h>

int cli_row_lengths_read(cli_session *session, const spl_sparse *matrix, cli_row_lengths *all)
{
    *all = (cli_row_lengths){0};
    int code = cli_check_of(spl_distribution(session->context, matrix, 0, NULL, NULL, &all->count),
                            "the lengths of rows");
    if (code)
        return code;
    all->lengths = tool_array(all->count, sizeof *all->lengths);
    all->row_counts = tool_array(all->count, sizeof *all->row_counts);
    if (!all->lengths || !all->row_counts)
        return cli_fail(SPL_OUT_OF_MEMORY, "%s lengths of rows", tool_thousands(all->count).text);
    return cli_check(spl_distribution(session->context, matrix, all->count, all->lengths,
                                      all->row_counts, &all->count));
}

void cli_row_lengths_free(cli_row_lengths *all)
{
    free(all->lengths);
    free(all->row_counts);
    *all = (cli_row_lengths){0};
}
