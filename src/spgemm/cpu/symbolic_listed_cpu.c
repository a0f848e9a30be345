/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spgemm/symbolic/cpu/listed: the exact structure of C = A*B + D, each row's columns listed as they
 * are met, then sorted.
 *
 * exact.h is the driver. A column is listed when a row meets it first, which its stamp, the number
 * of the row that met it last, tells without a branch. The lists of some rows are made before the
 * first of them is sorted: a register that is loaded soon after its parts were stored waits for all
 * of them. Rows with more products than registers sort keys are found as by the method hash.
 *
 * Where rows of B have one entry at most, as in plain aggregation, that entry is found without
 * offsets. The columns of few such rows are gathered, sorted and made distinct in a register.
 *
 * Cost: per product a load and two stores; per column of C its share of a sort of its row in
 * registers, and where stamps exceed the nearest cache a miss; long rows as by hash. Memory:
 * nnz(C) columns twice, and per thread a stamp of 4 bytes for each column of C; for long rows the
 * workspace of hash; where some rows of B are empty and others have one entry, 4 bytes a row.
 * Source: J. Gilbert, C. Moler, R. Schreiber, Sparse matrices in MATLAB, SIAM J. Matrix Anal. Appl.
 * 13(1), 1992 (the "SPA"). Differs: stamps, structure only, the sort. */
#include "core/variant.h"
#include "spgemm/cpu/exact.h"
#include "spgemm/cpu/rows/map_singles.h"
#include "spgemm/cpu/rows/sort_keys.h"

#include <math.h>

/* Rows that are listed before the first of them is sorted; the most products of each. */
enum { LISTED_ROWS = 16, LISTED_WORK = SPL__MOST_KEYS };

/* A thread's workspace; behind it the stamps of all columns, the columns of rows of B as
 * single_rows.h maps them, each an even number, then that of find_columns.h, whose table may be of
 * 8 bytes an entry. */
typedef struct listing {
    _Alignas(int64_t) uint32_t stamp; /* of the row before */
    uint32_t mapped;                  /* `only` of single_rows.h is written */
    uint32_t list[LISTED_ROWS * LISTED_WORK + SPL__KEY_LANES];
} listing;

static inline size_t even(int64_t count)
{
    return (size_t)count + (size_t)count % 2;
}

#define SELF "spgemm/cpu/symbolic_listed_cpu.c"
#include "core/each_type.h"

SPL__KERNELS(spgemm_symbolic_listed, spl__exact_fn, find_rows, SPL__V4)

#ifndef SPL__VARIANT

/* The widest instance that the processor has. */
static int64_t find(const spl__exact_view *view, void *workspace, int64_t begin, int64_t end,
                    int64_t *lengths, void *out)
{
    const int combination = spl__combination_of_structure(&view->problem->a.csr);
    return kernel(combination)(view, workspace, begin, end, lengths, out);
}

static const spl__exact_fn finders[SPL__COMBINATIONS] = {find, find, find, find, find, find};

static bool has_long_rows(const spl_plan *plan)
{
    return spl__product_of(plan)->longest_work > SPL__FEW_KEYS;
}

static size_t workspace(const spl_plan *plan)
{
    const spl__problem *p = &plan->problem;
    const size_t mapped =
        spl__singles(p, spl__product_of(plan)) == SPL__MAPPED_SINGLES ? even(p->b.csr.rows) : 0;
    return sizeof(listing) + (even(p->cols) + mapped) * sizeof(uint32_t) +
           (has_long_rows(plan) ? spl__finder_bytes(plan) : 0);
}

static const spl__exact_method parameters = {
    .find = finders, .workspace = workspace, .clear = true};

static const char *applicable(const spl__task *task)
{
    const spl__problem *p = &task->plan->problem;
    /* Rows may be found twice. */
    return p->rows > INT32_MAX || p->cols > UINT32_MAX ? "C has more rows than stamps, or columns "
                                                         "than keys, can number"
                                                       : NULL;
}

/* Of evenly spaced samples: rows and their work; those that a register holds, of one entry of B a
 * product; the work of rows that are listed, and of their sorts: columns times comparisons of
 * each. */
typedef struct share {
    double rows, all, held_rows, held, listed, sorts;
} share;

/* The most products of rows that are gathered into a register; none: -1. */
static double most_held(const spl_plan *plan)
{
    return spl__variant_of_cpu() >= SPL__V4 &&
                   spl__singles(&plan->problem, spl__product_of(plan)) != SPL__NO_SINGLES
               ? SPL__KEY_LANES
               : -1;
}

