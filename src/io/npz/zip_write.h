/* SPDX-License-Identifier: Apache-2.0 */
/* zip_write.h: a zip archive that appears complete or not at all, through libzip, whose own memory
 * does not come from the account. */
#ifndef SPL_IO_NPZ_ZIP_WRITE_H
#define SPL_IO_NPZ_ZIP_WRITE_H

#include "core/context.h"

typedef struct spl__zip_writer spl__zip_writer;

/* Bytes of the caller's, which must stay until the archive is done. */
typedef struct spl__zip_part {
    const void *bytes;
    int64_t count;
} spl__zip_part;

/* SPL_UNSUPPORTED in a build without libzip. */
spl_status spl__zip_available(const char *path);
/* SPL_FILE_ERROR, SPL_UNSUPPORTED (what cannot be sought; a build without libzip),
 * SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. Then any number of members, then exactly one of commit and
 * abandon; both free the writer. */
spl_status spl__zip_create(spl_context *context, const char *path, spl__zip_writer **writer);
/* Adds a member of two parts; it is packed when the archive is done. Equal members give equal
 * archives. */
spl_status spl__zip_add(spl__zip_writer *writer, const char *member, const spl__zip_part parts[2]);
/* Writes. Reports progress stage "write" in bytes. SPL_FILE_ERROR, SPL_OUT_OF_MEMORY,
 * SPL_CANCELLED. */
spl_status spl__zip_commit(spl__zip_writer *writer);
void spl__zip_abandon(spl__zip_writer *writer);

#endif
