/* SPDX-License-Identifier: Apache-2.0 */
/* row_lengths.h: the distribution function of a matrix. */
#ifndef CLI_ROW_LENGTHS_H
#define CLI_ROW_LENGTHS_H

#include "session.h"

typedef struct cli_row_lengths {
    /* row_counts[b] rows have lengths[b] entries; lengths ascend */
    int64_t count, *lengths, *row_counts;
} cli_row_lengths;

/* Returns an exit code; to be freed in any case. */
int cli_row_lengths_read(cli_session *session, const spl_sparse *matrix, cli_row_lengths *all);
void cli_row_lengths_free(cli_row_lengths *all);

#endif