static share sampled_share(const spl_plan *plan)
{
    enum { LOOKS = 1024 };
    const spl__product *c = spl__product_of(plan);
    const double ratio = plan->features.compression_sampled, most = most_held(plan);
    const int64_t stride = plan->problem.rows / LOOKS + 1;
    share s = {0};
    for (int64_t i = 0; i < plan->problem.rows; i += stride) {
        const double work = (double)(c->work[i + 1] - c->work[i]), columns = work / ratio;
        const bool held = work <= most;
        s.rows++;
        s.all += work;
        s.held_rows += held;
        s.held += held ? work : 0;
        if (held || work > LISTED_WORK)
            continue;
        s.listed += work;
        s.sorts += columns * log2(columns + 1);
    }
    return s;
}

/* Seconds to visit rows of B: none where all are single, which are read by number, once where a
 * map is made. */
static double rows_of_b_seconds(const spl_plan *plan, double visits)
{
    const spl__single_rows singles = spl__singles(&plan->problem, spl__product_of(plan));
    return singles == SPL__NO_SINGLES ? visits * plan->machine->list_row_b
           : singles == SPL__SINGLES  ? 0
                                      : plan->features.inner * plan->machine->list_row_b;
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl_plan *plan = task->plan;
    const spl__machine *m = plan->machine;
    const spl__exact_work work = spl__exact_predict(plan);
    const share s = sampled_share(plan);
    const double listed = s.all > 0 ? s.listed / s.all : 1,
                 others = s.all > 0 ? 1 - listed - s.held / s.all : 0,
                 held_rows = s.rows > 0 ? s.held_rows / s.rows * work.rows : 0,
                 sorts = s.all > 0 ? s.sorts / s.all * work.products : 0,
                 held_sorts = held_rows * SPL__KEY_LANES * log2(SPL__KEY_LANES),
                 miss = spl__miss_seconds(m, plan->features.span_sampled * sizeof(uint32_t));
    const double serial = (work.rows - held_rows) * m->list_row +
                          rows_of_b_seconds(plan, listed * work.rows_b) +
                          listed * work.products * m->list_product + listed * work.columns * miss +
                          (sorts + held_sorts) * m->list_comparison +
                          spl__finding_seconds(m, 0, others * work.products, others * work.columns);
    spl__exact_estimate(task, serial, e);
}

const spl__method spl__spgemm_symbolic_cpu_listed = {
    .summary = "exact structure by lists of columns, which stamps keep distinct",
    .source = "J. Gilbert, C. Moler, R. Schreiber, SIMAX 1992",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .parameters = &parameters,
    .applicable = applicable,
    .estimate = estimate,
    .prepare = spl__exact_prepare,
    .execute = spl__exact_execute,
    .explain = spl__exact_explain,
};

#endif
#else

#include "spgemm/cpu/rows/find_columns.h"
#include "spgemm/cpu/rows/single_rows.h"

/* What lists columns. */
typedef struct FN(lister) {
    const spl__exact_view *view;
    listing *head;
    uint32_t *stamps;
    const uint32_t *only; /* the columns of B, whose rows have one entry at most; or NULL */
    void *finder;
    int64_t most; /* products of a row that is listed */
} FN(lister);

static inline FN(lister) FN(begin_list)(const spl__exact_view *view, void *workspace)
{
    const spl__problem *p = view->problem;
    listing *head = workspace;
    uint32_t *stamps = (uint32_t *)(head + 1), *map = stamps + even(p->cols);
    const spl__single_rows singles = spl__singles(p, view->product);
    const uint32_t *only = FN(only_columns)(&p->b.csr, singles, &head->mapped, map);
#ifdef __AVX512F__
    const int64_t most = SPL__MOST_KEYS;
#else
    const int64_t most = SPL__FEW_KEYS;
#endif
    return (FN(lister)){view, head, stamps, only, only == map ? map + even(p->b.csr.rows) : map,
                        most};
}

/* Adds columns that a row meets to its list; returns how many that has then. */
static inline int64_t FN(list_columns)(const I *restrict columns, int64_t count, uint32_t now,
                                       uint32_t *restrict stamps, uint32_t *restrict list,
                                       int64_t listed)
{
    for (int64_t k = 0; k < count; k++) {
        const I column = columns[k];
        const bool first = stamps[column] != now;
        stamps[column] = now;
        list[listed] = (uint32_t)column;
        listed += first;
    }
    return listed;
}

/* Lists row i; returns its length. */
static inline int64_t FN(list_row)(const FN(lister) *l, int64_t i, uint32_t *list)
{
    const spl__problem *p = l->view->problem;
    const P *a_offsets = p->a.csr.offsets, *b_offsets = p->b.csr.offsets;
    const I *a_columns = p->a.csr.indices, *b_columns = p->b.csr.indices;
    const uint32_t now = ++l->head->stamp;
    int64_t listed = 0;
    if (l->only)
        return FN(list_singles)(a_columns + a_offsets[i], a_offsets[i + 1] - a_offsets[i], l->only,
                                now, l->stamps, list);
    for (P q = a_offsets[i]; q < a_offsets[i + 1]; q++) {
        const P begin = b_offsets[a_columns[q]], end = b_offsets[a_columns[q] + 1];
        listed = FN(list_columns)(b_columns + begin, end - begin, now, l->stamps, list, listed);
    }
    if (p->has_d) {
        const P *d_offsets = p->d.csr.offsets;
        const I *d_columns = p->d.csr.indices;
        listed = FN(list_columns)(d_columns + d_offsets[i], d_offsets[i + 1] - d_offsets[i], now,
                                  l->stamps, list, listed);
    }
    return listed;
}

