/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: views built from arbitrary bytes go through every function that takes one. Counts
 * never claim more than the arrays hold, as the contract of callers demands; everything else may be
 * wrong. Accepted views must multiply within the error bound. */
#include "zoo/zoo.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LARGEST_DIMENSION = 40, MOST_COLUMNS = 5, MOST_BYTES = 1 << 12 };

/* What is left of the input. Reading beyond its end gives zeros. */
typedef struct input {
    const uint8_t *data;
    size_t size;
} input;

static uint8_t next_byte(input *in)
{
    if (in->size == 0)
        return 0;
    in->size--;
    return *in->data++;
}

static void require(bool condition)
{
    if (!condition)
        abort();
}

/* `count` elements of `bytes` bytes in a block of exactly that size, filled from the input. */
static void *next_array(input *in, int64_t count, size_t bytes)
{
    size_t total = (size_t)count * bytes, taken = total < in->size ? total : in->size;
    char *array = zoo_allocate(total);
    memset(array, 0, total);
    if (taken > 0)
        memcpy(array, in->data, taken);
    in->data += taken;
    in->size -= taken;
    return array;
}

/* Most bytes become small numbers, so that valid structures are found; some keep their meaning. */
static void *next_indices(input *in, int64_t count, spl_index type, bool offsets)
{
    uint8_t *bytes = next_array(in, count, 1);
    void *array = zoo_allocate((size_t)count * zoo_index_bytes(type));
    int64_t sum = 0;
    for (int64_t k = 0; k < count; k++) {
        int64_t number = bytes[k] < 250    ? bytes[k] % 16
                         : bytes[k] == 250 ? INT32_MAX
                                           : -(int64_t)(bytes[k] - 250);
        sum += offsets && k > 0 && bytes[k] < 240 ? number % 4 : 0;
        zoo_index_set(array, type, k, offsets && bytes[k] < 240 ? sum : number);
    }
    free(bytes);
    return array;
}

static void next_header(input *in, spl_sparse *v)
{
    uint8_t kind = next_byte(in), widths = next_byte(in);
    v->format = (spl_format)(kind < 250 ? 1 + kind % 3 : kind % 8);
    v->type = (spl_type)(kind >> 4 == 15 ? kind & 7 : kind & 16 ? SPL_F32 : SPL_F64);
    v->offset_type = widths & 1 ? SPL_I64 : SPL_I32;
    v->index_type = widths & 2 ? SPL_I64 : SPL_I32;
    v->rows = next_byte(in) % LARGEST_DIMENSION;
    v->cols = next_byte(in) % LARGEST_DIMENSION;
    v->nnz = next_byte(in) % 64;
    if (widths >= 240)
        v->place.kind = widths & 7;
    if (widths == 239)
        v->size = next_byte(in) % 4;
}

/* A view as a caller could make it: array lengths fit the counts. Unknown formats get the longest
 * arrays. */
static void next_view(input *in, zoo_matrix *m)
{
    spl_sparse *v = &m->view;
    *v = (spl_sparse)SPL_SPARSE_INIT;
    next_header(in, v);
    int64_t lines = v->format == SPL_CSR   ? v->rows + 1
                    : v->format == SPL_CSC ? v->cols + 1
                    : v->format == SPL_COO ? v->nnz
                                           : LARGEST_DIMENSION + 64;
    m->offsets = next_indices(in, lines, v->format == SPL_COO ? v->index_type : v->offset_type,
                              v->format != SPL_COO);
    if (v->format != SPL_COO && next_byte(in) < 200) /* the last offset is usually nnz */
        v->nnz = zoo_index_at(m->offsets, v->offset_type, lines - 1);
    v->nnz = v->nnz < 0 || v->nnz > 512 ? 3 : v->nnz;
    m->indices = next_indices(in, v->nnz, v->index_type, false);
    m->values = next_array(in, v->nnz, 8);
    for (int64_t e = v->nnz - 1; e >= 0;
         e--) /* finite, so that results can be judged; byte e lies before element e */
        zoo_value_set(m->values, v->type, e, (double)((const int8_t *)m->values)[e]);
    v->offsets = m->offsets;
    v->indices = m->indices;
    v->values = m->values;
}

