/* SPDX-License-Identifier: Apache-2.0 */
/* block_tile.h: some consecutive rows of C at once, at most RUN_LANES, whose rows of A have the
 * same columns: their sums, one lane per row. A template inside a template: T, ACC, I, P, FN come
 * from core/each_type.h, block_factors.h precedes, the includer defines RUN_LANES, and includes
 * block_tile_end.h after all that is to be said of a tile. */
#define RUN(name)      RUN_(name, RUN_LANES)
#define RUN_(name, n)  RUN__(name, n)
#define RUN__(name, n) FN(name##_##n)

/* One column of C: one lane per row. */
#if RUN_LANES == 1
typedef ACC RUN(lanes);
#else
typedef ACC RUN(lanes) __attribute__((vector_size(RUN_LANES * sizeof(ACC))));
#endif

/* Rows of C while they are computed. */
typedef struct RUN(tile) {
    RUN(lanes) *sums;  /* one element per column of C, in order */
    const I *position; /* per column number: the index in sums */
    const I *columns;  /* of C */
    int64_t count;
} RUN(tile);

/* Some identical rows of B, and the factors for each row of the run. */
typedef struct RUN(terms) {
    const I *pairs; /* runs of columns: the first column and the length */
    const T *values;
    int64_t length; /* entries per row */
    RUN(lanes) scale[SPL__MOST_TERMS];
} RUN(terms);

/* `terms` is a compile-time constant in all callers. */
static inline __attribute__((always_inline)) void
RUN(add_constant)(const RUN(terms) *t, const int terms, const RUN(tile) *c)
{
    const T *values[SPL__MOST_TERMS];
    RUN(lanes) scale[SPL__MOST_TERMS];
    for (int m = 0; m < terms; m++) {
        values[m] = t->values + m * t->length;
        scale[m] = t->scale[m];
    }
    const I *pair = t->pairs;
    for (int64_t position = 0; position < t->length; position += pair[1], pair += 2) {
        RUN(lanes) *restrict sums = c->sums + c->position[pair[0]];
        for (int64_t k = 0; k < pair[1]; k++) {
            RUN(lanes) sum = sums[k];
            for (int m = 0; m < terms; m++)
                sum += scale[m] * values[m][position + k];
            sums[k] = sum;
        }
    }
}

static inline void RUN(add_terms)(const RUN(terms) *t, int terms, const RUN(tile) *c)
{
    switch (terms) {
    case 1:
        RUN(add_constant)(t, 1, c);
        break;
    case 2:
        RUN(add_constant)(t, 2, c);
        break;
    case 3:
        RUN(add_constant)(t, 3, c);
        break;
    case 4:
        RUN(add_constant)(t, 4, c);
        break;
    case 5:
        RUN(add_constant)(t, 5, c);
        break;
    default:
        RUN(add_constant)(t, SPL__MOST_TERMS, c);
    }
}

/* scale * column of a run: lane l becomes scale * values[l * stride], lanes beyond the run zero. */
static inline void RUN(scale_column)(const T *values, int64_t rows, int64_t stride, ACC scale,
                                     RUN(lanes) *lanes)
{
    ACC lane[RUN_LANES] = {0};
    for (int64_t l = 0; l < rows; l++)
        lane[l] = scale * values[l * stride];
    memcpy(lanes, lane, sizeof *lanes);
}

/* Prefetches the next term while this one is added: rows of B come in an unpredictable order. */
static inline void RUN(send_for_term)(const spl_sparse *b, const spl__column_runs *runs, int64_t k,
                                      int64_t terms)
{
    const P *offsets = b->offsets;
    uintptr_t values = (uintptr_t)((const T *)b->values + offsets[k]);
    uintptr_t row = (uintptr_t)(offsets[k + 1] - offsets[k]) * sizeof(T);
    __builtin_prefetch((const I *)runs->pairs + 2 * runs->first[k]);
    for (int64_t m = 0; m < terms; m++, values += row) {
        __builtin_prefetch((const void *)values);
        __builtin_prefetch((const void *)(values + SPL__LINE));
    }
}

/* sums += alpha*A*B for rows i to i + rows - 1. */
static inline void RUN(add_products)(const FN(factors) *f, int64_t i, int64_t rows,
                                     const RUN(tile) *c)
{
    const P *a_offsets = f->a->offsets, *b_offsets = f->b->offsets;
    const I *a_columns = f->a->indices;
    const T *a_values = f->a->values;
    int64_t q = a_offsets[i], end = a_offsets[i + 1], length = end - q;
    for (int terms; q < end; q += terms) {
        I k = a_columns[q];
        RUN(terms) t;
        terms = FN(rows_named)(a_columns + q, f->b_equals_previous,
                               spl__min_i64(end - q, SPL__MOST_TERMS));
        t.pairs = (const I *)f->runs->pairs + 2 * f->runs->first[k];
        t.values = (const T *)f->b->values + b_offsets[k];
        t.length = b_offsets[k + 1] - b_offsets[k];
        for (int m = 0; m < terms; m++)
            RUN(scale_column)(a_values + q + m, rows, length, f->alpha, &t.scale[m]);
        RUN(send_for_term)(f->b, f->runs, a_columns[q + terms < end ? q + terms : q], terms);
        RUN(add_terms)(&t, terms, c);
    }
}

/* Clears the sums, and stores the position of each column of C. */
static inline RUN(tile) RUN(begin_tile)(const I *restrict columns, int64_t count,
                                        I *restrict position, void *memory)
{
    RUN(lanes) *sums = memory;
    for (int64_t k = 0; k < count; k++)
        position[columns[k]] = (I)k;
    memset(sums, 0, (size_t)count * sizeof *sums);
    return (RUN(tile)){sums, position, columns, count};
}

/* `rows` is a compile-time constant in all callers. */
static inline __attribute__((always_inline)) void
RUN(store_some)(const RUN(tile) *c, const int rows, T *restrict values)
{
    const ACC *restrict sums = (const ACC *)c->sums;
    for (int64_t k = 0; k < c->count; k++)
        for (int l = 0; l < rows; l++)
            values[l * c->count + k] = sums[k * RUN_LANES + l];
}

/* Scatters the lanes of the sums to the rows of C. */
static inline void RUN(store_rows)(const RUN(tile) *c, int64_t rows, T *values)
{
    switch (RUN_LANES - rows) {
#if RUN_LANES == 4
    case 1:
        RUN(store_some)(c, 3, values);
        break;
#elif RUN_LANES == 8
    case 1:
        RUN(store_some)(c, 7, values);
        break;
    case 2:
        RUN(store_some)(c, 6, values);
        break;
    case 3:
        RUN(store_some)(c, 5, values);
        break;
#endif
    default:
        RUN(store_some)(c, RUN_LANES, values);
    }
}
