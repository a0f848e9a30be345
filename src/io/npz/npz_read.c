/* SPDX-License-Identifier: Apache-2.0 */
/* npz_read.c: an .npz file is a zip archive of .npy arrays; SciPy names them after the
 * attributes of its matrices. Arrays are checked and converted while they are unpacked, so that
 * a file in the requested format needs no copy. */
#include "io/npz/npz_read.h"

#include "core/checked.h"
#include "io/entries.h"
#include "io/npz/npz_array.h"
#include "matrix/arrange.h"

#include <math.h>
#include <string.h>

typedef struct reader {
    spl_context *context;
    spl__account *account;
    spl__zip *zip;
    const spl_read_options *options;
    int64_t rows, cols;
} reader;

bool spl__npz_detect(const spl__byte_source *source)
{
    return source->head_bytes == sizeof source->head &&
           (memcmp(source->head, "PK\3\4", 4) == 0 || memcmp(source->head, "PK\5\6", 4) == 0);
}

/* ---- csr and csc: lines as we have them ---- */

/* The header of the matrix in the file's format, in the requested widths if this is also the
 * requested format. */
static spl_status make_header(const reader *r, spl_format format, int64_t nnz, spl_sparse *header)
{
    spl_read_options same = *r->options;
    spl_convert_options shape;
    if (same.format != format)
        same = (spl_read_options){.format = format, .type = same.type};
    spl__read_options_shape(&same, r->rows, r->cols, nnz, &shape);
    *header = (spl_sparse)SPL_SPARSE_INIT;
    header->format = format;
    header->type = shape.type;
    header->offset_type = shape.offset_type;
    header->index_type = shape.index_type;
    header->rows = r->rows;
    header->cols = r->cols;
    header->nnz = nnz;
    int64_t bound = format == SPL_CSR ? r->cols : r->rows;
    SPL__TRY(spl__fits(bound - 1, header->index_type, format == SPL_CSR ? "columns" : "rows"));
    return spl__fits(nnz, header->offset_type, "entries");
}

/* The matrix as the file has it, beside `more` bytes, or beside the result. */
static void expect(const reader *r, const spl_sparse *header, double more)
{
    spl_convert_options same = SPL_CONVERT_OPTIONS_INIT, wanted;
    spl__read_options_shape(r->options, r->rows, r->cols, header->nnz, &wanted);
    double made = header->format == r->options->format ? 0 : spl__convert_bytes(header, &wanted);
    spl__account_expect(r->account, spl__convert_bytes(header, &same) + fmax(more, made));
}

/* Returns the matrix that was read, or converts it to the requested format. Takes ownership of
 * `matrix`. */
static spl_status deliver(const reader *r, spl_matrix *matrix, spl_matrix **result)
{
    spl_convert_options wanted;
    spl__watched call;
    const spl_sparse *view = &matrix->view;
    if (view->format == r->options->format) {
        *result = matrix;
        return SPL_OK;
    }
    spl__read_options_shape(r->options, r->rows, r->cols, view->nnz, &wanted);
    spl__account *account = spl__watched_begin(&call, r->context, "read", spl__zip_total(r->zip));
    account->parent = r->account;
    spl_status status = spl__convert(account, spl__threads(r->context, 0), view, &wanted, result);
    spl_matrix_destroy(matrix);
    if (status == SPL_OK)
        spl__matrix_move(*result, r->account);
    return status;
}

static spl_status read_lines(reader *r, spl_format format, spl_matrix **result)
{
    bool csr = format == SPL_CSR;
    int64_t nnz = 0, offsets = 0, lines = csr ? r->rows : r->cols, bound = csr ? r->cols : r->rows;
    spl__npy_header data;
    spl_sparse header;
    spl_matrix *m;
    SPL__TRY(spl__npz_look_indices(r->zip, "indices.npy", &nnz));
    SPL__TRY(spl__npz_look_indices(r->zip, "indptr.npy", &offsets));
    SPL__TRY(spl__npz_look(r->zip, "data.npy", &data));
    if (data.dimensions != 1 || data.count != nnz || offsets - 1 != lines)
        return spl__zip_fail(
            r->zip, SPL_FILE_INVALID,
            "indptr has %s elements, indices %s, data %s in %d dimensions, shape says %s lines",
            spl__thousands(offsets), spl__thousands(nnz), spl__thousands(data.count),
            data.dimensions, spl__thousands(lines));
    SPL__TRY(make_header(r, format, nnz, &header));
    expect(r, &header, 0);
    SPL__TRY(spl__matrix_new(r->account, &header, &m));
    spl_status status =
        spl__npz_offsets(r->zip, "indptr.npy", m->offsets, header.offset_type, lines + 1, nnz);
    if (status == SPL_OK)
        status = spl__npz_indices(r->zip, "indices.npy", m->indices, header.index_type, nnz, bound);
    if (status == SPL_OK)
        status = spl__npz_values(r->zip, "data.npy", m->values, header.type, nnz);
    if (status == SPL_OK)
        return deliver(r, m, result);
    spl_matrix_destroy(m);
    return status;
}

