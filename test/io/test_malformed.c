/* SPDX-License-Identifier: Apache-2.0 */
/* Every file of test/data/malformed gets the verdict and the line of the fault that EXPECT.tsv
 * states, both as plain text and as gzip. */
#include "io_files.h"

enum { LINE_BYTES = 512 };

typedef struct expectation {
    char file[128], verdict[32], line[16];
} expectation;

static spl_status expected_status(const expectation *e)
{
    if (strcmp(e->verdict, "accept") == 0)
        return SPL_OK;
    return strcmp(e->verdict, "unsupported") == 0 ? SPL_UNSUPPORTED : SPL_FILE_INVALID;
}

/* The detail of a failure begins with "path:line: ". */
static void check_detail(const char *path, const expectation *e)
{
    char begin[1024];
    snprintf(begin, sizeof begin, "%s:%s: ", path, e->line);
    testing_case("%s: detail is \"%s\", must begin with \"%s\"", e->file, spl_error_detail(),
                 begin);
    EXPECT(strncmp(spl_error_detail(), begin, strlen(begin)) == 0);
    EXPECT(strlen(spl_error_detail()) > strlen(begin));
    if (expected_status(e) == SPL_UNSUPPORTED)
        EXPECT(strstr(spl_error_detail(), "complex") != NULL);
}

static void check_file(const char *path, const expectation *e)
{
    io_context c;
    spl_matrix *matrix = (spl_matrix *)&c; /* must not be touched by a failure */
    spl_read_options options = io_coo();   /* dimensions may be far beyond memory */
    io_begin(&c, 2, 0);
    testing_case("%s", path);
    EXPECT_STATUS(expected_status(e), spl_read(c.context, path, &options, &matrix));
    if (expected_status(e) == SPL_OK) {
        io_view(matrix);
        spl_matrix_destroy(matrix);
    } else {
        EXPECT(matrix == (spl_matrix *)&c);
        check_detail(path, e);
    }
    io_end(&c);
}

static void check_gzip(const char *path, const expectation *e)
{
    size_t count, length;
    char name[64];
    /* the ending may decide the format */
    snprintf(name, sizeof name, "packed%s.gz", strrchr(e->file, '.'));
    char *bytes = io_read_bytes(path, &count);
    unsigned char *packed = io_gzip(bytes, count, &length);
    check_file(io_write_bytes(name, packed, length), e);
    free(packed);
    free(bytes);
}

/* Reads the next line of the table; false at its end. */
static bool next_expectation(FILE *table, expectation *e)
{
    char text[LINE_BYTES];
    if (!fgets(text, sizeof text, table))
        return false;
    EXPECT(sscanf(text, "%127[^\t]\t%31[^\t]\t%15[^\t]\t", e->file, e->verdict, e->line) == 3);
    return true;
}

static int count_files(void)
{
    DIR *folder = opendir(SPARLOOM_TEST_DATA "/malformed");
    int count = 0;
    static const char *const endings[] = {".mtx", ".graph", ".txt"};
    EXPECT(folder != NULL);
    for (struct dirent *entry; (entry = readdir(folder));)
        for (int i = 0; i < 3; i++)
            count += strstr(entry->d_name, endings[i]) != NULL;
    closedir(folder);
    return count;
}

static void verdicts(void **state)
{
    (void)state;
    expectation e;
    int files = 0;
    FILE *table = fopen(SPARLOOM_TEST_DATA "/malformed/EXPECT.tsv", "r");
    EXPECT(table != NULL);
    EXPECT(next_expectation(table, &e)); /* headings */
    for (; next_expectation(table, &e); files++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/malformed/%s", SPARLOOM_TEST_DATA, e.file);
        check_file(path, &e);
        /* The size of unpacked gzip data is only estimated: some files with too many entries
         * declared are then reported as too short. */
        if (strncmp(e.file, "invalid__invalid_truncated_line_", 32) != 0 &&
            strcmp(e.file, "own_claims_too_much.mtx") != 0)
            check_gzip(path, &e);
    }
    fclose(table);
    testing_case("EXPECT.tsv and the folder list the same files");
    EXPECT(files == count_files());
}

/* Dimensions that need more memory than there is, or than addresses: a clean status in every
 * format. */
static void huge_dimensions(void **state)
{
    (void)state;
    static const char *const sizes[] = {"4611686018427387904 4611686018427387904",
                                        "9223372036854775806 3", "3 9223372036854775806",
                                        "1099511627776 1099511627776"};
    const size_t budget = 1 << 26;
    for (int i = 0; i < 4; i++)
        for (int format = SPL_CSR; format <= SPL_COO; format++) {
            io_context c;
            char text[256];
            spl_matrix *matrix = NULL;
            spl_read_options options = SPL_READ_OPTIONS_INIT;
            options.format = (spl_format)format;
            snprintf(text, sizeof text,
                     "%%%%MatrixMarket matrix coordinate real general\n%s 1\n2 3 1\n", sizes[i]);
            io_begin(&c, 1, budget);
            testing_case("%s, format %d", sizes[i], format);
            spl_status status =
                spl_read(c.context, io_write_text("huge.mtx", text), &options, &matrix);
            EXPECT(status == SPL_OK || status == SPL_OUT_OF_MEMORY || status == SPL_OVER_BUDGET);
            EXPECT(format != SPL_COO || status == SPL_OK);
            EXPECT(c.hook.peak <= budget + 4096);
            spl_matrix_destroy(matrix);
            io_end(&c);
        }
}

/* A size line without the data does not make the reader allocate memory for it. */
static void false_claims(void **state)
{
    (void)state;
    static const char *const claims[] = {
        "coordinate real general\n9 9 1000000000000000\n1 1 1\n",
        "coordinate pattern symmetric\n9 9 9223372036854775806\n1 1\n",
        "array real general\n3000000000 3000000000\n1\n",
        "array real skew-symmetric\n4000000000 4000000000\n1\n"};
    for (int i = 0; i < 8; i++) {
        io_context c;
        char text[256];
        size_t length = 0;
        spl_matrix *matrix;
        snprintf(text, sizeof text, "%%%%MatrixMarket matrix %s", claims[i / 2]);
        unsigned char *packed = io_gzip(text, strlen(text), &length);
        const char *path =
            i % 2 ? io_write_bytes("claim", packed, length) : io_write_text("claim", text);
        io_begin(&c, 1, 0);
        testing_case("claim %d", i);
        EXPECT_STATUS(SPL_FILE_INVALID, spl_read(c.context, path, NULL, &matrix));
        EXPECT(c.hook.peak < 2 << 20);
        free(packed);
        io_end(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(verdicts),
                                       cmocka_unit_test(huge_dimensions),
                                       cmocka_unit_test(false_claims)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
