/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_wisdom_read.c: any bytes as a file of wisdom or of a machine, as they are and with a seal
 * that fits: taken whole, or refused with a detail. */
#include "file/sealed_text.h"
#include "plan/policy/wisdom.h"
#include "plan/tuning/tuning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition)
        abort();
}

static void read_one(const void *bytes, size_t size, bool wisdom)
{
    spl_context *context;
    spl__text_file file;
    spl_import report = {0};
    spl_memory_info memory = SPL_MEMORY_INFO_INIT;
    require(spl_context_create(NULL, &context) == SPL_OK);
    spl_status status = spl__text_file_memory(&file, &context->account, bytes, size, "input");
    if (status == SPL_OK)
        status = (wisdom ? spl__wisdom_read : spl__tuning_read)(context, &file, &report);
    bool refused = status == SPL_FILE_INVALID ||
                   status == SPL_UNSUPPORTED; /* the latter: a kind of file that is known */
    require(status == SPL_OK || (refused && spl_error_detail()[0] != 0));
    if (status != SPL_OK)
        require(spl_wisdom_count(context) == 0 && !spl__tuning_of(context));
    require(spl_wisdom_count(context) <= report.taken + report.foreign);
    spl__wisdom_forget(context);
    spl__tuning_free(context);
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

/* The data as the lines of a file of that kind. */
static void read_sealed(const uint8_t *data, size_t size, const char *kind, bool wisdom)
{
    enum { MOST = 1 << 16 };
    static char sealed[MOST + 256];
    if (size > MOST)
        return;
    size_t length = (size_t)snprintf(sealed, 64, "sparloom-%s 1 0\n", kind), lines = 1;
    memcpy(sealed + length, data, size);
    length += size;
    sealed[length++] = '\n';
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    length += (size_t)snprintf(sealed + length, 128, "end %zu %016llx\n", lines,
                               (unsigned long long)sum_of(sealed, length));
    read_one(sealed, length, wisdom);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_one(data, size, true);
    read_one(data, size, false);
    read_sealed(data, size, "wisdom", true);
    read_sealed(data, size, "machine", false);
    return 0;
}
