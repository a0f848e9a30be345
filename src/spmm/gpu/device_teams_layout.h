/* SPDX-License-Identifier: Apache-2.0 */
/* device_teams_layout.h: how the lanes of a team share the columns of a tile and the entries of
 * a row; part of device_teams.h. */
#ifndef SPL_SPMM_GPU_DEVICE_TEAMS_LAYOUT_H
#define SPL_SPMM_GPU_DEVICE_TEAMS_LAYOUT_H

#include "spmm/gpu/device_teams.h"

/* Layouts: loads of 8, 4, 2 and 1 elements, limited to 16 bytes; and of single elements of a
 * column-major B. */
enum { SPL__TEAMS_WIDE, SPL__TEAMS_BY_COLUMNS = 4, SPL__TEAMS_LAYOUTS };

/* The tile has run*runs*across columns. Numbers of lanes as powers of two. */
typedef struct spl__teams_layout {
    int32_t run, runs, across_bits, team_bits;
    bool direct;     /* lanes load their entries themselves */
    int32_t abreast; /* rows of a team */
    int64_t tiles;
    const spl__kernel *kernel;
} spl__teams_layout;

/* Division, rounded up. */
static inline int64_t spl__teams_divide(int64_t count, int64_t divisor)
{
    return count / divisor + (count % divisor != 0);
}

/* A layout without lanes per row and kernel, which depend on tasks. */
spl__teams_layout spl__teams_layout_of(const spl__task *task, const spl__spmm_shape *shape,
                                       int number);
/* The widest layout for the number of columns, assuming that rows of B and C are aligned. */
int spl__teams_widest_layout(const spl__task *task, const spl__spmm_shape *shape);
/* Sets the lanes per row, for `tasks` tasks of up to `rows` rows. */
void spl__teams_layout_rows(const spl__task *task, const spl__spmm_shape *shape, double tasks,
                            int32_t rows, spl__teams_layout *l);
/* The same for a column-major B. */
void spl__teams_layout_by_columns(const spl__task *task, const spl__spmm_shape *shape,
                                  spl__teams_layout *l);

#endif
