/* SPDX-License-Identifier: Apache-2.0 */
/* resident_dense.h: SpMV and SpMM by several processors where a device holds A, x and y (B and C).
 *
 * That device computes its rows in place, ordered with the caller's stream; if it has all rows
 * it uses that stream itself, like any call on a device. For the other processors x is copied to
 * the host in pieces, from where other devices fetch each piece while the next one is copied;
 * their rows of y return the same way. These calls block, since the host does part of the work. */
#ifndef SPL_PARTITION_RESIDENT_DENSE_H
#define SPL_PARTITION_RESIDENT_DENSE_H

#include "partition/parts.h"

/* Checks that operands are in that device's memory, and that calls that wait are not being
 * captured into a graph. SPL_INVALID_ARGUMENT, SPL_UNSUPPORTED. */
spl_status spl__resident_check(const spl__execution *e);
/* Runs an execution, unless both operands are distributed. */
spl_status spl__resident_run(const spl__execution *e);

#endif
