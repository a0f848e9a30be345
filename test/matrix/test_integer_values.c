/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion between integers and other types, and of matrices of integers: transposed, sorted,
 * summed, without zeros, selected; against wider numbers. */
#include "lib/integers.h"

#include <math.h>
#include <string.h>

static void values(void **state)
{
    static const double reals[] = {0.5, 1.5, -2.5, 3e9, -3e9, 1e19, -1e19, NAN, INFINITY, -0.4};
    static const int64_t nearest[] = {0,         2,         -2, 3000000000, -3000000000,
                                      INT64_MAX, INT64_MIN, 0,  INT64_MAX,  0};
    enum { COUNT = sizeof reals / sizeof *reals };
    int64_t wide[COUNT];
    int32_t narrow[COUNT];
    (void)state;
    EXPECT_OK(spl_convert_values(SPL_INT64, wide, SPL_F64, reals, COUNT));
    EXPECT_OK(spl_convert_values(SPL_INT32, narrow, SPL_INT64, wide, COUNT));
    for (int k = 0; k < COUNT; k++) {
        testing_case("%g", reals[k]);
        EXPECT(wide[k] == nearest[k]);
        EXPECT(narrow[k] == (nearest[k] > INT32_MAX   ? INT32_MAX
                             : nearest[k] < INT32_MIN ? INT32_MIN
                                                      : nearest[k]));
    }
    EXPECT_OK(spl_convert_values(SPL_INT32, narrow, SPL_F64, reals, COUNT));
    EXPECT(narrow[2] == -2 && narrow[3] == INT32_MAX && narrow[4] == INT32_MIN && narrow[7] == 0);
}

/* i64 to f64, f32, f16 and bf16: rounded once. */
static void rounded_once(void **state)
{
    /* half way between two numbers of f32 and a bit more, which f64 does not hold */
    const int64_t odd[] = {(INT64_C(1) << 60) + (INT64_C(1) << 36) + 1,
                           -(INT64_C(1) << 60) - (INT64_C(1) << 36) - 1,
                           9007199254740993,
                           (INT64_C(1) << 62) + (INT64_C(1) << 54) + 1,
                           2049,
                           -4097};
    double wide[6];
    float single[6];
    uint16_t half[6];
    (void)state;
    EXPECT_OK(spl_convert_values(SPL_F64, wide, SPL_INT64, odd, 6));
    EXPECT(wide[2] == 9007199254740992.0);
    EXPECT_OK(spl_convert_values(SPL_F32, single, SPL_INT64, odd, 6));
    EXPECT((double)single[0] == 0x1p60 + 0x1p37 && (double)single[1] == -0x1p60 - 0x1p37);
    EXPECT_OK(spl_convert_values(SPL_BF16, half, SPL_INT64, odd, 6));
    EXPECT(zoo_half_value(half[3], SPL_BF16) == 0x1p62 + 0x1p55);
    EXPECT_OK(spl_convert_values(SPL_F16, half, SPL_INT64, odd, 6));
    EXPECT(zoo_half_value(half[4], SPL_F16) == 2048 && zoo_half_value(half[5], SPL_F16) == -4096);
}

/* Sums wrap; each position once; nothing is lost beyond 2^53. */
static void expect_summed(const integers_matrix *m, const spl_sparse *c, spl_type type,
                          bool dropped)
{
    for (int64_t i = 0; i < c->rows; i++)
        for (int64_t p = zoo_index_at(c->offsets, c->offset_type, i);
             p < zoo_index_at(c->offsets, c->offset_type, i + 1); p++) {
            int64_t sum = 0;
            const int64_t j = zoo_index_at(c->indices, c->index_type, p);
            for (int64_t e = 0; e < m->triples.nnz; e++)
                if (m->triples.i[e] == i && m->triples.j[e] == j)
                    sum = integers_add(SPL_PLUS_TIMES, type, sum, m->numbers[e]);
            EXPECT(integers_at(c->values, type, p) == sum && (!dropped || sum != 0));
        }
}

/* Entries of a value of at least the threshold. */
static void expect_selected(spl_context *context, const integers_matrix *m, spl_type type,
                            double threshold)
{
    spl_selection s = SPL_SELECTION_INIT;
    spl_matrix *kept = NULL;
    spl_sparse view = SPL_SPARSE_INIT;
    int64_t count = 0;
    s.selector = SPL_SELECT_AT_LEAST;
    s.threshold = threshold;
    EXPECT_OK(spl_select(context, &m->view, &s, &kept));
    EXPECT_OK(spl_matrix_view(kept, &view));
    for (int64_t e = 0; e < m->triples.nnz; e++)
        count += (long double)m->numbers[e] >= (long double)threshold;
    EXPECT(view.type == type && view.nnz == count);
    for (int64_t p = 0; p < view.nnz; p++)
        EXPECT((long double)integers_at(view.values, type, p) >= (long double)threshold);
    spl_matrix_destroy(kept);
}

static void matrices(void **state)
{
    static const double thresholds[] = {0, 0x1p31, 0x1p63, -0x1p63, -0x1p31, 2.5};
    const uint64_t seed = testing_fresh_seed();
    spl_context *context = testing_context(2);
    (void)state;
    for (int number = 0; number < 120 / testing_scale() + 6; number++) {
        integers_draw draw = {.type = number % 2 ? SPL_INT32 : SPL_INT64,
                              .kind = (integers_kind)(number / 2 % 3)};
        integers_matrix m;
        spl_convert_options o = SPL_CONVERT_OPTIONS_INIT;
        spl_matrix *copy = NULL;
        spl_sparse view = SPL_SPARSE_INIT;
        testing_case("seed %llu, number %d", (unsigned long long)seed, number);
        zoo_random_seed(&draw.random, seed + (uint64_t)number);
        integers_make(&m, &draw, 1 + integers_below(&draw, 30), 1 + integers_below(&draw, 30),
                      true);
        o.format = SPL_CSR;
        o.transpose = m.op == SPL_TRANSPOSE;
        o.sum_duplicates = 1;
        o.drop_zeros = (int32_t)integers_below(&draw, 2);
        EXPECT_OK(spl_convert(context, &m.view, &o, &copy));
        EXPECT_OK(spl_matrix_view(copy, &view));
        EXPECT(view.type == draw.type);
        expect_summed(&m, &view, draw.type, o.drop_zeros);
        spl_matrix_destroy(copy);
        expect_selected(context, &m, draw.type, thresholds[integers_below(&draw, 6)]);
        integers_free(&m);
    }
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(rounded_once),
                                       cmocka_unit_test(matrices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
