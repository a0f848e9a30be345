/* SPDX-License-Identifier: Apache-2.0 */
/* Uniformly random entries, bands, and the hypersparse: nearly all rows empty. */
#include "gen_job.h"

#include <stdlib.h>

typedef struct scattered {
    int64_t rows, cols;
    int64_t mean;        /* random: entries per row */
    int64_t stride;      /* hypersparse: one entry in each so many rows */
    int64_t left, right; /* banded: columns left and right of the diagonal */
    uint64_t seed;
} scattered;

/* A row's length is binomial, 2*mean tosses of a coin, at most the number of columns. */
static int64_t random_count(const void *self, int64_t row)
{
    const scattered *s = self;
    gen_stream stream = {gen_hash(s->seed, (uint64_t)row, 5)};
    int64_t count = 0;
    for (int64_t tosses = 2 * s->mean; tosses > 0; tosses -= 64) {
        uint64_t bits = gen_next(&stream);
        bits >>= tosses < 64 ? 64 - tosses : 0;
        for (; bits; bits &= bits - 1)
            count++;
    }
    return count < s->cols ? count : s->cols;
}

/* `count` different columns by R. Floyd's method (J. Bentley, Programming Pearls: A Sample of
 * Brilliance, CACM 30(9), 1987), kept in order: what is drawn already is replaced by the largest
 * possible. */
static void random_fill(const void *self, int64_t row, int32_t *columns)
{
    const scattered *s = self;
    gen_stream stream = {gen_hash(s->seed, (uint64_t)row, 6)};
    int64_t count = random_count(self, row);
    for (int64_t i = 0; i < count; i++) {
        int64_t largest = s->cols - count + i;
        int32_t column = (int32_t)gen_below(&stream, largest + 1);
        int64_t position = i;
        while (position > 0 && columns[position - 1] > column)
            position--;
        if (position > 0 && columns[position - 1] == column) {
            columns[i] = (int32_t)largest;
            continue;
        }
        for (int64_t j = i; j > position; j--)
            columns[j] = columns[j - 1];
        columns[position] = column;
    }
}

gen_status gen_make_random(gen_job *job, gen_matrix *matrix)
{
    scattered s = {.rows = (int64_t)job->value[0],
                   .cols = (int64_t)job->value[1],
                   .mean = (int64_t)job->value[2]};
    if (job->value[2] > job->value[1])
        return gen_wrong(job, "rows of %.0f entries do not fit %.0f columns", job->value[2],
                         job->value[1]);
    s.seed = job->seed;
    gen_rows source = {s.rows, s.cols, &s, random_count, random_fill};
    return gen_build(job, &source, matrix);
}

static int64_t first_in_band(const scattered *s, int64_t row)
{
    return row > s->left ? row - s->left : 0;
}

static int64_t banded_count(const void *self, int64_t row)
{
    const scattered *s = self;
    int64_t last = row + s->right < s->rows ? row + s->right : s->rows - 1;
    return last - first_in_band(s, row) + 1;
}

static void banded_fill(const void *self, int64_t row, int32_t *columns)
{
    const scattered *s = self;
    int64_t count = banded_count(self, row), first = first_in_band(s, row);
    for (int64_t i = 0; i < count; i++)
        columns[i] = (int32_t)(first + i);
}

gen_status gen_make_banded(gen_job *job, gen_matrix *matrix)
{
    scattered s = {.rows = (int64_t)job->value[0],
                   .left = (int64_t)job->value[1],
                   .right = (int64_t)job->value[2]};
    gen_rows source = {s.rows, s.rows, &s, banded_count, banded_fill};
    return gen_build(job, &source, matrix);
}

static int64_t hypersparse_count(const void *self, int64_t row)
{
    const scattered *s = self;
    return row % s->stride == 0 && row / s->stride < s->mean;
}

static void hypersparse_fill(const void *self, int64_t row, int32_t *columns)
{
    const scattered *s = self;
    gen_stream stream = {gen_hash(s->seed, (uint64_t)row, 7)};
    if (hypersparse_count(self, row))
        columns[0] = (int32_t)gen_below(&stream, s->cols);
}

gen_status gen_make_hypersparse(gen_job *job, gen_matrix *matrix)
{
    scattered s = {.rows = (int64_t)job->value[0],
                   .cols = (int64_t)job->value[0],
                   .mean = (int64_t)job->value[1]};
    if (job->value[1] > job->value[0])
        return gen_wrong(job, "%.0f rows cannot have %.0f single entries", job->value[0],
                         job->value[1]);
    s.stride = s.mean ? s.rows / s.mean : 1;
    s.seed = job->seed;
    gen_rows source = {s.rows, s.cols, &s, hypersparse_count, hypersparse_fill};
    return gen_build(job, &source, matrix);
}
