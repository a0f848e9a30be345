/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that compute the values of C = alpha*A*B + beta*D from lists of terms: each entry of C is
 * the sum of some products, its terms, and a block of threads sums consecutive entries of C.
 *
 * A block multiplies in the order of A's entries. Neighbours in a row of B that are multiplied
 * by the same entry of A form a run, which is described by two numbers. A term has 16 bits: its
 * position among the block's products, which are in shared memory in the order of C's entries,
 * and its run. */
#ifndef T
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_TERMS_K_H
#define SPL_SPGEMM_KERNELS_SPGEMM_TERMS_K_H
#include "spgemm/kernels/spgemm_structures.h"

/* An entry of C belongs to the block that has its first term. A block has SPGEMM_TERMS_EACH
 * terms; its last entry may have more than fit. */
enum {
    SPGEMM_TERMS_THREADS = 512,
    SPGEMM_TERMS_AT_ONCE = 4,
    SPGEMM_TERMS_HELD = SPGEMM_TERMS_THREADS * SPGEMM_TERMS_AT_ONCE,
    SPGEMM_TERMS_EACH = SPGEMM_TERMS_HELD - 128,
    /* consecutive terms, whose runs are numbered relative to the run of the first */
    SPGEMM_TERMS_ABREAST = 32,
    SPGEMM_TERMS_PARTS = SPGEMM_TERMS_HELD / SPGEMM_TERMS_ABREAST,
    SPGEMM_TERM_POSITION_BITS = 11
};
/* The position, in a block's data, of the part of SPGEMM_TERMS_ABREAST terms that contains
 * `term`: numbers that a thread needs are neighbours. */
#define SPGEMM_TERMS_PART(term)                                                                    \
    ((term) % SPGEMM_TERMS_THREADS / SPGEMM_TERMS_ABREAST * SPGEMM_TERMS_AT_ONCE +                 \
     (term) / SPGEMM_TERMS_THREADS)

/* The first entry of C of a block, its first term, and the first entry of A that contributes. */
struct spgemm_term_block {
    int64_t entry, of_a;
    int32_t term;
};

/* A run: its begin in B minus its first term's number in the block, and its entry of A relative
 * to the block's first. Or the same for a single term. */
struct spgemm_term_run {
    int32_t in_b, in_a;
};

/* Lists of terms; block k has the terms blocks[k].term to blocks[k + 1].term. */
struct spgemm_terms {
    const struct spgemm_term_block *blocks; /* [count + 1] */
    int64_t count;
    const uint16_t *starts; /* [nnz(C)] the begin of an entry's products among those of its block */
    /* [terms], in the order of A's and B's entries: positions in the low bits, numbers of runs
     * in the high ones */
    const uint16_t *terms;
    /* [count][SPGEMM_TERMS_PARTS] the run that these numbers are relative to */
    const uint16_t *first_runs;
    const struct spgemm_term_run *runs; /* of block k from run_firsts[k] on */
    const struct spgemm_term_run
        *singles; /* terms of its last entry that do not fit, from single_firsts[k] on */
    const int32_t *run_firsts, *single_firsts; /* [count + 1] */
};

struct spgemm_term_values_args {
    struct spgemm_terms terms;
    const void *a_values, *b_values; /* T */
    spl__device_scalars scalars;
    void *values; /* T, of C */
};

/* Adds beta*D, with SPGEMM_ROW_LANES lanes per row, or one if the row may repeat a column. */
struct spgemm_term_addends_args {
    int64_t rows;
    const void *d_offsets;
    const int32_t *slots; /* positions of D's entries in C */
    const void *d_values;
    spl__device_scalars scalars;
    void *values;
    int32_t single_terms;
};
#endif
#else

/* The shared memory of a block: products, and the begins of its entries among them. */
typedef struct FN(held_terms) {
    T products[SPGEMM_TERMS_HELD];
    uint16_t starts[SPGEMM_TERMS_HELD];
} FN(held_terms);

/* Computes the `count` products of block k, without alpha. a_values: from the block's first
 * entry on. */
DEVICE void FN(hold_products)(const struct spgemm_terms *t, int64_t k,
                              const uint16_t *RESTRICT terms, int32_t count,
                              const T *RESTRICT a_values, const T *RESTRICT b_values, T *products)
{
    const struct spgemm_term_run *const runs = t->runs + READ(&t->run_firsts[k]);
    const uint16_t *const source = terms + THREAD; /* offsets from this pointer are constant */
    uint16_t first_run[SPGEMM_TERMS_AT_ONCE];
    int32_t term[SPGEMM_TERMS_AT_ONCE], b[SPGEMM_TERMS_AT_ONCE];
    T a[SPGEMM_TERMS_AT_ONCE];
    READ_RUN(first_run, t->first_runs + k * SPGEMM_TERMS_PARTS + SPGEMM_TERMS_PART(THREAD),
             SPGEMM_TERMS_AT_ONCE);
    UNROLL
    for (int u = 0; u < SPGEMM_TERMS_AT_ONCE; u++)
        term[u] = u * SPGEMM_TERMS_THREADS + THREAD < count
                      ? READ_ONCE(source + u * SPGEMM_TERMS_THREADS)
                      : -1;
    UNROLL
    for (int u = 0; u < SPGEMM_TERMS_AT_ONCE; u++) {
        b[u] = 0;
        a[u] = 0;
        if (term[u] >= 0) {
            int32_t run[2]; /* spgemm_term_run, by one load */
            READ_RUN(run, &runs[first_run[u] + (term[u] >> SPGEMM_TERM_POSITION_BITS)].in_b, 2);
            b[u] = run[0] + u * SPGEMM_TERMS_THREADS + THREAD;
            a[u] = READ(&a_values[run[1]]);
        }
    }
    UNROLL
    for (int u = 0; u < SPGEMM_TERMS_AT_ONCE; u++)
        if (term[u] >= 0)
            a[u] *= READ(&b_values[b[u]]);
    UNROLL
    for (int u = 0; u < SPGEMM_TERMS_AT_ONCE; u++)
        if (term[u] >= 0)
            products[term[u] & ((1 << SPGEMM_TERM_POSITION_BITS) - 1)] = a[u];
}

