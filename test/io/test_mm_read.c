/* SPDX-License-Identifier: Apache-2.0 */
/* What Matrix Market files mean: entries, their order, shapes and types of the result. */
#include "io_files.h"

#include "io/matrix_market/mm_read.h"

#include <math.h>

/* A file without "%%MatrixMarket matrix " and the entries it stands for, counted from 1, in the
 * order of a COO result. */
typedef struct meaning {
    const char *text;
    int rows, cols, nnz;
    double entries[8][3];
} meaning;

static const meaning meanings[] = {
    {"coordinate real general\n3 4 3\n3 1 1.5\n1 4 -2\n2 2 0\n",
     3,
     4,
     3,
     {{3, 1, 1.5}, {1, 4, -2}, {2, 2, 0}}},
    {"coordinate integer general\n2 2 2\n1 2 -7\n1 2 +9\n", 2, 2, 2, {{1, 2, -7}, {1, 2, 9}}},
    {"coordinate pattern general\n2 3 2\n2 3\n1 1", 2, 3, 2, {{2, 3, 1}, {1, 1, 1}}},
    {"coordinate real symmetric\n3 3 3\n2 1 5\n2 2 6\n3 1 7\n",
     3,
     3,
     5,
     {{2, 1, 5}, {1, 2, 5}, {2, 2, 6}, {3, 1, 7}, {1, 3, 7}}},
    {"coordinate unsigned-integer general\n2 2 3\n1 2 18446744073709551615\n2 1 4294967295\n2 2 "
     "+0\n",
     2,
     2,
     3,
     {{1, 2, 18446744073709551615.0}, {2, 1, 4294967295.0}, {2, 2, 0}}},
    {"array Unsigned-Integer symmetric\n2 2\n7\n0\n18446744073709551615\n",
     2,
     2,
     2,
     {{1, 1, 7}, {2, 2, 18446744073709551615.0}}},
    {"coordinate integer symmetric\n3 3 2\n1 3 4\n3 3 1\n",
     3,
     3,
     3,
     {{1, 3, 4}, {3, 1, 4}, {3, 3, 1}}},
    {"coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n", 2, 2, 3, {{1, 1, 1}, {2, 1, 1}, {1, 2, 1}}},
    {"coordinate real skew-symmetric\n3 3 2\n3 1 2.5\n3 2 -1\n",
     3,
     3,
     4,
     {{3, 1, 2.5}, {1, 3, -2.5}, {3, 2, -1}, {2, 3, 1}}},
    {"coordinate real symmetric\n2 2 2\n2 1 1\n2 1 3\n",
     2,
     2,
     4,
     {{2, 1, 1}, {1, 2, 1}, {2, 1, 3}, {1, 2, 3}}},
    {"array real general\n2 3\n1\n0\n0\n4\n-0\n6\n", 2, 3, 3, {{1, 1, 1}, {2, 2, 4}, {2, 3, 6}}},
    {"array integer general\n2 1\n0\n-3\n", 2, 1, 1, {{2, 1, -3}}},
    {"array real symmetric\n3 3\n1\n2\n0\n4\n5\n6\n",
     3,
     3,
     7,
     {{1, 1, 1}, {2, 1, 2}, {1, 2, 2}, {2, 2, 4}, {3, 2, 5}, {2, 3, 5}, {3, 3, 6}}},
    {"array real skew-symmetric\n3 3\n1\n2\n3\n",
     3,
     3,
     6,
     {{2, 1, 1}, {1, 2, -1}, {3, 1, 2}, {1, 3, -2}, {3, 2, 3}, {2, 3, -3}}},
    {"array real skew-symmetric\n1 1\n", 1, 1, 0, {{0}}},
    {"array real symmetric\n0 0\n", 0, 0, 0, {{0}}},
    {"coordinate real general\n0 5 0\n", 0, 5, 0, {{0}}},
    {"COORDINATE\tReal  GENERAL \r\n%x\r\n\r\n 1\t2  1 \r\n\r\n 1\t2\t 3e0 \r\n \r\n",
     1,
     2,
     1,
     {{1, 2, 3}}},
    {"coordinate real general\n1 1 1\n0001 1 00000000000000000000000000012.50",
     1,
     1,
     1,
     {{1, 1, 12.5}}},
};

