/* SPDX-License-Identifier: Apache-2.0 */
/* block_sizes.h: sizes of blocks of memory that drivers keep. */
#ifndef SPL_DEVICE_GPU_BLOCK_SIZES_H
#define SPL_DEVICE_GPU_BLOCK_SIZES_H

#include <stddef.h>

namespace
{

/* Sizes are rounded up, by less than a quarter beyond 2 KiB, so that few different ones occur. */
size_t rounded(size_t bytes)
{
    size_t step = 512;
    while (step * 8 < bytes)
        step *= 2;
    return (bytes + step - 1) / step * step;
}

} /* namespace */

#endif
