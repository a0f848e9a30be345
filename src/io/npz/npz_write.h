/* SPDX-License-Identifier: Apache-2.0 */
/* npz_write.h: sparse matrices for scipy.sparse.load_npz. */
#ifndef SPL_IO_NPZ_NPZ_WRITE_H
#define SPL_IO_NPZ_NPZ_WRITE_H

#include "core/context.h"

/* Writes a view that was taken (matrix/view.h) in its own format, widths and type, compressed.
 * Atomic. Statuses of zip_write.h. */
spl_status spl__npz_write(spl_context *context, const spl_sparse *matrix, const char *path);

#endif