static spl_status read_csr(reader *r, spl_matrix **result)
{
    return read_lines(r, SPL_CSR, result);
}

static spl_status read_csc(reader *r, spl_matrix **result)
{
    return read_lines(r, SPL_CSC, result);
}

/* ---- coo ---- */

/* "coords" holds both in one; where it is, SciPy does not look at row and col. */
static const char coords[] = "coords.npy";

static spl_status count_coordinates(reader *r, int64_t *count)
{
    int64_t cols = 0;
    if (spl__zip_has(r->zip, coords))
        return spl__npz_look_coordinates(r->zip, coords, count);
    SPL__TRY(spl__npz_look_indices(r->zip, "row.npy", count));
    SPL__TRY(spl__npz_look_indices(r->zip, "col.npy", &cols));
    if (*count == cols)
        return SPL_OK;
    return spl__zip_fail(r->zip, SPL_FILE_INVALID, "row has %s elements, col %s",
                         spl__thousands(*count), spl__thousands(cols));
}

static spl_status read_coordinates(reader *r, spl__entries *e, int64_t count)
{
    const spl__npz_target rows = {e->rows, r->rows}, cols = {e->cols, r->cols};
    if (spl__zip_has(r->zip, coords))
        return spl__npz_coordinates(r->zip, coords, &rows, &cols, e->index_type, count);
    SPL__TRY(spl__npz_indices(r->zip, "row.npy", e->rows, e->index_type, count, r->rows));
    return spl__npz_indices(r->zip, "col.npy", e->cols, e->index_type, count, r->cols);
}

static spl_status read_entries(reader *r, spl__entries *e, int64_t count)
{
    SPL__TRY(spl__entries_reserve(e, count));
    SPL__TRY(read_coordinates(r, e, count));
    SPL__TRY(spl__npz_values(r->zip, "data.npy", e->values, e->type, count));
    e->count = count;
    return SPL_OK;
}

static spl_status read_coo(reader *r, spl_matrix **result)
{
    int64_t count = 0;
    spl__npy_header data;
    spl__entries e;
    SPL__TRY(count_coordinates(r, &count));
    SPL__TRY(spl__npz_look(r->zip, "data.npy", &data));
    if (data.dimensions != 1 || count != data.count)
        return spl__zip_fail(r->zip, SPL_FILE_INVALID,
                             "data has %s elements in %d dimensions, coordinates are %s",
                             spl__thousands(data.count), data.dimensions, spl__thousands(count));
    spl__entries_init(&e, r->context, r->account, r->rows, r->cols, r->options->type,
                      spl__zip_total(r->zip));
    spl__entries_expect(&e, r->rows, r->cols, (double)count, r->options, 0);
    spl_status status = read_entries(r, &e, count);
    if (status == SPL_OK)
        return spl__entries_matrix(&e, r->rows, r->cols, r->options, result);
    spl__entries_free(&e);
    return status;
}

/* ---- bsr: blocks, each row by row, become entries; their zeros stay ---- */

typedef struct blocks {
    int64_t height, width; /* of a block */
    int64_t count, lines;  /* blocks; rows of blocks */
    int64_t *offsets, *columns;
    void *values;
} blocks;

static spl_status check_blocks(const reader *r, const spl__npy_header *data, int64_t offsets,
                               blocks *b, int64_t *nnz)
{
    b->height = data->shape[1];
    b->width = data->shape[2];
    if (data->dimensions != 3 || b->height < 1 || b->width < 1 || data->shape[0] != b->count)
        return spl__zip_fail(r->zip, SPL_FILE_INVALID,
                             "data of %d dimensions is not a block for each of %s indices",
                             data->dimensions, spl__thousands(b->count));
    if (data->fortran)
        return spl__zip_fail(r->zip, SPL_UNSUPPORTED,
                             "blocks in Fortran's order are not supported");
    b->lines = r->rows / b->height;
    if (r->rows % b->height || r->cols % b->width || offsets - 1 != b->lines)
        return spl__zip_fail(r->zip, SPL_FILE_INVALID,
                             "%lld x %lld is not cut by %lld x %lld blocks in %lld rows",
                             (long long)r->rows, (long long)r->cols, (long long)b->height,
                             (long long)b->width, (long long)offsets - 1);
    *nnz = data->count;
    return SPL_OK;
}

static double block_bytes(const reader *r, const blocks *b, int64_t nnz)
{
    return spl__counted_bytes((double)b->lines + 1, sizeof *b->offsets) +
           spl__counted_bytes((double)b->count, sizeof *b->columns) +
           spl__counted_bytes((double)nnz, spl__type_size(r->options->type));
}

static spl_status read_block_arrays(reader *r, blocks *b, int64_t nnz)
{
    SPL__TRY(SPL__NEW(r->account, &b->offsets, b->lines + 1));
    SPL__TRY(SPL__NEW(r->account, &b->columns, b->count));
    SPL__TRY(spl__alloc(r->account, nnz, spl__type_size(r->options->type), &b->values));
    SPL__TRY(spl__npz_offsets(r->zip, "indptr.npy", b->offsets, SPL_I64, b->lines + 1, b->count));
    SPL__TRY(
        spl__npz_indices(r->zip, "indices.npy", b->columns, SPL_I64, b->count, r->cols / b->width));
    return spl__npz_values(r->zip, "data.npy", b->values, r->options->type, nnz);
}

