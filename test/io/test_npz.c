/* SPDX-License-Identifier: Apache-2.0 */
/* SciPy's .npz: every format and type of elements, and back. */
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
    EXPECT_STATUS(SPL_UNSUPPORTED,
                  spl__read_memory(c.context, "PK\3\4    ", 8, "a.npz", NULL, &matrix));
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
        double value = m->type == SPL_F32 ? (double)((const float *)m->values)[p]
                                          : ((const double *)m->values)[p];
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
        EXPECT_OK(npz_read(c.context, a, &options, &matrix));
        spl_sparse view = io_view(matrix);
        EXPECT(view.format == (options.format ? options.format : SPL_CSR) && view.nnz == nnz);
        EXPECT(view.type == (options.type ? options.type : SPL_F64) && view.rows == 4 &&
               view.cols == 6);
        EXPECT(view.index_type == (n < 12 ? SPL_I32 : SPL_I64) &&
               view.offset_type == view.index_type);
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 6; j++)
                EXPECT(element(&view, i, j) == dense[i][j]);
        spl_matrix_destroy(matrix);
        io_end(&c);
    }
}

static void csr_in_every_spelling(void **state)
{
    (void)state;
    npz_archive a;
    static const int64_t wide_offsets[] = {0, 2, 3, 3, 5}, wide_columns[] = {1, 5, 0, 3, 2};
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
    npz_raw(&a, "indptr.npy", 2, "{'shape': (5,), \"fortran_order\": True, 'descr': '<i8'}   ",
            wide_offsets, sizeof wide_offsets);
    npz_raw(&a, "indices.npy", 3,
            "{ 'descr' : '<i8' , 'fortran_order' : False , 'shape' : ( 5 , ) , }", wide_columns,
            sizeof wide_columns);
    npz_set(&a, "format.npy", "<U3", "()", "c\0\0\0s\0\0\0r\0\0", 12);
    testing_case("csr, versions and spellings");
    expect_example(&a, 5);
}

static void other_formats(void **state)
{
    (void)state;
    npz_archive a;
    static const int32_t rows[] = {3, 0, 1, 3, 0}, cols[] = {2, 5, 0, 3, 1};
    static const double coo_values[] = {5, 2, -3, 4, 1}, csc_values[] = {-3, 1, 5, 4, 2};
    static const int32_t csc_offsets[] = {0, 1, 2, 3, 4, 4, 5}, csc_rows[] = {1, 0, 3, 3, 0};
    static const int32_t block_columns[] = {1, 0, 0, 1};
    static const int32_t block_offsets[] = {0, 2, 4};
    static const double blocks[] = {0, 0, 2, 0, 0, 0, 0, 1, 0, -3, 0, 0,
                                    0, 0, 0, 0, 0, 5, 0, 0, 0, 4,  0, 0};
    npz_example(&a);
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

/* coo with "coords" is read as coo with row and col. The file may contain row and col, too; they
 * are ignored. NumPy of Python 2 wrote lengths as 5L. */
static void coordinates_in_two_rows(void **state)
{
    (void)state;
    enum { MOST = 12 };
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    for (int round = 0; round < 40; round++) {
        npz_archive a;
        int64_t wide[2 * MOST],
            shape[] = {1 + zoo_random_below(&random, 9), 1 + zoo_random_below(&random, 9)};
        int32_t narrow[2 * MOST];
        double values[MOST];
        int n = round ? (int)zoo_random_below(&random, MOST + 1) : 0;
        const char *l = round % 3 ? "" : "L";
        char line[32], lines[32];
        for (int k = 0; k < 2 * n; k++)
            narrow[k] = (int32_t)(wide[k] = zoo_random_below(&random, shape[k >= n]));
        for (int k = 0; k < n; k++)
            values[k] = zoo_random_unit(&random);
        snprintf(line, sizeof line, "(%d%s,)", n, l);
        snprintf(lines, sizeof lines, "(2%s, %d%s)", l, n, l);
        npz_example(&a);
        npz_remove(&a, "indptr.npy");
        npz_remove(&a, "indices.npy");
        npz_set(&a, "format.npy", "|S3", "()", "coo", 3);
        npz_set(&a, "shape.npy", "<i8", *l ? "(2L,)" : "(2,)", shape, sizeof shape);
        npz_set(&a, "data.npy", "<f8", line, values, (size_t)n * 8);
        npz_set(&a, "row.npy", "<i4", line, narrow, (size_t)n * 4);
        npz_set(&a, "col.npy", "<i4", line, narrow + n, (size_t)n * 4);
        io_context c;
        spl_matrix *expected, *matrix;
        spl_read_options options = io_coo();
        io_begin(&c, 2, 0);
        testing_case("round %d: %lld x %lld, %s", round, (long long)shape[0], (long long)shape[1],
                     lines);
        EXPECT_OK(npz_read(c.context, &a, &options, &expected));
        if (round % 2) {
            npz_remove(&a, "row.npy");
            npz_remove(&a, "col.npy");
        } else {
            npz_set(&a, "row.npy", "<i4", "(1,)", narrow, 4);
        }
        if (round % 4 < 2)
            npz_set(&a, "coords.npy", "<i4", lines, narrow, (size_t)n * 8);
        else
            npz_set(&a, "coords.npy", "<i8", lines, wide, (size_t)n * 16);
        EXPECT_OK(npz_read(c.context, &a, &options, &matrix));
        spl_sparse one = io_view(expected), other = io_view(matrix);
        EXPECT(other.nnz == n && io_same(&one, &other));
        spl_matrix_destroy(expected);
        spl_matrix_destroy(matrix);
        io_end(&c);
    }
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
        EXPECT_OK(npz_read(c.context, &a, NULL, &matrix));
        const double *values = io_view(matrix).values;
        EXPECT(values[0] == (i == 4   ? 1
                             : i == 3 ? 18446744073709551616.0
                                      : (double)((1ULL << (8 * width)) - 1)));
        spl_matrix_destroy(matrix);
        io_end(&c);
    }
}

