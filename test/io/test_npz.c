/* SPDX-License-Identifier: Apache-2.0 */
/* SciPy's .npz: every format and type of elements, everything that can be wrong, and back. */
#include "io_files.h"

#include "io/read.h"

#ifndef SPARLOOM_LIBZIP
static void libzip_is_named(void **state)
{
    (void)state;
    io_context c;
    spl_matrix *matrix = NULL;
    spl_sparse view = SPL_SPARSE_INIT;
    static const int32_t none[2];
    const char *required = getenv("SPARLOOM_REQUIRE");
    EXPECT(!required || !strstr(required, "libzip"));
    io_begin(&c, 1, 0);
    EXPECT_STATUS(SPL_UNSUPPORTED, spl__read_memory(c.context, "PK\3\4    ", 8, "a.npz", NULL, &matrix));
    EXPECT(strstr(spl_error_detail(), "libzip") != NULL);
    view.format = SPL_CSR;
    view.type = SPL_F64;
    view.offset_type = view.index_type = SPL_I32;
    view.rows = view.cols = 1;
    view.offsets = none;
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_write(c.context, &view, io_path("a.npz")));
    EXPECT(strstr(spl_error_detail(), "libzip") != NULL);
    io_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(libzip_is_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
#include "npz_files.h"

#include <math.h>

static spl_status read_archive(spl_context *context, const npz_archive *a, const spl_read_options *options,
                               spl_matrix **matrix)
{
    size_t size = 0;
    uint8_t *bytes = npz_pack(a, &size);
    EXPECT(bytes != NULL);
    spl_status status = spl__read_memory(context, bytes, size, "a.npz", options, matrix);
    free(bytes);
    return status;
}

/* The sum of all entries at (i,j). */
static double element(const spl_sparse *m, int64_t i, int64_t j)
{
    double sum = 0;
    bool csc = m->format == SPL_CSC;
    for (int64_t line = 0, p = 0; p < m->nnz; p++) {
        if (m->format == SPL_COO)
            line = io_index(m->offsets, m->index_type, p);
        while (m->format != SPL_COO && io_index(m->offsets, m->offset_type, line + 1) <= p)
            line++;
        int64_t other = io_index(m->indices, m->index_type, p);
        double value = m->type == SPL_F32 ? (double)((const float *)m->values)[p] : ((const double *)m->values)[p];
        sum += (csc ? other == i && line == j : line == i && other == j) ? value : 0;
    }
    return sum;
}

static const double dense[4][6] = {{0, 1, 0, 0, 0, 2}, {-3}, {0}, {0, 0, 5, 4}};

/* Reads into every shape and compares with the dense matrix. */
static void expect_example(const npz_archive *a, int64_t nnz)
{
    for (int n = 0; n < 24; n++) {
        io_context c;
        spl_matrix *matrix;
        spl_read_options options = SPL_READ_OPTIONS_INIT;
        options.format = (spl_format)(n % 4);
        options.type = (spl_type)(n / 4 % 3);
        options.index_type = options.offset_type = n < 12 ? 0 : SPL_I64;
        io_begin(&c, 2, 0);
        EXPECT_OK(read_archive(c.context, a, &options, &matrix));
        spl_sparse view = io_view(matrix);
        EXPECT(view.format == (options.format ? options.format : SPL_CSR) && view.nnz == nnz);
        EXPECT(view.type == (options.type ? options.type : SPL_F64) && view.rows == 4 && view.cols == 6);
        EXPECT(view.index_type == (n < 12 ? SPL_I32 : SPL_I64) && view.offset_type == view.index_type);
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 6; j++)
                EXPECT(element(&view, i, j) == dense[i][j]);
        spl_matrix_destroy(matrix);
        io_end(&c);
    }
}

