/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_keys.h: keys in the registers of a part of a warp, and their order. Part of the templates
 * of kernel files: read once per combination of types, without a guard. */

/* The keys of a part's lanes: key u of lane l belongs to product u*width + l. INT32_MAX: none. */
typedef struct FN(keys) {
    int32_t key[SPGEMM_KEYS];
} FN(keys);

/* One step of a bitonic network: pairs of keys `step` apart, in runs of `size`. */
DEVICE void FN(compare_keys)(FN(keys) *k, const FN(team) *t, int size, int step)
{
    FN(keys) other;
    UNROLL
    for (int u = 0; u < SPGEMM_KEYS; u++)
        if (step < t->width)
            other.key[u] = SHUFFLE_XOR(t->mask, k->key[u], step);
        else
            other.key[u] = step == t->width ? k->key[u ^ 1] : k->key[u ^ 2];
    UNROLL
    for (int u = 0; u < SPGEMM_KEYS; u++) {
        const int number = u * t->width + t->lane;
        const int32_t least = other.key[u] < k->key[u] ? other.key[u] : k->key[u];
        const int32_t most = other.key[u] < k->key[u] ? k->key[u] : other.key[u];
        k->key[u] = ((number & step) == 0) == ((number & size) == 0) ? least : most;
    }
}

/* K. Batcher, Sorting networks and their applications, AFIPS 1968. */
DEVICE void FN(sort_keys)(FN(keys) *k, const FN(team) *t)
{
    UNROLL
    for (int size = 2; size <= SPGEMM_KEYS * t->width; size *= 2) {
        UNROLL
        for (int step = size / 2; step > 0; step /= 2)
            FN(compare_keys)(k, t, size, step);
    }
}
