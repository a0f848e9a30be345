/* SPDX-License-Identifier: Apache-2.0 */
/* csr_survey.k.h: checks a CSR structure on a device, measures its rows, and searches it for node
 * blocks and identical rows, all in one launch, since none fills the device. See csr_survey.h. */
#ifndef T
#ifndef SPL_STRUCTURE_CSR_SURVEY_K_H
#define SPL_STRUCTURE_CSR_SURVEY_K_H
#include "device/tell.h"
#include "structure/device_blocks.k.h"
#include "structure/device_identical_rows.k.h"

/* A thread reads RUN columns at once; so many BLOCKS fit a multiprocessor. */
enum { CSR_SURVEY_THREADS = 256, CSR_SURVEY_BLOCKS = 8, CSR_SURVEY_RUN = 4 };

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
    /* of the first task: device_blocks_look.h; spl__tell */
    uint32_t block;
    int32_t arrived;
    struct device_identical_sample identical;
};

/* offsets NULL: entries without rows. Thread blocks: the first `looking` search for node blocks,
 * whose sizes divide `multiple`, and note their sizes in `block`, which tasks share;
 * `surveying` check and measure; then each samples one of `stretches` stretches of rows for
 * identical ones. Any of these may be 0. */
struct csr_survey_task {
    int64_t rows, cols, nnz;
    const void *offsets, *columns; /* P[rows+1], I[nnz] */
    struct csr_survey *survey;
    uint32_t *block;
    int64_t looking, surveying, stretches;
    uint32_t multiple;
};

/* Tasks, whose thread blocks follow each other: several matrices, and both arrays of COO. */
enum { CSR_SURVEY_MOST = 6 };
struct csr_survey_args {
    int64_t count;
    struct csr_survey_task task[CSR_SURVEY_MOST];
    spl__tell tell;
};
#endif
#else

#include "device/tell_host.h"
#include "structure/columns_repeat.h"
#include "structure/device_blocks_look.h"