#ifdef __AVX512F__

/* At most 16 keys. */
static inline void FN(sort_short)(const uint32_t *list, int64_t count, I *out)
{
    spl__keys keys = spl__keys_load(list, count, 0);
    spl__keys_sort_block(&keys);
    FN(store_keys)(out, spl__first_lanes(count), keys);
}

#else

static inline void FN(sort_short)(const uint32_t *list, int64_t count, I *out)
{
    uint32_t keys[SPL__KEY_LANES];
    memcpy(keys, list, (size_t)count * sizeof *keys);
    spl__sort_list(keys, count);
    for (int64_t k = 0; k < count; k++)
        out[k] = (I)keys[k];
}

#endif

/* Sorts a list to where its row goes. */
static inline void FN(sort_listed)(const uint32_t *list, int64_t count, I *out)
{
    uint32_t keys[SPL__MOST_KEYS];
    if (count <= SPL__KEY_LANES) {
        FN(sort_short)(list, count, out);
        return;
    }
    memcpy(keys, list, (size_t)count * sizeof *keys);
    spl__sort_keys(keys, count);
    for (int64_t k = 0; k < count; k++)
        out[k] = (I)keys[k];
}

static inline bool FN(is_long)(const FN(lister) *l, int64_t i)
{
    const int64_t *work = l->view->product->work;
    return work[i + 1] - work[i] > l->most;
}

/* Notes the length of row i and of those after it that repeat it; returns the next row. */
static inline int64_t FN(note_length)(const FN(lister) *l, int64_t i, int64_t end, int64_t length,
                                      int64_t *lengths)
{
    const uint8_t *equals_previous = l->view->product->a_equals_previous;
    do {
        if (lengths)
            lengths[i] = length;
        i++;
    } while (i < end && equals_previous[i]);
    return i;
}

/* Finds rows from i on that a register holds; returns the next row. *out moves behind them. */
static inline int64_t FN(find_singles)(const FN(lister) *l, int64_t i, int64_t end,
                                       int64_t *lengths, I **out)
{
#ifdef SPL__SINGLES_IN_REGISTERS
    const P *offsets = l->view->problem->a.csr.offsets;
    const I *columns = l->view->problem->a.csr.indices;
    while (l->only && i < end && offsets[i + 1] - offsets[i] <= SPL__KEY_LANES) {
        const spl__keys keys =
            FN(gather_singles)(columns + offsets[i], offsets[i + 1] - offsets[i], l->only);
        const int64_t count = FN(store_distinct)(*out, keys);
        *out += count;
        i = FN(note_length)(l, i, end, count, lengths);
    }
#else
    (void)l, (void)end, (void)lengths, (void)out;
#endif
    return i;
}

/* Lists rows from i on to before a long one, as many as there is room for; returns the next row.
 * *out moves behind them. */
static inline int64_t FN(find_listed)(const FN(lister) *l, int64_t i, int64_t end, int64_t *lengths,
                                      I **out)
{
    int64_t count[LISTED_ROWS], taken = 0;
    uint32_t *list = l->head->list;
    for (; i < end && taken < LISTED_ROWS && !FN(is_long)(l, i); taken++) {
        count[taken] = FN(list_row)(l, i, list);
        list += count[taken];
        i = FN(note_length)(l, i, end, count[taken], lengths);
    }
    list = l->head->list;
    for (int64_t t = 0; t < taken; t++) {
        if (l->view->problem->options.unsorted)
            for (int64_t k = 0; k < count[t]; k++)
                (*out)[k] = (I)list[k];
        else
            FN(sort_listed)(list, count[t], *out);
        list += count[t];
        *out += count[t];
    }
    return i;
}

static int64_t FN(find_rows)(const spl__exact_view *view, void *workspace, int64_t begin,
                             int64_t end, int64_t *lengths, void *out)
{
    const FN(lister) l = FN(begin_list)(view, workspace);
    I *cursor = out;
    for (int64_t i = begin; i < end;) {
        i = FN(find_singles)(&l, i, end, lengths, &cursor);
        i = FN(find_listed)(&l, i, end, lengths, &cursor);
        if (i == end)
            break;
        if (!FN(is_long)(&l, i))
            continue;
        const int64_t length = FN(find_columns)(view->problem, view->product, l.finder, i, cursor);
        cursor += length;
        i = FN(note_length)(&l, i, end, length, lengths);
    }
    return cursor - (I *)out;
}

#endif
