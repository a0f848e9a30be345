/* SPDX-License-Identifier: Apache-2.0 */
/* device_cluster.h: orders tasks of SpMM so that neighbours use the same rows of B.
 *
 * Rows of a mesh share columns with their neighbours in the mesh, wherever these are in the matrix.
 * Tasks are sorted by the least hashed column of their rows (min-hash): two rows become neighbours
 * with the probability |columns of both| / |columns of either|, and neighbours find rows of B in
 * L1. This pays only if neighbours in the matrix are not similar already, so sharing is measured
 * before and after, on a sample of windows of tasks.
 *
 * Cost: A's columns once, a sort of the tasks, two small kernels. Memory: 24 bytes a task,
 * temporarily. Source: A. Broder, On the Resemblance and Containment of Documents, 1997 (least
 * hash); P. Jiang, C. Hong, G. Agrawal, PPoPP'20 (rows of sparse matrices by it). Differs: one
 * hash, no candidate pairs, no second clustering. */
#ifndef SPL_SPMM_GPU_DEVICE_CLUSTER_H
#define SPL_SPMM_GPU_DEVICE_CLUSTER_H

#include "spmm/gpu/device_tasks.h"

/* Reorders tasks->list if neighbours then share more; sets tasks->clustered. Waits once or
 * twice. On failure nothing is changed. */
spl_status spl__spmm_cluster(spl_plan *plan, spl__spmm_tasks *tasks);

#endif