/* Loads the begins of entries, if they fit. All loads overlap. */
DEVICE void FN(hold_starts)(const uint16_t *RESTRICT starts, int32_t entries, uint16_t *held)
{
    const uint16_t *const source = starts + THREAD;
    UNROLL
    for (int u = 0; u < SPGEMM_TERMS_AT_ONCE; u++)
        if (u * SPGEMM_TERMS_THREADS + THREAD < entries)
            held[u * SPGEMM_TERMS_THREADS + THREAD] = READ_ONCE(source + u * SPGEMM_TERMS_THREADS);
}

/* Stores alpha times the sums of the block's entries; the last one as far as its products fit. */
DEVICE void FN(sum_entries)(const uint16_t *starts, int32_t entries, int32_t count, T alpha,
                            const T *products, T *RESTRICT values)
{
    for (int32_t e = THREAD; e < entries; e += SPGEMM_TERMS_THREADS) {
        const int32_t end = e + 1 < entries ? starts[e + 1] : count;
        T sum = 0;
        for (int32_t i = starts[e]; i < end; i++)
            sum += products[i];
        /* alpha may be Inf or NaN where only D has an entry */
        values[e] = starts[e] < end ? alpha * sum : 0;
    }
}

/* Adds alpha times `count` single terms to one number. sums: one per thread, in shared memory. */
DEVICE void FN(add_singles)(const struct spgemm_term_run *RESTRICT singles, int64_t count, T alpha,
                            const T *RESTRICT a_values, const T *RESTRICT b_values, T *sums, T *sum)
{
    T partial = 0;
    SYNC();
    for (int64_t i = THREAD; i < count; i += THREADS) {
        const struct spgemm_term_run term = singles[i];
        partial += READ(&a_values[term.in_a]) * READ(&b_values[term.in_b]);
    }
    sums[THREAD] = partial;
    SYNC();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (THREAD < half)
            sums[THREAD] += sums[THREAD + half];
        SYNC();
    }
    if (THREAD == 0)
        *sum += alpha * sums[0];
}

DEVICE void FN(sum_block)(const struct spgemm_term_values_args *args, int64_t k, T alpha,
                          FN(held_terms) *held)
{
    const struct spgemm_terms *t = &args->terms;
    const struct spgemm_term_block block = t->blocks[k], next = t->blocks[k + 1];
    const T *const a_values = (const T *)args->a_values + block.of_a, *const b_values =
                                                                          (const T *)args->b_values;
    T *const values = (T *)args->values + block.entry;
    const uint16_t *const starts = t->starts + block.entry;
    const int32_t entries = (int32_t)(next.entry - block.entry),
                  singles = next.term - block.term - SPGEMM_TERMS_HELD;
    const int32_t count = singles > 0 ? SPGEMM_TERMS_HELD : next.term - block.term;
    const bool fits = entries <= SPGEMM_TERMS_HELD;
    FN(hold_starts)(starts, fits ? entries : 0, held->starts);
    FN(hold_products)(t, k, t->terms + block.term, count, a_values, b_values, held->products);
    SYNC();
    if (fits)
        FN(sum_entries)(held->starts, entries, count, alpha, held->products, values);
    else
        FN(sum_entries)(starts, entries, count, alpha, held->products, values);
    if (singles > 0)
        FN(add_singles)(t->singles + READ(&t->single_firsts[k]), singles, alpha, a_values, b_values,
                        held->products, &values[entries - 1]);
}

/* Memory latency is hidden by full occupancy. */
KERNEL_RESIDENT(spgemm_term_values, SPGEMM_TERMS_THREADS, 4, args)
{
    SHARED(FN(held_terms), held, 1);
    const T alpha = SCALAR(T, args.scalars.alpha);
    for (int64_t k = BLOCK; k < args.terms.count && alpha != 0; k += BLOCKS) {
        FN(sum_block)(&args, k, alpha, held);
        SYNC();
    }
    const int64_t entries = alpha != 0 ? 0 : args.terms.blocks[args.terms.count].entry;
    for (int64_t e = BLOCK * THREADS + THREAD; e < entries; e += BLOCKS * THREADS)
        ((T *)args.values)[e] = 0;
}

KERNEL(spgemm_term_addends, SPGEMM_ROWS_THREADS, args)
{
    const T beta = SCALAR(T, args.scalars.beta), *const d_values = (const T *)args.d_values;
    const P *d_offsets = (const P *)args.d_offsets;
    const int lane = THREAD % SPGEMM_ROW_LANES, step = args.single_terms ? 1 : SPGEMM_ROW_LANES;
    const int64_t teams = THREADS / SPGEMM_ROW_LANES;
    for (int64_t row = BLOCK * teams + THREAD / SPGEMM_ROW_LANES; row < args.rows && beta != 0;
         row += BLOCKS * teams) {
        const P end = args.single_terms && lane > 0 ? 0 : READ(&d_offsets[row + 1]);
        for (P q = READ(&d_offsets[row]) + lane; q < end; q += step)
            ((T *)args.values)[READ_ONCE(&args.slots[q])] += beta * READ_ONCE(&d_values[q]);
    }
}
#endif