/* Row i of a block becomes `width` entries from slot p on. */
static void expand_block(const blocks *b, int64_t block, int64_t i, spl_matrix *m, int64_t p)
{
    const spl_sparse *v = &m->view;
    size_t bytes = spl__type_size(v->type), width = (size_t)b->width;
    for (int64_t j = 0; j < b->width; j++)
        spl__index_set(m->indices, v->index_type, p + j, b->columns[block] * b->width + j);
    memcpy((char *)m->values + (size_t)p * bytes,
           (const char *)b->values + (size_t)(block * b->height + i) * width * bytes,
           width * bytes);
}

static void expand(const blocks *b, spl_matrix *m)
{
    int64_t p = 0;
    spl__index_set(m->offsets, m->view.offset_type, 0, 0);
    for (int64_t row = 0; row < m->view.rows; row++) {
        int64_t line = row / b->height;
        for (int64_t k = b->offsets[line]; k < b->offsets[line + 1]; k++, p += b->width)
            expand_block(b, k, row % b->height, m, p);
        spl__index_set(m->offsets, m->view.offset_type, row + 1, p);
    }
}

static spl_status read_bsr(reader *r, spl_matrix **result)
{
    int64_t offsets = 0, nnz = 0;
    blocks b = {0};
    spl__npy_header data;
    spl_sparse header;
    spl_matrix *m = NULL;
    SPL__TRY(spl__npz_look_indices(r->zip, "indices.npy", &b.count));
    SPL__TRY(spl__npz_look_indices(r->zip, "indptr.npy", &offsets));
    SPL__TRY(spl__npz_look(r->zip, "data.npy", &data));
    SPL__TRY(check_blocks(r, &data, offsets, &b, &nnz));
    SPL__TRY(make_header(r, SPL_CSR, nnz, &header));
    expect(r, &header, block_bytes(r, &b, nnz));
    spl_status status = read_block_arrays(r, &b, nnz);
    if (status == SPL_OK)
        status = spl__matrix_new(r->account, &header, &m);
    if (status == SPL_OK)
        expand(&b, m);
    spl__free(b.offsets);
    spl__free(b.columns);
    spl__free(b.values);
    return status == SPL_OK ? deliver(r, m, result) : status;
}

/* ---- all ---- */

static spl_status read_shape(reader *r)
{
    int64_t shape[2];
    spl__npy_header header;
    SPL__TRY(spl__npz_look(r->zip, "shape.npy", &header));
    if (header.dimensions == 1 && header.count > 0 && header.count != 2)
        return spl__zip_fail(r->zip, SPL_UNSUPPORTED,
                             "a sparse array of %s dimension%s: only those of 2 are read",
                             spl__thousands(header.count), header.count == 1 ? "" : "s");
    SPL__TRY(spl__npz_numbers(r->zip, "shape.npy", shape, 2));
    r->rows = shape[0];
    r->cols = shape[1];
    if (r->rows < 0 || r->cols < 0 || r->rows == INT64_MAX || r->cols == INT64_MAX)
        return spl__zip_fail(r->zip, SPL_FILE_INVALID, "shape is %lld x %lld", (long long)r->rows,
                             (long long)r->cols);
    return SPL_OK;
}

static spl_status read_archive(reader *r, spl_matrix **result)
{
    static const struct {
        const char *name;
        spl_status (*read)(reader *r, spl_matrix **result);
    } formats[] = {{"csr", read_csr}, {"csc", read_csc}, {"coo", read_coo}, {"bsr", read_bsr}};
    char format[16];
    if (!spl__zip_has(r->zip, "format.npy"))
        return spl__zip_fail(
            r->zip, SPL_FILE_INVALID,
            "a zip archive without format.npy, so none of scipy.sparse.save_npz: unpack it");
    SPL__TRY(spl__npz_word(r->zip, "format.npy", format, sizeof format));
    SPL__TRY(read_shape(r));
    for (int i = 0; i < 4; i++)
        if (strcmp(format, formats[i].name) == 0)
            return formats[i].read(r, result);
    bool known = strcmp(format, "dia") == 0;
    return spl__zip_fail(r->zip, known ? SPL_UNSUPPORTED : SPL_FILE_INVALID,
                         known ? "format \"%s\" is not read; csr, csc, coo and bsr are"
                               : "format \"%s\" is none of csr, csc, coo, bsr",
                         format);
}

spl_status spl__npz_read(spl_context *context, const spl__byte_source *source,
                         const spl_read_options *options, spl_matrix **result)
{
    reader r = {.context = context, .account = source->account, .options = options};
    SPL__TRY(spl__zip_open(context, source, &r.zip));
    spl_status status = spl__progress(context, "read", 0, source->total);
    if (status == SPL_OK)
        status = read_archive(&r, result);
    spl__zip_close(r.zip);
    return status;
}
