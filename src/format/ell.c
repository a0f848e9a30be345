/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
#include "format/ell.h"

#include "core/checked.h"
#include "core/combination.h"
#include "core/threads/team_seconds.h"

#define SELF "format/ell.c"
#include "core/each_type.h"

typedef void (*copy_fn)(spl__watch *watch, const spl__ell *ell, const spl_sparse *csr, int threads);
static const copy_fn copy_structure[SPL__COMBINATIONS] = SPL__TABLE(copy_structure);
static const copy_fn copy_values[SPL__COMBINATIONS] = SPL__TABLE(copy_values);

static int combination(const spl_sparse *s)
{
    return spl__combination(s->type, s->offset_type, s->index_type);
}

static int64_t longest_row(const spl_sparse *csr)
{
    int64_t longest = 0;
    for (int64_t i = 0, begin = 0; i < csr->rows; i++) {
        int64_t end = spl__index_at(csr->offsets, csr->offset_type, i + 1);
        longest = spl__max_i64(longest, end - begin);
        begin = end;
    }
    return longest;
}

spl_status spl__ell_make(spl__account *account, const spl_sparse *csr, int threads, spl__ell *ell)
{
    int64_t stored;
    *ell = (spl__ell){.shape = *csr, .width = longest_row(csr)};
    ell->shape.offsets = ell->shape.indices = ell->shape.values = NULL;
    if (!spl__mul_i64(csr->rows, ell->width, &stored))
        return spl__fail(SPL_OUT_OF_MEMORY,
                         "ELL of %s rows and width %s is more than can be addressed",
                         spl__thousands(csr->rows), spl__thousands(ell->width));
    spl_status status =
        spl__alloc(account, stored, spl__index_size(csr->index_type), &ell->indices);
    if (status == SPL_OK)
        status = spl__alloc(account, stored, spl__type_size(csr->type), &ell->values);
    if (status == SPL_OK)
        copy_structure[combination(csr)](spl__account_watch(account), ell, csr, threads);
    else
        spl__ell_free(ell);
    return status;
}

void spl__ell_fill(spl__watch *watch, spl__ell *ell, const spl_sparse *csr, int threads)
{
    copy_values[combination(csr)](watch, ell, csr, threads);
}

void spl__ell_free(spl__ell *ell)
{
    spl__free(ell->indices);
    spl__free(ell->values);
    *ell = (spl__ell){0};
}

#else

static void FN(copy_structure)(spl__watch *watch, const spl__ell *ell, const spl_sparse *csr,
                               int threads)
{
    const P *offsets = csr->offsets;
    const I *columns = csr->indices;
    const int64_t width = ell->width, positions = csr->rows * (1 + width);
#pragma omp parallel for num_threads(spl__team(spl__threads_for(positions, threads)))              \
    schedule(static)
    for (int64_t i = 0; i < csr->rows; i++) {
        if (!spl__watch_goes_on_at(watch, i))
            continue;
        I *line = (I *)ell->indices + i * width;
        int64_t length = offsets[i + 1] - offsets[i];
        for (int64_t k = 0; k < width; k++)
            line[k] = k < length ? columns[offsets[i] + k] : -1;
    }
}

static void FN(copy_values)(spl__watch *watch, const spl__ell *ell, const spl_sparse *csr,
                            int threads)
{
    const P *offsets = csr->offsets;
    const T *values = csr->values;
    const int64_t width = ell->width, positions = csr->rows * (1 + width);
#pragma omp parallel for num_threads(spl__team(spl__threads_for(positions, threads)))              \
    schedule(static)
    for (int64_t i = 0; i < csr->rows; i++) {
        if (!spl__watch_goes_on_at(watch, i))
            continue;
        T *line = (T *)ell->values + i * width;
        int64_t length = offsets[i + 1] - offsets[i];
        for (int64_t k = 0; k < width; k++)
            line[k] = k < length ? values[offsets[i] + k] : 0;
    }
}

#endif