static void formats(void **state)
{
    (void)state;
    npz_archive a;
    static const int64_t wide_offsets[] = {0, 2, 3, 3, 5}, wide_columns[] = {1, 5, 0, 3, 2};
    static const int32_t rows[] = {3, 0, 1, 3, 0}, cols[] = {2, 5, 0, 3, 1};
    static const double coo_values[] = {5, 2, -3, 4, 1}, csc_values[] = {-3, 1, 5, 4, 2};
    static const int32_t csc_offsets[] = {0, 1, 2, 3, 4, 4, 5}, csc_rows[] = {1, 0, 3, 3, 0};
    static const int32_t block_columns[] = {1, 0, 0, 1};
    static const int32_t block_offsets[] = {0, 2, 4};
    static const double blocks[] = {0, 0, 2, 0, 0, 0, 0, 1, 0, -3, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 4, 0, 0};
    npz_example(&a);
    testing_case("csr");
    expect_example(&a, 5);
    a.stored = true;
    testing_case("csr stored");
    expect_example(&a, 5);
    npz_set(&a, "indices.npy", "<i8", "(5,)", wide_columns, sizeof wide_columns);
    npz_set(&a, "indptr.npy", "<i8", "(5,)", wide_offsets, sizeof wide_offsets);
    testing_case("csr wide");
    expect_example(&a, 5);
    npz_raw(&a, "indptr.npy", 2, "{'shape': (5,), \"fortran_order\": True, 'descr': '<i8'}   ", wide_offsets,
            sizeof wide_offsets);
    npz_raw(&a, "indices.npy", 3, "{ 'descr' : '<i8' , 'fortran_order' : False , 'shape' : ( 5 , ) , }", wide_columns,
            sizeof wide_columns);
    npz_set(&a, "format.npy", "<U3", "()", "c\0\0\0s\0\0\0r\0\0", 12);
    testing_case("csr, versions and spellings");
    expect_example(&a, 5);
    npz_set(&a, "format.npy", "|S3", "()", "csc", 3);
    npz_set(&a, "indptr.npy", "<i4", "(7,)", csc_offsets, sizeof csc_offsets);
    npz_set(&a, "indices.npy", "<i4", "(5,)", csc_rows, sizeof csc_rows);
    npz_set(&a, "data.npy", "<f8", "(5,)", csc_values, sizeof csc_values);
    testing_case("csc");
    expect_example(&a, 5);
    npz_set(&a, "format.npy", "|S3", "()", "coo", 3);
    npz_remove(&a, "indptr.npy");
    npz_remove(&a, "indices.npy");
    npz_set(&a, "row.npy", "<i4", "(5,)", rows, sizeof rows);
    npz_set(&a, "col.npy", "<i4", "(5,)", cols, sizeof cols);
    npz_set(&a, "data.npy", "<f8", "(5,)", coo_values, sizeof coo_values);
    testing_case("coo");
    expect_example(&a, 5);
    npz_example(&a);
    npz_set(&a, "format.npy", "|S3", "()", "bsr", 3);
    npz_set(&a, "indptr.npy", "<i4", "(3,)", block_offsets, sizeof block_offsets);
    npz_set(&a, "indices.npy", "<i4", "(4,)", block_columns, sizeof block_columns);
    npz_set(&a, "data.npy", "<f8", "(4, 2, 3)", blocks, sizeof blocks);
    testing_case("bsr");
    expect_example(&a, 24);
}

static void types_of_values(void **state)
{
    (void)state;
    npz_archive a;
    npz_example(&a);
    static const float f4[] = {1, 2, -3, 4, 5};
    static const int8_t i1[] = {1, 2, -3, 4, 5};
    static const int16_t i2[] = {1, 2, -3, 4, 5};
    static const int32_t i4[] = {1, 2, -3, 4, 5};
    static const int64_t i8[] = {1, 2, -3, 4, 5};
    static const char *const types[] = {"<f4", "|i1", "<i2", "<i4", "<i8"};
    static const void *const elements[] = {f4, i1, i2, i4, i8};
    static const size_t widths[] = {4, 1, 2, 4, 8};
    for (int i = 0; i < 5; i++) {
        npz_set(&a, "data.npy", types[i], "(5,)", elements[i], 5 * widths[i]);
        testing_case("%s", types[i]);
        expect_example(&a, 5);
    }
    io_context c;
    spl_matrix *matrix;
    static const char *const unsigned_types[] = {"|u1", "<u2", "<u4", "<u8", "|b1"};
    for (int i = 0; i < 5; i++) {
        uint64_t v[5] = {0};
        size_t width = i == 4 ? 1 : (size_t)1 << i;
        for (size_t k = 0; k < 5; k++)
            memset((uint8_t *)v + k * width, 0xff, width);
        npz_set(&a, "data.npy", unsigned_types[i], "(5,)", v, 5 * width);
        io_begin(&c, 1, 0);
        testing_case("%s", unsigned_types[i]);
        EXPECT_OK(read_archive(c.context, &a, NULL, &matrix));
        const double *values = io_view(matrix).values;
        EXPECT(values[0] == (i == 4 ? 1 : i == 3 ? 18446744073709551616.0 : (double)((1ULL << (8 * width)) - 1)));
        spl_matrix_destroy(matrix);
        io_end(&c);
    }
}

