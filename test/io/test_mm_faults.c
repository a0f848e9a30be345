/* SPDX-License-Identifier: Apache-2.0 */
/* Reading when something goes wrong: which line, which status, nothing leaked, nothing touched. */
#include "io_files.h"

#include "io/matrix_market/mm_read.h"

#include <sys/stat.h>

enum { LINES = 100000 };

/* A pattern file of more than a megabyte. Line k (from 1, header included) of `fault` replaces the
 * right one. To be freed. */
static char *text_with(const char *kind, int64_t line, const char *fault, size_t *length)
{
    char *text = malloc(LINES * 24 + 512);
    const char *value = strstr(kind, "real") ? " 1.25" : strstr(kind, "integer") ? " 125" : "";
    size_t n = (size_t)sprintf(text, "%%%%MatrixMarket matrix coordinate %s\n%d %d %d\n", kind,
                               LINES, LINES, LINES);
    for (int k = 3; k < LINES + 3; k++)
        n += k == line ? (size_t)sprintf(text + n, "%s\n", fault)
                       : (size_t)sprintf(text + n, "%d %d%s\n", LINES, k - 2, value);
    *length = n;
    return text;
}

static void check_line(const char *text, size_t length, int64_t line, const char *message)
{
    char begin[64];
    spl_matrix *matrix = NULL;
    snprintf(begin, sizeof begin, "name:%lld: ", (long long)line);
    for (int threads = 1; threads <= 4; threads += 3) {
        io_context c;
        io_begin(&c, threads, 0);
        EXPECT_STATUS(SPL_FILE_INVALID,
                      spl__mm_read_text(c.context, text, length, "name", NULL, &matrix));
        testing_case("detail \"%s\" must begin with \"%s\" and have \"%s\"", spl_error_detail(),
                     begin, message);
        EXPECT(strncmp(spl_error_detail(), begin, strlen(begin)) == 0);
        EXPECT(strstr(spl_error_detail(), message) != NULL);
        EXPECT(matrix == NULL);
        io_end(&c);
    }
}

static void line_of_the_fault(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *line, *message;
    } faults[] = {
        {"pattern general", "0 1", "row index 0 is not in 1..100000"},
        {"pattern general", "1 100001", "column index 100001 is not in 1..100000"},
        {"pattern general", "1 -1", "column index -1"},
        {"pattern general", "one 1", "\"one\" is not a number"},
        {"pattern general", "1", "ends before its column"},
        {"pattern general", "1 1 1", "follows the last number"},
        {"pattern general", "% remark", "comment"},
        {"real general", "1 1", "ends before its value"},
        {"real general", "1 1 1,5", "\"1,5\" is not a number"},
        {"unsigned-integer general", "1 1 -1", "\"-1\" is not an integer from 0"},
        {"unsigned-integer general", "1 1 1.5", "\"1.5\" is not an integer from 0"},
        {"real skew-symmetric", "77 77 1", "diagonal"},
        {"real symmetric", "77 78 1", "above"},
    };
    static const int64_t numbers[] = {4, LINES / 2, LINES + 1};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        for (int p = 0; p < 3; p++) {
            size_t length, packed_length;
            char *text = text_with(faults[i].kind, numbers[p], faults[i].line, &length);
            unsigned char *packed = io_gzip(text, length, &packed_length);
            check_line(text, length, numbers[p], faults[i].message);
            check_line((const char *)packed, packed_length, numbers[p], faults[i].message);
            free(text);
            free(packed);
        }
}

/* The fault reported is the first one of the file, whichever is found first. */
static void first_of_two_faults(void **state)
{
    (void)state;
    size_t length;
    char *text = text_with("pattern general", 5000, "2 x", &length);
    memcpy(text + length - 8, "nonsense", 8);
    check_line(text, length, 5000, "\"x\"");
    free(text);
}

static void too_few_and_too_many(void **state)
{
    (void)state;
    size_t length;
    char *text = text_with("pattern general", LINES / 2, "\n", &length);
    check_line(text, length, LINES + 3, "ends after 99,999 of 100,000 entries");
    /* one is missing so far: the third line is the second too many */
    strcpy(text + length, "7 7\n\n8 8\n9 9\n");
    check_line(text, length + 13, LINES + 6, "more than the 100,000 entries");
    free(text);
}

