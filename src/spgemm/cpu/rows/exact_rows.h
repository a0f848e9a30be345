/* SPDX-License-Identifier: Apache-2.0 */
/* exact_rows.h: blocks of rows for the driver in exact.h. A template: I, P, FN come from
 * core/each_type.h, and the includer defines
 *
 *   FN(find_row)(view, workspace, i, out)  writes the columns of row i of C to `out`, which has
 * room for them; returns their number
 */
static int64_t FN(find_rows)(const spl__exact_view *view, void *workspace, int64_t begin,
                             int64_t end, int64_t *lengths, void *out)
{
    const uint8_t *equals_previous = view->product->a_equals_previous;
    I *cursor = out;
    int64_t length = 0;
    for (int64_t i = begin; i < end; i++) {
        if (i == begin || !equals_previous[i]) {
            length = FN(find_row)(view, workspace, i, cursor);
            cursor += length;
        }
        if (lengths)
            lengths[i] = length;
    }
    return cursor - (I *)out;
}
