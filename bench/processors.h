/* SPDX-License-Identifier: Apache-2.0 */
/* processors.h: what the benchmarks of several processors share. They end at the first failure. */
#ifndef BENCH_PROCESSORS_H
#define BENCH_PROCESSORS_H

#include <sparloom/sparloom.h>

#include <stdio.h>
#include <stdlib.h>
#include <typed_array.h>

static inline void must(spl_status status)
{
    if (status == SPL_OK)
        return;
    fprintf(stderr, "%s: %s\n", spl_status_message(status), spl_error_detail());
    exit(1);
}

/* f64, row major, filled at random. */
static inline spl_dense make_random(int64_t rows, int64_t cols, uint64_t stream)
{
    spl_dense d = SPL_DENSE_INIT;
    d.type = SPL_F64;
    d.order = SPL_ROW_MAJOR;
    d.rows = rows;
    d.cols = d.ld = cols;
    d.values = tool_array(rows * cols, sizeof(double));
    if (!d.values) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    tool_fill_random(SPL_F64, d.values, rows * cols, 1, stream);
    return d;
}

#endif
