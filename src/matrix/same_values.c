/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/same_values.h"

#include "core/checked.h"
#include "core/types.h"

#include <string.h>

enum { PIECE = 1 << 14 }; /* values between two looks at what other threads have found */

bool spl__values_are_same(const spl_sparse *csr, int threads)
{
    const char *values = csr->values;
    const size_t size = spl__type_size(csr->type);
    const int64_t pairs = csr->nnz - 1; /* of neighbours */
    int differ = csr->nnz == 0;
#pragma omp parallel for schedule(static) num_threads(threads) if (pairs > PIECE)
    for (int64_t p = 0; p < pairs; p += PIECE) {
        const char *piece = values + (size_t)p * size;
        int known;
#pragma omp atomic read
        known = differ;
        if (!known && memcmp(piece, piece + size, (size_t)spl__min_i64(PIECE, pairs - p) * size) != 0) {
#pragma omp atomic write
            differ = 1;
        }
    }
    return !differ;
}
