/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of device_widths.c. */
#ifndef T
#ifndef SPL_STRUCTURE_DEVICE_WIDTHS_K_H
#define SPL_STRUCTURE_DEVICE_WIDTHS_K_H
#include <stdint.h>

enum { DEVICE_WIDTHS_THREADS = 256 };

struct device_widths_args {
    int64_t count;
    const void *from; /* int64_t[count], int32_t if widen */
    void *to;         /* int32_t[count], int64_t if widen */
    int64_t widen;
};
#endif
#else

DEVICE void FN(narrow)(int64_t count, const int64_t *RESTRICT from, int32_t *RESTRICT to)
{
    for (int64_t i = BLOCK * THREADS + THREAD; i < count; i += BLOCKS * THREADS) {
        const int64_t wide = READ(&from[i]);
        to[i] = wide >= 0 && wide <= INT32_MAX ? (int32_t)wide : -1;
    }
}

DEVICE void FN(widen)(int64_t count, const int32_t *RESTRICT from, int64_t *RESTRICT to)
{
    for (int64_t i = BLOCK * THREADS + THREAD; i < count; i += BLOCKS * THREADS)
        to[i] = READ(&from[i]);
}

KERNEL(device_widths, DEVICE_WIDTHS_THREADS, args)
{
    if (args.widen)
        FN(widen)(args.count, (const int32_t *)args.from, (int64_t *)args.to);
    else
        FN(narrow)(args.count, (const int64_t *)args.from, (int32_t *)args.to);
}
#endif
