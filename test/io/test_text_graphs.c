/* SPDX-License-Identifier: Apache-2.0 */
/* METIS graphs: what is read, and what is wrong where; false claims and lack of memory, of edge
 * lists too. */
#include "text_entries.h"

static void kinds_of_graphs(void **state)
{
    (void)state;
    static const char both[] = "0 1 1;1 0 1;", weighted[] = "0 1 7;1 0 7;";
    expect_entries("a.graph", "2 1\n2\n1\n", 2, both);
    expect_entries("a.graph", "% comment\n2 1 0\n% another\n2\n%\n1", 2, both);
    expect_entries("a.graph", " 2\t1 000 \r\n 2 \r\n 1\r\n\r\n\n", 2, both);
    expect_entries("a.graph", "2 1 1\n2 7\n1 7\n", 2, weighted);
    expect_entries("a.graph", "2 1 001\n2 7\n1 7\n", 2, weighted);
    expect_entries("a.graph", "2 1 1\n2 7\n1 8\n", 2, "0 1 7;1 0 8;");
    expect_entries("a.graph", "2 1 10\n5 2\n5 1\n", 2, both);
    expect_entries("a.graph", "2 1 11 2\n5 0 2 7\n5 0 1 7\n", 2, weighted);
    expect_entries("a.graph", "2 1 100\n5 2\n5 1\n", 2, both);
    expect_entries("a.graph", "2 1 111 1\n9 5 2 7\n9 5 1 7\n", 2, weighted);
    expect_entries("a.graph", "2 1 0 0\n2\n1\n", 2, both);
    expect_entries("a.graph", "2 1 001 0\n2 7\n1 7\n", 2, weighted);
    expect_entries("a.graph", "2 1 11 0\n5 2 7\n5 1 7\n", 2, weighted);
    expect_entries("a.graph", "3 1\n3\n\n1\n", 3, "0 2 1;2 0 1;");
    expect_entries("a.graph", "4 2\n\n3 4\n2\n2\n", 4, "1 2 1;1 3 1;2 1 1;3 1 1;");
    expect_entries("a.graph", "0 0\n", 0, "");
    expect_entries("a.graph", "2 0\n\n\n", 2, "");
    expect_entries("a.graph", "2 2\n2 2\n1 1\n", 2, "0 1 1;0 1 1;1 0 1;1 0 1;");
}

static const struct {
    const char *text;
    int line;
    const char *message;
} graph_faults[] = {
    {"", 1, "empty"},
    {"% only\n", 1, "ends before"},
    {"\n2 1\n2\n1\n", 1, "lacks the number of vertices"},
    {"2\n2\n1\n", 1, "lacks the number of edges"},
    {"2 x\n2\n1\n", 1, "\"x\""},
    {"2 -1\n2\n1\n", 1, "\"-1\""},
    {"2 1 2\n2\n1\n", 1, "fmt \"2\""},
    {"2 1 0001\n2\n1\n", 1, "fmt \"0001\""},
    {"2 1 1 1\n2 1\n1 1\n", 1, "no weights"},
    {"2 1 10 0\n2\n1\n", 1, "1 edges need 2 neighbours, there are 0"},
    {"2 1 10 1 1\n1 2\n1 1\n", 1, "vertices edges [fmt [ncon]]"},
    {"2 1 0 x\n2\n1\n", 1, "\"x\""},
    {"2 1 0 0 0\n2\n1\n", 1, "vertices edges [fmt [ncon]]"},
    {"3 1\n2\n1\n", 3, "lines of 2 of 3 vertices"},
    {"2 1\n2\n1\n1\n", 4, "more than the 2 vertices"},
    {"2 1\n2\n1\n\n7\n", 5, "more than the 2 vertices"},
    {"2 1\n2 2\n1\n", 3, "more neighbours than twice the 1"},
    {"3 2\n2\n1\n\n\n\n\n", 1, "2 edges need 4 neighbours, there are 2"},
    {"2 1\n2\n1 0\n", 3, "\"0\""},
    {"2 1\n3\n1\n", 2, "\"3\", is not one of the vertices 1 to 2"},
    {"2 1\n-2\n1\n", 2, "\"-2\""},
    {"2 1\ntwo\n1\n", 2, "\"two\""},
    {"2 1\n1.5\n1\n", 2, "\"1.5\""},
    {"2 1\n99999999999999999999999\n1\n", 2, "9999"},
    {"2 1\n1\n2\n", 2, "vertex 1 is its own neighbour"},
    {"4 2\n2 3\n1\n\n1\n", 1, "one of its vertices only"},
    {"2 1 1\n2\n1 1\n\n\n", 2, "ends before the weight"},
    {"2 1 1\n2 0\n1 1\n", 2, "the weight of an edge, \"0\""},
    {"2 1 1\n2 -1\n1 1\n", 2, "\"-1\""},
    {"2 1 1\n2 1.5\n1 1\n", 2, "\"1.5\""},
    {"2 1 11 3\n1 1\n1 1\n\n\n\n\n\n", 2, "ends before a weight or the size"},
    {"2 1\n2 % comment\n1\n", 2, "\"%\""},
};

