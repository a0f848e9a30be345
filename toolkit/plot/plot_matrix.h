/* SPDX-License-Identifier: Apache-2.0 */
/* plot_matrix.h: pictures of a matrix: where its entries are, how long its rows are, how a
 * partition shares them out. */
#ifndef TOOL_PLOT_MATRIX_H
#define TOOL_PLOT_MATRIX_H

#include "plot_axes.h"

#include <sparloom/sparloom.h>

/* What can be in a picture, as bits. */
enum { PLOT_SPY = 1, PLOT_ROWS = 2, PLOT_PARTITION = 4 };

/* A partition as spl_partition makes it. */
typedef struct plot_partition {
    const char *kind; /* "density", ... */
    int32_t count;
    const double *capabilities; /* count */
    const spl_part *parts;      /* count */
    const int64_t *order;       /* rows of the matrix */
} plot_partition;

typedef struct plot_subject {
    const char *name;
    spl_sparse matrix; /* CSR, on the host */
    /* the distribution function: row_counts[i] rows have row_lengths[i] entries each */
    int64_t lengths;
    const int64_t *row_lengths, *row_counts;
    plot_partition partition; /* count 0: none */
    const char *parts;        /* what rows are coloured by; NULL: "part" */
} plot_subject;

/* Fills an empty scene with these panels; it says itself if there was no memory. */
void plot_matrix(plot_scene *scene, const plot_subject *subject, unsigned panels);
/* The same with the entries, coloured by the part of their row. */
void plot_matrix_by_part(plot_scene *scene, const plot_subject *subject,
                         const int32_t *part_of_row);

enum { PLOT_SLOT_WIDTH = 500, PLOT_SLOT_HEIGHT = 486 };
/* The panels, each in a slot of that size with its upper left corner at x, y. `part_of_row` (may be
 * NULL) colours rows by part; a spy plot alone may need less height. */
void plot_spy(plot_scene *scene, double x, double y, const plot_subject *subject,
              const int32_t *part_of_row);
double plot_spy_height(const spl_sparse *matrix);
void plot_row_lengths(plot_scene *scene, double x, double y, const plot_subject *subject);
void plot_profile(plot_scene *scene, double x, double y, const plot_subject *subject);
/* A line for each part, the first ones if they are many; and the height of all lines. */
void plot_part_list(plot_scene *scene, double x, double y, const plot_subject *subject);
double plot_part_list_height(const plot_partition *partition);

#endif