static void check_meaning(const meaning *m, spl_context *context, const char *path)
{
    spl_matrix *matrix;
    spl_read_options options = io_coo();
    EXPECT_OK(spl_read(context, path, &options, &matrix));
    spl_sparse view = io_view(matrix);
    EXPECT(view.format == SPL_COO && view.type == SPL_F64 && view.index_type == SPL_I32);
    EXPECT(view.rows == m->rows && view.cols == m->cols && view.nnz == m->nnz);
    for (int64_t k = 0; k < view.nnz; k++) {
        EXPECT(io_index(view.offsets, SPL_I32, k) + 1 == (int64_t)m->entries[k][0]);
        EXPECT(io_index(view.indices, SPL_I32, k) + 1 == (int64_t)m->entries[k][1]);
        EXPECT(((const double *)view.values)[k] == m->entries[k][2]);
    }
    spl_matrix_destroy(matrix);
}

static void every_kind_of_file(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        io_context c;
        char text[512];
        size_t length;
        int count = snprintf(text, sizeof text, "%%%%MatrixMarket matrix %s", meanings[i].text);
        unsigned char *packed = io_gzip(text, (size_t)count, &length);
        io_begin(&c, 2, 0);
        testing_case("%s", meanings[i].text);
        check_meaning(&meanings[i], c.context, io_write_text("plain.mtx", text));
        check_meaning(&meanings[i], c.context, io_write_bytes("packed", packed, length));
        free(packed);
        io_end(&c);
    }
}

static const char wide[] =
    "%%MatrixMarket matrix coordinate real general\n2 3000000000 3\n2 2999999999 1\n1 5 2\n2 1 3\n";

static const struct {
    spl_format format;
    spl_type type;
    spl_index offset, index; /* requested */
    spl_index got_offset, got_index;
    spl_status status;
} shapes[] = {
    {0, 0, 0, 0, SPL_I64, SPL_I64, SPL_OK},
    {SPL_CSR, SPL_F32, SPL_I32, 0, SPL_I32, SPL_I64, SPL_OK},
    {SPL_COO, SPL_F32, 0, SPL_I64, SPL_I64, SPL_I64, SPL_OK},
    {SPL_CSR, 0, 0, SPL_I32, 0, 0, SPL_INDEX_OVERFLOW},
    {SPL_COO, 0, 0, SPL_I32, 0, 0, SPL_INDEX_OVERFLOW},
    {SPL_BSR, 0, 0, 0, 0, 0, SPL_UNSUPPORTED},
    {0, SPL_C64, 0, 0, 0, 0, SPL_UNSUPPORTED},
    {9, 0, 0, 0, 0, 0, SPL_INVALID_ARGUMENT},
    {0, 17, 0, 0, 0, 0, SPL_INVALID_ARGUMENT},
    {0, 0, 3, 0, 0, 0, SPL_INVALID_ARGUMENT},
    {0, 0, 0, 3, 0, 0, SPL_INVALID_ARGUMENT},
};

/* Formats, widths and types that are requested, and the defaults. */
static void shapes_of_the_result(void **state)
{
    (void)state;
    const char *path = io_write_text("wide.mtx", wide);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        io_context c;
        spl_matrix *matrix = NULL;
        spl_read_options options = SPL_READ_OPTIONS_INIT;
        options.format = shapes[i].format;
        options.type = shapes[i].type;
        options.offset_type = shapes[i].offset;
        options.index_type = shapes[i].index;
        io_begin(&c, 1, 0);
        testing_case("case %zu", i);
        EXPECT_STATUS(shapes[i].status, spl_read(c.context, path, &options, &matrix));
        if (shapes[i].status == SPL_OK) {
            spl_sparse view = io_view(matrix);
            EXPECT(view.format == (options.format ? options.format : SPL_CSR));
            EXPECT(view.type == (options.type ? options.type : SPL_F64));
            EXPECT(view.offset_type == shapes[i].got_offset &&
                   view.index_type == shapes[i].got_index);
            EXPECT(view.rows == 2 && view.cols == 3000000000 && view.nnz == 3);
        }
        spl_matrix_destroy(matrix);
        io_end(&c);
    }
}

