/* SPDX-License-Identifier: Apache-2.0 */
/* Rows whose lengths follow a Pareto distribution, cut off at the longest. A column is, by lot:
 * near the diagonal, a row chosen by its length (who is long is referenced often), a hub (low
 * numbers of a random order are chosen often), or any. The lengths are the distribution's quantiles
 * dealt out at random, so that their sums do not depend on luck. */
#include "gen_job.h"

#include "typed_array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct power_law {
    int64_t rows;
    double near, by_length, hubs; /* shares of the columns */
    uint64_t seed;
    int64_t *starts; /* rows + 1: sums of the lengths */
} power_law;

enum { LEAST_REACH = 16, TRIES = 64 };

static int64_t length_of(const power_law *law, int64_t row)
{
    return law->starts[row + 1] - law->starts[row];
}

/* The row of the entry at a position among all entries. */
static int64_t row_at(const power_law *law, int64_t position)
{
    int64_t low = 0, high = law->rows;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (law->starts[middle] <= position)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static int64_t near_diagonal(const power_law *law, gen_stream *stream, int64_t row)
{
    int64_t reach = 2 * length_of(law, row) > LEAST_REACH ? 2 * length_of(law, row) : LEAST_REACH;
    int64_t column = row - reach + gen_below(stream, 2 * reach + 1);
    if (column < 0)
        column = -column;
    if (column >= law->rows)
        column = 2 * (law->rows - 1) - column;
    return column < 0 ? 0 : column;
}

static int64_t draw(const power_law *law, gen_stream *stream, int64_t row)
{
    double lot = gen_unit(stream);
    if (lot < law->near)
        return near_diagonal(law, stream, row);
    if (lot < law->near + law->by_length)
        return row_at(law, gen_below(stream, law->starts[law->rows]));
    if (lot >= law->near + law->by_length + law->hubs)
        return gen_below(stream, law->rows);
    double u = gen_unit(stream);
    int64_t rank = (int64_t)((double)law->rows * u * u * u);
    return gen_permuted(law->seed + 1, law->rows, rank);
}

static int64_t count_row(const void *self, int64_t row)
{
    return length_of(self, row);
}

/* Sorts and removes duplicates; returns the new count. */
static int64_t merge(int32_t *columns, int64_t count)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < count; i++)
        if (i == 0 || columns[i] != columns[i - 1])
            columns[kept++] = columns[i];
    return kept;
}

static int by_value(const void *left, const void *right)
{
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

static int64_t sort_and_merge(int32_t *columns, int64_t count)
{
    if (count <= 48)
        gen_sort(columns, count, NULL);
    else
        qsort(columns, (size_t)count, sizeof *columns, by_value);
    return merge(columns, count);
}

/* Draws until the row is full; rows so dense that this does not end get the first columns that are
 * missing. */
static void fill_row(const void *self, int64_t row, int32_t *columns)
{
    const power_law *law = self;
    gen_stream stream = {gen_hash(law->seed, (uint64_t)row, 3)};
    int64_t length = length_of(law, row), filled = 0;
    for (int i = 0; i < TRIES && filled < length; i++) {
        while (filled < length)
            columns[filled++] = (int32_t)draw(law, &stream, row);
        filled = sort_and_merge(columns, length);
    }
    for (int32_t column = 0; filled < length; column++)
        if (!bsearch(&column, columns, (size_t)filled, sizeof column, by_value)) {
            columns[filled++] = column;
            qsort(columns, (size_t)filled, sizeof column, by_value);
        }
}

/* Rounded up: no row is empty, none longer than the longest. */
static int64_t cut(double length, int64_t longest)
{
    return length <= (double)(longest - 1) ? (int64_t)length + 1 : longest;
}

static int64_t sum_of(const double *shape, int64_t rows, double scale, int64_t longest)
{
    int64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int64_t i = 0; i < rows; i++)
        sum += cut(scale * shape[i], longest);
    return sum;
}

/* The scale at which the lengths add up to about `nnz`. */
static double fit_scale(const double *shape, int64_t rows, int64_t nnz, int64_t longest)
{
    double low = 0, high = (double)longest;
    for (int step = 0; step < 50; step++) {
        double middle = (low + high) / 2;
        if (sum_of(shape, rows, middle, longest) < nnz)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static int deal_lengths(power_law *law, int64_t nnz, double exponent, int64_t longest)
{
    double *shape = tool_array(law->rows, sizeof *shape);
    law->starts = tool_array(law->rows + 1, sizeof *law->starts);
    if (shape && law->starts) {
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < law->rows; i++) {
            double position = (double)gen_permuted(law->seed, law->rows, i);
            shape[i] = gen_power((position + 0.5) / (double)law->rows, -1 / exponent);
        }
        double scale = fit_scale(shape, law->rows, nnz, longest);
        for (int64_t i = 0; i < law->rows; i++)
            law->starts[i + 1] = cut(scale * shape[i], longest);
        gen_sum_counts(law->starts, law->rows);
    }
    free(shape);
    return shape && law->starts;
}

gen_status gen_make_powerlaw(gen_job *job, gen_matrix *matrix)
{
    const double *value = job->value;
    power_law law = {
        .rows = (int64_t)value[0], .near = value[4], .by_length = value[5], .hubs = value[6]};
    law.seed = job->seed;
    double nnz = value[1], longest = value[3];
    if (longest > value[0])
        return gen_wrong(job, "a row of %.0f entries does not fit %.0f columns", longest, value[0]);
    if (nnz < value[0] || nnz > value[0] * longest)
        return gen_wrong(job, "%.0f rows of 1 to %.0f entries cannot have %.0f entries", value[0],
                         longest, nnz);
    if (law.near + law.by_length + law.hubs > 1 + 1e-12)
        return gen_wrong(job, "the shares of the columns add up to more than 1");
    gen_status status = GEN_OK;
    if (!deal_lengths(&law, (int64_t)nnz, value[2], (int64_t)longest))
        status = gen_no_memory(job, (double)law.rows * 16);
    gen_rows source = {law.rows, law.rows, &law, count_row, fill_row};
    if (!status)
        status = gen_build(job, &source, matrix);
    free(law.starts);
    return status;
}
