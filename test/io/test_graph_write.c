/* SPDX-License-Identifier: Apache-2.0 */
/* METIS graphs and edge lists: what is written, what cannot be, and that it reads back. */
#include "io_files.h"

#include "io/read.h"

enum { PAIRS = 75000, NODES = 5000 };

static void expect_text(const char *path, const char *text)
{
    size_t count;
    char *found = io_read_bytes(path, &count);
    testing_case("file \"%s\", expected \"%s\"", found ? found : "", text);
    EXPECT(found && strcmp(found, text) == 0);
    free(found);
}

/* Writes what the text of a file says under another name. */
static spl_status rewrite(const char *name, const char *text, const char *path)
{
    io_context c;
    spl_matrix *matrix;
    io_begin(&c, 2, 0);
    EXPECT_OK(spl__read_memory(c.context, text, strlen(text), name, NULL, &matrix));
    spl_sparse view = io_view(matrix);
    spl_status status = spl_write(c.context, &view, path);
    spl_matrix_destroy(matrix);
    io_end(&c);
    return status;
}

static void exact_texts(void **state)
{
    (void)state;
    static const char weighted[] = "3 2 1\n2 5 3 1\n1 5\n1 1\n", plain[] = "4 2\n3 4\n\n1\n1\n";
    EXPECT_OK(rewrite("a.graph", weighted, io_path("b.graph")));
    expect_text(io_path("b.graph"), weighted);
    EXPECT_OK(rewrite("a.graph", plain, io_path("b.graph")));
    expect_text(io_path("b.graph"), plain);
    EXPECT_OK(rewrite("a.graph", plain, io_path("b.txt")));
    expect_text(io_path("b.txt"),
                "# Nodes: 4 Edges: 4\n# FromNodeId\tToNodeId\n0\t2\n0\t3\n2\t0\n3\t0\n");
    EXPECT_OK(rewrite("a.txt", "0 1 0.1\n1 1 -2\n", io_path("b.tsv")));
    expect_text(io_path("b.tsv"),
                "# Nodes: 2 Edges: 2\n# FromNodeId\tToNodeId\tValue\n0\t1\t0.1\n1\t1\t-2\n");
    EXPECT_OK(rewrite("a.txt", "1 0 2\n0 1 1\n0 1 1\n", io_path("b.graph")));
    expect_text(io_path("b.graph"), "2 1 1\n2 2\n1 2\n");
    EXPECT_OK(rewrite("a.graph", "0 0\n", io_path("b.edges")));
    expect_text(io_path("b.edges"), "# Nodes: 0 Edges: 0\n# FromNodeId\tToNodeId\n");
    EXPECT_OK(rewrite("a.graph", "2 0\n\n\n", io_path("b.graph")));
    expect_text(io_path("b.graph"), "2 0\n\n\n");
    EXPECT_OK(rewrite("a.graph", plain, io_path("b.graph.gz")));
    size_t count;
    char *bytes = io_read_bytes(io_path("b.graph.gz"), &count);
    EXPECT((unsigned char)bytes[0] == 0x1f && (unsigned char)bytes[1] == 0x8b);
    free(bytes);
}

static void what_cannot_be_written(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } faults[] = {
        {"0 1\n", "of (0,1) and (1,0) only one is stored"},
        {"1 0\n", "of (0,1) and (1,0) only one is stored"},
        {"0 1\n0 2\n1 0\n2 1\n2 0\n1 2\n2 2\n", "(2,2) on the diagonal"},
        {"0 1 2\n1 0 3\n", "(0,1) is 2 and (1,0) is 3"},
        {"0 1 0.5\n1 0 0.5\n", "(0,1) is 0.5"},
        {"0 1 0\n1 0 0\n", "(0,1) is 0"},
        {"0 1 -1\n1 0 -1\n", "(0,1) is -1"},
        {"0 1 1e300\n1 0 1e300\n", "(0,1) is 1e+300"},
        {"0 1 nan\n1 0 nan\n", "nan"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        const char *path = io_write_text("old.graph", "old text");
        int files = io_each_file(NULL);
        EXPECT_STATUS(SPL_UNSUPPORTED, rewrite("a.txt", faults[i].text, path));
        testing_case("detail \"%s\" must have \"%s\"", spl_error_detail(), faults[i].message);
        EXPECT(strstr(spl_error_detail(), faults[i].message) != NULL &&
               io_each_file(NULL) == files);
        expect_text(path, "old text");
    }
    io_context c;
    spl_sparse view = SPL_SPARSE_INIT;
    view.format = SPL_COO;
    view.type = SPL_F64;
    view.index_type = SPL_I32;
    view.rows = 2;
    view.cols = 3;
    io_begin(&c, 1, 0);
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_write(c.context, &view, io_path("c.graph")));
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_write(c.context, &view, io_path("c.txt.gz")));
    EXPECT(strstr(spl_error_detail(), "2 x 3") != NULL);
    io_end(&c);
}

/* Long rows and many vertices: the writer's buffer fills at every place. */
static void round_trips(void **state)
{
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++) {
        size_t length = 0;
        io_context c;
        spl_matrix *matrix, *back;
        char *text = malloc((size_t)PAIRS * 80);
        zoo_random random;
        zoo_random_seed(&random, testing_seed());
        for (int k = 0; k < PAIRS; k++) {
            long long i = (long long)zoo_random_below(&random, NODES),
                      j = (long long)zoo_random_below(&random, NODES);
            long long w = weighted ? 1 + (long long)zoo_random_below(&random, 1000000000) : 1;
            j = i == j ? (i + 1) % NODES : j;
            length += (size_t)sprintf(text + length, "%lld %lld %lld\n%lld %lld %lld\n", i, j, w, j,
                                      i, w);
        }
        io_begin(&c, 3, 0);
        EXPECT_OK(spl__read_memory(c.context, text, length, "a.txt", NULL, &matrix));
        spl_sparse view = io_view(matrix), summed, view_back;
        spl_convert_options sum = SPL_CONVERT_OPTIONS_INIT;
        sum.sum_duplicates = 1;
        spl_matrix *once;
        EXPECT_OK(spl_convert(c.context, &view, &sum, &once));
        summed = io_view(once);
        EXPECT_OK(spl_write(c.context, &view, io_path("trip.graph")));
        EXPECT_OK(spl_read(c.context, io_path("trip.graph"), NULL, &back));
        view_back = io_view(back);
        EXPECT(io_same(&summed, &view_back));
        spl_matrix_destroy(back);
        EXPECT_OK(spl_write(c.context, &view, io_path("trip.txt.gz")));
        EXPECT_OK(spl_read(c.context, io_path("trip.txt.gz"), NULL, &back));
        view_back = io_view(back);
        EXPECT(io_same(&view, &view_back));
        spl_matrix_destroy(back);
        spl_matrix_destroy(once);
        spl_matrix_destroy(matrix);
        io_end(&c);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_texts),
        cmocka_unit_test(what_cannot_be_written),
        cmocka_unit_test(round_trips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
