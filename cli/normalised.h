/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_NORMALISED_H
#define CLI_NORMALISED_H

#include "session.h"

/* The matrix as measurements want it: CSR, that type, 32-bit columns, sorted, no duplicates.
 * Returns an exit code. */
int cli_normalise(cli_session *session, const spl_sparse *source, spl_type type,
                  spl_matrix **matrix, spl_sparse *a);

#endif
