/* SPDX-License-Identifier: Apache-2.0 */
/* csr_survey.k.h: one look at a CSR structure on a device: is it valid, and how long are its rows? See csr_survey.h. */
#ifndef T
#ifndef SPL_MATRIX_CSR_SURVEY_K_H
#define SPL_MATRIX_CSR_SURVEY_K_H
#include <stdint.h>

enum { CSR_SURVEY_THREADS = 256 };

/* What the kernels find, from zero. All integers, so that the result does not
 * depend on the order in which blocks add to it. */
struct csr_survey {
    uint64_t bad_row;   /* ~i of the first row i whose offsets decrease or pass nnz, row 0 without rows too; 0: none */
    uint64_t bad_entry; /* ~p of the first entry p whose column is out of range; 0: none */
    uint64_t squares;   /* sum of squares of row lengths, each counted as at most 2^28 */
    uint64_t longest, empty;
    uint32_t block, unused; /* device_blocks.k.h */
};

struct csr_survey_rows_args {
    int64_t rows, nnz;
    const void *offsets; /* P[rows+1] */
    struct csr_survey *survey;
};

struct csr_survey_columns_args {
    int64_t cols, nnz;
    const void *columns; /* I[nnz] */
    struct csr_survey *survey;
};
#endif
#else

/* What a thread, a warp or a block has found. */
typedef struct FN(finds) {
    uint64_t squares, longest, empty, bad;
} FN(finds);

DEVICE void FN(join_finds)(FN(finds) * f, uint64_t squares, uint64_t longest, uint64_t empty, uint64_t bad)
{
    f->squares += squares;
    f->empty += empty;
    f->longest = longest > f->longest ? longest : f->longest;
    f->bad = bad > f->bad ? bad : f->bad;
}

/* Adds up, or takes the largest, over the block, and then over the grid: few blocks come to the one place that all of them add to. */
DEVICE void FN(survey_merge)(FN(finds) f, FN(finds) * warps, struct csr_survey *survey)
{
    for (int x = LANES / 2; x > 0; x /= 2) {
        const uint64_t squares = SHUFFLE_XOR(GROUP_MASK(LANES), f.squares, x);
        const uint64_t longest = SHUFFLE_XOR(GROUP_MASK(LANES), f.longest, x);
        const uint64_t empty = SHUFFLE_XOR(GROUP_MASK(LANES), f.empty, x);
        FN(join_finds)(&f, squares, longest, empty, SHUFFLE_XOR(GROUP_MASK(LANES), f.bad, x));
    }
    if (LANE == 0)
        warps[WARP] = f;
    SYNC();
    if (THREAD != 0)
        return;
    for (int w = 1; w < THREADS / LANES; w++)
        FN(join_finds)(&f, warps[w].squares, warps[w].longest, warps[w].empty, warps[w].bad);
    ATOMIC_ADD(&survey->squares, f.squares);
    ATOMIC_MAX(&survey->longest, f.longest);
    if (f.empty > 0)
        ATOMIC_ADD(&survey->empty, f.empty);
    if (f.bad > 0)
        ATOMIC_MAX(&survey->bad_row, f.bad); /* the smallest row has the largest ~row */
}

DEVICE FN(finds) FN(survey_rows)(int64_t rows, int64_t nnz, const P *RESTRICT offsets)
{
    FN(finds) f = {0, 0, 0, 0};
    if (rows == 0 && READ(&offsets[0]) != 0)
        f.bad = ~(uint64_t)0;
    for (int64_t i = BLOCK * THREADS + THREAD; i < rows; i += BLOCKS * THREADS) {
        const int64_t begin = READ(&offsets[i]), end = READ(&offsets[i + 1]);
        if (begin < 0 || end < begin || end > nnz || (i == 0 && begin != 0) || (i == rows - 1 && end != nnz)) {
            FN(join_finds)(&f, 0, 0, 0, ~(uint64_t)i);
            continue;
        }
        const uint64_t length = (uint64_t)(end - begin), counted = length < (1u << 28) ? length : 1u << 28;
        FN(join_finds)(&f, counted * counted, length, length == 0, 0);
    }
    return f;
}

KERNEL(csr_survey_rows, CSR_SURVEY_THREADS, args)
{
    SHARED(FN(finds), warps, CSR_SURVEY_THREADS / LANES);
    FN(survey_merge)(FN(survey_rows)(args.rows, args.nnz, (const P *)args.offsets), warps, args.survey);
}

DEVICE void FN(survey_columns)(int64_t cols, int64_t nnz, const I *RESTRICT columns, struct csr_survey *survey)
{
    uint64_t bad = 0;
    for (int64_t p = BLOCK * THREADS + THREAD; p < nnz; p += BLOCKS * THREADS) {
        const uint64_t here = ~(uint64_t)p;
        if ((columns[p] < 0 || columns[p] >= cols) && here > bad)
            bad = here;
    }
    if (bad != 0)
        ATOMIC_MAX(&survey->bad_entry, bad);
}

KERNEL(csr_survey_columns, CSR_SURVEY_THREADS, args)
{
    FN(survey_columns)(args.cols, args.nnz, (const I *)args.columns, args.survey);
}
#endif
