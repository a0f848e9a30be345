/* SPDX-License-Identifier: Apache-2.0 */
#include "problem/features.h"

#include "core/checked.h"
#include "core/threads/parallel.h"
#include "format/device_tiles.h"
#include "format/sliced_ell.h"
#include "structure/block_size.h"
#include "structure/device_blocks.h"
#include "structure/diagonal_fill.h"
#include "structure/row_neighbours.h"

#include <math.h>

enum { SURVEY_ROWS = 1 << 15, SURVEY_LANES = 8 };

/* Where padding of sliced ELL is worth a look: it takes as long as a product of some thousand
 * entries. */
enum { MANY_ENTRIES = 20000 };
static const double UNEVEN = .5; /* variation of row lengths: with less, 5 % are padding */

/* Branch-free, with independent sums in lanes, so that compilers vectorise it. */
static inline __attribute__((always_inline)) spl__row_survey
survey_as(spl_index type, const void *offsets, int64_t begin, int64_t end)
{
    double squares[SURVEY_LANES] = {0}, longest[SURVEY_LANES] = {0}, filled[SURVEY_LANES] = {0};
    spl__row_survey all = {0};
    for (int64_t i = begin; i < end; i += SURVEY_LANES) {
        int lanes = (int)spl__min_i64(SURVEY_LANES, end - i);
        for (int l = 0; l < lanes; l++) {
            double length = (double)(spl__index_at(offsets, type, i + l + 1) -
                                     spl__index_at(offsets, type, i + l));
            squares[l] += length * length;
            longest[l] = length > longest[l] ? length : longest[l];
            filled[l] += length < 1 ? 0.0 : 1.0;
        }
    }
    all.empty = (double)(end - begin);
    for (int l = 0; l < SURVEY_LANES; l++) {
        all.squares += squares[l];
        all.longest = fmax(all.longest, longest[l]);
        all.empty -= filled[l];
    }
    return all;
}

static spl__row_survey survey_some(const spl_sparse *a, int64_t begin, int64_t end)
{
    return a->offset_type == SPL_I32 ? survey_as(SPL_I32, a->offsets, begin, end)
                                     : survey_as(SPL_I64, a->offsets, begin, end);
}

/* Sums of integers do not depend on the order up to 2^53. Beyond that the difference does not
 * matter for predictions, but choices must not depend on the number of threads: so squares are
 * added in the order of rows. */
static spl__row_survey survey_rows(int threads, const spl_sparse *a)
{
    spl__row_survey all = {0};
    spl__turns turns = {0};
    int64_t step = SURVEY_ROWS;
#pragma omp parallel for num_threads(spl__team(a->rows > 4 * step ? threads : 1))                  \
    schedule(static, 1)
    for (int64_t i = 0; i < a->rows; i += step) {
        spl__row_survey some = survey_some(a, i, spl__min_i64(i + step, a->rows));
        spl__turn_await(&turns, i / step);
        all.squares += some.squares;
        all.longest = fmax(all.longest, some.longest);
        all.empty += some.empty;
        spl__turn_pass(&turns, i / step);
    }
    return all;
}

static void features_of_rows(int threads, const spl__operand *a, spl__features *f)
{
    spl__row_survey s = a->host.format ? survey_rows(threads, &a->host) : a->survey;
    double mean = a->csr.rows > 0 ? (double)a->csr.nnz / (double)a->csr.rows : 0;
    f->mean_row_a = mean;
    f->longest_row_a = s.longest;
    f->empty_rows_a = s.empty;
    f->variation_row_a =
        mean > 0 ? sqrt(fmax(0, s.squares / (double)a->csr.rows - mean * mean)) / mean : 0;
}

static double density(double nnz, double rows, double cols)
{
    return rows > 0 && cols > 0 ? nnz / rows / cols : 0;
}

void spl__features_of_operands(const spl__problem *problem, spl__features *f)
{
#define FEATURE(name, meaning) f->name = NAN;
#include "problem/features.def"
#undef FEATURE
    f->rows = (double)problem->rows;
    f->inner = (double)problem->inner;
    f->cols = (double)problem->cols;
    f->nnz_a = (double)problem->a.csr.nnz;
    f->density_a = density(f->nnz_a, f->rows, f->inner);
    features_of_rows(problem->threads, &problem->a, f);
    if (problem->traits->sparse) {
        f->nnz_b = (double)problem->b.csr.nnz;
        f->density_b = density(f->nnz_b, f->inner, f->cols);
        f->nnz_d = problem->has_d ? (double)problem->d.csr.nnz : 0;
    }
}

void spl__features_of_neighbours(const spl__problem *problem, spl__features *f)
{
    if (problem->queue.device)
        return;
    spl__row_neighbours sampled = spl__row_neighbours_of(&problem->a.csr);
    f->repeated_sampled = sampled.repeated;
    f->shifted_sampled = sampled.shifted;
    if (problem->kind != SPL__KIND_spmv)
        return;
    spl__diagonal_fill diagonals = spl__diagonal_fill_sampled(&problem->a.csr);
    f->diagonals_sampled = diagonals.share;
    f->diagonal_fill_sampled = diagonals.fill;
    f->sliced_fill_sampled = f->nnz_a > MANY_ENTRIES && f->variation_row_a > UNEVEN
                                 ? spl__sliced_ell_fill_sampled(&problem->a.csr)
                                 : 1;
}

spl_status spl__features_of_groups(spl__problem *problem, spl__features *f)
{
    spl__operand *a = &problem->a;
    const spl_sparse *csr = &a->csr;
    if (!problem->queue.device || a->look != SPL__LOOK_FOR_GROUPS)
        return SPL_OK;
    if (a->host.format)
        SPL__TRY(spl__device_looks(
            &problem->queue,
            &(spl__survey_task){.view = csr, .look = SPL__LOOK_FOR_GROUPS, .survey = &a->survey},
            1));
    f->repeated_sampled = a->survey.repeated;
    f->block_size = spl__device_block_size(&csr, &a->survey.block, 1, SPL__BLOCK_MOST);
    return SPL_OK;
}

/* Operands that were copied to the device have been surveyed on the host, except for the order
 * of columns. */
spl_status spl__features_of_order(spl__problem *problem)
{
    spl__operand *a = &problem->a;
    spl__row_survey found;
    if (!a->host.format)
        return SPL_OK;
    SPL__TRY(spl__device_survey(&problem->queue, &a->csr, &a->csr, a->name, SPL__LOOK_NO_FURTHER,
                                &found));
    a->survey.ascends = found.ascends;
    return SPL_OK;
}

spl_status spl__features_of_tiles(spl__problem *problem, spl__features *f)
{
    spl__operand *a = &problem->a;
    if (!problem->queue.device || problem->options.accuracy != SPL_ACCURACY_REDUCED)
        return SPL_OK;
    SPL__TRY(spl__features_of_order(problem));
    double fill[2] = {0, 0};
    spl_status status =
        a->survey.ascends ? spl__device_tiles_sample(&problem->queue, &a->csr, fill) : SPL_OK;
    f->tile_fill_sampled = fill[0];
    f->short_tile_fill_sampled = fill[1];
    return status;
}

void spl__feature_get(const spl__features *f, int number, spl_feature *feature)
{
    const struct {
        const char *name, *meaning;
        double value;
    } all[] = {
#define FEATURE(name, meaning) {#name, meaning, f->name},
#include "problem/features.def"
#undef FEATURE
    };
    feature->name = all[number].name;
    feature->meaning = all[number].meaning;
    feature->value = all[number].value;
}
