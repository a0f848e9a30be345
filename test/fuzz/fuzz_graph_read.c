/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_graph_read.c: any bytes, plain or gzip, as a METIS graph. */
#include "read_any.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_read(data, size, "input.graph");
    return 0;
}
