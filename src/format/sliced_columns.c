/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
#include "format/sliced_columns.h"

#include "core/combination.h"
#include "core/threads/team_seconds.h"

#include <stdbool.h>
#include <string.h>

#define SELF "format/sliced_columns.c"
#include "core/each_type.h"

/* Writes the codes of all lines, and the bytes of each slice's listing to code_offsets[slice +
 * 1]. */
typedef void (*code_fn)(spl__watch *watch, const spl__sliced_ell *s, bool narrow,
                        spl__sliced_columns *c, int threads);
typedef void (*list_fn)(spl__watch *watch, const spl__sliced_ell *s, spl__sliced_columns *c,
                        int threads);
static const code_fn code_lines[SPL__COMBINATIONS] = SPL__TABLE(code_lines);
static const list_fn list_lines[SPL__COMBINATIONS] = SPL__TABLE(list_lines);

static spl_status make(spl__account *account, const spl__sliced_ell *s, bool narrow, int threads,
                       spl__sliced_columns *c)
{
    int combination = spl__combination(s->shape.type, s->shape.offset_type, s->shape.index_type);
    spl__watch *watch = spl__account_watch(account);
    c->lines = s->begin[s->slices] / s->lanes;
    SPL__TRY(spl__alloc(account, c->lines, spl__index_size(s->shape.index_type), &c->codes));
    SPL__TRY(SPL__NEW(account, &c->code_offsets, s->slices + 1));
    SPL__TRY(SPL__NEW(account, &c->kinds, s->slices));
    code_lines[combination](watch, s, narrow, c, threads);
    SPL__TRY(spl__watch_check(watch));
    c->code_offsets[0] = 0;
    for (int64_t k = 0; k < s->slices; k++)
        c->code_offsets[k + 1] += c->code_offsets[k];
    SPL__TRY(SPL__NEW(account, &c->listed, c->code_offsets[s->slices]));
    list_lines[combination](watch, s, c, threads);
    return spl__watch_check(watch);
}

spl_status spl__sliced_columns_make(spl__account *account, const spl__sliced_ell *sliced,
                                    bool narrow, int threads, spl__sliced_columns *columns)
{
    *columns = (spl__sliced_columns){0};
    spl_status status = make(account, sliced, narrow, threads, columns);
    if (status != SPL_OK)
        spl__sliced_columns_free(columns);
    return status;
}

void spl__sliced_columns_free(spl__sliced_columns *columns)
{
    spl__free(columns->codes);
    spl__free(columns->code_offsets);
    spl__free(columns->kinds);
    spl__free(columns->listed);
    *columns = (spl__sliced_columns){0};
}

#else

/* The code of a line without padding. */
static I FN(code)(const I *rows, const I *columns, bool narrow, int lanes)
{
    bool diagonal = true, near = narrow;
    for (int r = 0; r < lanes; r++) {
        I distance = columns[r] - rows[r];
        diagonal = diagonal && distance == columns[0] - rows[0];
        near = near && distance >= INT16_MIN && distance <= INT16_MAX;
    }
    if (diagonal)
        return columns[0] - rows[0];
    return near ? SPL__LINE_NEAR : SPL__LINE_FAR;
}

/* Lanes of a line that have an entry: lanes descend in length. */
static I FN(count)(const I *columns, int lanes)
{
    int count = 0;
    while (count < lanes && columns[count] >= 0)
        count++;
    return (I)count;
}

/* Bytes of a line in the listing of its slice. */
static int64_t FN(listed_bytes)(I code, bool full, int lanes)
{
    if (full && code > SPL__LINE_FAR)
        return 0;
    return (full && code == SPL__LINE_NEAR ? (int64_t)sizeof(int16_t) : (int64_t)sizeof(I)) * lanes;
}

/* The codes of a slice on diagonals, which lists nothing. */
static void FN(code_diagonals)(const spl__sliced_ell *s, int64_t k, I *codes)
{
    const I *rows = (const I *)s->rows + k * s->lanes;
    for (int64_t line = s->begin[k] / s->lanes; line < s->begin[k + 1] / s->lanes; line++) {
        const int r = __builtin_ctz(s->masks[line]);
        codes[line] = ((const I *)s->indices)[line * s->lanes + r] - rows[r];
    }
}

