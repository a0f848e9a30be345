/* SPDX-License-Identifier: Apache-2.0 */
#include "file/foreign.h"

#include <string.h>

static const struct {
    size_t offset;
    const char *bytes;
    size_t count;
    const char *kind;
} kinds[] = {
#define FOREIGN(offset, bytes, kind) {offset, bytes, sizeof(bytes) - 1, kind},
#include "file/foreign.def"
#undef FOREIGN
};

spl_status spl__foreign_check(const char *name, const char *bytes, size_t count)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (count >= kinds[i].offset + kinds[i].count &&
            memcmp(bytes + kinds[i].offset, kinds[i].bytes, kinds[i].count) == 0)
            return spl__fail(SPL_UNSUPPORTED, "%s: %s", name, kinds[i].kind);
    return SPL_OK;
}
