/* SPDX-License-Identifier: Apache-2.0 */
/* Promise 2: counts of more than 31 and up to 63 bits work or give a clear status, before memory
 * runs out. */
#include "lib/hook_allocator.h"
#include "lib/run_products.h"

static const size_t little_memory = (size_t)1 << 27;
static char poison[64];

/* A column times a row: n*n entries of C from 2n entries. */
typedef struct outer_product {
    zoo_matrix column, row;
} outer_product;

static void make_outer(outer_product *p, int64_t n, int form)
{
    const zoo_maker column = {"column", zoo_dense, {n, 1}, false},
                    row = {"row", zoo_dense, {1, n}, false};
    zoo_matrix_make(&p->column, &column, zoo_form_number(form), 1);
    zoo_matrix_make(&p->row, &row, zoo_form_number(form), 2);
}

static void free_outer(outer_product *p)
{
    zoo_matrix_free(&p->column);
    zoo_matrix_free(&p->row);
}

/* C has more than 2^32 entries, which do not fit 32-bit offsets. A method that stores the
 * columns it counts may run out of memory first. */
static void expect_overflow(spl_context *context, hook_allocator *hook, const outer_product *p,
                            const char *method)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = (void *)poison;
    size_t live = hook->live;
    options.result_offset_type = SPL_I32;
    options.method = method;
    hook->peak = live;
    testing_case("outer product, method %s", method ? method : "auto");
    spl_status status =
        spl_spgemm_plan(context, &p->column.view, &p->row.view, NULL, &options, &plan);
    if (method || status != SPL_OUT_OF_MEMORY)
        testing_status(SPL_INDEX_OVERFLOW, status, "spl_spgemm_plan", __FILE__, __LINE__);
    EXPECT(plan == (void *)poison && hook->live == live && !hook->misused);
    EXPECT(hook->peak - live <= little_memory);
}

static void entries_of_c_beyond_32_bits(void **state)
{
    (void)state;
    hook_allocator hook;
    spl_context *context = NULL;
    outer_product p;
    hook_start(&hook);
    hook.limit = little_memory;
    EXPECT_OK(hook_context(&hook, 2, 0, &context));
    make_outer(&p, 65537, 0);
    expect_overflow(context, &hook, &p, "spgemm/symbolic/cpu/upper_bound");
    if (testing_scale() == 1)
        expect_overflow(context, &hook, &p, NULL);
    free_outer(&p);
    spl_context_destroy(context);
    EXPECT(hook_clean(&hook));
    hook_stop(&hook);
}

/* With 64-bit offsets C is over the budget: a status, no crash and no wrapped count. */
static void large_results_need_memory(void **state)
{
    (void)state;
    hook_allocator hook;
    spl_context *context = NULL;
    outer_product p;
    hook_start(&hook);
    EXPECT_OK(hook_context(&hook, 2, little_memory, &context));
    make_outer(&p, 65537, 0);
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = (void *)poison;
    options.result_offset_type = SPL_I64;
    options.method = "spgemm/symbolic/cpu/upper_bound";
    testing_case("outer product with 64-bit offsets");
    EXPECT_STATUS(SPL_OVER_BUDGET,
                  spl_spgemm_plan(context, &p.column.view, &p.row.view, NULL, &options, &plan));
    EXPECT(plan == (void *)poison);
    free_outer(&p);
    spl_context_destroy(context);
    EXPECT(hook_clean(&hook));
    hook_stop(&hook);
}

/* Dimensions far beyond memory, few entries: 1 x 2^40. */
static spl_sparse wide_row(int64_t *offsets, int64_t *columns, double *values)
{
    spl_sparse a = SPL_SPARSE_INIT;
    offsets[0] = 0;
    offsets[1] = 3;
    columns[0] = 5;
    columns[1] = ((int64_t)1 << 40) - 1;
    columns[2] = (int64_t)1 << 33;
    values[0] = 2;
    values[1] = 3;
    values[2] = 4;
    a.format = SPL_CSR;
    a.type = SPL_F64;
    a.offset_type = a.index_type = SPL_I64;
    a.rows = 1;
    a.cols = (int64_t)1 << 40;
    a.nnz = 3;
    a.offsets = offsets;
    a.indices = columns;
    a.values = values;
    return a;
}

static spl_status convert(spl_context *context, const spl_sparse *a, spl_format format,
                          spl_index index_type)
{
    spl_convert_options options = SPL_CONVERT_OPTIONS_INIT;
    spl_matrix *result = (void *)poison;
    options.format = format;
    options.index_type = index_type;
    spl_status status = spl_convert(context, a, &options, &result);
    if (status == SPL_OK)
        spl_matrix_destroy(result);
    else
        EXPECT(result == (void *)poison);
    return status;
}