/* The kind of a slice without holes. */
static spl__slice_kind FN(kind)(const spl__sliced_ell *s, int64_t k, const I *codes)
{
    const I *rows = (const I *)s->rows + k * s->lanes;
    const int64_t first = s->begin[k] / s->lanes, lines = s->begin[k + 1] / s->lanes - first;
    int64_t far = 0, diagonals = 0;
    for (int64_t line = first; line < first + s->full[k]; line++) {
        far += codes[line] == SPL__LINE_FAR;
        diagonals += codes[line] > SPL__LINE_FAR;
    }
    if (diagonals == lines && rows[s->lanes - 1] - rows[0] == s->lanes - 1)
        return SPL__SLICE_WHOLE;
    return far == s->full[k] ? SPL__SLICE_FAR : SPL__SLICE_MIXED;
}

static void FN(code_lines)(spl__watch *watch, const spl__sliced_ell *s, bool narrow,
                           spl__sliced_columns *c, int threads)
{
    const int lanes = s->lanes;
    I *codes = c->codes;
#pragma omp parallel for num_threads(spl__team(spl__threads_for(s->begin[s->slices], threads)))    \
    schedule(static)
    for (int64_t k = 0; k < s->slices; k++) {
        if (!spl__watch_goes_on_at(watch, k))
            continue;
        const I *rows = (const I *)s->rows + k * lanes;
        int64_t bytes = 0;
        c->code_offsets[k + 1] = 0;
        if (s->full[k] == SPL__ON_DIAGONALS) {
            FN(code_diagonals)(s, k, codes);
            c->kinds[k] = SPL__SLICE_HOLED;
            continue;
        }
        for (int64_t q = s->begin[k], line = 0; q < s->begin[k + 1]; q += lanes, line++) {
            const I *columns = (const I *)s->indices + q;
            bool full = line < s->full[k];
            codes[q / lanes] =
                full ? FN(code)(rows, columns, narrow, lanes) : FN(count)(columns, lanes);
            bytes += FN(listed_bytes)(codes[q / lanes], full, lanes);
        }
        c->code_offsets[k + 1] = bytes;
        c->kinds[k] = (unsigned char)FN(kind)(s, k, codes);
    }
}

static void FN(list_line)(const I *rows, const I *columns, bool near, int lanes,
                          unsigned char *listed)
{
    for (int r = 0; near && r < lanes; r++)
        memcpy(listed + r * sizeof(int16_t), &(int16_t){(int16_t)(columns[r] - rows[r])},
               sizeof(int16_t));
    if (!near)
        memcpy(listed, columns, (size_t)lanes * sizeof *columns);
}

static void FN(list_lines)(spl__watch *watch, const spl__sliced_ell *s, spl__sliced_columns *c,
                           int threads)
{
    const int lanes = s->lanes;
    const I *codes = c->codes;
#pragma omp parallel for num_threads(spl__team(spl__threads_for(s->begin[s->slices], threads)))    \
    schedule(static)
    for (int64_t k = 0; k < s->slices; k++) {
        if (!spl__watch_goes_on_at(watch, k) || s->full[k] == SPL__ON_DIAGONALS)
            continue;
        const I *rows = (const I *)s->rows + k * lanes;
        int64_t code_offset = c->code_offsets[k];
        for (int64_t q = s->begin[k], line = 0; q < s->begin[k + 1]; q += lanes, line++) {
            I code = codes[q / lanes];
            bool full = line < s->full[k], near = full && code == SPL__LINE_NEAR;
            int64_t bytes = FN(listed_bytes)(code, full, lanes);
            if (bytes > 0)
                FN(list_line)(rows, (const I *)s->indices + q, near, lanes,
                              c->listed + code_offset);
            code_offset += bytes;
        }
    }
}

#endif
