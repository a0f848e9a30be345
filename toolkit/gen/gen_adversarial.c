/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes that break load balance and assumptions: a dense row or column on a diagonal, an arrow,
 * only a diagonal, nothing. */
#include "gen_job.h"

enum { DIAGONAL = 1, FIRST_ROW = 2, FIRST_COLUMN = 4 };

typedef struct shape {
    int64_t rows, cols;
    unsigned parts;
} shape;

static int64_t count_row(const void *self, int64_t row)
{
    const shape *s = self;
    if (row == 0 && s->parts & FIRST_ROW)
        return s->cols;
    return !!(s->parts & DIAGONAL) + (row > 0 && s->parts & FIRST_COLUMN);
}

static void fill_row(const void *self, int64_t row, int32_t *columns)
{
    const shape *s = self;
    int64_t count = count_row(self, row);
    if (row == 0 && s->parts & FIRST_ROW) {
        for (int64_t i = 0; i < count; i++)
            columns[i] = (int32_t)i;
        return;
    }
    if (row > 0 && s->parts & FIRST_COLUMN)
        *columns++ = 0;
    if (s->parts & DIAGONAL)
        *columns = (int32_t)row;
}

static gen_status make(gen_job *job, unsigned parts, gen_matrix *matrix)
{
    shape s = {(int64_t)job->value[0], (int64_t)job->value[0], parts};
    gen_rows source = {s.rows, s.cols, &s, count_row, fill_row};
    return gen_build(job, &source, matrix);
}

gen_status gen_make_denserow(gen_job *job, gen_matrix *matrix)
{
    return make(job, DIAGONAL | FIRST_ROW, matrix);
}

gen_status gen_make_densecolumn(gen_job *job, gen_matrix *matrix)
{
    return make(job, DIAGONAL | FIRST_COLUMN, matrix);
}

gen_status gen_make_arrow(gen_job *job, gen_matrix *matrix)
{
    return make(job, DIAGONAL | FIRST_ROW | FIRST_COLUMN, matrix);
}

gen_status gen_make_diagonal(gen_job *job, gen_matrix *matrix)
{
    return make(job, DIAGONAL, matrix);
}

gen_status gen_make_empty(gen_job *job, gen_matrix *matrix)
{
    shape s = {(int64_t)job->value[0], (int64_t)job->value[1], 0};
    gen_rows source = {s.rows, s.cols, &s, count_row, fill_row};
    return gen_build(job, &source, matrix);
}
