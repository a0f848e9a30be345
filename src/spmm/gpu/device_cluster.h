/* SPDX-License-Identifier: Apache-2.0 */
/* device_cluster.h: tasks of SpMM that use the same rows of B, side by side.
 *
 * Rows of a mesh share columns with their neighbours in the mesh, wherever these are in the matrix.
 * Tasks are sorted by the least hashed column of their rows: two rows meet with the probability
 * |columns of both| / |columns of either|, and who meets finds rows of B in L1. It pays only where
 * neighbours in the matrix are not alike already, so sharing is measured before and after, on a
 * sample of windows of tasks.
 *
 * Cost: A's columns once, a sort of the tasks, two small kernels. Memory: 24 bytes a task while it
 * lasts; none stays. Source: A. Broder, On the Resemblance and Containment of Documents, 1997
 * (least hash); P. Jiang, C. Hong, G. Agrawal, PPoPP'20 (rows of sparse matrices by it). Differs:
 * one hash, no candidate pairs, no second clustering: what is sorted stays sorted. */
#ifndef SPL_SPMM_GPU_DEVICE_CLUSTER_H
#define SPL_SPMM_GPU_DEVICE_CLUSTER_H

#include "spmm/gpu/device_tasks.h"

/* Reorders tasks->list if neighbours then share more; tasks->clustered says so. One or two looks at
 * the device. On failure nothing has changed. */
spl_status spl__spmm_cluster(spl_plan *plan, spl__spmm_tasks *tasks);

#endif