/* ------------------------------------------------------------------------------------------------------------- wrong files */

static void expect_fault(const npz_archive *a, spl_status status, const char *what)
{
    io_context c;
    spl_matrix *matrix = NULL;
    io_begin(&c, 2, 0);
    EXPECT_STATUS(status, read_archive(c.context, a, NULL, &matrix));
    testing_case("detail \"%s\" must have \"%s\"", spl_error_detail(), what);
    EXPECT(strncmp(spl_error_detail(), "a.npz: ", 7) == 0 && strstr(spl_error_detail(), what) != NULL);
    EXPECT(matrix == NULL && c.hook.peak < 1 << 20);
    io_end(&c);
}

static void faults_of_arrays(void **state)
{
    (void)state;
    static const int32_t five[] = {0, 2, 3, 3, 5}, down[] = {0, 3, 2, 3, 5}, beyond[] = {0, 2, 3, 3, 6};
    static const int32_t short_end[] = {0, 2, 3, 3, 4}, late[] = {1, 2, 3, 3, 5}, negative[] = {1, 5, -1, 3, 2};
    static const int32_t large[] = {1, 6, 0, 3, 2};
    static const int64_t minus[] = {-4, 6}, three[] = {3, 6, 1}, other[] = {5, 6}, huge[] = {INT64_MAX, 6};
    static const double v[5];
    static const struct {
        const char *member, *type, *shape;
        const void *elements;
        size_t bytes;
        spl_status status;
        const char *what;
    } faults[] = {
        {"indptr.npy", "<i4", "(5,)", down, 20, SPL_FILE_INVALID, "indptr.npy: offset 2 is 2, after 3"},
        {"indptr.npy", "<i4", "(5,)", beyond, 20, SPL_FILE_INVALID, "indptr.npy: offset 4 is 6"},
        {"indptr.npy", "<i4", "(5,)", short_end, 20, SPL_FILE_INVALID, "the last offset is 4, there are 5"},
        {"indptr.npy", "<i4", "(5,)", late, 20, SPL_FILE_INVALID, "the first offset is 1"},
        {"indptr.npy", "<i4", "(4,)", five, 16, SPL_FILE_INVALID, "indptr has 4 elements"},
        {"indptr.npy", "<i4", "(5,)", five, 16, SPL_FILE_INVALID, "do not fit in the member"},
        {"indptr.npy", "<i4", "(5,)", v, 24, SPL_FILE_INVALID, "do not fit in the member"},
        {"indptr.npy", "<i4", "(1152921504606846976,)", five, 20, SPL_FILE_INVALID, "do not fit in the member"},
        {"indptr.npy", "<i4", "(9223372036854775808,)", five, 20, SPL_FILE_INVALID, "shape"},
        {"indptr.npy", "<i4", "(4294967296, 4294967296)", five, 20, SPL_FILE_INVALID, "2^63-1 elements"},
        {"indptr.npy", "<i4", "(1, 1, 1, 5)", five, 20, SPL_FILE_INVALID, "three dimensions"},
        {"indptr.npy", "<i4", "(5, 1)", five, 20, SPL_FILE_INVALID, "has 2 dimensions"},
        {"indptr.npy", "<f4", "(5,)", five, 20, SPL_FILE_INVALID, "indices are i4 or i8"},
        {"indptr.npy", "<u4", "(5,)", five, 20, SPL_FILE_INVALID, "indices are i4 or i8"},
        {"indptr.npy", ">i4", "(5,)", five, 20, SPL_UNSUPPORTED, "big-endian"},
        {"indptr.npy", "=i4", "(5,)", five, 20, SPL_FILE_INVALID, "order of bytes"},
        {"indptr.npy", "|O", "(5,)", five, 20, SPL_UNSUPPORTED, "pickled"},
        {"indptr.npy", "<i", "(5,)", five, 20, SPL_FILE_INVALID, "no type of elements"},
        {"indptr.npy", "", "(5,)", five, 20, SPL_FILE_INVALID, "no type of elements"},
        {"indptr.npy", "<i4", "5", five, 20, SPL_FILE_INVALID, "no tuple"},
        {"indptr.npy", "<i4", "(5)", five, 20, SPL_FILE_INVALID, "comma is missing in shape"},
        {"indptr.npy", "<i4", "(5,", five, 20, SPL_FILE_INVALID, "shape"},
        {"indptr.npy", "<i4", "(-5,)", five, 20, SPL_FILE_INVALID, "shape"},
        {"indices.npy", "<i4", "(5,)", negative, 20, SPL_FILE_INVALID, "element 2 is -1, which is not in 0..5"},
        {"indices.npy", "<i4", "(5,)", large, 20, SPL_FILE_INVALID, "element 1 is 6"},
        {"indices.npy", "<i4", "(4,)", large, 16, SPL_FILE_INVALID, "indices 4, data 5"},
        {"data.npy", "<f8", "(5,)", v, 39, SPL_FILE_INVALID, "do not fit"},
        {"data.npy", "<c16", "(5,)", v, 40, SPL_UNSUPPORTED, "complex"},
        {"data.npy", "|O", "(5,)", v, 40, SPL_UNSUPPORTED, "pickled"},
        {"data.npy", ">f8", "(5,)", v, 40, SPL_UNSUPPORTED, "big-endian"},
        {"data.npy", "<f2", "(5,)", v, 10, SPL_UNSUPPORTED, "\"<f2\""},
        {"data.npy", "<f16", "(5,)", v, 40, SPL_UNSUPPORTED, "\"<f16\""},
        {"data.npy", "<f8", "(5, 1)", v, 40, SPL_FILE_INVALID, "2 dimensions"},
        {"shape.npy", "<i8", "(2,)", minus, 16, SPL_FILE_INVALID, "shape is -4 x 6"},
        {"shape.npy", "<i8", "(3,)", three, 24, SPL_FILE_INVALID, "has 3 elements, not 2"},
        {"shape.npy", "<i8", "(2,)", other, 16, SPL_FILE_INVALID, "shape says 5 lines"},
        {"shape.npy", "<i8", "(2,)", huge, 16, SPL_FILE_INVALID, "shape is"},
        {"shape.npy", "<f8", "(2,)", minus, 16, SPL_FILE_INVALID, "not i4 or i8"},
        {"format.npy", "|S3", "()", "dia", 3, SPL_UNSUPPORTED, "\"dia\""},
        {"format.npy", "|S3", "()", "xyz", 3, SPL_FILE_INVALID, "\"xyz\""},
        {"format.npy", "|S20", "()", "csrcsrcsrcsrcsrcsrcs", 20, SPL_FILE_INVALID, "20 characters"},
        {"format.npy", "<i8", "()", minus, 8, SPL_FILE_INVALID, "no text"},
        {"format.npy", "|S3", "(2,)", "csrcsr", 6, SPL_FILE_INVALID, "has 2 elements"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        npz_archive a;
        npz_example(&a);
        a.stored = i % 2;
        npz_set(&a, faults[i].member, faults[i].type, faults[i].shape, faults[i].elements, faults[i].bytes);
        expect_fault(&a, faults[i].status, faults[i].what);
    }
}

static void faults_of_headers(void **state)
{
    (void)state;
    static const double v[5];
    static const struct {
        int version;
        const char *text, *what;
        spl_status status;
    } faults[] = {
        {1, "", "no dictionary", SPL_FILE_INVALID},
        {1, "{}", "is missing", SPL_FILE_INVALID},
        {1, "{'descr': '<f8', 'fortran_order': False, }", "is missing", SPL_FILE_INVALID},
        {1, "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (5,)}", "twice", SPL_FILE_INVALID},
        {1, "{'descr': '<f8', 'fortran_order': 0, 'shape': (5,)}", "neither True nor False", SPL_FILE_INVALID},
        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (5,), 'more': 1}", "none of", SPL_FILE_INVALID},
        {1, "{'descr': '<f8' 'fortran_order': False, 'shape': (5,)}", "comma", SPL_FILE_INVALID},
        {1, "{'descr' '<f8', 'fortran_order': False, 'shape': (5,)}", "colon", SPL_FILE_INVALID},
        {1, "{'descr': '<f8, 'fortran_order': False, 'shape': (5,)}", "npy header", SPL_FILE_INVALID},
        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (5,)} x", "something follows", SPL_FILE_INVALID},
        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (5,)", "npy header", SPL_FILE_INVALID},
        {1, "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (5,)}", "structured", SPL_UNSUPPORTED},
        {1, "{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (5,)}", "npy header", SPL_FILE_INVALID},
        {4, "{'descr': '<f8', 'fortran_order': False, 'shape': (5,)}", "version 4.0", SPL_UNSUPPORTED},
        {0, "{'descr': '<f8', 'fortran_order': False, 'shape': (5,)}", "version 0.0", SPL_UNSUPPORTED},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        npz_archive a;
        npz_example(&a);
        npz_raw(&a, "data.npy", faults[i].version, faults[i].text, v, sizeof v);
        expect_fault(&a, faults[i].status, faults[i].what);
    }
    npz_archive a;
    npz_example(&a);
    npz_find(&a, "data.npy")->bytes[0] = 'x';
    expect_fault(&a, SPL_FILE_INVALID, "is no .npy array");
    npz_example(&a);
    npz_find(&a, "data.npy")->bytes[9] = 0xff;
    expect_fault(&a, SPL_FILE_INVALID, "npy header of");
    npz_example(&a);
    npz_find(&a, "data.npy")->count = 7;
    expect_fault(&a, SPL_FILE_INVALID, "ends early");
}

