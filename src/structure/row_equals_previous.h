/* SPDX-License-Identifier: Apache-2.0 */
/* row_equals_previous.h: whether row i of a CSR matrix has the columns of row i-1, in the same
 * order, as where a mesh node has several unknowns. A template: I, P, FN come from
 * core/each_type.h. */
#include <stdbool.h>
#include <string.h>

static inline bool FN(row_equals_previous)(const spl_sparse *m, int64_t i)
{
    const P *offsets = m->offsets;
    const I *columns = m->indices;
    int64_t length = offsets[i + 1] - offsets[i];
    if (length != offsets[i] - offsets[i - 1])
        return false;
    if (length == 0)
        return true;
    const bool first = columns[offsets[i]] == columns[offsets[i - 1]];
    /* Whether rows of one entry are equal is foreseen by nobody; most others differ in it. */
    if (length == 1)
        return first;
    return first &&
           memcmp(columns + offsets[i], columns + offsets[i - 1], (size_t)length * sizeof(I)) == 0;
}
