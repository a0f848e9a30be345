/* SPDX-License-Identifier: Apache-2.0 */
/* device_teams_layout.h: how the lanes of a team share the columns of a tile and the entries of a
 * row: for the parts of device_teams.h. */
#ifndef SPL_SPMM_GPU_DEVICE_TEAMS_LAYOUT_H
#define SPL_SPMM_GPU_DEVICE_TEAMS_LAYOUT_H

#include "spmm/gpu/device_teams.h"

/* Loads of 8, 4, 2 and 1 elements, or as many as there are in 16 bytes, and single ones of B by
 * columns. */
enum { SPL__TEAMS_WIDE, SPL__TEAMS_BY_COLUMNS = 4, SPL__TEAMS_LAYOUTS };

/* The tile has run*runs*across columns. Numbers of lanes as powers of two. */
typedef struct spl__teams_layout {
    int32_t run, runs, across_bits, team_bits;
    bool direct; /* lanes load the entries that they multiply themselves */
    int64_t tiles;
    const spl__kernel *kernel;
} spl__teams_layout;

/* Rounded up. */
static inline int64_t spl__teams_divide(int64_t count, int64_t divisor)
{
    return count / divisor + (count % divisor != 0);
}

/* Without lanes of a row and kernel, which depend on tasks. */
spl__teams_layout spl__teams_layout_of(const spl__task *task, const spl__spmm_shape *shape,
                                       int number);
/* The one that a number of columns allows: rows of B and C are aligned to it, for all that a plan
 * knows. */
int spl__teams_widest_layout(const spl__task *task, const spl__spmm_shape *shape);
/* Sets the lanes of a row, for so many tasks of up to that many rows. */
void spl__teams_layout_rows(const spl__task *task, const spl__spmm_shape *shape, double tasks,
                            int32_t rows, spl__teams_layout *l);
/* The same of B by columns. */
void spl__teams_layout_by_columns(const spl__task *task, const spl__spmm_shape *shape,
                                  spl__teams_layout *l);

#endif