static void missing_members(void **state)
{
    (void)state;
    static const char *const names[] = {"indices.npy", "indptr.npy", "format.npy", "shape.npy", "data.npy"};
    for (int i = 0; i < 5; i++) {
        npz_archive a;
        npz_example(&a);
        npz_remove(&a, names[i]);
        expect_fault(&a, SPL_FILE_INVALID, "no such member");
    }
}

static void faults_of_other_formats(void **state)
{
    (void)state;
    npz_archive a;
    static const int32_t rows[] = {0, 4};
    static const double v[24];
    npz_example(&a);
    npz_set(&a, "format.npy", "|S3", "()", "coo", 3);
    expect_fault(&a, SPL_FILE_INVALID, "row.npy: the archive has no such member");
    npz_set(&a, "row.npy", "<i4", "(2,)", rows, sizeof rows);
    npz_set(&a, "col.npy", "<i4", "(2,)", rows, sizeof rows);
    expect_fault(&a, SPL_FILE_INVALID, "row has 2 elements, col 2, data 5");
    npz_set(&a, "data.npy", "<f8", "(2,)", v, 16);
    expect_fault(&a, SPL_FILE_INVALID, "row.npy: element 1 is 4");
    npz_set(&a, "coords.npy", "<i4", "(2,)", rows, sizeof rows);
    expect_fault(&a, SPL_UNSUPPORTED, "coords");

    npz_example(&a);
    npz_set(&a, "format.npy", "|S3", "()", "bsr", 3);
    expect_fault(&a, SPL_FILE_INVALID, "data of 1 dimensions");
    npz_set(&a, "data.npy", "<f8", "(5, 0, 1)", v, 0);
    expect_fault(&a, SPL_FILE_INVALID, "is not a block");
    npz_set(&a, "data.npy", "<f8", "(4, 1, 6)", v, 192);
    expect_fault(&a, SPL_FILE_INVALID, "is not a block");
    npz_set(&a, "data.npy", "<f8", "(5, 3, 1)", v, 120);
    expect_fault(&a, SPL_FILE_INVALID, "not cut by 3 x 1 blocks");
    npz_set(&a, "data.npy", "<f8", "(5, 1, 4)", v, 160);
    expect_fault(&a, SPL_FILE_INVALID, "not cut by 1 x 4 blocks");
    npz_set(&a, "data.npy", "<f8", "(5, 1, 2)", v, 80);
    expect_fault(&a, SPL_FILE_INVALID, "indices.npy: element 1 is 5");
    npz_raw(&a, "data.npy", 1, "{'descr': '<f8', 'fortran_order': True, 'shape': (5, 1, 2)}", v, 80);
    expect_fault(&a, SPL_UNSUPPORTED, "Fortran");
}

