/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_edges_read.c: any bytes, plain or gzip, as an edge list. */
#include "read_any.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_read(data, size, "input.txt");
    return 0;
}
