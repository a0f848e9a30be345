/* SPDX-License-Identifier: Apache-2.0 */
/* zip_read.h: members of a zip archive, through libzip, whose own memory does not come from the
 * account. */
#ifndef SPL_IO_NPZ_ZIP_READ_H
#define SPL_IO_NPZ_ZIP_READ_H

#include "core/context.h"
#include "file/byte_source.h"

typedef struct spl__zip spl__zip;

/* Opens the archive that `source` was opened on, by its name or in its memory; `source` must stay.
 * SPL_FILE_INVALID, SPL_UNSUPPORTED (pipes; a build without libzip), SPL_OUT_OF_MEMORY,
 * SPL_OVER_BUDGET. */
spl_status spl__zip_open(const spl_context *context, const spl__byte_source *source,
                         spl__zip **zip);
/* Bytes of all members. */
int64_t spl__zip_total(const spl__zip *zip);
void spl__zip_close(spl__zip *zip);
bool spl__zip_has(const spl__zip *zip, const char *member);

/* Begins to read a member; *bytes is its length, which was found possible for what is packed. One
 * at a time. SPL_FILE_INVALID (no such member, damaged, a size that cannot be), SPL_UNSUPPORTED (a
 * compression that libzip lacks). */
spl_status spl__zip_enter(spl__zip *zip, const char *member, int64_t *bytes);
/* Reads exactly `count` bytes. Reports progress. SPL_FILE_INVALID, SPL_CANCELLED. */
spl_status spl__zip_read(spl__zip *zip, void *buffer, size_t count);
/* Ends the member, which must be used up: its check sum is verified. SPL_FILE_INVALID. */
spl_status spl__zip_finish(spl__zip *zip);
/* Ends the member without reading its remaining bytes. */
void spl__zip_leave(spl__zip *zip);

/* SPL_FILE_INVALID (or another status) with detail "name: member: what". */
spl_status spl__zip_fail(const spl__zip *zip, spl_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
