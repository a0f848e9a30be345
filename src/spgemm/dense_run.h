/* SPDX-License-Identifier: Apache-2.0 */
/* dense_run.h: rows i .. i+rows-1 of C at once, where rows <= RUN_LANES of A (and of D) have the same columns. A template inside a
 * template: T, ACC, I, P, FN come from core/each_type.h, the includer defines RUN_LANES, which is forgotten afterwards. */
#define RUN(name)      RUN_(name, RUN_LANES)
#define RUN_(name, n)  RUN__(name, n)
#define RUN__(name, n) FN(name##_##n)

/* One place of the accumulator: a lane per row. */
#if RUN_LANES == 1
typedef ACC RUN(lanes);
#else
typedef ACC RUN(lanes) __attribute__((vector_size(RUN_LANES * sizeof(ACC))));
#endif

/* A few rows of B with the same columns, and what each row of the run multiplies them by. */
typedef struct RUN(terms) {
    const I *columns;
    int64_t count;
    const T *values[MOST_TERMS];
    RUN(lanes) scale[MOST_TERMS];
} RUN(terms);

/* `terms` is a constant wherever this is inlined. */
static inline __attribute__((always_inline)) void RUN(add_constant)(const RUN(terms) * t, int terms,
                                                                    RUN(lanes) *restrict dense)
{
    const I *restrict columns = t->columns;
    const T *values[MOST_TERMS];
    RUN(lanes) scale[MOST_TERMS];
    int64_t count = t->count;
    for (int m = 0; m < terms; m++) {
        values[m] = t->values[m];
        scale[m] = t->scale[m];
    }
    for (int64_t k = 0; k < count; k++) {
        RUN(lanes) sum = dense[columns[k]];
        for (int m = 0; m < terms; m++)
            sum += scale[m] * values[m][k];
        dense[columns[k]] = sum;
    }
}

static inline void RUN(add_terms)(const RUN(terms) * t, int terms, RUN(lanes) *restrict dense)
{
    switch (terms) {
    case 1:
        RUN(add_constant)(t, 1, dense);
        break;
    case 2:
        RUN(add_constant)(t, 2, dense);
        break;
    case 3:
        RUN(add_constant)(t, 3, dense);
        break;
    default:
        RUN(add_constant)(t, MOST_TERMS, dense);
    }
}

/* scale * column of a run: lane l becomes scale * values[l * stride], lanes beyond the run zero. */
static inline void RUN(scale_column)(const T *values, int64_t rows, int64_t stride, ACC scale, RUN(lanes) * lanes)
{
    ACC lane[RUN_LANES] = {0};
    for (int64_t l = 0; l < rows; l++)
        lane[l] = scale * values[l * stride];
    memcpy(lanes, lane, sizeof *lanes);
}

/* How many of the entries of A at q..end name rows of B that follow each other and repeat. */
static inline int RUN(terms_at)(const I *columns, int64_t left, const uint8_t *alike_rows)
{
    int terms = 1, most = (int)spl__min_i64(spl__min_i64(alike_rows[columns[0]], MOST_TERMS), left);
    while (terms < most && columns[terms] == columns[0] + terms)
        terms++;
    return terms;
}

/* dense += alpha*A*B for the run. */
static inline void RUN(add_products)(const FN(row) * row, int64_t rows, RUN(lanes) *restrict dense)
{
    const spl__problem *p = row->problem;
    const alike *r = row->shared;
    const P *a_offsets = p->a.csr.offsets, *b_offsets = p->b.csr.offsets;
    const I *a_columns = p->a.csr.indices;
    const T *a_values = p->a.csr.values, *b_values = p->b.csr.values;
    ACC alpha = *(const T *)row->call->alpha;
    int64_t q = a_offsets[row->i], end = a_offsets[row->i + 1], length = end - q;
    for (int terms; q < end; q += terms) {
        RUN(terms) t;
        const P *begin = b_offsets + a_columns[q];
        terms = RUN(terms_at)(a_columns + q, end - q, r->b);
        t.columns = (const I *)p->b.csr.indices + begin[0];
        t.count = begin[1] - begin[0];
        for (int m = 0; m < terms; m++) {
            t.values[m] = b_values + begin[m];
            RUN(scale_column)(a_values + q + m, rows, length, alpha, &t.scale[m]);
        }
        RUN(add_terms)(&t, terms, dense);
    }
}

/* dense += beta*D for the run. */
static inline void RUN(add_summand)(const FN(row) * row, int64_t rows, RUN(lanes) *restrict dense)
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
        dense[columns[q]] += terms;
    }
}

static inline void RUN(compute_run)(const FN(row) * row, int64_t rows)
{
    const I *restrict columns = FN(columns_of)(row);
    T *restrict values = FN(values_of)(row);
    RUN(lanes) *restrict dense = row->workspace, zero = {0};
    int64_t count = spl__row_length(row->product, row->i);
    for (int64_t k = 0; k < count; k++)
        dense[columns[k]] = zero;
    if (*(const T *)row->call->alpha != 0)
        RUN(add_products)(row, rows, dense);
    if (row->problem->has_d && *(const T *)row->call->beta != 0)
        RUN(add_summand)(row, rows, dense);
    for (int64_t k = 0; k < count; k++) {
        const ACC *sums = (const ACC *)&dense[columns[k]];
        for (int64_t l = 0; l < rows; l++)
            values[l * count + k] = sums[l];
    }
}

#undef RUN
#undef RUN_
#undef RUN__
#undef RUN_LANES
