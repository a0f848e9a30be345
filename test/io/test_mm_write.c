/* SPDX-License-Identifier: Apache-2.0 */
/* Writing: what is read back is what was written, and a file is replaced wholly or not at all. */
#include "io_files.h"

#include "io/matrix_market/mm_read.h"

#include <locale.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* A small matrix in any format: rows 0 1 1, columns 2 0 2. */
typedef struct small {
    int32_t coo_rows[3], columns[3], csr_offsets[3], csc_offsets[4], csc_rows[3];
    double values[3];
    float singles[3];
} small;

static const small example = {.coo_rows = {0, 1, 1},
                              .columns = {2, 0, 2},
                              .csr_offsets = {0, 1, 3},
                              .csc_offsets = {0, 1, 1, 3},
                              .csc_rows = {1, 0, 1},
                              .values = {0.1, -2, 1e-300},
                              .singles = {0.1F, -2, 3e30F}};

static spl_sparse small_view(spl_format format, spl_type type)
{
    spl_sparse view = SPL_SPARSE_INIT;
    view.format = format;
    view.type = type;
    view.offset_type = view.index_type = SPL_I32;
    view.rows = 2;
    view.cols = 3;
    view.nnz = 3;
    view.offsets = format == SPL_COO   ? example.coo_rows
                   : format == SPL_CSR ? example.csr_offsets
                                       : example.csc_offsets;
    view.indices = format == SPL_CSC ? example.csc_rows : example.columns;
    view.values = type == SPL_F64 ? (const void *)example.values : example.singles;
    return view;
}

static void expect_text(const char *path, const char *text)
{
    size_t count;
    char *found = io_read_bytes(path, &count);
    testing_case("file \"%s\", expected \"%s\"", found ? found : "", text);
    EXPECT(found && strcmp(found, text) == 0);
    free(found);
}

#define BANNER "%%MatrixMarket matrix coordinate real general\n"

static void exact_text(void **state)
{
    (void)state;
    static const struct {
        spl_format format;
        spl_type type;
        const char *text;
    } cases[] = {{SPL_COO, SPL_F64, BANNER "2 3 3\n1 3 0.1\n2 1 -2\n2 3 1e-300\n"},
                 {SPL_CSR, SPL_F64, BANNER "2 3 3\n1 3 0.1\n2 1 -2\n2 3 1e-300\n"},
                 {SPL_CSC, SPL_F64, BANNER "2 3 3\n2 1 0.1\n1 3 -2\n2 3 1e-300\n"},
                 {SPL_CSR, SPL_F32, BANNER "2 3 3\n1 3 0.1\n2 1 -2\n2 3 3e30\n"}};
    for (int i = 0; i < 4; i++) {
        io_context c;
        spl_sparse view = small_view(cases[i].format, cases[i].type);
        const char *path = io_path("text.mtx");
        io_begin(&c, 1, 0);
        EXPECT_OK(spl_write(c.context, &view, path));
        expect_text(path, cases[i].text);
        io_end(&c);
    }
}

static void no_entries(void **state)
{
    (void)state;
    io_context c;
    spl_sparse view = small_view(SPL_COO, SPL_F64);
    const char *path = io_path("none.mtx");
    view.nnz = view.rows = 0;
    io_begin(&c, 1, 0);
    EXPECT_OK(spl_write(c.context, &view, path));
    expect_text(path, BANNER "0 3 0\n");
    io_end(&c);
}

/* ---------------------------------------------------------------------------------- round trips */

enum { ENTRIES = 80000, SIZE = 30000 };

/* A random matrix; every kind of value when f64. */
static void random_matrix(spl_context *context, spl_type type, spl_matrix **matrix)
{
    char *text = malloc((size_t)ENTRIES * 16 + 256);
    zoo_random random;
    spl_read_options options = io_coo();
    options.type = type;
    zoo_random_seed(&random, testing_seed());
    size_t n =
        (size_t)sprintf(text, "%%%%MatrixMarket matrix coordinate pattern general\n%d %d %d\n",
                        SIZE, SIZE, ENTRIES);
    for (int k = 0; k < ENTRIES; k++)
        n +=
            (size_t)sprintf(text + n, "%lld %lld\n", (long long)zoo_random_below(&random, SIZE) + 1,
                            (long long)zoo_random_below(&random, SIZE) + 1);
    EXPECT_OK(spl__mm_read_text(context, text, n, "text", &options, matrix));
    void *values;
    EXPECT_OK(spl_matrix_arrays(*matrix, NULL, NULL, &values));
    for (int k = 0; k < ENTRIES; k++) {
        uint64_t bits = zoo_random_next(&random);
        if (type == SPL_F32)
            ((float *)values)[k] = (float)zoo_random_unit(&random);
        else
            memcpy((double *)values + k, &bits, sizeof bits);
    }
    free(text);
}

