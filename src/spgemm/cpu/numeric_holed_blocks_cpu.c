/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spgemm/numeric/cpu/holed_blocks: values of C = alpha*A*B + beta*D where matrices consist of holed
 * blocks: the unknowns of mesh nodes where assembly stores no zeros, so that rows differ.
 *
 * A and B are copied into blocks of one size (format/bsr.h) with zeros in the holes. The rows of C
 * of a node are computed at once, in a tile of all blocks in which one of them has an entry: a row
 * of a block is an element of it, with one lane per column. A block of A times a block of B is a
 * loop nest of constant length. Masks tell which slots of the tile are entries of C; only those are
 * copied. All other slots are sums of products with the zero of a hole.
 *
 * A hole must not be multiplied by Inf or NaN. If alpha*A or B has such a number, rows are computed
 * entry by entry from the operands themselves.
 *
 * Cost: size^3 products per pair of blocks, holes included; per row of an operand's block a copy
 * when values are new; per slot of C's blocks a load and a store. Memory: A and B in blocks, values
 * for entries and holes, a column and a mask per block of C; per thread cols/size indices and a
 * tile. Source: E. Im, K. Yelick, R. Vuduc, Sparsity: optimization framework for sparse matrix
 * kernels, Int. J. HPC Applications 18(1), 2004 (register blocks filled
 *         with explicit zeros, chosen by their fill).
 * Differs: sparse times sparse; C is as sparse as entry by entry. */
#include "core/checked.h"
#include "core/variant.h"
#include "matrix/view.h"
#include "spgemm/cpu/holed_operands.h"

#include <math.h>
#include <omp.h>
#include <string.h>

enum { PIECE = 16384 }; /* values that one thread scans */

/* The state of the method: the plan's blocks, with values. */
typedef struct holed {
    spl__bsr a, b;
    spl__bsr c;       /* structure only */
    bool square;      /* b has the structure of a */
    void *right;      /* b's values; a's if they are the same */
    double largest_a; /* largest magnitude of A's values; INFINITY if one is not finite */
    bool finite_b;
    bool exactly;      /* this execution is entry by entry */
    size_t tile_bytes; /* the part of a workspace before the positions of blocks */
} holed;

#define SELF "spgemm/cpu/numeric_holed_blocks_cpu.c"
#include "core/each_type.h"

typedef spl_status (*compute_fn)(spl__step *step, const spl__call *call);
SPL__KERNELS(spgemm_holed_blocks, compute_fn, compute, SPL__V4)

#ifndef SPL__VARIANT

typedef double (*largest_fn)(const spl_sparse *csr, int threads);
static const largest_fn largest[SPL__COMBINATIONS] = SPL__TABLE(largest);

static const char *applicable(const spl__task *task)
{
    const spl__product *c = spl__product_of(task->plan);
    if (!(task->plan->features.holed_block_size > 1))
        return "A and B are not made of blocks with few holes, or their columns do not ascend";
    if (!c->known)
        return "the columns of C are not known before the first execution";
    return spl__needs_sorted(task);
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl_plan *plan = task->plan;
    const spl__problem *p = &plan->problem;
    const spl__machine *m = plan->machine;
    const spl__features *f = &plan->features;
    bool same =
        spl__view_same_structure(&p->a.csr, &p->b.csr) && p->a.csr.values == p->b.csr.values;
    double threads = spl__assumed_threads(p), size = f->holed_block_size, area = size * size;
    double pairs = task->rows.products / (f->block_fill_a * f->block_fill_b * area * size);
    e->seconds =
        pairs * (m->holed_pair + area * m->holed_product) + task->rows.nnz_c * m->holed_column;
    const double share =
        spl__largest_share(plan, task->rows.products, task->rows.longest_products * size);
    e->seconds *= share;
    e->seconds += (double)task->rows.count / size * m->blocks_row / threads;
    spl__count_loops(1, share, e);
    e->update = spl__short_loops(plan, 2, (f->nnz_a + (same ? 0 : f->nnz_b)) * m->holed_value);
    e->setup = spl__short_loops(plan, 2, spl__holed_seconds(plan)) + e->update;
    double index = (double)spl__index_size(p->a.csr.index_type),
           value = (double)spl__type_size(p->a.csr.type);
    double slots = f->nnz_a / f->block_fill_a + f->nnz_b / f->block_fill_b;
    e->bytes = slots * value + (slots + f->nnz_c) / area * (index + 8);
    spl__estimate_scratch(f->cols / size * index +
                              f->longest_row_c * (double)spl__ceil_pow2((int64_t)size) * value,
                          INFINITY, e);
}

/* ---- structure ---- */

static size_t whole_lines(int64_t count, size_t size)
{
    return ((size_t)count * size + SPL__LINE - 1) / SPL__LINE * SPL__LINE;
}

