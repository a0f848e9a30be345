/* SPDX-License-Identifier: Apache-2.0 */
/* npz_read.h: sparse matrices as scipy.sparse.save_npz writes them. */
#ifndef SPL_IO_NPZ_NPZ_READ_H
#define SPL_IO_NPZ_NPZ_READ_H

#include "core/context.h"
#include "file/byte_source.h"

/* Does the source begin as a zip archive? */
bool spl__npz_detect(const spl__byte_source *source);
/* Reads a matrix of SciPy's format csr, csc, coo or bsr (expanded). `options` must have been taken
 * (entries.h). Statuses of spl_read; details are "file: member: what". */
spl_status spl__npz_read(spl_context *context, const spl__byte_source *source,
                         const spl_read_options *options, spl_matrix **result);

#endif