static void rows_keep_the_order_of_the_file(void **state)
{
    (void)state;
    io_context c;
    spl_matrix *matrix;
    io_begin(&c, 1, 0);
    EXPECT_OK(spl_read(c.context, io_write_text("wide.mtx", wide), NULL, &matrix));
    spl_sparse view = io_view(matrix);
    const int64_t *offsets = view.offsets, *indices = view.indices;
    const double *values = view.values;
    EXPECT(offsets[0] == 0 && offsets[1] == 1 && offsets[2] == 3);
    EXPECT(indices[0] == 4 && indices[1] == 2999999998 && indices[2] == 0);
    EXPECT(values[0] == 2 && values[1] == 1 && values[2] == 3);
    spl_matrix_destroy(matrix);

    EXPECT_OK(spl_read(
        c.context, io_write_text("small.mtx", "%%MatrixMarket matrix array real general\n1 1\n7\n"),
        NULL, &matrix));
    view = io_view(matrix);
    EXPECT(view.offset_type == SPL_I32 && view.index_type == SPL_I32);
    spl_matrix_destroy(matrix);
    io_end(&c);
}

/* ---------------------------------------------------------------------------------- large files */

enum { LARGE_LINES = 70000, LARGE_SIZE = 70000 };

/* A file of several batches, with blank lines and CR LF here and there. To be freed. */
static char *large_text(const char *kind, bool values, size_t *length)
{
    zoo_random random;
    size_t room = (size_t)LARGE_LINES * 48 + 256;
    char *text = malloc(room);
    EXPECT(text != NULL);
    zoo_random_seed(&random, testing_seed());
    size_t n = (size_t)sprintf(text, "%%%%MatrixMarket matrix coordinate %s\n%d %d %d\n", kind,
                               LARGE_SIZE, LARGE_SIZE, LARGE_LINES);
    for (int k = 0; k < LARGE_LINES; k++) {
        int64_t row = zoo_random_below(&random, LARGE_SIZE - 1) + 2,
                col = zoo_random_below(&random, row - 1) + 1;
        n += (size_t)sprintf(text + n, "%lld %lld", (long long)row, (long long)col);
        if (values)
            n += (size_t)sprintf(text + n, " %.17g", zoo_random_unit(&random));
        n += (size_t)sprintf(text + n, "%s", k % 7 == 0 ? "\r\n" : k % 1000 == 1 ? " \n\n" : "\n");
    }
    *length = n;
    return text;
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    static const char *const kinds[] = {"real general", "real symmetric", "real skew-symmetric",
                                        "pattern symmetric"};
    for (int i = 0; i < 8; i++) {
        spl_matrix *one, *four, *packed_four;
        size_t length, packed_length;
        char *text = large_text(kinds[i / 2], i / 2 < 3, &length);
        unsigned char *packed = io_gzip(text, length, &packed_length);
        io_context a, b;
        spl_read_options options = SPL_READ_OPTIONS_INIT;
        options.format = i % 2 ? SPL_COO : SPL_CSR;
        io_begin(&a, 1, 0);
        io_begin(&b, 4, 0);
        testing_case("%s", kinds[i / 2]);
        EXPECT_OK(spl__mm_read_text(a.context, text, length, "text", &options, &one));
        EXPECT_OK(spl__mm_read_text(b.context, text, length, "text", &options, &four));
        EXPECT_OK(
            spl__mm_read_text(b.context, packed, packed_length, "packed", &options, &packed_four));
        spl_sparse view_one = io_view(one), view_four = io_view(four),
                   view_packed = io_view(packed_four);
        EXPECT(view_one.nnz == LARGE_LINES * (i / 2 ? 2 : 1));
        EXPECT(io_same(&view_one, &view_four));
        EXPECT(io_same(&view_one, &view_packed));
        spl_matrix_destroy(one);
        spl_matrix_destroy(four);
        spl_matrix_destroy(packed_four);
        io_end(&a);
        io_end(&b);
        free(text);
        free(packed);
    }
}

