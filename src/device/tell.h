/* SPDX-License-Identifier: Apache-2.0 */
/* tell.h: how a kernel tells the host at its end what it has found: a report (device.h) that takes
 * no launch of its own. */
#ifndef SPL_DEVICE_TELL_H
#define SPL_DEVICE_TELL_H

#include <stdint.h>

/* For the kernel's arguments: made by spl__queue_tell. to NULL: nothing is told. */
typedef struct spl__tell {
    const uint32_t *from; /* on the device: what blocks have noted, by atomic operations */
    uint32_t *to;         /* of the host; then the mark becomes 1 */
    uint64_t *mark;
    int32_t *arrived; /* blocks that are done; zero before the launch, and after it */
    int32_t words;
} spl__tell;

#endif
