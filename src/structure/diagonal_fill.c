/* SPDX-License-Identifier: Apache-2.0 */
#include "structure/diagonal_fill.h"

#include "core/checked.h"
#include "format/diagonal_slices.h"

enum { GROUPS = 16, LANES = SPL__DIAGONAL_LANES };

spl__diagonal_fill spl__diagonal_fill_sampled(const spl_sparse *csr)
{
    const double least = .5;
    const int64_t all = csr->rows / LANES, groups = spl__min_i64(GROUPS, all);
    int64_t entries = 0, ours = 0, positions = 0;
    for (int64_t g = 0; g < groups; g++) {
        const int64_t first = all * (2 * g + 1) / (2 * groups) * LANES;
        const int64_t count = spl__index_at(csr->offsets, csr->offset_type, first + LANES) -
                              spl__index_at(csr->offsets, csr->offset_type, first);
        const int64_t lines = spl__diagonal_lines_of(csr, first, LANES, least);
        entries += count;
        ours += lines > 0 ? count : 0;
        positions += lines * LANES;
    }
    if (ours == 0)
        return (spl__diagonal_fill){0, 1};
    return (spl__diagonal_fill){(double)ours / (double)entries, (double)ours / (double)positions};
}