static void try_convert(spl_context *context, const spl_sparse *a, uint8_t choice)
{
    spl_convert_options options = SPL_CONVERT_OPTIONS_INIT;
    spl_description description = SPL_DESCRIPTION_INIT;
    spl_sparse view = SPL_SPARSE_INIT;
    spl_matrix *result = NULL;
    options.format = (spl_format)(choice % 4);
    options.index_type = (spl_index)(choice / 4 % 3);
    options.transpose = choice >> 4 & 1;
    options.sort = choice >> 5 & 1;
    options.sum_duplicates = choice >> 6 & 1;
    options.drop_zeros = choice >> 7 & 1;
    if (spl_convert(context, a, &options, &result) == SPL_OK) {
        require(spl_matrix_view(result, &view) == SPL_OK && spl_validate(&view) == SPL_OK);
        spl_matrix_destroy(result);
    }
    (void)spl_describe(context, a, &description);
}

static void try_dense(spl_context *context, const spl_sparse *a, uint8_t choice)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_check check = SPL_CHECK_INIT;
    options.op_a = (spl_operator)(choice % 3);
    spl_dense b = SPL_DENSE_INIT, c = SPL_DENSE_INIT;
    b.type = c.type = a->type;
    b.order = c.order = choice & 4 ? SPL_ROW_MAJOR : SPL_COLUMN_MAJOR;
    b.cols = c.cols = choice % MOST_COLUMNS;
    b.rows = options.op_a ? a->rows : a->cols;
    c.rows = options.op_a ? a->cols : a->rows;
    b.ld = b.order == SPL_ROW_MAJOR ? b.cols : b.rows;
    c.ld = c.order == SPL_ROW_MAJOR ? c.cols : c.rows;
    b.values = zoo_allocate((size_t)(b.rows * b.cols) * 8);
    c.values = zoo_allocate((size_t)(c.rows * c.cols) * 8);
    for (int64_t k = 0; k < b.rows * b.cols; k++)
        zoo_value_set(b.values, b.type, k, (double)(k % 7) - 3);
    require(spl_spmm(context, NULL, a, &b, NULL, &c, &options) == SPL_OK);
    require(spl_check_spmm(NULL, a, &b, NULL, NULL, &c, &options, &check) == SPL_OK && check.ok);
    if (b.cols > 0 && b.order == SPL_COLUMN_MAJOR) {
        require(spl_spmv(context, NULL, a, b.values, NULL, c.values, &options) == SPL_OK);
        require(spl_check_spmv(NULL, a, b.values, NULL, NULL, c.values, &options, &check) ==
                    SPL_OK &&
                check.ok);
    }
    free(b.values);
    free(c.values);
}

static void try_sparse(spl_context *context, const spl_sparse *a, const spl_sparse *b,
                       const spl_sparse *d, uint8_t choice)
{
    static const char *const methods[] = {NULL, "spgemm/symbolic/cpu/upper_bound",
                                          "spgemm/numeric/cpu/hash", "spgemm/numeric/cpu/dense"};
    spl_options options = SPL_OPTIONS_INIT;
    spl_check check = SPL_CHECK_INIT;
    spl_sparse view = SPL_SPARSE_INIT;
    spl_matrix *c = NULL;
    options.op_a = (spl_operator)(choice & 1);
    options.op_b = (spl_operator)(choice >> 1 & 1);
    options.unsorted = choice >> 2 & 1;
    options.method = methods[choice >> 3 & 3];
    if (spl_spgemm(context, NULL, a, b, NULL, d, &options, &c) != SPL_OK)
        return;
    require(spl_matrix_view(c, &view) == SPL_OK && spl_validate(&view) == SPL_OK);
    require(spl_check_spgemm(NULL, a, b, NULL, d, &view, &options, &check) == SPL_OK && check.ok);
    spl_matrix_destroy(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > MOST_BYTES)
        return 0;
    input in = {data, size};
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    spl_context *context = NULL;
    zoo_matrix m[3];
    options.threads = 1;
    uint8_t choice = next_byte(&in), other = next_byte(&in);
    for (int k = 0; k < 3; k++)
        next_view(&in, &m[k]);
    require(spl_context_create(&options, &context) == SPL_OK);
    for (int k = 0; k < 3; k++) {
        bool valid = spl_validate(&m[k].view) == SPL_OK;
        try_convert(context, &m[k].view, choice);
        if (valid)
            try_dense(context, &m[k].view, other);
    }
    try_sparse(context, &m[0].view, &m[0].view, NULL, choice);
    try_sparse(context, &m[0].view, &m[1].view, other & 1 ? &m[2].view : NULL, choice);
    /* A*A^T fits always */
    try_sparse(context, &m[0].view, &m[0].view, NULL, (uint8_t)(choice ^ 2));
    spl_context_destroy(context);
    for (int k = 0; k < 3; k++)
        zoo_matrix_free(&m[k]);
    return 0;
}
