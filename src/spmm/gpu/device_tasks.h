/* SPDX-License-Identifier: Apache-2.0 */
/* device_tasks.h: the rows of A as a list of tasks for teams of lanes (spmm_rows.k.h), made on the
 * device. */
#ifndef SPL_SPMM_GPU_DEVICE_TASKS_H
#define SPL_SPMM_GPU_DEVICE_TASKS_H

#include "plan/plan.h"
#include "spmm/kernels/spmm_tasks.k.h"

/* How rows are divided into tasks. */
typedef struct spl__spmm_cut {
    /* up to SPMM_MOST_ROWS identical rows form one task, if that saves a third of the tasks */
    bool identical;
    bool ordered; /* pieces first, then by falling length: see spmm_tasks.k.h */
    /* else up to as many rows with overlapping columns, if that pays (device_merge.h); not with
     * `ordered` */
    bool merged;
    /* tasks that share columns become neighbours, if that pays (device_cluster.h); not with
     * `ordered` */
    bool clustered;
    /* longer rows are cut into pieces of that length; at most SPMM_MOST_LONGEST, or INT64_MAX:
     * not cut */
    int64_t longest;
    /* not 0: longer rows are not cut into pieces for teams, but into parts of up to so many
     * entries, for blocks (device_parts.h); not with any of the above */
    int64_t part;
} spl__spmm_cut;

typedef struct spl__spmm_tasks {
    int64_t count, pieces;
    int32_t rows; /* the most rows of a task */
    bool clustered, merged;
    /* for merged rows: the sum over tasks of distinct columns */
    int64_t entries;
    spl__device_array list;  /* struct spmm_task[count]; empty: task i is row i */
    spl__device_array cut;   /* struct spmm_cut[pieces] */
    spl__device_array words; /* uint32_t[entries], for merged rows */
} spl__spmm_tasks;

/* spl__spmm_tasks_free must follow, also after failure. */
spl_status spl__spmm_tasks_make(spl_plan *plan, const spl__spmm_cut *cut, spl__spmm_tasks *tasks);
/* Launches a kernel that reads no values, for `items` threads in blocks of SPMM_TASKS_THREADS. */
spl_status spl__spmm_tasks_launch(spl_plan *plan, const char *name, int64_t items, const void *args,
                                  size_t bytes);
/* Stable sort of tasks by the low `bits` of their keys into *to. `keys` and `numbers` (0, 1,
 * ...) have one uint32_t per task. */
spl_status spl__spmm_tasks_sort(spl_plan *plan, int64_t count, const spl__device_array *from,
                                const spl__device_array *keys, const spl__device_array *numbers,
                                int32_t bits, spl__device_array *to);
void spl__spmm_tasks_free(spl_plan *plan, spl__spmm_tasks *tasks);

#endif
