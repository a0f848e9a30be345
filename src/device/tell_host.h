/* SPDX-License-Identifier: Apache-2.0 */
/* tell_host.h: for kernels that have a spl__tell. */
#ifndef SPL_DEVICE_TELL_HOST_H
#define SPL_DEVICE_TELL_HOST_H
#include "device/dialect.h"
#include "device/tell.h"

/* The end of a kernel: all threads of all blocks call it after all that they note. The block that
 * comes last copies the notes. last: shared by the block. */
DEVICE void spl__tell_host(const spl__tell *tell, int32_t *last)
{
    if (!tell->to)
        return;
    SYNC();
    if (THREAD == 0)
        last[0] = ATOMIC_ADD_RELEASE(tell->arrived, 1) == (int32_t)(BLOCKS - 1);
    SYNC();
    if (!last[0])
        return;
    FENCE();
    for (int32_t k = THREAD; k < tell->words; k += THREADS)
        tell->to[k] = LOAD_VOLATILE(&tell->from[k]);
    FENCE_SYSTEM();
    SYNC();
    if (THREAD > 0)
        return;
    STORE_VOLATILE(tell->arrived, 0);
    STORE_VOLATILE(tell->mark, 1);
}

#endif