static void faults_of_graphs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof graph_faults / sizeof *graph_faults; i++)
        expect_fault("a.graph", graph_faults[i].text, graph_faults[i].line,
                     graph_faults[i].message);
}

/* ---------------------------------------------------------------------------- claims and memory */

static void false_claims(void **state)
{
    (void)state;
    expect_fault("a.graph", "1000000000000000 0\n\n", 1, "cannot be in");
    expect_fault("a.graph", "2 4611686018427387904\n2\n1\n", 1, "counted twice");
    expect_fault("a.graph", "3 100000000000000\n2\n1\n\n", 1, "cannot be in");
    expect_fault("a.graph", "2 1 10 9223372036854775806\n2\n1\n", 1, "cannot be in");
    io_context c;
    spl_matrix *matrix = NULL;
    io_begin(&c, 1, 1 << 20);
    EXPECT_STATUS(SPL_OVER_BUDGET,
                  spl__read_memory(c.context, "1 9000000000\n", 13, "a.txt", NULL, &matrix));
    io_end(&c);
}

static void every_allocation_fails(void **state)
{
    (void)state;
    static const char *const names[] = {"a.graph", "a.txt", "a.txt"};
    static const char *const texts[] = {"3 2 1\n2 5 3 1\n1 5\n1 1\n", "1 2 0.5\n0 1 7\n",
                                        "5000000000 2\n"};
    for (int i = 0; i < 6; i++) {
        spl_status status = SPL_OUT_OF_MEMORY;
        spl_read_options options = SPL_READ_OPTIONS_INIT;
        size_t length;
        unsigned char *packed = io_gzip(texts[i / 2], strlen(texts[i / 2]), &length);
        options.format = i / 2 == 2 ? SPL_COO : SPL_CSR;
        for (int k = 0; status != SPL_OK; k++) {
            io_context c;
            spl_matrix *matrix = NULL;
            io_begin(&c, 2, 0);
            c.hook.fail_at = c.hook.allocations + k;
            status = spl__read_memory(c.context, i % 2 ? (const void *)packed : texts[i / 2],
                                      i % 2 ? length : strlen(texts[i / 2]), names[i / 2], &options,
                                      &matrix);
            testing_case("%s, allocation %d fails", names[i / 2], k);
            EXPECT(status == SPL_OK || status == SPL_OUT_OF_MEMORY);
            EXPECT((matrix == NULL) == (status != SPL_OK));
            spl_matrix_destroy(matrix);
            io_end(&c);
            EXPECT(k < 100);
        }
        free(packed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_of_graphs),
        cmocka_unit_test(faults_of_graphs),
        cmocka_unit_test(false_claims),
        cmocka_unit_test(every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
