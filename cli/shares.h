/* SPDX-License-Identifier: Apache-2.0 */
/* shares.h: a requested partition, and the library's result. */
#ifndef CLI_SHARES_H
#define CLI_SHARES_H

#include "session.h"

typedef struct cli_shares {
    spl_partition_kind kind;
    int32_t count;                /* processors */
    double *capabilities, *links; /* count; links may be NULL */
    spl_part *parts;              /* count */
    int64_t *order;               /* rows of the matrix */
} cli_shares;

/* Reads --capabilities and --links; each returns an exit code. To be freed in any case. */
int cli_shares_parse(const cli_request *request, spl_partition_kind kind, cli_shares *shares);
int cli_shares_cut(cli_session *session, const spl_sparse *matrix, cli_shares *shares);
void cli_shares_free(cli_shares *shares);

/* "density", ... */
const char *cli_shares_kind(const cli_shares *shares);
/* nnz / stored slots of all parts as ELL, S2's measure of partitions; 0 without entries. */
double cli_shares_density(const cli_shares *shares);
/* Predicted for the slowest part. */
double cli_shares_seconds(const cli_shares *shares);
/* Adds "partition" to the object. */
void cli_shares_json(const cli_shares *shares, cJSON *json);

#endif