/* Cut anywhere, and with any byte changed: a status, never a crash, and little memory. */
static void damaged_archives(void **state)
{
    (void)state;
    for (int stored = 0; stored < 2; stored++) {
        npz_archive a;
        size_t size = 0;
        npz_example(&a);
        a.stored = stored;
        uint8_t *bytes = npz_pack(&a, &size), *copy = malloc(size);
        EXPECT(bytes && copy);
        for (size_t i = 0; i < 2 * size; i += (size_t)testing_scale()) {
            io_context c;
            spl_matrix *matrix = NULL;
            bool cut = i < size;
            memcpy(copy, bytes, size);
            if (!cut)
                copy[i - size] ^= 0xff;
            io_begin(&c, 1, 0);
            testing_case("%s, %zu %s", stored ? "stored" : "packed", i % size, cut ? "bytes" : "changed");
            spl_status status = spl__read_memory(c.context, copy, cut ? i : size, "a.npz", NULL, &matrix);
            EXPECT(!cut || status != SPL_OK);
            EXPECT((matrix != NULL) == (status == SPL_OK) && c.hook.peak < 8 << 20);
            EXPECT(status == SPL_OK || status == SPL_FILE_INVALID || status == SPL_UNSUPPORTED);
            spl_matrix_destroy(matrix);
            io_end(&c);
        }
        free(copy);
        free(bytes);
    }
}

