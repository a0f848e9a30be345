/* SPDX-License-Identifier: Apache-2.0 */
/* Edge lists: what is read, and what is wrong where. */
#include "text_entries.h"

static void kinds_of_edge_lists(void **state)
{
    (void)state;
    expect_entries("a.txt", "1 3\n0 2\n", 4, "1 3 1;0 2 1;");
    expect_entries("a", "# Directed graph\r\n# Nodes: 9\r\n1\t3\r\n\r\n0\t2\r\n", 9,
                   "1 3 1;0 2 1;");
    expect_entries("a.tsv", "1\t3\t0.5\n# inside\n3\t1\t-2e3", 4, "1 3 0.5;3 1 -2000;");
    expect_entries("a.edges", "  5   5  \n", 6, "5 5 1;");
    expect_entries("a.txt", "1 1\n1 1\n", 2, "1 1 1;1 1 1;");
    expect_entries("a.txt", "# none\n", 0, "");
    expect_entries("a.txt", "\n\n", 0, "");
    expect_entries("a.graph", "# contents come before the name\n0 1\n", 2, "0 1 1;");
    expect_entries("a.txt", "9223372036854775805 0\n0 4294967296\n", INT64_MAX - 1,
                   "9223372036854775805 0 1;0 4294967296 1;");
}

/* Comments before the first edge give the number of nodes, unless an id is larger; other
 * comments are ignored. */
static void numbers_of_nodes(void **state)
{
    (void)state;
    static const char edge[] = "1 3 1;";
    expect_entries("a.txt", "#Nodes: 5\n1 3\n", 5, edge);
    expect_entries("a.txt", "# Nodes:\t6 Edges: 1\n\n# more\n1 3\n", 6, edge);
    expect_entries("a.txt", "# Nodes: 7\n", 7, "");
    expect_entries("a.txt", "# Nodes: 3\n1 3\n", 4, edge);
    expect_entries("a.txt", "# Nodes: 8\n# Nodes: 9\n1 3\n", 9, edge);
    expect_entries("a.txt", "# Nodes: many\n1 3\n", 4, edge);
    expect_entries("a.txt", "# Nodes: 5.5\n1 3\n", 4, edge);
    expect_entries("a.txt", "# Nodes: -5\n1 3\n", 4, edge);
    expect_entries("a.txt", "# Nodes: 9223372036854775807\n1 3\n", 4, edge);
    expect_entries("a.txt", "# Nodes: 9223372036854775806\n1 3\n", INT64_MAX - 1, edge);
    expect_entries("a.txt", "# all Nodes: 5\n1 3\n", 4, edge);
    expect_entries("a.txt", "1 3\n# Nodes: 5\n", 4, edge);
}

