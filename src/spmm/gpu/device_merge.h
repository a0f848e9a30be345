/* SPDX-License-Identifier: Apache-2.0 */
/* device_merge.h: neighbouring rows of A whose columns overlap as one task of SpMM: the unknowns of
 * a node whose blocks have holes, points of a grid, bands.
 *
 * Up to three rows are merged into a list of words, one for each column that any of them has: the
 * column, and which of the rows have it. A row of B that is loaded serves all of these. Values stay
 * where they are: a row's come in the order of its words. How the rows are cut is the cheapest way,
 * in stretches of SPMM_MERGE_STRETCH rows, where words and tasks are what costs.
 *
 * Cost: A's columns three times, by a thread a row. Memory: 4 bytes a word, 16 a task; 23 a row
 * while it lasts. Source: rows that are nearly alike: E. Im, K. Yelick, R. Vuduc, IJHPCA 18(1),
 * 2004; R. Vuduc, H.-J. Moon, HPCC'05 (of unaligned rows). Differs: no zeros are filled in; which
 * rows go together is found, row by row. */
#ifndef SPL_SPMM_GPU_DEVICE_MERGE_H
#define SPL_SPMM_GPU_DEVICE_MERGE_H

#include "spmm/gpu/device_tasks.h"

/* Sets features.merged_sampled, on devices, if the plan is going to be executed several times: what
 * tells whether merging pays. Waits once. */
spl_status spl__spmm_look_at_overlap(spl_plan *plan);

/* Whether rows that have so many words per entry are worth merging, where each takes so many lanes:
 * of few rows merging leaves too few for the device. */
bool spl__spmm_merging_pays(const spl_plan *plan, double lanes);

/* Makes tasks of up to three rows that are merged. Rows have up to SPMM_MOST_LONGEST entries. Waits
 * twice. On failure, too, spl__spmm_tasks_free cleans up. */
spl_status spl__spmm_merge(spl_plan *plan, spl__spmm_tasks *tasks);

#endif
