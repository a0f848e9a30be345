/* SPDX-License-Identifier: Apache-2.0 */
#include "plot_grid.h"

#include "plot_axes.h"
#include "sparse_rows.h"

#include <math.h>
#include <stdlib.h>

static int64_t divided_up(int64_t count, int64_t size)
{
    return count / size + (count % size != 0);
}

static void add_row(plot_grid *grid, const spl_sparse *matrix, int64_t row,
                    const int32_t *part_of_row)
{
    uint32_t colour = part_of_row ? plot_part_colour(part_of_row[row]) : 0;
    plot_cell *line = grid->cells + (size_t)(row / grid->cell_rows) * (size_t)grid->cols;
    for (int64_t k = tool_offset(matrix, row); k < tool_offset(matrix, row + 1); k++) {
        plot_cell *cell = line + tool_column(matrix, k) / grid->cell_cols;
        cell->entries++;
        for (int c = 0; c < 3; c++)
            cell->colour[c] += colour >> 8 * c & 255;
    }
}

plot_grid plot_grid_make(const spl_sparse *matrix, int limit, const int32_t *part_of_row)
{
    plot_grid grid = {.cell_rows = 1, .cell_cols = 1};
    if (matrix->rows > 0)
        grid.cell_rows = divided_up(matrix->rows, limit);
    if (matrix->cols > 0)
        grid.cell_cols = divided_up(matrix->cols, limit);
    grid.rows = (int)divided_up(matrix->rows, grid.cell_rows);
    grid.cols = (int)divided_up(matrix->cols, grid.cell_cols);
    grid.cells = calloc((size_t)grid.rows * (size_t)grid.cols + 1, sizeof *grid.cells);
    for (int64_t row = 0; grid.cells && row < matrix->rows; row++)
        add_row(&grid, matrix, row, part_of_row);
    for (int64_t i = 0; grid.cells && i < (int64_t)grid.rows * grid.cols; i++)
        grid.most = fmax(grid.most, grid.cells[i].entries);
    return grid;
}

void plot_grid_free(plot_grid *grid)
{
    free(grid->cells);
    grid->cells = NULL;
}
