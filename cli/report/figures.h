/* SPDX-License-Identifier: Apache-2.0 */
/* figures.h: what reports derive from an executed job. */
#ifndef CLI_FIGURES_H
#define CLI_FIGURES_H

#include "job.h"

/* Derived figures of a job. NaN: unknown. */
typedef struct cli_figures {
    double flop, gflops;    /* of one execution; 10^9 FLOP/s by the median time */
    double traffic, gbytes; /* compulsory bytes, 10^9 bytes/s by the median time */
    double cold_seconds;    /* plan and first execution */
    double compression;     /* spgemm: products/nnz(C) */
    double norm;            /* of the result's values */
    uint64_t checksum;      /* of the result's arrays, bit by bit */
} cli_figures;
cli_figures cli_figures_of(const cli_job *job);

#endif
