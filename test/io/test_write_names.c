/* SPDX-License-Identifier: Apache-2.0 */
/* Which targets can be written: the ending of the name, the folder, an existing file or folder.
 * spl_write_check gives the same answers as spl_write. */
#include "io_files.h"

#include <sys/stat.h>

static const char *const known[] = {".mtx", ".graph", ".txt", ".edges", ".tsv", ".el", ".edgelist"};
enum { KNOWN = sizeof known / sizeof *known };

/* The path 0-1, which every format can hold. */
static spl_sparse small_path(void)
{
    static const int32_t offsets[] = {0, 1, 2}, columns[] = {1, 0};
    static const double ones[] = {1, 1};
    spl_sparse view = SPL_SPARSE_INIT;
    view.format = SPL_CSR;
    view.type = SPL_F64;
    view.offset_type = view.index_type = SPL_I32;
    view.rows = view.cols = view.nnz = 2;
    view.offsets = offsets;
    view.indices = columns;
    view.values = ones;
    return view;
}

/* Both functions say so; a file appears only if it was written. */
static void expect(spl_status status, const char *path)
{
    io_context c;
    spl_sparse view = small_path();
    struct stat info;
    bool before = stat(path, &info) == 0;
    testing_case("%s", path);
    io_begin(&c, 1, 0);
    EXPECT_STATUS(status, spl_write_check(path));
    EXPECT((stat(path, &info) == 0) == before);
    EXPECT_STATUS(status, spl_write(c.context, &view, path));
    EXPECT((stat(path, &info) == 0) == (before || status == SPL_OK));
    EXPECT(status == SPL_OK || strncmp(spl_error_detail(), path, strlen(path)) == 0);
    io_end(&c);
}

static void known_endings(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * KNOWN; i++) {
        char name[64];
        io_context c;
        spl_matrix *matrix;
        snprintf(name, sizeof name, "known%s%s", known[i / 2], i % 2 ? ".gz" : "");
        const char *path = io_path(name);
        expect(SPL_OK, path);
        io_begin(&c, 1, 0);
        EXPECT_OK(spl_read(c.context, path, NULL, &matrix));
        spl_sparse view = io_view(matrix), wanted = small_path();
        EXPECT(io_same(&view, &wanted));
        spl_matrix_destroy(matrix);
        io_end(&c);
    }
}

static bool is_known(const char *ending)
{
    bool found = strcmp(ending, ".gz") == 0 || strcmp(ending, ".npz") == 0;
    for (int i = 0; i < KNOWN; i++)
        found = found || strcmp(ending, known[i]) == 0;
    return found;
}

static void unknown_endings(void **state)
{
    (void)state;
    static const char *const usual[] = {".csv", ".npy",    ".bz2", ".mtx.bz2",
                                        ".mat", ".npz.gz", ".MTX", ".mtx~"};
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    for (int i = 0; i < 60; i++) {
        char ending[16] = ".", name[64];
        int length = 1 + (int)zoo_random_below(&random, 6);
        for (int k = 0; k < length; k++)
            ending[k + 1] = "abcdefghijklmnopqrstuvwxyz0123456789"[zoo_random_below(&random, 36)];
        const char *chosen = i < 8 ? usual[i] : ending;
        if (is_known(chosen))
            continue;
        snprintf(name, sizeof name, "unknown%s%s", chosen, i >= 8 && i % 2 ? ".gz" : "");
        expect(SPL_UNSUPPORTED, io_path(name));
        for (int k = 0; k < KNOWN; k++)
            EXPECT(strstr(spl_error_detail(), known[k]) != NULL);
    }
}

/* Without an ending a file is Matrix Market; dots of folders, and one in front, are none. */
static void no_ending(void **state)
{
    (void)state;
    static const char *const names[] = {"plain", "plain.gz", "folder.csv/plain", ".hidden",
                                        "folder.csv/.hidden.gz"};
    EXPECT(mkdir(io_path("folder.csv"), 0700) == 0);
    for (int i = 0; i < 5; i++) {
        io_context c;
        spl_matrix *matrix;
        const char *path = io_path(names[i]);
        expect(SPL_OK, path);
        io_begin(&c, 1, 0);
        EXPECT_OK(spl_read(c.context, path, NULL, &matrix));
        EXPECT(io_view(matrix).nnz == 2);
        spl_matrix_destroy(matrix);
        io_end(&c);
        remove(path);
    }
    EXPECT(rmdir(io_path("folder.csv")) == 0);
}

static void places(void **state)
{
    (void)state;
    char name[400];
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = 0;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_write_check(NULL));
    expect(SPL_FILE_ERROR, "");
    expect(SPL_FILE_ERROR, "/");
    expect(SPL_FILE_ERROR, io_path("."));
    expect(SPL_FILE_ERROR, io_path("no/such/folder.mtx"));
    expect(SPL_FILE_ERROR, io_path(name));
    io_write_text("file.txt", "");
    expect(SPL_FILE_ERROR, io_path("file.txt/a.mtx"));
    expect(SPL_OK, "/dev/null");
}

/* The superuser may write everywhere. */
static void permissions(void **state)
{
    (void)state;
    const char *file = io_write_text("fixed.mtx", "kept"), *folder = io_path("closed"),
               *inside = io_path("closed/a.mtx");
    EXPECT(mkdir(folder, 0500) == 0 && chmod(file, 0400) == 0);
    if (geteuid() != 0) {
        expect(SPL_FILE_ERROR, file);
        expect(SPL_FILE_ERROR, inside);
    }
    EXPECT(chmod(folder, 0700) == 0 && chmod(file, 0600) == 0);
    expect(SPL_OK, file);
    expect(SPL_OK, inside);
    remove(inside);
    EXPECT(rmdir(folder) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_endings), cmocka_unit_test(unknown_endings),
        cmocka_unit_test(no_ending),     cmocka_unit_test(places),
        cmocka_unit_test(permissions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
