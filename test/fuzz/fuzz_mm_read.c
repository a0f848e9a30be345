/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_mm_read.c: any bytes, plain or gzip, as a Matrix Market file. */
#include "read_any.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_read(data, size, "input.mtx");
    return 0;
}