/* Integers of all lengths, rounded once to the nearest double. */
static void unsigned_values(void **state)
{
    (void)state;
    enum { VALUES = 200 };
    uint64_t values[VALUES];
    char text[VALUES * 32];
    io_context c;
    spl_matrix *matrix;
    spl_read_options options = io_coo();
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    size_t length = (size_t)sprintf(
        text, "%%%%MatrixMarket matrix coordinate unsigned-integer general\n1 1 %d\n", VALUES);
    for (int k = 0; k < VALUES; k++) {
        values[k] = zoo_random_next(&random) >> (k % 64);
        length += (size_t)sprintf(text + length, "1 1 %llu\n", (unsigned long long)values[k]);
    }
    io_begin(&c, 1, 0);
    EXPECT_OK(spl__mm_read_text(c.context, text, length, "text", &options, &matrix));
    spl_sparse view = io_view(matrix);
    for (int k = 0; k < VALUES; k++)
        EXPECT(((const double *)view.values)[k] == (double)values[k]);
    spl_matrix_destroy(matrix);
    io_end(&c);
}

/* Positions of array values across pieces: value of (i, j) tells where it belongs; every third is
 * 0. */
static void large_arrays(void **state)
{
    (void)state;
    static const char *const kinds[] = {"general", "symmetric", "skew-symmetric"};
    const int n = 700;
    char *text = malloc((size_t)n * n * 10 + 256);
    for (int kind = 0; kind < 3; kind++) {
        io_context c;
        spl_matrix *matrix;
        spl_read_options options = io_coo();
        size_t length = (size_t)sprintf(text, "%%%%MatrixMarket matrix array integer %s\n%d %d\n",
                                        kinds[kind], n, n);
        for (int j = 0; j < n; j++)
            for (int i = kind == 0 ? 0 : j + (kind == 2); i < n; i++)
                length += (size_t)sprintf(text + length, "%d\n", (i + j) % 3 ? i * 1000 + j : 0);
        io_begin(&c, 4, 0);
        testing_case("array %s", kinds[kind]);
        EXPECT_OK(spl__mm_read_text(c.context, text, length, "array", &options, &matrix));
        spl_sparse view = io_view(matrix);
        int64_t expected = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                expected += (i + j) % 3 != 0 && (kind < 2 || i != j);
        EXPECT(view.nnz == expected);
        for (int64_t k = 0; k < view.nnz; k++) {
            int64_t i = io_index(view.offsets, SPL_I32, k), j = io_index(view.indices, SPL_I32, k);
            double value = (double)(kind == 0 || i >= j ? i * 1000 + j : j * 1000 + i);
            EXPECT(((const double *)view.values)[k] == (kind == 2 && i < j ? -value : value));
        }
        spl_matrix_destroy(matrix);
        io_end(&c);
    }
    free(text);
}

/* Several gzip members in a row, padded with zeros, are one text. */
static void gzip_members(void **state)
{
    (void)state;
    const char *text = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 2\n";
    unsigned char file[1024] = {0};
    size_t total = 0, cuts[] = {0, 20, 48, 61, strlen(text)};
    for (int i = 0; i < 4; i++) {
        size_t length;
        unsigned char *packed = io_gzip(text + cuts[i], cuts[i + 1] - cuts[i], &length);
        memcpy(file + total, packed, length);
        total += length;
        free(packed);
    }
    io_context c;
    spl_matrix *matrix;
    io_begin(&c, 1, 0);
    EXPECT_OK(spl_read(c.context, io_write_bytes("members.gz", file, total + 100), NULL, &matrix));
    EXPECT(io_view(matrix).nnz == 2);
    spl_matrix_destroy(matrix);
    io_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_file),
        cmocka_unit_test(shapes_of_the_result),
        cmocka_unit_test(rows_keep_the_order_of_the_file),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(unsigned_values),
        cmocka_unit_test(large_arrays),
        cmocka_unit_test(gzip_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
