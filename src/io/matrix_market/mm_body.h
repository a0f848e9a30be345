/* SPDX-License-Identifier: Apache-2.0 */
/* mm_body.h: the entries of a Matrix Market file. */
#ifndef SPL_IO_MATRIX_MARKET_MM_BODY_H
#define SPL_IO_MATRIX_MARKET_MM_BODY_H

#include "io/entries.h"
#include "io/matrix_market/mm_header.h"

/* Bytes beside the entries while they are read. */
double spl__mm_staging_bytes(const spl__text_file *text, const spl__mm_header *header);
/* Reads everything after the size line into `entries`, in the order of the file, for a matrix as
 * taken options ask for. Reports progress. SPL_FILE_INVALID with the line, SPL_CANCELLED, statuses
 * of spl__text_file_more and spl__entries_reserve. */
spl_status spl__mm_read_body(const spl_context *context, spl__text_file *text,
                             const spl__mm_header *header, const spl_read_options *options,
                             spl__entries *entries);

#endif
