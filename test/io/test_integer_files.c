/* SPDX-License-Identifier: Apache-2.0 */
/* Integers in files: every number of i32 and i64 comes back; what is no integer of the type is a
 * fault with its line. */
#include "io_files.h"
#include "lib/integers.h"

enum { ENTRIES = 300, SIZE = 40 };

static void expect_back(const char *name, uint64_t seed, int number)
{
    io_context c;
    spl_matrix *matrix;
    spl_read_options options = SPL_READ_OPTIONS_INIT;
    const char *path = io_path(name);
    int64_t rows[ENTRIES], columns[ENTRIES], numbers[ENTRIES], values[ENTRIES];
    spl_sparse view = SPL_SPARSE_INIT, read;
    integers_draw draw = {.type = number % 2 ? SPL_INT32 : SPL_INT64,
                          .kind = (integers_kind)(number / 2 % 3)};
    zoo_random_seed(&draw.random, seed + (uint64_t)number);
    testing_case("%s, seed %llu, number %d", name, (unsigned long long)seed, number);
    for (int64_t e = 0; e < ENTRIES; e++) {
        rows[e] = e * SIZE / ENTRIES;
        columns[e] = integers_below(&draw, SIZE);
        numbers[e] = integers_number(&draw);
        integers_set(values, draw.type, e, numbers[e]);
    }
    view.format = SPL_COO, view.type = draw.type, view.index_type = SPL_I64;
    view.rows = view.cols = SIZE, view.nnz = ENTRIES;
    view.offsets = rows, view.indices = columns, view.values = values;
    options.format = SPL_COO, options.type = draw.type, options.index_type = SPL_I64;
    io_begin(&c, 1 + number % 3, 0);
    EXPECT_OK(spl_write(c.context, &view, path));
    EXPECT_OK(spl_read(c.context, path, &options, &matrix));
    read = io_view(matrix);
    EXPECT(read.type == draw.type && read.nnz == ENTRIES);
    for (int64_t e = 0; e < ENTRIES; e++)
        EXPECT(((const int64_t *)read.offsets)[e] == rows[e] &&
               ((const int64_t *)read.indices)[e] == columns[e] &&
               integers_at(read.values, draw.type, e) == numbers[e]);
    spl_matrix_destroy(matrix);
    io_end(&c);
}

static void written_and_read(void **state)
{
    const uint64_t seed = testing_fresh_seed();
    (void)state;
    for (int number = 0; number < 6; number++) {
        expect_back("integers.mtx", seed, number);
        expect_back("integers.mtx.gz", seed, number);
        expect_back("integers.txt", seed, number);
#ifdef SPARLOOM_LIBZIP
        expect_back("integers.npz", seed, number);
#endif
    }
}

static void header(void **state)
{
    (void)state;
    io_context c;
    char line[128] = "";
    const int64_t one = INT64_MIN;
    const int32_t zero = 0;
    spl_sparse view = SPL_SPARSE_INIT;
    const char *path = io_path("header.mtx");
    view.format = SPL_COO, view.type = SPL_INT64, view.index_type = SPL_I32;
    view.rows = view.cols = view.nnz = 1;
    view.offsets = view.indices = &zero, view.values = &one;
    io_begin(&c, 1, 0);
    EXPECT_OK(spl_write(c.context, &view, path));
    FILE *file = fopen(path, "r");
    EXPECT(file && fgets(line, sizeof line, file));
    EXPECT(!strcmp(line, "%%MatrixMarket matrix coordinate integer general\n"));
    EXPECT(fgets(line, sizeof line, file) && fgets(line, sizeof line, file));
    EXPECT(!strcmp(line, "1 1 -9223372036854775808\n"));
    (void)fclose(file);
    io_end(&c);
}

/* What a line's value is in a type; `fault` where it is none. */
typedef struct number_case {
    const char *field, *text;
    spl_type type;
    int64_t value;
    bool fault;
} number_case;

