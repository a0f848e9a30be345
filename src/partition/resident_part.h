/* SPDX-License-Identifier: Apache-2.0 */
/* resident_part.h: the part of a dense product on the device that holds A, x and y: it reads and
 * writes them there. */
#ifndef SPL_PARTITION_RESIDENT_PART_H
#define SPL_PARTITION_RESIDENT_PART_H

#include "partition/parts.h"

/* That part; NULL: the device has no rows. */
spl__part *spl__parts_in_place(const spl__spread *spread);
/* Starts the part after the pending work of the caller's stream; the latter waits for it. */
spl_status spl__resident_part_start(spl__part *part, const spl__execution *e);
spl_status spl__resident_part_join(spl__part *part, const spl__execution *e);
/* The part has all rows: it uses the caller's stream, like any call on a device. */
spl_status spl__resident_part_alone(spl__part *part, const spl__execution *e);

#endif