/* The most blocks of a node of C. */
static int64_t most_blocks(const spl__bsr *c)
{
    const int64_t *offsets = c->offsets;
    int64_t most = 0;
    for (int64_t r = 0; r < c->block_rows; r++)
        most = spl__max_i64(most, offsets[r + 1] - offsets[r]);
    return most;
}

typedef struct nodes {
    const int64_t *list;
    int64_t size;
} nodes;

/* Whether row k of the list belongs to the node of row k - 1. */
static bool same_node(const void *context, int64_t k)
{
    const nodes *n = context;
    return n->list ? n->list[k] / n->size == n->list[k - 1] / n->size : k % n->size != 0;
}

/* The plan may later get different values for A and B. */
static spl_status make_blocks(spl_plan *plan, holed *m)
{
    const spl__problem *p = &plan->problem;
    spl__holed *structures;
    SPL__TRY(spl__holed_take(plan, &structures));
    m->a = structures->a;
    m->b = structures->b;
    m->c = structures->c;
    m->square = structures->square;
    SPL__TRY(spl__bsr_make_values(&plan->account, &m->a));
    if (m->square && p->once && p->b.csr.values == p->a.csr.values)
        return SPL_OK;
    return spl__bsr_make_values(&plan->account, &m->b);
}

static spl_status make_workspaces(spl__step *step, holed *m)
{
    const spl__problem *p = &step->task.plan->problem;
    int64_t size = m->a.size, columns = (most_blocks(&m->c) + 1) * size;
    size_t slots = whole_lines(p->cols / size, spl__index_size(p->a.csr.index_type));
    m->tile_bytes = whole_lines(columns * spl__ceil_pow2(size), spl__type_size(p->a.csr.type));
    SPL__TRY(spl__numeric_prepare(step, m->tile_bytes + slots, false));
    spl__numeric *n = step->state;
    /* A node must not be split between blocks of rows: it would be computed twice. */
    spl__blocks_keep_runs(&n->blocks, size, same_node, &(nodes){step->task.rows.list, size});
    for (int t = 0; t < n->threads; t++)
        memset((char *)n->workspaces[t] + m->tile_bytes, 0, slots);
    return SPL_OK;
}

static void free_holed(spl_plan *plan, holed *m)
{
    spl__holed_release(plan);
    spl__free(m->a.values);
    spl__free(m->b.values);
    spl__free(m);
}

static spl_status prepare(spl__step *step)
{
    spl_plan *plan = step->task.plan;
    holed *m;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &m, 1));
    spl_status status = make_blocks(plan, m);
    if (status == SPL_OK)
        status = make_workspaces(step, m);
    if (step->state)
        ((spl__numeric *)step->state)->shared = m;
    else
        free_holed(plan, m);
    return status;
}

/* ---- values ---- */

static void update(spl__step *step)
{
    spl__watch *watch = spl__account_watch(&step->task.plan->account);
    const spl__problem *p = &step->task.plan->problem;
    holed *m = ((spl__numeric *)step->state)->shared;
    bool same = m->square && p->a.csr.values == p->b.csr.values;
    m->right = same ? m->a.values : m->b.values;
    spl__bsr_fill(watch, &m->a, &p->a.csr, p->threads);
    m->largest_a = largest[p->combination](&p->a.csr, p->threads);
    m->finite_b = isfinite(same ? m->largest_a : largest[p->combination](&p->b.csr, p->threads));
    if (!same)
        spl__bsr_fill(watch, &m->b, &p->b.csr, p->threads);
}

/* Rounding is monotonic: if alpha times the largest value is finite, so are all. For f32 the
 * product is rounded to f32. */
static bool stays_finite(const spl__problem *p, const spl__call *call, double value)
{
    if (p->a.csr.type == SPL_F32)
        return isfinite(*(const float *)call->alpha * (float)value);
    return isfinite(*(const double *)call->alpha * value);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const spl__problem *p = &step->task.plan->problem;
    holed *m = ((spl__numeric *)step->state)->shared;
    m->exactly = !m->finite_b || !stays_finite(p, call, m->largest_a);
    return kernel(p->combination)(step, call);
}

static void explain(const spl__step *step, spl__text *text)
{
    const holed *m = ((const spl__numeric *)step->state)->shared;
    const spl__features *f = &step->task.plan->features;
    double slots = (double)m->a.blocks * m->a.size * m->a.size;
    spl__text_add(text, "  %d unknowns per node: %s rows of blocks, A's %.3g %% full\n", m->a.size,
                  spl__thousands(m->a.block_rows), slots > 0 ? 100 * f->nnz_a / slots : 100);
}

static void destroy(spl__step *step)
{
    holed *m = step->state ? ((spl__numeric *)step->state)->shared : NULL;
    if (m)
        free_holed(step->task.plan, m);
    spl__numeric_destroy(step);
}