static void put_u32(uint8_t *to, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(number >> (8 * i));
}

/* The directory says that a member of a few bytes holds gigabytes: refused before any memory is taken for it. */
static void bombs(void **state)
{
    (void)state;
    npz_archive a;
    size_t size = 0;
    npz_example(&a);
    npz_raw(&a, "data.npy", 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (530000000,), }", NULL, 0);
    npz_raw(&a, "indices.npy", 1, "{'descr': '<i4', 'fortran_order': False, 'shape': (1060000000,), }", NULL, 0);
    uint8_t *bytes = npz_pack(&a, &size);
    EXPECT(bytes != NULL);
    for (size_t i = 0; i + 46 < size; i++)
        if (memcmp(bytes + i, "PK\1\2", 4) == 0 &&
            (memcmp(bytes + i + 46, "data.npy", 8) == 0 || memcmp(bytes + i + 46, "indices.npy", 11) == 0))
            put_u32(bytes + i + 24, 4240000128U);
    io_context c;
    spl_matrix *matrix = NULL;
    io_begin(&c, 1, 0);
    EXPECT_STATUS(SPL_FILE_INVALID, spl__read_memory(c.context, bytes, size, "a.npz", NULL, &matrix));
    testing_case("%s", spl_error_detail());
    EXPECT(strstr(spl_error_detail(), "cannot come out of") != NULL && c.hook.peak < 1 << 16);
    io_end(&c);
    free(bytes);
}

static void every_allocation_fails(void **state)
{
    (void)state;
    static const char *const names[] = {"csr", "coo", "bsr"};
    static const int32_t rows[] = {0, 1, 2, 3, 3};
    static const double v[10];
    for (int i = 0; i < 6; i++) {
        npz_archive a;
        spl_status status = SPL_OUT_OF_MEMORY;
        spl_read_options options = SPL_READ_OPTIONS_INIT;
        options.format = i < 3 ? SPL_CSR : SPL_CSC;
        npz_example(&a);
        npz_set(&a, "format.npy", "|S3", "()", names[i % 3], 3);
        npz_set(&a, "row.npy", "<i4", "(5,)", rows, sizeof rows);
        npz_set(&a, "col.npy", "<i4", "(5,)", rows, sizeof rows);
        if (i % 3 == 2)
            npz_set(&a, "data.npy", "<f8", "(5, 1, 1)", v, 40);
        for (int k = 0; status != SPL_OK; k++) {
            io_context c;
            spl_matrix *matrix = NULL;
            io_begin(&c, 2, 0);
            c.hook.fail_at = c.hook.allocations + k;
            status = read_archive(c.context, &a, &options, &matrix);
            testing_case("%s, allocation %d fails", names[i % 3], k);
            EXPECT(status == SPL_OK || status == SPL_OUT_OF_MEMORY);
            EXPECT((matrix == NULL) == (status != SPL_OK));
            spl_matrix_destroy(matrix);
            io_end(&c);
            EXPECT(k < 100);
        }
    }
}