static void bad_gzip(void **state)
{
    (void)state;
    size_t length, packed_length;
    char *text = text_with("pattern general", 0, "", &length);
    unsigned char *packed = io_gzip(text, length, &packed_length);
    for (int i = 0; i < 5; i++) {
        io_context c;
        spl_matrix *matrix = NULL;
        size_t count = i == 0   ? 2
                       : i == 1 ? packed_length / 2
                       : i == 2 ? packed_length - 1
                                : packed_length;
        unsigned char *bad = malloc(packed_length + 4);
        memcpy(bad, packed, packed_length);
        if (i == 3)
            bad[packed_length - 6] ^= 1; /* check sum */
        if (i == 4)
            memcpy(bad + count, "junk", 4), count += 4;
        io_begin(&c, 1, 0);
        testing_case("gzip %d", i);
        EXPECT_STATUS(SPL_FILE_INVALID,
                      spl__mm_read_text(c.context, bad, count, "name.gz", NULL, &matrix));
        EXPECT(strncmp(spl_error_detail(), "name.gz: ", 9) == 0);
        EXPECT(i > 2 || strstr(spl_error_detail(), "truncated gzip stream") != NULL);
        io_end(&c);
        free(bad);
    }
    free(packed);
    free(text);
}

static void a_line_without_end(void **state)
{
    (void)state;
    const size_t count = (size_t)5 << 20;
    const char banner[] = "%%MatrixMarket matrix coordinate real general\n";
    char *text = malloc(count);
    memset(text, ' ', count);
    memcpy(text, banner, sizeof banner - 1);
    check_line(text, count, 2, "ends before the size line");
    free(text);
}

/* Words of a file are escaped in messages, zero bytes among them. */
static void controls_in_words(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t count;
        int line;
        const char *message;
    } cases[] = {
#define CASE(text, line, message) {text, sizeof(text) - 1, line, message}
        CASE("%%MatrixMarket matrix \x1b[2J general\n", 1, "\"\\x1b[2J\""),
        CASE("%%MatrixMarket matrix coordinate re\0al general\n", 1, "\"re\\x00al\""),
        CASE("%%MatrixMarket matrix coordinate real general\n1 1\0 1\n", 2, "\"1\\x00\""),
        CASE("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 \a5\xff\n", 3,
             "\"\\a5\\xff\""),
        CASE("%%MatrixMarket matrix coordinate real general\n1 1 1\n\x7f 1 5\n", 3, "\"\\x7f\""),
        CASE("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 \xc3\xa4\n", 3,
             "\"\xc3\xa4\""),
#undef CASE
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_line(cases[i].text, cases[i].count, cases[i].line, cases[i].message);
}

/* -------------------------------------------------------------------------- paths and arguments */

/* Folders as deep as the system allows: place and reason are still told, and both ends
 * of the path. */
static void long_paths(void **state)
{
    (void)state;
    enum { DEPTH = 12, LENGTH = 200 };
    io_context c;
    spl_matrix *matrix = NULL;
    char before[1024], path[4096] = "", name[LENGTH + 1] = "";
    EXPECT(getcwd(before, sizeof before) != NULL && io_path("x") && chdir(io_folder) == 0);
    memset(name, 'f', LENGTH);
    for (int i = 0; i < DEPTH; i++) {
        strcat(strcat(path, name), "/");
        EXPECT(mkdir(path, 0700) == 0);
    }
    strcat(path, "name.mtx");
    FILE *file = fopen(path, "w");
    EXPECT(file &&
           fputs("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 x 1\n", file) >= 0 &&
           fclose(file) == 0);
    io_begin(&c, 1, 0);
    EXPECT_STATUS(SPL_FILE_INVALID, spl_read(c.context, path, NULL, &matrix));
    testing_case("%s", spl_error_detail());
    EXPECT(strncmp(spl_error_detail(), "ffffffff", 8) == 0);
    EXPECT(strstr(spl_error_detail(), "name.mtx:3: column index \"x\" is not a number") != NULL);
    EXPECT(remove(path) == 0);
    EXPECT_STATUS(SPL_FILE_ERROR, spl_read(c.context, path, NULL, &matrix));
    EXPECT(strstr(spl_error_detail(), "name.mtx: No such file or directory") != NULL);
    io_end(&c);
    for (char *slash = strrchr(path, '/'); slash; slash = strrchr(path, '/')) {
        *slash = 0;
        EXPECT(rmdir(path) == 0);
    }
    EXPECT(chdir(before) == 0);
}