static const number_case cases[] = {
    {"integer", "9223372036854775807", SPL_INT64, INT64_MAX, false},
    {"integer", "-9223372036854775808", SPL_INT64, INT64_MIN, false},
    {"integer", "9223372036854775808", SPL_INT64, 0, true},
    {"integer", "-9223372036854775809", SPL_INT64, 0, true},
    {"integer", "99999999999999999999999", SPL_INT64, 0, true},
    {"integer", "00000000000000000000000000017", SPL_INT64, 17, false},
    {"integer", "+9007199254740993", SPL_INT64, 9007199254740993, false},
    {"integer", "2147483647", SPL_INT32, INT32_MAX, false},
    {"integer", "2147483648", SPL_INT32, 0, true},
    {"integer", "-2147483648", SPL_INT32, INT32_MIN, false},
    {"integer", "-2147483649", SPL_INT32, 0, true},
    {"integer", "1.0", SPL_INT64, 0, true},
    {"real", "9007199254740993", SPL_INT64, 9007199254740993, false},
    {"real", "-1.0", SPL_INT64, -1, false},
    {"real", "2.5e1", SPL_INT32, 25, false},
    {"real", "2.55e1", SPL_INT32, 0, true},
    {"real", "1e10", SPL_INT32, 0, true},
    {"real", "1e19", SPL_INT64, 0, true},
    {"real", "nan", SPL_INT64, 0, true},
    {"real", "-inf", SPL_INT64, 0, true},
    {"unsigned-integer", "-1", SPL_INT64, 0, true},
};

static void texts(void **state)
{
    (void)state;
    io_context c;
    io_begin(&c, 1, 0);
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        const number_case *k = &cases[n];
        char text[256];
        spl_matrix *matrix = NULL;
        spl_read_options options = SPL_READ_OPTIONS_INIT;
        options.type = k->type;
        testing_case("%s of %s", k->text, k->field);
        (void)snprintf(text, sizeof text,
                       "%%%%MatrixMarket matrix coordinate %s general\n2 2 2\n1 1 4\n2 1 %s\n",
                       k->field, k->text);
        const char *path = io_write_text("number.mtx", text);
        EXPECT_STATUS(k->fault ? SPL_FILE_INVALID : SPL_OK,
                      spl_read(c.context, path, &options, &matrix));
        if (k->fault)
            EXPECT(strstr(spl_error_detail(), "number.mtx:4: ") &&
                   strstr(spl_error_detail(),
                          k->type == SPL_INT32 ? "integer of i32" : "integer of i64"));
        else
            EXPECT(integers_at(io_view(matrix).values, k->type, 1) == k->value);
        spl_matrix_destroy(matrix);
    }
    io_end(&c);
}

/* Mirrored entries, arrays and patterns; an edge list's fault. */
static void other_files(void **state)
{
    (void)state;
    io_context c;
    spl_matrix *matrix = NULL;
    spl_read_options options = SPL_READ_OPTIONS_INIT;
    options.type = SPL_INT64;
    io_begin(&c, 1, 0);
    EXPECT_OK(spl_read(c.context,
                       io_write_text("skew.mtx", "%%MatrixMarket matrix coordinate integer "
                                                 "skew-symmetric\n2 2 1\n2 1 9007199254740993\n"),
                       &options, &matrix));
    const int64_t *read = io_view(matrix).values;
    EXPECT(read[0] == -9007199254740993 && read[1] == 9007199254740993);
    spl_matrix_destroy(matrix);
    EXPECT_OK(spl_read(c.context,
                       io_write_text("array.mtx", "%%MatrixMarket matrix array integer general\n"
                                                  "3 1\n0\n-9223372036854775808\n5\n"),
                       &options, &matrix));
    read = io_view(matrix).values;
    EXPECT(io_view(matrix).nnz == 2 && read[0] == INT64_MIN && read[1] == 5);
    spl_matrix_destroy(matrix);
    EXPECT_OK(spl_read(c.context,
                       io_write_text("pattern.mtx", "%%MatrixMarket matrix coordinate pattern "
                                                    "general\n1 1 1\n1 1\n"),
                       &options, &matrix));
    read = io_view(matrix).values;
    EXPECT(read[0] == 1);
    spl_matrix_destroy(matrix);
    EXPECT_STATUS(SPL_FILE_INVALID,
                  spl_read(c.context,
                           io_write_text("edges.txt", "# an edge list\n0 1 7\n1 0 7.5\n"), &options,
                           &matrix));
    EXPECT(strstr(spl_error_detail(), "edges.txt:3: \"7.5\" is not an integer of i64"));
    io_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(written_and_read), cmocka_unit_test(header),
                                       cmocka_unit_test(texts), cmocka_unit_test(other_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