static void dimensions_beyond_memory(void **state)
{
    (void)state;
    hook_allocator hook;
    spl_context *context = NULL;
    int64_t offsets[2], columns[3];
    double values[3];
    hook_start(&hook);
    hook.limit = little_memory;
    EXPECT_OK(hook_context(&hook, 2, 0, &context));
    spl_sparse a = wide_row(offsets, columns, values);
    testing_case("1 x 2^40");
    EXPECT_OK(spl_validate(&a));
    EXPECT_OK(convert(context, &a, SPL_COO, SPL_I64));
    EXPECT_STATUS(SPL_INDEX_OVERFLOW, convert(context, &a, SPL_CSR, SPL_I32));
    EXPECT_STATUS(SPL_OUT_OF_MEMORY, convert(context, &a, SPL_CSC, SPL_I64));
    /* One row times this row: sparse methods do it, the dense accumulator cannot. */
    const zoo_maker one = {"one", zoo_diagonal, {1}, false};
    zoo_matrix left;
    zoo_matrix_make(&left, &one, zoo_form_number(6), 1);
    ((double *)left.values)[0] = 2;
    spl_matrix *c = NULL;
    spl_sparse view = SPL_SPARSE_INIT;
    EXPECT_OK(spl_spgemm(context, NULL, &left.view, &a, NULL, NULL, NULL, &c));
    EXPECT_OK(spl_matrix_view(c, &view));
    const int64_t *j = view.indices;
    const double *v = view.values;
    EXPECT(view.nnz == 3 && j[0] == 5 && j[1] == (int64_t)1 << 33 &&
           j[2] == ((int64_t)1 << 40) - 1);
    EXPECT(v[0] == 4 && v[1] == 8 && v[2] == 6);
    spl_matrix_destroy(c);
    zoo_matrix_free(&left);
    spl_context_destroy(context);
    EXPECT(hook_clean(&hook));
    hook_stop(&hook);
}

typedef struct header_case {
    const char *name;
    spl_format format;
    int64_t rows, cols, nnz;
} header_case;

/* Headers with counts near INT64_MAX over small arrays: the check must not overflow. */
static void counts_near_the_largest(void **state)
{
    (void)state;
    static const header_case cases[] = {{"CSR rows", SPL_CSR, INT64_MAX, 3, 0},
                                        {"CSC cols", SPL_CSC, 3, INT64_MAX, 0},
                                        {"CSR nnz", SPL_CSR, 2, 3, INT64_MAX},
                                        {"CSR nnz/8", SPL_CSR, 2, 3, INT64_MAX / 8 + 1},
                                        {"CSC nnz", SPL_CSC, 2, 2, INT64_MAX - 1}};
    const int64_t zeros[8] = {0};
    spl_context *context = testing_context(1);
    for (int n = 0; n < 5; n++) {
        spl_sparse a = SPL_SPARSE_INIT;
        spl_plan *plan = (void *)poison;
        a.format = cases[n].format;
        a.type = SPL_F64;
        a.offset_type = a.index_type = SPL_I64;
        a.rows = cases[n].rows;
        a.cols = cases[n].cols;
        a.nnz = cases[n].nnz;
        a.offsets = a.indices = a.values = zeros;
        testing_case("%s", cases[n].name);
        EXPECT(spl_validate(&a) != SPL_OK);
        EXPECT(spl_spmv_plan(context, &a, NULL, &plan) != SPL_OK);
        EXPECT(convert(context, &a, SPL_CSR, SPL_I64) != SPL_OK);
        EXPECT(plan == (void *)poison);
    }
    spl_context_destroy(context);
}

/* COO matrices may really have such dimensions. */
static void huge_empty_coordinates(void **state)
{
    (void)state;
    spl_sparse a = SPL_SPARSE_INIT;
    spl_description d = SPL_DESCRIPTION_INIT;
    spl_context *context = testing_context(1);
    a.format = SPL_COO;
    a.type = SPL_F64;
    a.offset_type = a.index_type = SPL_I64;
    a.rows = a.cols = INT64_MAX - 1;
    testing_case("empty COO of 2^63-2 rows and columns");
    EXPECT_OK(spl_validate(&a));
    EXPECT_OK(convert(context, &a, SPL_COO, SPL_I64));
    EXPECT(convert(context, &a, SPL_CSR, SPL_I64) != SPL_OK);
    EXPECT(spl_describe(context, &a, &d) != SPL_OK || d.nnz == 0);
    spl_plan *plan = (void *)poison;
    EXPECT(spl_spgemm_plan(context, &a, &a, NULL, NULL, &plan) != SPL_OK);
    EXPECT(spl_spmv_plan(context, &a, NULL, &plan) != SPL_OK);
    EXPECT(spl_spmm_plan(context, &a, INT64_MAX, NULL, &plan) != SPL_OK);
    EXPECT(plan == (void *)poison);
    spl_context_destroy(context);
}

/* B has more columns than any array has elements: planning may succeed, execution on a small
 * array must not. */
static void huge_numbers_of_columns(void **state)
{
    (void)state;
    spl_context *context = testing_context(1);
    zoo_matrix a;
    zoo_matrix_make(&a, zoo_find("dense_8x8"), zoo_form_number(0), 1);
    double small[64] = {0};
    spl_plan *plan = NULL;
    spl_dense b = SPL_DENSE_INIT;
    b.type = SPL_F64;
    b.order = SPL_ROW_MAJOR;
    b.rows = 8;
    b.cols = b.ld = INT64_MAX / 4;
    b.values = small;
    testing_case("2^61 columns");
    spl_status status = spl_spmm_plan(context, &a.view, b.cols, NULL, &plan);
    if (status == SPL_OK)
        status = spl_spmm_execute(plan, NULL, &b, NULL, &b, NULL);
    EXPECT(status == SPL_INDEX_OVERFLOW || status == SPL_INVALID_ARGUMENT ||
           status == SPL_OUT_OF_MEMORY);
    spl_plan_destroy(plan);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_of_c_beyond_32_bits), cmocka_unit_test(large_results_need_memory),
        cmocka_unit_test(dimensions_beyond_memory),    cmocka_unit_test(counts_near_the_largest),
        cmocka_unit_test(huge_empty_coordinates),      cmocka_unit_test(huge_numbers_of_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