/* Reading and writing without memory: which file is told. */
static void memory_is_for_a_file(void **state)
{
    (void)state;
    static const char *const texts[] =
        {"%%MatrixMarket matrix coordinate real general\n900000 900000 1\n1 1 1\n", "1 900000\n"},
                             *const names[] = {"large.mtx", "large.txt"};
    for (int i = 0; i < 2; i++)
        for (int budget = 0; budget < 2; budget++) {
            io_context c;
            spl_matrix *matrix = NULL;
            const char *path = io_write_text(names[i], texts[i]);
            char begin[1100];
            snprintf(begin, sizeof begin, "%s: ", path);
            io_begin(&c, 1, budget ? 1 << 20 : 0);
            c.hook.fail_at = budget ? c.hook.fail_at : c.hook.allocations + 2;
            EXPECT_STATUS(budget ? SPL_OVER_BUDGET : SPL_OUT_OF_MEMORY,
                          spl_read(c.context, path, NULL, &matrix));
            testing_case("%s", spl_error_detail());
            EXPECT(strncmp(spl_error_detail(), begin, strlen(begin)) == 0);
            io_end(&c);
        }
}

static void paths(void **state)
{
    (void)state;
    io_context c;
    spl_matrix *matrix = NULL;
    io_begin(&c, 1, 0);
    EXPECT_STATUS(SPL_FILE_ERROR, spl_read(c.context, io_path("missing.mtx"), NULL, &matrix));
    EXPECT(strstr(spl_error_detail(), "missing.mtx: No such file or directory") != NULL);
    io_path("x");
    EXPECT_STATUS(SPL_FILE_ERROR, spl_read(c.context, io_folder, NULL, &matrix));
    EXPECT(strstr(spl_error_detail(), "directory") != NULL);
    EXPECT_STATUS(SPL_FILE_INVALID,
                  spl_read(c.context, io_write_text("empty.mtx", ""), NULL, &matrix));
    EXPECT(strstr(spl_error_detail(), "empty.mtx:1: ") != NULL);
    EXPECT_STATUS(SPL_FILE_INVALID, spl_read(c.context, "/dev/null", NULL, &matrix));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_read(NULL, "x", NULL, &matrix));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_read(c.context, NULL, NULL, &matrix));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_read(c.context, "x", NULL, NULL));
    spl_read_options options = {0};
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_read(c.context, "x", &options, &matrix));
    EXPECT(matrix == NULL);
    io_end(&c);
}

/* --------------------------------------------------------------------- cancelling and no memory */

typedef struct canceller {
    int calls, cancel_at;
    int64_t last, total;
} canceller;

static int count_or_cancel(void *user, const char *stage, int64_t done, int64_t total)
{
    canceller *c = user;
    EXPECT(strcmp(stage, "read") == 0);
    EXPECT(done >= c->last && done <= total);
    c->last = done;
    c->total = total;
    return c->calls++ == c->cancel_at;
}

static spl_context *progress_context(hook_allocator *hook, canceller *c)
{
    spl_context *context;
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    options.threads = 4;
    options.allocator = hook_as_allocator(hook);
    options.progress = count_or_cancel;
    options.progress_user = c;
    EXPECT_OK(spl_context_create(&options, &context));
    return context;
}

/* Cancelled at every call of the progress function in turn. 12 MB, so that there are several; a
 * few less where threads report together. */