static void round_trips(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++) {
        io_context c;
        spl_matrix *coo, *written, *back;
        spl_convert_options convert = SPL_CONVERT_OPTIONS_INIT;
        spl_read_options read = SPL_READ_OPTIONS_INIT;
        const char *path = io_path(i % 2 ? "trip.mtx.gz" : "trip.mtx");
        convert.format = read.format = (spl_format)(SPL_CSR + i / 2 % 3);
        read.type = i < 6 ? SPL_F64 : SPL_F32;
        io_begin(&c, i % 2 ? 4 : 1, 0);
        testing_case("format %d, type %d, %s", (int)read.format, (int)read.type, path);
        random_matrix(c.context, read.type, &coo);
        spl_sparse view = io_view(coo), view_written, view_back;
        EXPECT_OK(spl_convert(c.context, &view, &convert, &written));
        view_written = io_view(written);
        EXPECT_OK(spl_write(c.context, &view_written, path));
        EXPECT_OK(spl_read(c.context, path, &read, &back));
        view_back = io_view(back);
        EXPECT(io_same(&view_written, &view_back));
        spl_matrix_destroy(coo);
        spl_matrix_destroy(written);
        spl_matrix_destroy(back);
        io_end(&c);
    }
}

static void same_bytes_for_any_threads(void **state)
{
    (void)state;
    static const char *const names[] = {"one.mtx", "four.mtx", "one.mtx.gz", "four.mtx.gz"};
    char *bytes[4];
    size_t counts[4];
    for (int i = 0; i < 4; i++) {
        io_context c;
        spl_matrix *matrix;
        const char *path = io_path(names[i]);
        io_begin(&c, i % 2 ? 4 : 1, 0);
        random_matrix(c.context, SPL_F64, &matrix);
        spl_sparse view = io_view(matrix);
        EXPECT_OK(spl_write(c.context, &view, path));
        bytes[i] = io_read_bytes(path, &counts[i]);
        spl_matrix_destroy(matrix);
        io_end(&c);
    }
    for (int i = 0; i < 4; i += 2)
        EXPECT(counts[i] == counts[i + 1] && memcmp(bytes[i], bytes[i + 1], counts[i]) == 0);
    EXPECT((unsigned char)bytes[2][0] == 0x1f && (unsigned char)bytes[2][1] == 0x8b);
    for (int i = 0; i < 4; i++)
        free(bytes[i]);
}

/* ------------------------------------------------------------------------------- all or nothing */

/* Writing fails with `status`, and the folder is as before: `old` with its text and nothing else
 * new. */
static void expect_untouched(spl_context *context, const spl_sparse *view, spl_status status)
{
    const char *path = io_write_text("old.mtx", "old text");
    int files = io_each_file(NULL);
    EXPECT_STATUS(status, spl_write(context, view, path));
    expect_text(path, "old text");
    EXPECT(io_each_file(NULL) == files);
    path = io_path("old.mtx.gz");
    EXPECT_STATUS(status, spl_write(context, view, path));
    EXPECT(access(path, F_OK) != 0);
    EXPECT(io_each_file(NULL) == files);
}

/* The disk is full: a limit on the size of files gives the same kind of error. */
static void full_disk(void **state)
{
    (void)state;
    io_context c;
    spl_matrix *matrix;
    struct rlimit before, limit;
    io_begin(&c, 2, 0);
    random_matrix(c.context, SPL_F64, &matrix);
    spl_sparse view = io_view(matrix);
    EXPECT(getrlimit(RLIMIT_FSIZE, &before) == 0);
    limit = before;
    limit.rlim_cur = 100000;
    signal(SIGXFSZ, SIG_IGN);
    EXPECT(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    expect_untouched(c.context, &view, SPL_FILE_ERROR);
    EXPECT(strstr(spl_error_detail(), "old.mtx.gz: File too large") != NULL);
    EXPECT(setrlimit(RLIMIT_FSIZE, &before) == 0);
    if (access("/dev/full", W_OK) == 0) {
        EXPECT_STATUS(SPL_FILE_ERROR, spl_write(c.context, &view, "/dev/full"));
        EXPECT(strcmp(spl_error_detail(), "/dev/full: No space left on device") == 0);
    }
    spl_matrix_destroy(matrix);
    io_end(&c);
}

static int cancel_later(void *user, const char *stage, int64_t done, int64_t total)
{
    (void)stage;
    return *(int *)user && done > 0 && done <= total;
}

static void cancelled(void **state)
{
    (void)state;
    hook_allocator hook;
    spl_context *context;
    spl_matrix *matrix;
    int cancel = 0;
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    hook_start(&hook);
    options.allocator = hook_as_allocator(&hook);
    options.progress = cancel_later;
    options.progress_user = &cancel;
    EXPECT_OK(spl_context_create(&options, &context));
    random_matrix(context, SPL_F64, &matrix);
    cancel = 1;
    spl_sparse view = io_view(matrix);
    expect_untouched(context, &view, SPL_CANCELLED);
    spl_matrix_destroy(matrix);
    spl_context_destroy(context);
    EXPECT(hook_clean(&hook));
    hook_stop(&hook);
}

static void every_allocation_fails(void **state)
{
    (void)state;
    spl_sparse view = small_view(SPL_CSR, SPL_F64);
    for (int gz = 0; gz < 2; gz++) {
        spl_status status = SPL_OUT_OF_MEMORY;
        const char *path = io_path(gz ? "memory.mtx.gz" : "memory.mtx");
        for (int k = 0; status != SPL_OK; k++) {
            io_context c;
            io_begin(&c, 1, 0);
            c.hook.fail_at = c.hook.allocations + k;
            int files = io_each_file(NULL);
            status = spl_write(c.context, &view, path);
            testing_case("allocation %d fails", k);
            EXPECT(status == SPL_OK || status == SPL_OUT_OF_MEMORY);
            EXPECT(io_each_file(NULL) == files + (status == SPL_OK));
            io_end(&c);
            EXPECT(k < 100);
        }
    }
}

static void bad_paths(void **state)
{
    (void)state;
    io_context c;
    char name[400];
    spl_sparse view = small_view(SPL_CSR, SPL_F64);
    io_begin(&c, 1, 0);
    EXPECT_STATUS(SPL_FILE_ERROR, spl_write(c.context, &view, io_path("no/such/folder.mtx")));
    EXPECT(strstr(spl_error_detail(), "no/such/folder.mtx: No such file or directory") != NULL);
    EXPECT_STATUS(SPL_FILE_ERROR, spl_write(c.context, &view, io_folder));
    EXPECT(strstr(spl_error_detail(), "Is a directory") != NULL);
    EXPECT_STATUS(SPL_FILE_ERROR, spl_write(c.context, &view, ""));
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = 0;
    EXPECT_STATUS(SPL_FILE_ERROR, spl_write(c.context, &view, io_path(name)));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_write(NULL, &view, "x"));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_write(c.context, NULL, "x"));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_write(c.context, &view, NULL));
    const int32_t out_of_range[] = {2, 0, 3};
    view.indices = out_of_range;
    expect_untouched(c.context, &view, SPL_INVALID_MATRIX);
    io_end(&c);
}

