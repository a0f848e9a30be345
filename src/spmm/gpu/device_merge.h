/* SPDX-License-Identifier: Apache-2.0 */
/* device_merge.h: merges neighbouring rows of A whose columns overlap into one task of SpMM: the
 * unknowns of a node with holed blocks, points of a grid, bands.
 *
 * Up to three rows are merged into a list of words, one per column that any of them has: the
 * column, and a bit per row that has it. A row of B is loaded once for all of these. Values stay in
 * place: those of a row are in the order of its words. Rows are divided into tasks optimally,
 * within stretches of SPMM_MERGE_STRETCH rows, for a cost of words and tasks.
 *
 * Cost: reads A's columns three times, one thread per row. Memory: 4 bytes a word, 16 a task;
 * temporarily 23 a row. Source: nearly identical rows: E. Im, K. Yelick, R. Vuduc, IJHPCA 18(1),
 * 2004; R. Vuduc, H.-J. Moon, HPCC'05 (of unaligned rows). Differs: no fill-in; groups of rows
 * are chosen row by row. */
#ifndef SPL_SPMM_GPU_DEVICE_MERGE_H
#define SPL_SPMM_GPU_DEVICE_MERGE_H

#include "spmm/gpu/device_tasks.h"

/* Sets features.merged_sampled, which predicts whether merging pays, on devices, for plans of
 * several executions. Waits once. */
spl_status spl__spmm_look_at_overlap(spl_plan *plan);

/* Whether merging pays for rows with merged_sampled words per entry that take `lanes` lanes
 * each: with few rows merging leaves too few tasks for the device. */
bool spl__spmm_merging_pays(const spl_plan *plan, double lanes);

/* Makes tasks of up to three merged rows, of up to SPMM_MOST_LONGEST entries each. Waits twice.
 * spl__spmm_tasks_free must follow, also after failure. */
spl_status spl__spmm_merge(spl_plan *plan, spl__spmm_tasks *tasks);

#endif
