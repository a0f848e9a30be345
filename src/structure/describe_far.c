/* SPDX-License-Identifier: Apache-2.0 */
/* describe_far.c: empty rows and columns only affect sizes, means and positions, so the matrix
 * is described without them. Blocks are counted as the distinct positions of entries divided by
 * the block size. */
#include "core/checked.h"
#include "matrix/compact.h"
#include "matrix/matrix.h"
#include "matrix/renumber.h"
#include "structure/block_size.h"
#include "structure/describe.h"

#include <math.h>
#include <stdlib.h>

/* Counts the distinct positions of entries after division of both numbers by `size`. */
static spl_status count_blocks(spl__account *account, int threads, const spl__coordinates *all,
                               int64_t size, int64_t *blocks)
{
    spl_convert_options sum = {.size = sizeof sum, .sum_duplicates = 1};
    spl__coordinates compact;
    spl_matrix *distinct;
    SPL__TRY(spl__compact_make(account, all, size, &compact));
    spl_status status = spl__convert(account, threads, &compact.view, &sum, &distinct);
    spl__coordinates_free(&compact);
    if (status == SPL_OK)
        *blocks = distinct->view.nnz;
    if (status == SPL_OK)
        spl_matrix_destroy(distinct);
    return status;
}

static spl_status describe_blocks(spl__account *account, int threads, const spl__coordinates *all,
                                  spl_description *d)
{
    bool in_order = d->duplicates == 0 && d->unsorted_rows == 0;
    d->block_size = d->holed_block_size = 1;
    d->block_fill = 1;
    for (int64_t size = 2; size <= SPL__BLOCK_MOST; size++) {
        int64_t blocks;
        if (!spl__describe_divides(d, size))
            continue;
        SPL__TRY(count_blocks(account, threads, all, size, &blocks));
        if (in_order && blocks * size * size == d->nnz)
            d->block_size = size;
        else
            spl__describe_fill(d, size, (double)blocks);
    }
    if (d->block_size > 1) {
        d->holed_block_size = d->block_size;
        d->block_fill = 1;
    }
    return SPL_OK;
}

static int64_t bandwidth_of(const spl__coordinates *all)
{
    int64_t width = -1;
    for (int64_t p = 0; p < all->view.nnz; p++)
        width = spl__max_i64(width, llabs(all->cols[p] - all->rows[p]));
    return width;
}

/* Corrects `d`, which describes the view without empty lines. */
static void add_empty_lines(const spl_sparse *view, spl_description *d)
{
    double squares =
        (d->row_deviation * d->row_deviation + d->mean_row * d->mean_row) * (double)d->rows;
    d->empty_rows += view->rows - d->rows;
    d->rows = view->rows;
    d->cols = view->cols;
    d->density = d->mean_row = d->row_deviation = 0;
    if (view->rows == 0)
        return;
    d->mean_row = (double)view->nnz / (double)view->rows;
    d->row_deviation = sqrt(fmax(0, squares / (double)view->rows - d->mean_row * d->mean_row));
    d->density = view->cols > 0 ? d->mean_row / (double)view->cols : 0;
}

static spl_status describe(spl__account *account, int threads, const spl_sparse *view,
                           const spl__coordinates *all, spl_description *d)
{
    spl__coordinates compact;
    SPL__TRY(spl__compact_make(account, all, 1, &compact));
    spl_status status = spl__describe(account, threads, &compact.view, d);
    spl__coordinates_free(&compact);
    SPL__TRY(status);
    add_empty_lines(view, d);
    d->bandwidth = bandwidth_of(all);
    return describe_blocks(account, threads, all, d);
}

/* Two copies of the coordinates, and what renumbering or the description of the compact view
 * takes. */
double spl__describe_far_bytes(const spl_sparse *view)
{
    spl_sparse compact = *view;
    double pairs = 2 * spl__counted_bytes((double)view->nnz, sizeof(int64_t));
    compact.format = SPL_COO;
    compact.offset_type = compact.index_type = SPL_I64;
    compact.offsets = compact.indices = NULL; /* view's have other widths */
    compact.rows = spl__min_i64(view->rows, 2 * view->nnz);
    compact.cols =
        view->rows == view->cols ? compact.rows : spl__min_i64(view->cols, view->nnz + 1);
    double renumbered = (double)view->nnz * (view->rows == view->cols ? 2 : 1);
    return 2 * pairs + fmax(spl__renumber_bytes(renumbered), spl__describe_bytes(&compact));
}

spl_status spl__describe_far(spl__account *account, int threads, const spl_sparse *view,
                             spl_description *d)
{
    spl__coordinates all;
    SPL__TRY(spl__coordinates_make(account, view, &all));
    spl_status status = describe(account, threads, view, &all, d);
    spl__coordinates_free(&all);
    return status;
}
