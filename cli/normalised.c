/* SPDX-License-Identifier: Apache-2.0 */
#include "normalised.h"

#include "failure.h"

int cli_normalise(cli_session *session, const spl_sparse *source, spl_type type,
                  spl_matrix **matrix, spl_sparse *a)
{
    spl_convert_options options = SPL_CONVERT_OPTIONS_INIT;
    options.format = SPL_CSR;
    options.type = type;
    options.index_type = SPL_I32;
    options.sum_duplicates = 1;
    int code = cli_check_of(spl_convert(session->context, source, &options, matrix),
                            "a copy of the matrix");
    cli_progress_clear(&session->bar);
    if (!code)
        *a = (spl_sparse)SPL_SPARSE_INIT;
    return code ? code : cli_check(spl_matrix_view(*matrix, a));
}