static void lists_with_commas(void **state)
{
    (void)state;
    static const char plain[] = "1 3 1;0 2 1;", weighted[] = "1 3 0.5;0 2 -2;";
    expect_entries("a.csv", "1,3\n0,2\n", 4, plain);
    expect_entries("a.csv", "source,target\n1,3\n0,2", 4, plain);
    expect_entries("a.csv", "\n# remark\n\"from id\" , to\r\n 1 , 3 \r\n# 7,8\n\n0,\t2\n", 4,
                   plain);
    expect_entries("a.csv", "from,to,value\n1,3,0.5\n0,2,-2\n", 4, weighted);
    expect_entries("a.csv", "# Nodes: 9\nfrom,to,value\n1,3,.5\n0,2,-2e0\n", 9, weighted);
    expect_entries("a.csv", "from,to\n", 0, "");
    static const struct {
        const char *text;
        int line;
        const char *message;
    } faults[] = {
        {"", 1, "empty"},
        {"1,,2\n", 1, "a field without"},
        {"1,2\n3,\n", 2, "a field without"},
        {"1,2\n,3\n", 2, "a field without"},
        {",1\n", 1, "a field without"},
        {"1,2\n3 4\n", 2, "no comma in front of \"4\""},
        {"1,2,3\n3,4 5\n", 2, "no comma in front of \"5\""},
        {"1 2\n", 1, "1 column:"},
        {"1;2\n", 1, "1 column:"},
        {"from,to,a,b\n1,2,3,4\n", 2, "4 columns"},
        {"1,2\n1,2,3\n", 2, "number too many"},
        {"1,2,3\n1,2\n", 2, "no value"},
        {"from,to\nfrom,to\n1,2\n", 2, "\"from\" is not an id"},
        {"1,2\nfrom,to\n", 2, "\"from\" is not an id"},
        {"1,2\n3,x\n4,,\n", 2, "\"x\" is not an id"},
        {"-1,2\n", 1, "\"-1\" is not an id"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        expect_fault("a.csv", faults[i].text, faults[i].line, faults[i].message);
}

/* A written matrix keeps its shape when it is read, also if its last rows and columns are empty. */
static void shapes_are_kept(void **state)
{
    (void)state;
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    for (int round = 0; round < 30; round++) {
        enum { MOST = 5 };
        int32_t rows[MOST], cols[MOST];
        double values[MOST];
        io_context c;
        spl_matrix *matrix;
        spl_read_options options = io_coo();
        spl_sparse view = SPL_SPARSE_INIT;
        int64_t used = 1 + zoo_random_below(&random, 4);
        view.format = SPL_COO;
        view.type = SPL_F64;
        view.offset_type = view.index_type = SPL_I32;
        view.rows = view.cols = used + zoo_random_below(&random, 6);
        view.nnz = zoo_random_below(&random, MOST + 1);
        view.offsets = rows;
        view.indices = cols;
        view.values = values;
        for (int k = 0; k < view.nnz; k++) {
            rows[k] = (int32_t)zoo_random_below(&random, used);
            cols[k] = (int32_t)zoo_random_below(&random, used);
            values[k] = round % 2 ? 1 : zoo_random_unit(&random);
        }
        const char *path = io_path(round % 3 ? "shape.txt" : "shape.edgelist.gz");
        io_begin(&c, 1, 0);
        testing_case("%lld rows, %lld entries", (long long)view.rows, (long long)view.nnz);
        EXPECT_OK(spl_write(c.context, &view, path));
        EXPECT_OK(spl_read(c.context, path, &options, &matrix));
        spl_sparse back = io_view(matrix);
        EXPECT(io_same(&view, &back));
        spl_matrix_destroy(matrix);
        io_end(&c);
    }
}

static void faults_of_edge_lists(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line;
        const char *message;
    } faults[] = {
        {"", 1, "empty"},
        {"source target\n1 2\n", 1, "\"source\" is not an id"},
        {"1 2\n1 two\n", 2, "\"two\" is not an id"},
        {"1\n", 1, "ends before its second id"},
        {"1 2\n3\n", 2, "ends before its second id"},
        {"1 2\n-1 2\n", 2, "\"-1\" is not an id"},
        {"1 2\n1 2.5\n", 2, "\"2.5\" is not an id"},
        {"1,2\n", 1, "\"1,2\" is not an id"},
        {"1 9223372036854775806\n", 1, "is not below 2^63-2"},
        {"1 18446744073709551616\n", 1, "is not below 2^63-2"},
        {"1 99999999999999999999999999999999\n", 1, "is not below 2^63-2"},
        {"1 2\n1 2 3\n", 2, "\"3\" is a number too many: the first edge has two"},
        {"1 2 3\n1 2\n", 2, "no value"},
        {"1 2 3\n1 2 3 4\n", 2, "\"4\" is a number too many: the first edge has three"},
        {"1 2 x\n", 1, "\"x\" is not a number"},
        {"1 2 # why\n", 1, "\"#\" is not a number"},
        {"% comment\n1 2\n", 1, "\"%\" is not an id"},
        {"# fine\n\n1 2\n\n# fine\n3 x\n", 6, "\"x\""},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        expect_fault("a.txt", faults[i].text, faults[i].line, faults[i].message);
}

enum { EDGES = 300000, NODES = 5000 };

/* A random list of several batches; `fault` replaces the line with that number. To be freed. */
static char *random_list(bool weighted, int line, const char *fault, size_t *length)
{
    char *text = malloc((size_t)EDGES * 40);
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    *length = 0;
    for (int k = 1; k <= EDGES; k++) {
        long long i = (long long)zoo_random_below(&random, NODES),
                  j = (long long)zoo_random_below(&random, NODES);
        char *to = text + *length;
        if (k == line)
            *length += (size_t)sprintf(to, "%s\n", fault);
        else if (weighted)
            *length += (size_t)sprintf(to, "%lld %lld %.17g\n", i, j, zoo_random_unit(&random));
        else
            *length += (size_t)sprintf(to, "%lld\t%lld\n", i, j);
    }
    return text;
}

/* Threads do not matter, nor does gzip. */
static void long_lists(void **state)
{
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++) {
        size_t length, packed_length;
        char *text = random_list(weighted, 0, "", &length);
        unsigned char *packed = io_gzip(text, length, &packed_length);
        spl_matrix *first = NULL;
        io_context c[4];
        for (int i = 0; i < 4; i++) {
            spl_matrix *matrix;
            io_begin(&c[i], i % 2 ? 4 : 1, 0);
            EXPECT_OK(spl__read_memory(c[i].context, i < 2 ? (const void *)text : packed,
                                       i < 2 ? length : packed_length, "a.txt", NULL, &matrix));
            spl_sparse view = io_view(matrix), view_first = io_view(first ? first : matrix);
            EXPECT(view.nnz == EDGES && io_same(&view, &view_first));
            first = first ? first : matrix;
            if (i)
                spl_matrix_destroy(matrix);
        }
        spl_matrix_destroy(first);
        for (int i = 0; i < 4; i++)
            io_end(&c[i]);
        free(packed);
        free(text);
    }
}

static void line_of_the_fault(void **state)
{
    (void)state;
    static const int lines[] = {1, 1000, EDGES / 2, EDGES};
    for (int i = 0; i < 4; i++) {
        size_t length;
        char *text = random_list(true, lines[i], "7 seven 1", &length), begin[64];
        spl_matrix *matrix = NULL;
        io_context c;
        io_begin(&c, 4, 0);
        snprintf(begin, sizeof begin, "a.txt:%d: ", lines[i]);
        EXPECT_STATUS(SPL_FILE_INVALID,
                      spl__read_memory(c.context, text, length, "a.txt", NULL, &matrix));
        testing_case("%s", spl_error_detail());
        EXPECT(strncmp(spl_error_detail(), begin, strlen(begin)) == 0);
        io_end(&c);
        free(text);
    }
}

/* An id that needs 64 bits after a million that do not. */
static void late_wide_id(void **state)
{
    (void)state;
    size_t length;
    io_context c;
    spl_matrix *matrix;
    spl_read_options options = io_coo();
    char *text = random_list(false, EDGES, "5000000000 1", &length);
    io_begin(&c, 4, 0);
    EXPECT_OK(spl__read_memory(c.context, text, length, "a.txt", &options, &matrix));
    spl_sparse view = io_view(matrix);
    EXPECT(view.index_type == SPL_I64 && view.rows == 5000000001 && view.nnz == EDGES);
    EXPECT(((const int64_t *)view.offsets)[EDGES - 1] == 5000000000);
    EXPECT(((const int64_t *)view.indices)[EDGES - 2] < NODES);
    spl_matrix_destroy(matrix);
    options.index_type = SPL_I32;
    EXPECT_STATUS(SPL_INDEX_OVERFLOW,
                  spl__read_memory(c.context, text, length, "a.txt", &options, &matrix));
    io_end(&c);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_of_edge_lists),  cmocka_unit_test(numbers_of_nodes),
        cmocka_unit_test(lists_with_commas),    cmocka_unit_test(shapes_are_kept),
        cmocka_unit_test(faults_of_edge_lists), cmocka_unit_test(long_lists),
        cmocka_unit_test(line_of_the_fault),    cmocka_unit_test(late_wide_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