/* ----------------------------------------------------------------------------------------------------------------- writing */

static void round_trips(void **state)
{
    (void)state;
    spl_context *context = testing_context(3);
    for (int m = 0; m < zoo_tiny_count; m++)
        for (int form = 0; form < ZOO_FORMS; form++) {
            zoo_matrix source;
            spl_matrix *back;
            spl_read_options options = SPL_READ_OPTIONS_INIT;
            const char *path = io_path("trip.npz");
            zoo_matrix_make(&source, &zoo_tiny[m], zoo_form_number(form), testing_seed());
            testing_case("%s, %s", zoo_tiny[m].name, zoo_form_name(zoo_form_number(form)));
            options.format = source.view.format;
            options.type = source.view.type;
            options.index_type = source.view.index_type;
            options.offset_type = source.view.format == SPL_COO ? 0 : source.view.offset_type;
            EXPECT_OK(spl_write(context, &source.view, path));
            EXPECT_OK(spl_read(context, path, &options, &back));
            spl_sparse view = io_view(back), expected = source.view;
            if (view.format == SPL_COO)
                expected.offset_type = view.offset_type = view.index_type;
            EXPECT(io_same(&view, &expected));
            spl_matrix_destroy(back);
            zoo_matrix_free(&source);
        }
    spl_context_destroy(context);
}

static int cancel_when_asked(void *user, const char *stage, int64_t done, int64_t total)
{
    EXPECT(strcmp(stage, "write") == 0 && done >= 0 && done <= total);
    return *(int *)user && done > 0;
}

static void all_or_nothing(void **state)
{
    (void)state;
    hook_allocator hook;
    spl_context *context;
    spl_status status = SPL_OUT_OF_MEMORY;
    zoo_matrix source;
    int cancel = 1;
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    hook_start(&hook);
    options.allocator = hook_as_allocator(&hook);
    options.progress = cancel_when_asked;
    options.progress_user = &cancel;
    EXPECT_OK(spl_context_create(&options, &context));
    zoo_matrix_make(&source, zoo_find("uniform_40"), zoo_form_number(0), testing_seed());
    const char *path = io_write_text("old.npz", "old text");
    int files = io_each_file(NULL);
    EXPECT_STATUS(SPL_CANCELLED, spl_write(context, &source.view, path));
    cancel = 0;
    for (int k = 0; status != SPL_OK; k++) {
        size_t count;
        char *text = io_read_bytes(path, &count);
        EXPECT(strcmp(text, "old text") == 0 && io_each_file(NULL) == files);
        free(text);
        hook.fail_at = hook.allocations + k;
        status = spl_write(context, &source.view, path);
        EXPECT(status == SPL_OK || status == SPL_OUT_OF_MEMORY);
        EXPECT(k < 100);
    }
    hook.fail_at = -1;
    EXPECT(io_each_file(NULL) == files);
    EXPECT_STATUS(SPL_FILE_ERROR, spl_write(context, &source.view, io_path("no/such/folder.npz")));
    zoo_matrix_free(&source);
    spl_context_destroy(context);
    EXPECT(hook_clean(&hook));
    hook_stop(&hook);
}

static void same_bytes_every_time(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    zoo_matrix source;
    char *bytes[2];
    size_t counts[2];
    zoo_matrix_make(&source, zoo_find("uniform_40"), zoo_form_number(0), testing_seed());
    for (int i = 0; i < 2; i++) {
        EXPECT_OK(spl_write(context, &source.view, io_path("same.npz")));
        bytes[i] = io_read_bytes(io_path("same.npz"), &counts[i]);
    }
    EXPECT(counts[0] == counts[1] && memcmp(bytes[0], bytes[1], counts[0]) == 0);
    free(bytes[0]);
    free(bytes[1]);
    zoo_matrix_free(&source);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats),
        cmocka_unit_test(types_of_values),
        cmocka_unit_test(faults_of_arrays),
        cmocka_unit_test(faults_of_headers),
        cmocka_unit_test(missing_members),
        cmocka_unit_test(faults_of_other_formats),
        cmocka_unit_test(damaged_archives),
        cmocka_unit_test(bombs),
        cmocka_unit_test(every_allocation_fails),
        cmocka_unit_test(round_trips),
        cmocka_unit_test(all_or_nothing),
        cmocka_unit_test(same_bytes_every_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
