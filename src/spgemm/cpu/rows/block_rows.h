/* SPDX-License-Identifier: Apache-2.0 */
/* block_rows.h: rows i .. i+rows-1 of C at once, where rows <= RUN_LANES of A (and of D) have
 * the same columns. A template inside a template: T, ACC, I, P, FN come from core/each_type.h,
 * the includer defines RUN_LANES, which is undefined at the end. */
#define RUN(name)      RUN_(name, RUN_LANES)
#define RUN_(name, n)  RUN__(name, n)
#define RUN__(name, n) FN(name##_##n)

/* One column of C: one lane per row. */
#if RUN_LANES == 1
typedef ACC RUN(lanes);
#else
typedef ACC RUN(lanes) __attribute__((vector_size(RUN_LANES * sizeof(ACC))));
#endif

/* The rows of C while they are computed. */
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
    RUN(lanes) scale[MOST_TERMS];
} RUN(terms);

/* `terms` is a compile-time constant in all callers. */
static inline __attribute__((always_inline)) void
RUN(add_constant)(const RUN(terms) *t, const int terms, const RUN(tile) *c)
{
    const T *values[MOST_TERMS];
    RUN(lanes) scale[MOST_TERMS];
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
        RUN(add_constant)(t, MOST_TERMS, c);
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

/* sums += alpha*A*B for the run. */
static inline void RUN(add_products)(const FN(row) *row, int64_t rows, const RUN(tile) *c)
{
    const spl__problem *p = row->problem;
    const spl__column_runs *runs = row->shared;
    const P *a_offsets = p->a.csr.offsets, *b_offsets = p->b.csr.offsets;
    const I *a_columns = p->a.csr.indices;
    const T *a_values = p->a.csr.values;
    ACC alpha = *(const T *)row->call->alpha;
    int64_t q = a_offsets[row->i], end = a_offsets[row->i + 1], length = end - q;
    for (int terms; q < end; q += terms) {
        I k = a_columns[q];
        RUN(terms) t;
        terms = FN(rows_named)(a_columns + q, row->product->b_equals_previous,
                               spl__min_i64(end - q, MOST_TERMS));
        t.pairs = (const I *)runs->pairs + 2 * runs->first[k];
        t.values = (const T *)p->b.csr.values + b_offsets[k];
        t.length = b_offsets[k + 1] - b_offsets[k];
        for (int m = 0; m < terms; m++)
            RUN(scale_column)(a_values + q + m, rows, length, alpha, &t.scale[m]);
        RUN(send_for_term)(&p->b.csr, runs, a_columns[q + terms < end ? q + terms : q], terms);
        RUN(add_terms)(&t, terms, c);
    }
}

/* sums += beta*D for the run. */
static inline void RUN(add_summand)(const FN(row) *row, int64_t rows, const RUN(tile) *c)
{
    const spl_sparse *d = &row->problem->d.csr;
    const P *offsets = d->offsets;
    const I *columns = d->indices;
    const T *values = d->values;
    ACC beta = *(const T *)row->call->beta;
    int64_t begin = offsets[row->i], end = offsets[row->i + 1];
    for (int64_t q = begin; q < end; q++) {
        RUN(lanes) terms;
        RUN(scale_column)(values + q, rows, end - begin, beta, &terms);
        c->sums[c->position[columns[q]]] += terms;
    }
}

/* Clears the sums and stores the position of each column of C. Positions follow the sums, which
 * are aligned. */
static inline RUN(tile) RUN(begin_tile)(const FN(row) *row)
{
    const I *restrict columns = FN(columns_of)(row);
    int64_t count = spl__row_length(row->product, row->i);
    I *restrict position = row->workspace;
    RUN(lanes) *sums =
        (void *)((char *)row->workspace + position_bytes(row->problem->cols, sizeof(I)));
    for (int64_t k = 0; k < count; k++)
        position[columns[k]] = (I)k;
    memset(sums, 0, (size_t)count * sizeof *sums);
    return (RUN(tile)){sums, position, columns, count};
}

/* Scatters the lanes of the sums to the rows of C. */
static inline __attribute__((always_inline)) void
RUN(store_rows)(const RUN(tile) *c, const int rows, T *restrict values)
{
    const ACC *restrict sums = (const ACC *)c->sums;
    for (int64_t k = 0; k < c->count; k++)
        for (int l = 0; l < rows; l++)
            values[l * c->count + k] = sums[k * RUN_LANES + l];
}

static inline void RUN(compute_run)(const FN(row) *row, int64_t rows)
{
    RUN(tile) c = RUN(begin_tile)(row);
    if (*(const T *)row->call->alpha != 0)
        RUN(add_products)(row, rows, &c);
    if (row->problem->has_d && *(const T *)row->call->beta != 0)
        RUN(add_summand)(row, rows, &c);
    T *values = FN(values_of)(row);
    switch (RUN_LANES - rows) {
#if RUN_LANES == 4
    case 1:
        RUN(store_rows)(&c, 3, values);
        break;
#elif RUN_LANES == 8
    case 1:
        RUN(store_rows)(&c, 7, values);
        break;
    case 2:
        RUN(store_rows)(&c, 6, values);
        break;
    case 3:
        RUN(store_rows)(&c, 5, values);
        break;
#endif
    default:
        RUN(store_rows)(&c, RUN_LANES, values);
    }
}

#undef RUN
#undef RUN_
#undef RUN__
#undef RUN_LANES
