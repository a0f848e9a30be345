/* SPDX-License-Identifier: Apache-2.0 */
/* block_sizes.h: size classes of the memory blocks that drivers cache. */
#ifndef SPL_DEVICE_GPU_BLOCK_SIZES_H
#define SPL_DEVICE_GPU_BLOCK_SIZES_H

#include <stddef.h>

namespace
{

/* Rounds sizes up, by less than a quarter above 2 KiB, so that few different sizes occur, and by
 * less than the 2 MiB in which runtimes hand memory out. */
size_t rounded(size_t bytes)
{
    const size_t most = size_t(2) << 20;
    size_t step = 512;
    while (step * 8 < bytes && step < most)
        step *= 2;
    return (bytes + step - 1) / step * step;
}

} /* namespace */

#endif