static mode_t mode_of(const char *path)
{
    struct stat info;
    EXPECT(lstat(path, &info) == 0);
    return info.st_mode;
}

static void permissions_and_links(void **state)
{
    (void)state;
    io_context c;
    spl_sparse view = small_view(SPL_CSR, SPL_F64);
    mode_t mask = umask(027);
    const char *path = io_path("new.mtx"), *link = io_path("link.mtx");
    io_begin(&c, 1, 0);
    EXPECT_OK(spl_write(c.context, &view, path));
    EXPECT((mode_of(path) & 07777) == 0640);
    EXPECT(chmod(path, 0604) == 0);
    EXPECT_OK(spl_write(c.context, &view, path));
    EXPECT((mode_of(path) & 07777) == 0604);
    EXPECT(symlink("new.mtx", link) == 0);
    view.nnz = 0;
    view.format = SPL_COO;
    EXPECT_OK(spl_write(c.context, &view, link));
    EXPECT(S_ISLNK(mode_of(link)));
    expect_text(path, BANNER "2 3 0\n");
    EXPECT_OK(spl_write(c.context, &view, "/dev/null"));
    EXPECT(S_ISCHR(mode_of("/dev/null")));
    umask(mask);
    io_end(&c);
}

/* A path without a folder goes to the working directory. */
static void relative_path(void **state)
{
    (void)state;
    io_context c;
    char before[1024];
    spl_sparse view = small_view(SPL_CSR, SPL_F64);
    const char *path = io_path("here.mtx");
    EXPECT(getcwd(before, sizeof before) != NULL && chdir(io_folder) == 0);
    io_begin(&c, 1, 0);
    EXPECT_OK(spl_write(c.context, &view, "here.mtx"));
    EXPECT(chdir(before) == 0);
    EXPECT(access(path, R_OK) == 0);
    io_end(&c);
}

/* With a decimal comma the bytes are the same, and they read the same. */
static void locales(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE",
                                        "fr_FR.UTF-8", "fr_FR.utf8", "it_IT.UTF-8"};
    io_context c;
    spl_matrix *matrix, *back;
    spl_read_options options = io_coo();
    io_begin(&c, 4, 0);
    random_matrix(c.context, SPL_F64, &matrix);
    spl_sparse view = io_view(matrix);
    const char *found = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
        found = setlocale(LC_ALL, names[i]);
    EXPECT_OK(spl_write(c.context, &view, io_path("locale.mtx")));
    EXPECT_OK(spl_read(c.context, io_path("locale.mtx"), &options, &back));
    setlocale(LC_ALL, "C");
    spl_sparse view_back = io_view(back);
    EXPECT(io_same(&view, &view_back));
    spl_matrix_destroy(matrix);
    spl_matrix_destroy(back);
    io_end(&c);
    if (!found) {
        print_message("no locale with a decimal comma is installed\n");
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_text),
        cmocka_unit_test(no_entries),
        cmocka_unit_test(round_trips),
        cmocka_unit_test(same_bytes_for_any_threads),
        cmocka_unit_test(full_disk),
        cmocka_unit_test(cancelled),
        cmocka_unit_test(every_allocation_fails),
        cmocka_unit_test(bad_paths),
        cmocka_unit_test(permissions_and_links),
        cmocka_unit_test(relative_path),
        cmocka_unit_test(locales),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
