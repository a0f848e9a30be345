/* SPDX-License-Identifier: Apache-2.0 */
/* plot_grid.h: a matrix seen from afar: entries counted in cells of so many rows and columns. */
#ifndef TOOL_PLOT_GRID_H
#define TOOL_PLOT_GRID_H

#include <sparloom/sparloom.h>

/* Of each cell how many entries it has and, if rows belong to parts, the sum of their parts'
 * colours. */
typedef struct plot_cell {
    double entries, colour[3];
} plot_cell;

typedef struct plot_grid {
    int64_t cell_rows, cell_cols; /* of the matrix, in each cell; the last ones have fewer */
    int rows, cols;               /* cells */
    double most;                  /* entries of the fullest cell */
    plot_cell *cells;             /* rows * cols, row by row; NULL if there was no memory */
} plot_grid;

/* No more than `limit` cells in each direction; part_of_row may be NULL. Without rows or columns
 * the grid has no cells. */
plot_grid plot_grid_make(const spl_sparse *matrix, int limit, const int32_t *part_of_row);
void plot_grid_free(plot_grid *grid);

#endif
