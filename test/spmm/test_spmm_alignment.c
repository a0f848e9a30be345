/* SPDX-License-Identifier: Apache-2.0 */
/* C is the same, bit by bit, wherever B and C begin within a line of the cache, and nothing around
 * it is written. */
#include "lib/run_products.h"

#include <sparloom/measured.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_METHODS = 32, LINE = 64, POISON = 0x5a };

/* Memory of so many bytes that begins `shift` bytes behind a cache line, POISON around it. */
typedef struct shifted {
    char *memory, *begin;
    size_t whole, bytes;
} shifted;

static shifted shifted_new(size_t bytes, size_t shift)
{
    const size_t whole = (bytes / LINE + 2) * LINE;
    char *memory = aligned_alloc(LINE, whole);
    EXPECT(memory != NULL);
    memset(memory, POISON, whole);
    return (shifted){memory, memory + shift, whole, bytes};
}

static bool poison_is_left(const shifted *s)
{
    for (char *byte = s->memory; byte < s->memory + s->whole; byte++)
        if ((byte < s->begin || byte >= s->begin + s->bytes) && *byte != POISON)
            return false;
    return true;
}

/* C = A*B - C/2, shifted, where C was 1. */
static shifted product(spl_context *context, const spl_sparse *a, const test_dense *b, size_t shift,
                       size_t shift_of_c, const char *method)
{
    const size_t size = a->type == SPL_F64 ? 8 : 4;
    const int64_t columns = b->view.cols;
    const size_t b_bytes = (size_t)(a->cols * columns) * size,
                 c_bytes = (size_t)(a->rows * columns) * size;
    shifted from = shifted_new(b_bytes, shift), to = shifted_new(c_bytes, shift_of_c);
    memcpy(from.begin, b->view.values, b_bytes);
    for (int64_t k = 0; k < a->rows * columns; k++)
        zoo_value_set(to.begin, a->type, k, 1);
    spl_dense from_view = b->view, to_view = b->view;
    from_view.values = from.begin;
    to_view.values = to.begin;
    to_view.rows = a->rows;
    double beta[1];
    zoo_value_set(beta, a->type, 0, -0.5);
    spl_options options = SPL_OPTIONS_INIT;
    options.method = method;
    spl_status status = spl_spmm(context, NULL, a, &from_view, beta, &to_view, &options);
    EXPECT(status == SPL_OK || status == SPL_UNSUPPORTED);
    EXPECT(poison_is_left(&to));
    free(from.memory);
    return to;
}

static void expect_same(spl_context *context, const spl_sparse *a, int64_t columns,
                        const char *method)
{
    test_dense b = test_dense_new(a->cols, columns, a->type, SPL_ROW_MAJOR, 0);
    test_dense_fill(&b, ZOO_REAL, testing_seed());
    const size_t size = a->type == SPL_F64 ? 8 : 4;
    shifted aligned = product(context, a, &b, 0, 0, method);
    for (size_t shift = size; shift < LINE; shift += 3 * size) {
        /* C as far from a line as B is, or elsewhere */
        const size_t of_c = shift / size % 2 ? shift : (shift + 2 * size) % LINE;
        shifted other = product(context, a, &b, shift, of_c, method);
        testing_case("%s, %lld columns of %zu bytes, shifts %zu and %zu", method,
                     (long long)columns, size, shift, of_c);
        EXPECT(memcmp(aligned.begin, other.begin, (size_t)(a->rows * columns) * size) == 0);
        free(other.memory);
    }
    free(aligned.memory);
    test_dense_free(&b);
}

static void expect_same_columns(const char *name, const int64_t *columns, int count)
{
    const char *ids[MOST_METHODS];
    const int methods = testing_methods("spmm/compute/cpu", ids, MOST_METHODS);
    EXPECT(methods > 0);
    spl_context *context = testing_context(1);
    for (int type = 0; type < 2; type++) {
        zoo_form form = zoo_form_number(0);
        form.type = type ? SPL_F32 : SPL_F64;
        zoo_matrix a;
        zoo_matrix_make(&a, zoo_find(name), form, testing_seed());
        for (int k = 0; k < count; k++)
            for (int m = 0; m < methods; m++)
                expect_same(context, &a.view, columns[k], ids[m]);
        zoo_matrix_free(&a);
    }
    spl_context_destroy(context);
}

static void alignment_changes_nothing(void **state)
{
    (void)state;
    /* whole registers of 16 to 64 bytes, and some that are not */
    static const int64_t columns[] = {8, 16, 32, 64, 128, 192, 256, 272, 40};
    expect_same_columns("box2d_d2", columns, (int)(sizeof columns / sizeof *columns));
}

/* B is larger than a first cache, and rows of A have nothing in common: on some processors tiles
 * of one register are shifted, too. */
static void nor_where_rows_are_scattered(void **state)
{
    (void)state;
    static const int64_t columns[] = {8, 16, 32};
    expect_same_columns("uniform_1200", columns, (int)(sizeof columns / sizeof *columns));
}

/* C = 3*A*B, shifted, where C was POISON. */
static shifted overwritten(spl_context *context, const spl_sparse *a, const test_dense *b,
                           size_t shift)
{
    const size_t size = a->type == SPL_F64 ? 8 : 4;
    shifted to = shifted_new((size_t)(a->rows * b->view.cols) * size, shift);
    spl_dense view = b->view;
    double alpha[1];
    zoo_value_set(alpha, a->type, 0, 3);
    view.values = to.begin;
    view.rows = a->rows;
    EXPECT_OK(spl_spmm(context, alpha, a, &b->view, NULL, &view, NULL));
    EXPECT(poison_is_left(&to));
    return to;
}

/* The second context's processor has hardly a cache, so that C is stored past it. */
static void expect_same_past(spl_context *const *contexts, const spl_sparse *a, int64_t columns)
{
    test_dense b = test_dense_new(a->cols, columns, a->type, SPL_ROW_MAJOR, 0);
    test_dense_fill(&b, ZOO_REAL, testing_seed());
    for (size_t shift = 0; shift < LINE; shift += 8) {
        shifted near = overwritten(contexts[0], a, &b, shift),
                past = overwritten(contexts[1], a, &b, shift);
        testing_case("%lld columns, shift %zu", (long long)columns, shift);
        EXPECT(memcmp(near.begin, past.begin, near.bytes) == 0);
        free(near.memory);
        free(past.memory);
    }
    test_dense_free(&b);
}

static void nor_do_stores_past_the_caches(void **state)
{
    (void)state;
    static const int64_t columns[] = {8, 16, 32, 64, 96, 128, 256, 272, 544};
    spl_context *const contexts[] = {testing_context(1), testing_context(2)};
    EXPECT_OK(spl_machine_set(contexts[1], "cpu/last_cache_bytes", 1));
    for (int type = 0; type < 2; type++) {
        zoo_form form = zoo_form_number(0);
        form.type = type ? SPL_F32 : SPL_F64;
        zoo_matrix a;
        zoo_matrix_make(&a, zoo_find("box2d_d2"), form, testing_seed());
        for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
            expect_same_past(contexts, &a.view, columns[k]);
        zoo_matrix_free(&a);
    }
    spl_context_destroy(contexts[0]);
    spl_context_destroy(contexts[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alignment_changes_nothing),
        cmocka_unit_test(nor_where_rows_are_scattered),
        cmocka_unit_test(nor_do_stores_past_the_caches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