/* Partial results of a thread, a warp or a block, which has less than 2^32 entries and rows. */
typedef struct FN(finds) {
    uint64_t squares, longest, bad_row, bad_entry;
    uint32_t empty, descents, at_starts;
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

/* bad: whether a lane of the warp found a fault; else faults need not be exchanged. */
DEVICE FN(finds) FN(finds_of_lane)(const FN(finds) *f, int x, bool bad)
{
    FN(finds) other;
    other.squares = SHUFFLE_XOR(GROUP_MASK(LANES), f->squares, x);
    other.longest = SHUFFLE_XOR(GROUP_MASK(LANES), f->longest, x);
    other.empty = SHUFFLE_XOR(GROUP_MASK(LANES), f->empty, x);
    other.descents = SHUFFLE_XOR(GROUP_MASK(LANES), f->descents, x);
    other.at_starts = SHUFFLE_XOR(GROUP_MASK(LANES), f->at_starts, x);
    other.bad_row = bad ? SHUFFLE_XOR(GROUP_MASK(LANES), f->bad_row, x) : 0;
    other.bad_entry = bad ? SHUFFLE_XOR(GROUP_MASK(LANES), f->bad_entry, x) : 0;
    return other;
}

DEVICE void FN(note_finds)(const FN(finds) *f, struct csr_survey *survey)
{
    ATOMIC_ADD(&survey->squares, f->squares);
    ATOMIC_MAX(&survey->longest, f->longest);
    ATOMIC_ADD(&survey->descents, (uint64_t)f->descents);
    ATOMIC_ADD(&survey->at_starts, (uint64_t)f->at_starts);
    if (f->empty > 0)
        ATOMIC_ADD(&survey->empty, (uint64_t)f->empty);
    if (f->bad_row > 0)
        ATOMIC_MAX(&survey->bad_row, f->bad_row);
    if (f->bad_entry > 0)
        ATOMIC_MAX(&survey->bad_entry, f->bad_entry);
}

/* Reduces over the block, then over the grid: only a few blocks contend for the result. */
DEVICE void FN(merge_finds)(FN(finds) f, FN(finds) *warps, struct csr_survey *survey)
{
    const bool bad = BALLOT(GROUP_MASK(LANES), (f.bad_row | f.bad_entry) != 0) != 0;
    for (int x = LANES / 2; x > 0; x /= 2) {
        const FN(finds) other = FN(finds_of_lane)(&f, x, bad);
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

DEVICE void FN(survey_rows)(const struct csr_survey_task *args, int64_t first, int64_t step,
                            FN(finds) *f)
{
    const int64_t rows = args->rows, nnz = args->nnz;
    const P *RESTRICT offsets = (const P *)args->offsets;
    const I *RESTRICT columns = (const I *)args->columns;
    if (rows == 0 && READ(&offsets[0]) != 0)
        f->bad_row = ~(uint64_t)0;
    for (int64_t i = first; i < rows; i += step) {
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

/* Entry p, with the column of the entry before, or -1. */
DEVICE void FN(survey_entry)(int64_t p, int32_t column, int32_t before, uint32_t bound,
                             FN(finds) *f)
{
    if ((uint32_t)column >= bound && ~(uint64_t)p > f->bad_entry)
        f->bad_entry = ~(uint64_t)p;
    f->descents += column <= before;
}

DEVICE void FN(survey_columns)(const struct csr_survey_task *args, int64_t first, int64_t step,
                               FN(finds) *f)
{
    enum { FN(RUN) = CSR_SURVEY_RUN };
    const I *RESTRICT columns = (const I *)args->columns;
    const uint32_t none = (uint32_t)1 << 31;
    const uint32_t bound = args->cols < (int64_t)none ? (uint32_t)args->cols : none;
    const bool aligned = (uintptr_t)columns % (FN(RUN) * sizeof(I)) == 0;
    for (int64_t p = first * FN(RUN); p < args->nnz; p += step * FN(RUN)) {
        const int64_t count = args->nnz - p < FN(RUN) ? args->nnz - p : FN(RUN);
        int32_t before = p > 0 ? READ(&columns[p - 1]) : -1, run[FN(RUN)];
        if (aligned && count == FN(RUN))
            READ_RUN(run, columns + p, FN(RUN));
        else
            UNROLL for (int k = 0; k < FN(RUN); k++) run[k] =
                READ(&columns[p + (k < count ? k : 0)]);
        UNROLL for (int k = 0; k < FN(RUN); k++) if (k < count)
        {
            FN(survey_entry)(p + k, run[k], before, bound, f);
            before = run[k];
        }
    }
}

/* A block samples DEVICE_LIKE_ROWS rows from row rows / stretches * stretch on. */
DEVICE void FN(sample_identical)(const struct csr_survey_task *args, int64_t stretch)
{
    const P *offsets = (const P *)args->offsets;
    const I *columns = (const I *)args->columns;
    struct device_identical_sample *counts_of_all = &args->survey->identical;
    const int in_stretch = THREAD / DEVICE_GROUPS_LANES;
    const int64_t row = args->rows / args->stretches * stretch + in_stretch;
    const bool counts = in_stretch > 0 && row < args->rows;
    int64_t begin = 0, length = 0, previous_length = 0;
    if (counts) {
        begin = READ(&offsets[row]);
        length = READ(&offsets[row + 1]) - begin;
        previous_length = begin - READ(&offsets[row - 1]);
    }
    const bool sound = counts && length >= 0 && previous_length >= 0 && begin >= previous_length &&
                       begin <= args->nnz - length;
    const bool equal =
        FN(columns_repeat)(sound && length == previous_length && length <= DEVICE_ROW_LIKE_MOST,
                           begin, sound ? length : 0, columns);
    uint64_t sampled = sound && LANE % DEVICE_GROUPS_LANES == 0 ? (uint64_t)length : 0,
             repeated = equal ? sampled : 0;
    for (int x = LANES / 2; x >= DEVICE_GROUPS_LANES; x /= 2) {
        sampled += SHUFFLE_XOR(GROUP_MASK(LANES), sampled, x);
        repeated += SHUFFLE_XOR(GROUP_MASK(LANES), repeated, x);
    }
    if (LANE == 0 && sampled > 0) {
        ATOMIC_ADD(&counts_of_all->sampled, sampled);
        ATOMIC_ADD(&counts_of_all->repeated, repeated);
    }
}

DEVICE int64_t FN(blocks_of)(const struct csr_survey_task *task)
{
    return task->looking + task->surveying + task->stretches;
}

/* Checks and measures: part `part` of task->surveying. */
DEVICE void FN(survey_part)(const struct csr_survey_task *task, int64_t part, FN(finds) *warps)
{
    FN(finds) f = {0, 0, 0, 0, 0, 0, 0};
    const int64_t first = part * THREADS + THREAD, step = task->surveying * THREADS;
    if (task->offsets)
        FN(survey_rows)(task, first, step, &f);
    FN(survey_columns)(task, first, step, &f);
    FN(merge_finds)(f, warps, task->survey);
}

KERNEL_RESIDENT(csr_survey, CSR_SURVEY_THREADS, CSR_SURVEY_BLOCKS, args)
{
    SHARED(FN(finds), warps, CSR_SURVEY_THREADS / LANES);
    SHARED(uint32_t, of_block, 1);
    SHARED(int32_t, last, 1);
    const struct csr_survey_task *task = args.task;
    int64_t block = BLOCK;
    for (; block >= FN(blocks_of)(task); task++)
        block -= FN(blocks_of)(task);
    const int64_t part = block - task->looking;
    if (block < task->looking)
        FN(look_for_blocks)(task, block, task->looking, of_block);
    else if (part < task->surveying)
        FN(survey_part)(task, part, warps);
    else
        FN(sample_identical)(task, part - task->surveying);
    spl__tell_host(&args.tell, last);
}
#endif
