/* SPDX-License-Identifier: Apache-2.0 */
/* exchange_tiles.h: MULTIPLY_TILES of dialect.h by shuffles, for devices without instructions for
 * it, and for the emulator. */
#ifndef SPL_DEVICE_EXCHANGE_TILES_H
#define SPL_DEVICE_EXCHANGE_TILES_H

/* Rounds to 11 significant bits, ties away from zero, like tensor cores; NaN and infinities are
 * unchanged. */
DEVICE float spl__tf32_nearest(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if ((bits & 0x7f800000) == 0x7f800000)
        return x;
    bits = (bits + 0x1000) & ~(uint32_t)0x1fff;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Packs two numbers into one, to shuffle both at once. */
DEVICE uint64_t spl__pair_of(const float lower, const float upper)
{
    const float both[2] = {lower, upper};
    uint64_t pair;
    memcpy(&pair, both, sizeof pair);
    return pair;
}
DEVICE void spl__get_pair(int lane, uint64_t own_pair, float *both)
{
    const uint64_t pair = SHUFFLE(GROUP_MASK(32), own_pair, lane);
    memcpy(both, &pair, sizeof pair);
}

/* Computes one product of tiles. Column k of the first factor's tile is in lanes 4*row+k%4, row
 * k of the second's in lanes 4*column+k%4. */
DEVICE void spl__exchange_tile(float *sums, const float *a, uint64_t own_pair)
{
    const int first = LANE / 32 * 32, row = LANE % 32 / 4, turn = LANE % 4;
    for (int k = 0; k < 4; k++) {
        float near[2], far[2], b[2];
        spl__get_pair(first + 4 * row + k, spl__pair_of(a[0], a[2]), near);
        spl__get_pair(first + 4 * row + k, spl__pair_of(a[1], a[3]), far);
        for (int q = 0; q < 2; q++) {
            spl__get_pair(first + 4 * (2 * turn + q) + k, own_pair, b);
            sums[q] += near[0] * b[0] + near[1] * b[1];
            sums[2 + q] += far[0] * b[0] + far[1] * b[1];
        }
    }
}

/* The body of MULTIPLY_TILES where `widen` makes a number of a T. */
#define SPL__EXCHANGE_TILES(widen)                                                                 \
    const float of_a[4] = {widen(a[0]), widen(a[1]), widen(a[2]), widen(a[3])};                    \
    UNROLL for (int j = 0; j < n; j++)                                                             \
        spl__exchange_tile(sums + 4 * j, of_a, spl__pair_of(widen(lower[j]), widen(upper[j])));

#endif
