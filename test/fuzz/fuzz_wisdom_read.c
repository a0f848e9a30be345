/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_wisdom_read.c: any bytes as a wisdom file, as they are and with a seal that fits: taken whole, or refused with a detail. */
#include "io/sealed_text.h"
#include "plan/wisdom.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition)
        abort();
}

static void read_one(const void *bytes, size_t size)
{
    spl_context *context;
    spl__text_file file;
    spl_import report = {0};
    spl_memory_info memory = SPL_MEMORY_INFO_INIT;
    require(spl_context_create(NULL, &context) == SPL_OK);
    spl_status status = spl__text_file_memory(&file, &context->account, bytes, size, "input");
    if (status == SPL_OK)
        status = spl__wisdom_read(context, &file, &report);
    require(status == SPL_OK ? spl_wisdom_count(context) <= report.taken : spl_error_detail()[0] != 0);
    require(status == SPL_OK || (status == SPL_FILE_INVALID && spl_wisdom_count(context) == 0));
    require(spl_wisdom_forget(context) == SPL_OK);
    require(spl_memory(context, (spl_place){SPL_HOST, 0}, &memory) == SPL_OK && memory.live == 0);
    spl_context_destroy(context);
}

/* The same sum as the library's: FNV-1a. */
static uint64_t sum_of(const char *bytes, size_t count)
{
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; i++)
        sum = (sum ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char heading[] = "sparloom-wisdom 1 0\n";
    enum { MOST = 1 << 16 };
    static char sealed[MOST + 256];
    read_one(data, size);
    if (size > MOST)
        return 0;
    size_t length = sizeof heading - 1, lines = 1;
    memcpy(sealed, heading, length);
    memcpy(sealed + length, data, size);
    length += size;
    sealed[length++] = '\n';
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    length +=
        (size_t)snprintf(sealed + length, 128, "end %zu %016llx\n", lines, (unsigned long long)sum_of(sealed, length));
    read_one(sealed, length);
    return 0;
}
