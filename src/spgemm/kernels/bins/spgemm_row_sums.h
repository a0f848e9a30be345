/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_row_sums.h: amounts and windows of the entries of a row, added up by lanes and by the
 * block. Part of the templates of kernel files: read once per combination of types, without a
 * guard. */

/* A partial reduction over the entries of a row. */
typedef struct FN(row_sum) {
    int64_t amount;
    struct spgemm_window window;
} FN(row_sum);

DEVICE FN(row_sum) FN(empty_sum)(void)
{
    FN(row_sum) s;
    s.amount = 0;
    s.window.first = INT32_MAX;
    s.window.last = -1;
    return s;
}

DEVICE void FN(widen)(FN(row_sum) *s, int64_t amount, struct spgemm_window w)
{
    s->amount += amount;
    s->window.first = w.first < s->window.first ? w.first : s->window.first;
    s->window.last = w.last > s->window.last ? w.last : s->window.last;
}

/* The reduction over a group of lanes; all of them get the result. */
DEVICE FN(row_sum) FN(sum_of_lanes)(FN(row_sum) s, int width)
{
    for (int x = width / 2; x > 0; x /= 2) {
        struct spgemm_window w;
        const int64_t amount = SHUFFLE_XOR(GROUP_MASK(width), s.amount, x);
        w.first = SHUFFLE_XOR(GROUP_MASK(width), s.window.first, x);
        w.last = SHUFFLE_XOR(GROUP_MASK(width), s.window.last, x);
        FN(widen)(&s, amount, w);
    }
    return s;
}

/* The reduction over the block; thread 0 gets the result. */
DEVICE FN(row_sum) FN(sum_of_block)(FN(row_sum) s, FN(row_sum) *warps)
{
    s = FN(sum_of_lanes)(s, LANES);
    if (LANE == 0)
        warps[WARP] = s;
    SYNC();
    for (int w = 1; THREAD == 0 && w < THREADS / LANES; w++)
        FN(widen)(&s, warps[w].amount, warps[w].window);
    SYNC();
    return s;
}