const spl__method spl__spgemm_numeric_cpu_holed_blocks = {
    .summary = "dense blocks of one size that have holes: zeros there, and what is an entry of C "
               "taken out",
    .source = "after E. Im, K. Yelick, R. Vuduc, IJHPCA 2004",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__PAYS_ONCE | SPL__OF_BLOCKS,
    .applicable = applicable,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .update = update,
    .explain = explain,
    .destroy = destroy,
};

#endif
#else

#include "core/lanes.h"
#include "core/threads/team_seconds.h"
#include "spgemm/cpu/rows/numeric_rows.h"

/* Of 16 registers, of 32 with AVX-512. */
#define REGISTERS_FOR_A (SPL__REGISTER_BYTES == 64 ? 16 : 9)

/* ---- values that are not finite ---- */

#ifndef SPL__VARIANT
enum { FN(LANES) = 16 };

/* Notes the magnitudes of some values in so many lanes. All lanes at once only if `lanes` is known
 * where this is compiled: bounded by what is left, the loop took 5 ns a value, a fifth of a
 * product. */
static SPL__INLINED void FN(note_magnitudes)(const T *values, int64_t lanes, T *restrict most,
                                             T *restrict odd)
{
    for (int l = 0; l < lanes; l++) {
        const T value = values[l] < 0 ? -values[l] : values[l];
        most[l] = value > most[l] ? value : most[l];
        odd[l] += value - value; /* 0, or NaN */
    }
}

/* The largest magnitude of the values, or INFINITY. In lanes, because a scalar maximum is a
 * dependent chain. */
static T FN(largest_of)(const T *values, int64_t count)
{
    T most[FN(LANES)] = {0}, odd[FN(LANES)] = {0}, all = 0;
    int64_t k = 0;
    for (; k + FN(LANES) <= count; k += FN(LANES))
        FN(note_magnitudes)(values + k, FN(LANES), most, odd);
    FN(note_magnitudes)(values + k, count - k, most, odd);
    for (int l = 0; l < FN(LANES); l++)
        all = odd[l] != 0 ? (T)INFINITY : most[l] > all ? most[l] : all;
    return all;
}

static double FN(largest)(const spl_sparse *csr, int threads)
{
    const T *values = csr->values;
    T most = 0;
#pragma omp parallel for num_threads(spl__team(spl__threads_for(csr->nnz / 2, threads)))           \
    reduction(max                                                                                  \
              : most)
    for (int64_t k = 0; k < csr->nnz; k += PIECE) {
        T largest_here = FN(largest_of)(values + k, spl__min_i64(PIECE, csr->nnz - k));
        most = largest_here > most ? largest_here : most;
    }
    return (double)most;
}
#endif

/* ---- node by node ---- */

/* The data of a thread for the rows of a node. */
typedef struct FN(node) {
    const holed *shared;
    int64_t number, count;
    const I *columns; /* of C's blocks */
    const uint64_t *masks;
    ACC *sums;   /* per block (the first is a dummy) and row of it: one lane per column */
    I *position; /* per column of blocks: the block's number, from 1 on */
} FN(node);

static inline FN(node) FN(node_of)(const FN(row) *row)
{
    const holed *m = row->shared;
    int64_t number = row->i / m->a.size, begin = ((const int64_t *)m->c.offsets)[number];
    return (FN(node)){.shared = m,
                      .number = number,
                      .count = ((const int64_t *)m->c.offsets)[number + 1] - begin,
                      .columns = (const I *)m->c.indices + begin,
                      .masks = m->c.masks + begin,
                      .sums = row->workspace,
                      .position = (I *)((char *)row->workspace + m->tile_bytes)};
}

#define NODE       2
#define NODE_LANES 2
#include "spgemm/cpu/rows/holed_block_rows.h"
#define NODE       3
#define NODE_LANES 4
#include "spgemm/cpu/rows/holed_block_rows.h"
#define NODE       4
#define NODE_LANES 4
#include "spgemm/cpu/rows/holed_block_rows.h"
#define NODE       5
#define NODE_LANES 8
#include "spgemm/cpu/rows/holed_block_rows.h"
#define NODE       6
#define NODE_LANES 8
#include "spgemm/cpu/rows/holed_block_rows.h"

/* Computes the requested rows of a node. */
static inline int64_t FN(compute_row)(const FN(row) *row)
{
    int size = ((const holed *)row->shared)->a.size;
    int64_t rows = spl__min_i64(row->run, size - row->i % size);
    switch (size) {
    case 2:
        FN(compute_node_2)(row, rows);
        break;
    case 3:
        FN(compute_node_3)(row, rows);
        break;
    case 4:
        FN(compute_node_4)(row, rows);
        break;
    case 5:
        FN(compute_node_5)(row, rows);
        break;
    default:
        FN(compute_node_6)(row, rows);
    }
    return rows;
}

#endif