/* -------------------------------------------------------------------------------------- writing */

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

typedef struct writing {
    spl_context *context;
    zoo_matrix source;
    int files; /* beside it, and itself */
} writing;

/* Over another file, which stays where this fails. */
static spl_status write_over(void *data)
{
    writing *w = data;
    size_t count;
    const char *path = io_write_text("old.npz", "old text");
    spl_status status = spl_write(w->context, &w->source.view, path);
    char *text = io_read_bytes(path, &count);
    EXPECT((strcmp(text, "old text") == 0) == (status != SPL_OK));
    EXPECT(io_each_file(NULL) == w->files);
    free(text);
    return status;
}

static void all_or_nothing(void **state)
{
    (void)state;
    hook_allocator hook;
    writing w;
    int cancel = 1;
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    hook_start(&hook);
    options.allocator = hook_as_allocator(&hook);
    options.progress = cancel_when_asked;
    options.progress_user = &cancel;
    EXPECT_OK(spl_context_create(&options, &w.context));
    zoo_matrix_make(&w.source, zoo_find("uniform_40"), zoo_form_number(0), testing_seed());
    io_write_text("old.npz", "old text");
    w.files = io_each_file(NULL);
    EXPECT_STATUS(SPL_CANCELLED, write_over(&w));
    cancel = 0;
    EXPECT(hook_fail_each(&hook, write_over, &w).refused > 0);
    EXPECT_STATUS(SPL_FILE_ERROR,
                  spl_write(w.context, &w.source.view, io_path("no/such/folder.npz")));
    zoo_matrix_free(&w.source);
    spl_context_destroy(w.context);
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
        cmocka_unit_test(csr_in_every_spelling),
        cmocka_unit_test(other_formats),
        cmocka_unit_test(coordinates_in_two_rows),
        cmocka_unit_test(types_of_values),
        cmocka_unit_test(round_trips),
        cmocka_unit_test(all_or_nothing),
        cmocka_unit_test(same_bytes_every_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