static void cancelling(void **state)
{
    (void)state;
    const int copies = 12;
    size_t length;
    char *part = text_with("pattern general", 0, "", &length);
    char *text = malloc(length * (size_t)copies + 512);
    const char *body = strchr(strchr(part, '\n') + 1, '\n') + 1;
    size_t n =
        (size_t)sprintf(text, "%%%%MatrixMarket matrix coordinate pattern general\n%d %d %d\n",
                        LINES, LINES, LINES * copies);
    for (int i = 0; i < copies; i++)
        n += (size_t)sprintf(text + n, "%s", body);
    int calls = 1;
    for (int position = 0; position <= calls; position++) {
        hook_allocator hook;
        canceller c = {.cancel_at = position == calls ? -1 : position};
        spl_matrix *matrix = NULL;
        hook_start(&hook);
        spl_context *context = progress_context(&hook, &c);
        testing_case("cancelled at call %d of %d", position, calls);
        const spl_status status = spl__mm_read_text(context, text, n, "name", NULL, &matrix);
        const bool cancelled = position != calls && c.calls > position;
        EXPECT_STATUS(cancelled ? SPL_CANCELLED : SPL_OK, status);
        EXPECT((matrix == NULL) == cancelled && (cancelled || position >= 5));
        if (position == 0) { /* how many calls a whole read makes */
            canceller all = {.cancel_at = -1};
            spl_context *other = progress_context(&hook, &all);
            EXPECT_OK(spl__mm_read_text(other, text, n, "name", NULL, &matrix));
            spl_matrix_destroy(matrix);
            matrix = NULL;
            spl_context_destroy(other);
            calls = all.calls;
            EXPECT(calls >= 5 && all.last == all.total && all.total == (int64_t)n);
        }
        spl_matrix_destroy(matrix);
        spl_context_destroy(context);
        EXPECT(hook_clean(&hook));
        hook_stop(&hook);
    }
    free(part);
    free(text);
}

static void check_without_memory(const void *bytes, size_t count, const spl_read_options *options)
{
    spl_status status = SPL_OUT_OF_MEMORY;
    for (int k = 1; status != SPL_OK; k++) { /* 0 is the context itself */
        io_context c;
        spl_matrix *matrix = NULL;
        io_begin(&c, 2, 0);
        c.hook.fail_at = c.hook.allocations + k - 1;
        status = spl__mm_read_text(c.context, bytes, count, "name", options, &matrix);
        testing_case("allocation %d fails", k);
        EXPECT(status == SPL_OK || status == SPL_OUT_OF_MEMORY);
        EXPECT((matrix == NULL) == (status != SPL_OK));
        spl_matrix_destroy(matrix);
        io_end(&c);
        EXPECT(k < 1000);
    }
}

static void every_allocation_fails(void **state)
{
    (void)state;
    static const char *const texts[] = {"coordinate real symmetric\n3 3 2\n2 1 5\n3 3 1\n",
                                        "array real general\n2 1\n4\n5\n",
                                        "coordinate pattern general\n2 2 1\n1 2\n"};
    for (int i = 0; i < 3; i++) {
        char text[256];
        size_t length;
        spl_read_options options = io_coo();
        int count = snprintf(text, sizeof text, "%%%%MatrixMarket matrix %s", texts[i]);
        unsigned char *packed = io_gzip(text, (size_t)count, &length);
        check_without_memory(text, (size_t)count, NULL);
        check_without_memory(text, (size_t)count, &options);
        check_without_memory(packed, length, NULL);
        free(packed);
    }
}

/* The peak stays below every budget. */
static void budgets(void **state)
{
    (void)state;
    size_t length, packed_length;
    char *text = text_with("real symmetric", 0, "", &length);
    unsigned char *packed = io_gzip(text, length, &packed_length);
    int outcomes[2] = {0, 0};
    for (size_t budget = 1 << 16; budget < (size_t)1 << 27; budget *= 2) {
        for (int gz = 0; gz < 2; gz++) {
            io_context c;
            spl_matrix *matrix = NULL;
            spl_memory_info info = SPL_MEMORY_INFO_INIT;
            io_begin(&c, 2, budget);
            spl_status status =
                spl__mm_read_text(c.context, gz ? (const void *)packed : text,
                                  gz ? packed_length : length, "name", NULL, &matrix);
            EXPECT(status == SPL_OK || status == SPL_OVER_BUDGET);
            outcomes[status == SPL_OK]++;
            EXPECT_OK(spl_memory(c.context, (spl_place){SPL_HOST, 0}, &info));
            EXPECT(info.peak <= budget);
            spl_matrix_destroy(matrix);
            io_end(&c);
        }
    }
    EXPECT(outcomes[0] > 0 && outcomes[1] > 0);
    free(packed);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line_of_the_fault),
        cmocka_unit_test(first_of_two_faults),
        cmocka_unit_test(too_few_and_too_many),
        cmocka_unit_test(bad_gzip),
        cmocka_unit_test(a_line_without_end),
        cmocka_unit_test(controls_in_words),
        cmocka_unit_test(long_paths),
        cmocka_unit_test(memory_is_for_a_file),
        cmocka_unit_test(paths),
        cmocka_unit_test(cancelling),
        cmocka_unit_test(every_allocation_fails),
        cmocka_unit_test(budgets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
