/* SPDX-License-Identifier: Apache-2.0 */
/* csr_survey.k.h: checks a CSR structure on a device and measures its rows in one pass. See
 * csr_survey.h. */
#ifndef T
#ifndef SPL_STRUCTURE_CSR_SURVEY_K_H
#define SPL_STRUCTURE_CSR_SURVEY_K_H
#include "structure/device_identical_rows.k.h"

enum { CSR_SURVEY_THREADS = 256 };

/* The results of the kernels, initially zero. All are integers, so that they do not depend on
 * the order of additions. */
struct csr_survey {
    /* ~i of the first row i whose offsets decrease or exceed nnz (row 0 if there are no rows);
     * 0: none */
    uint64_t bad_row;
    uint64_t bad_entry; /* ~p of the first entry p whose column is out of range; 0: none */
    uint64_t squares;   /* sum of squares of row lengths, each counted as at most 2^28 */
    uint64_t longest, empty;
    /* entries whose column is not greater than the one before; those of them that begin a row
     * (all, if rows ascend) */
    uint64_t descents, at_starts;
    uint32_t block, unused; /* device_blocks.k.h */
    struct device_identical_sample identical;
};

/* offsets NULL: entries without rows. */
struct csr_survey_args {
    int64_t rows, cols, nnz;
    const void *offsets, *columns; /* P[rows+1], I[nnz] */
    struct csr_survey *survey;
};
#endif
#else

/* Partial results of a thread, a warp or a block. */
typedef struct FN(finds) {
    uint64_t squares, longest, empty, bad_row, bad_entry, descents, at_starts;
} FN(finds);

DEVICE void FN(join_finds)(FN(finds) *f, const FN(finds) *added)
{
    f->squares += added->squares;
    f->empty += added->empty;
    f->descents += added->descents;
    f->at_starts += added->at_starts;
    f->longest = added->longest > f->longest ? added->longest : f->longest;
    /* the maximum of ~row is the smallest row */
    f->bad_row = added->bad_row > f->bad_row ? added->bad_row : f->bad_row;
    f->bad_entry = added->bad_entry > f->bad_entry ? added->bad_entry : f->bad_entry;
}

DEVICE FN(finds) FN(finds_of_lane)(const FN(finds) *f, int x)
{
    FN(finds) other;
    other.squares = SHUFFLE_XOR(GROUP_MASK(LANES), f->squares, x);
    other.longest = SHUFFLE_XOR(GROUP_MASK(LANES), f->longest, x);
    other.empty = SHUFFLE_XOR(GROUP_MASK(LANES), f->empty, x);
    other.bad_row = SHUFFLE_XOR(GROUP_MASK(LANES), f->bad_row, x);
    other.bad_entry = SHUFFLE_XOR(GROUP_MASK(LANES), f->bad_entry, x);
    other.descents = SHUFFLE_XOR(GROUP_MASK(LANES), f->descents, x);
    other.at_starts = SHUFFLE_XOR(GROUP_MASK(LANES), f->at_starts, x);
    return other;
}

DEVICE void FN(note_finds)(const FN(finds) *f, struct csr_survey *survey)
{
    ATOMIC_ADD(&survey->squares, f->squares);
    ATOMIC_MAX(&survey->longest, f->longest);
    ATOMIC_ADD(&survey->descents, f->descents);
    ATOMIC_ADD(&survey->at_starts, f->at_starts);
    if (f->empty > 0)
        ATOMIC_ADD(&survey->empty, f->empty);
    if (f->bad_row > 0)
        ATOMIC_MAX(&survey->bad_row, f->bad_row);
    if (f->bad_entry > 0)
        ATOMIC_MAX(&survey->bad_entry, f->bad_entry);
}

/* Reduces over the block, then over the grid: only a few blocks contend for the result. */
DEVICE void FN(merge_finds)(FN(finds) f, FN(finds) *warps, struct csr_survey *survey)
{
    for (int x = LANES / 2; x > 0; x /= 2) {
        const FN(finds) other = FN(finds_of_lane)(&f, x);
        FN(join_finds)(&f, &other);
    }
    if (LANE == 0)
        warps[WARP] = f;
    SYNC();
    if (THREAD != 0)
        return;
    for (int w = 1; w < THREADS / LANES; w++)
        FN(join_finds)(&f, &warps[w]);
    FN(note_finds)(&f, survey);
}

DEVICE void FN(survey_rows)(int64_t rows, int64_t nnz, const P *RESTRICT offsets,
                            const I *RESTRICT columns, FN(finds) *f)
{
    if (rows == 0 && READ(&offsets[0]) != 0)
        f->bad_row = ~(uint64_t)0;
    for (int64_t i = BLOCK * THREADS + THREAD; i < rows; i += BLOCKS * THREADS) {
        const int64_t begin = READ(&offsets[i]), end = READ(&offsets[i + 1]);
        if (begin < 0 || end < begin || end > nnz || (i == 0 && begin != 0) ||
            (i == rows - 1 && end != nnz)) {
            f->bad_row = ~(uint64_t)i > f->bad_row ? ~(uint64_t)i : f->bad_row;
            continue;
        }
        const uint64_t length = (uint64_t)(end - begin),
                       counted = length < (1u << 28) ? length : 1u << 28;
        f->squares += counted * counted;
        f->longest = length > f->longest ? length : f->longest;
        f->empty += length == 0;
        f->at_starts +=
            length > 0 && begin > 0 && READ(&columns[begin]) <= READ(&columns[begin - 1]);
    }
}

DEVICE void FN(survey_columns)(int64_t cols, int64_t nnz, const I *RESTRICT columns, FN(finds) *f)
{
    for (int64_t p = BLOCK * THREADS + THREAD; p < nnz; p += BLOCKS * THREADS) {
        const int32_t column = READ(&columns[p]);
        const uint64_t complement = ~(uint64_t)p;
        if ((column < 0 || column >= cols) && complement > f->bad_entry)
            f->bad_entry = complement;
        f->descents += p > 0 && column <= READ(&columns[p - 1]);
    }
}

KERNEL(csr_survey, CSR_SURVEY_THREADS, args)
{
    SHARED(FN(finds), warps, CSR_SURVEY_THREADS / LANES);
    FN(finds) f = {0, 0, 0, 0, 0, 0, 0};
    if (args.offsets)
        FN(survey_rows)(args.rows, args.nnz, (const P *)args.offsets, (const I *)args.columns, &f);
    FN(survey_columns)(args.cols, args.nnz, (const I *)args.columns, &f);
    FN(merge_finds)(f, warps, args.survey);
}
#endif
