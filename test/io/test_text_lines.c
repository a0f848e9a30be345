/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of text files, with all line ends and of any length; byte order marks; files that
 * contain no matrix. */
#include "io_files.h"

#include "file/text_file.h"
#include "io/read.h"

static const char *const ends[] = {"\n", "\r\n", "\r", "\r\r\n"};
enum { ENDS = 4 };

typedef struct text {
    char *bytes;
    size_t count, room;
} text;

static void add(text *t, const char *bytes, size_t count)
{
    /* by factors: a sanitizer's realloc copies each time */
    if (!t->bytes || t->count + count + 1 > t->room) {
        t->room = 2 * (t->count + count + 1);
        t->bytes = realloc(t->bytes, t->room);
    }
    EXPECT(t->bytes != NULL);
    for (size_t i = 0; i < count; i++)
        t->bytes[t->count + i] = bytes[i];
    t->count += count;
    t->bytes[t->count] = 0;
}

static void add_word(text *t, const char *word)
{
    add(t, word, strlen(word));
}

static void add_run(text *t, char c, size_t count)
{
    char *run = malloc(count);
    EXPECT(run != NULL);
    memset(run, c, count);
    add(t, run, count);
    free(run);
}

/* The same lines with other ends; `mark`: after a byte order mark; `open`: without the last end. */
static text with_ends(const char *lines, const char *end, bool mark, bool open)
{
    text t = {0};
    add_word(&t, mark ? "\xEF\xBB\xBF" : "");
    for (const char *p = lines; *p;) {
        const char *newline = strchr(p, '\n');
        add(&t, p, (size_t)(newline - p));
        p = newline + 1;
        if (*p || !open)
            add_word(&t, end);
    }
    return t;
}

static spl_status read_bytes(spl_context *context, const void *bytes, size_t count,
                             const char *name, spl_matrix **matrix)
{
    spl_read_options options = io_coo();
    return spl__read_memory(context, bytes, count, name, &options, matrix);
}

/* Both, plain and packed, are the same matrix. */
static void expect_same(const char *name, const text *one, const text *other)
{
    for (int gz = 0; gz < 2; gz++) {
        io_context c;
        spl_matrix *a, *b;
        size_t length = 0;
        unsigned char *packed = io_gzip(other->bytes, other->count, &length);
        io_begin(&c, 2, 0);
        EXPECT_OK(read_bytes(c.context, one->bytes, one->count, name, &a));
        EXPECT_OK(read_bytes(c.context, gz ? (const void *)packed : other->bytes,
                             gz ? length : other->count, name, &b));
        spl_sparse view_a = io_view(a), view_b = io_view(b);
        EXPECT(view_a.nnz > 0 && io_same(&view_a, &view_b));
        spl_matrix_destroy(a);
        spl_matrix_destroy(b);
        io_end(&c);
        free(packed);
    }
}

/* -------------------------------------------------------------------------------- ends of lines */

/* A small matrix of random entries in the format of the name, with a comment; lines end in LF. */
static text small_file(const char *name, zoo_random *random)
{
    text t = {0};
    char line[96];
    int size = 2 + (int)zoo_random_below(random, 6), count = 1 + (int)zoo_random_below(random, 9);
    if (strstr(name, ".graph")) { /* a path, blank lines for vertices without edges */
        add_word(&t, "% a graph\n");
        snprintf(line, sizeof line, "%d 1\n2\n1\n", size);
        add_word(&t, line);
        add_run(&t, '\n', (size_t)size - 2);
        return t;
    }
    bool market = strstr(name, ".mtx") != NULL;
    snprintf(line, sizeof line,
             "%%%%MatrixMarket matrix coordinate real general\n%% more\n%d %d %d\n", size, size,
             count);
    add_word(&t, market ? line : "# edges\n");
    for (int k = 0; k < count; k++) {
        int i = (int)zoo_random_below(random, size), j = (int)zoo_random_below(random, size);
        snprintf(line, sizeof line, "%d %d %.17g\n", i + market, j + market,
                 zoo_random_unit(random));
        add_word(&t, line);
    }
    return t;
}

static void ends_of_lines(void **state)
{
    (void)state;
    static const char *const names[] = {"a.mtx", "a.graph", "a.txt"};
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    for (int round = 0; round < 10; round++)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 4 * ENDS; k++) {
                text plain = small_file(names[i], &random);
                text changed =
                    with_ends(plain.bytes, ends[k % ENDS], k / ENDS % 2, k / ENDS / 2 && i != 1);
                testing_case("%s, end %d, case %d: \"%s\"", names[i], k % ENDS, k / ENDS,
                             plain.bytes);
                expect_same(names[i], &plain, &changed);
                free(plain.bytes);
                free(changed.bytes);
            }
}

/* Each line ends as it likes: a comment must not swallow what follows. */
static void mixed_ends(void **state)
{
    (void)state;
    static const char list[] = "# edges\r0 1\r1 2\n# more\r\r\n2 0\r\r3 3";
    text plain = {0}, mixed = {0};
    add_word(&plain, "0 1\n1 2\n2 0\n3 3\n");
    add_word(&mixed, list);
    expect_same("a.txt", &plain, &mixed);
    plain.count = mixed.count = 0;
    add_word(&plain, "3 1\n\n3\n2\n"); /* a blank line is a vertex without edges */
    add_word(&mixed, "3 1\r\r3\r\r\n2\r\n");
    expect_same("a.graph", &plain, &mixed);
    free(plain.bytes);
    free(mixed.bytes);
}

/* Batches end anywhere, also between CR and LF: the line number of a later fault shows whether a
 * line was counted twice. */
static void ends_between_batches(void **state)
{
    (void)state;
    enum { LINES = 360000, SHIFTS = 8 };
    for (int k = 0; k < SHIFTS * 2; k++) {
        text lines = {0}, t;
        char begin[64];
        spl_matrix *matrix = NULL;
        io_context c;
        add_word(&lines, "#");
        add_run(&lines, 'x', (size_t)k / 2);
        add_word(&lines, "\n");
        size_t first = lines.count;
        add_run(&lines, '1', (size_t)LINES * 6);
        for (size_t i = 0; i < LINES; i++)
            memcpy(lines.bytes + first + 6 * i, "12 34\n", 6);
        add_word(&lines, "wrong\n");
        t = with_ends(lines.bytes, k % 2 ? "\r\r\n" : "\r", false, false);
        snprintf(begin, sizeof begin, "a.txt:%d: \"wrong\"", LINES + 2);
        io_begin(&c, 2, 0);
        EXPECT(t.count > SPL__BATCH_BYTES);
        EXPECT_STATUS(SPL_FILE_INVALID, read_bytes(c.context, t.bytes, t.count, "a.txt", &matrix));
        testing_case("shift %d, end %d: %s", k / 2, k % 2, spl_error_detail());
        EXPECT(strncmp(spl_error_detail(), begin, strlen(begin)) == 0);
        io_end(&c);
        free(lines.bytes);
        free(t.bytes);
    }
}

/* ----------------------------------------------------------------------------------- long lines */

static size_t random_length(zoo_random *random)
{
    return SPL__BATCH_BYTES - 2 + (size_t)zoo_random_below(random, 3 * SPL__BATCH_BYTES);
}

/* Comments and blanks of any length change nothing, before the data and among them. */
static void long_lines(void **state)
{
    (void)state;
    static const char *const names[] = {"a.mtx", "a.graph", "a.txt"}, *const begins[] = {"", "%",
                                                                                         "#"};
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    for (int k = 0; k < 9; k++) {
        text plain = small_file(names[k % 3], &random), longer = {0};
        int position = k / 3, line = 0;
        for (const char *p = plain.bytes; *p; line++) {
            const char *end = strchr(p, '\n') + 1;
            if (line == 1 + position) {
                add_word(&longer, line == 1 && k % 3 == 0 ? "%" : begins[k % 3]);
                add_run(&longer, ' ', random_length(&random));
                add_word(&longer, k % 3 ? "\n" : "");
            }
            add(&longer, p, (size_t)(end - p));
            p = end;
        }
        testing_case("%s, line %d of %zu bytes", names[k % 3], position + 2, longer.count);
        expect_same(names[k % 3], &plain, &longer);
        free(plain.bytes);
        free(longer.bytes);
    }
}

/* A vertex with so many neighbours that its line is longer than a batch. */
static void hub(void **state)
{
    (void)state;
    enum { LEAVES = 320000 };
    text graph = {0}, list = {0};
    char word[64];
    snprintf(word, sizeof word, "%d %d\n", LEAVES + 1, LEAVES);
    add_word(&graph, word);
    graph.bytes = realloc(graph.bytes, graph.count + (size_t)LEAVES * 10 + 1);
    for (int i = 2; i <= LEAVES + 1; i++)
        graph.count += (size_t)sprintf(graph.bytes + graph.count, "%d ", i);
    add_word(&graph, "\n");
    EXPECT(graph.count > SPL__BATCH_BYTES);
    size_t first = graph.count;
    add_run(&graph, '1', 2 * (size_t)LEAVES);
    for (size_t i = first + 1; i < graph.count; i += 2)
        graph.bytes[i] = '\n';
    list.bytes = malloc((size_t)LEAVES * 20);
    for (int i = 1; i <= LEAVES; i++)
        list.count += (size_t)sprintf(list.bytes + list.count, "0 %d\n", i);
    for (int i = 1; i <= LEAVES; i++)
        list.count += (size_t)sprintf(list.bytes + list.count, "%d 0\n", i);
    io_context c;
    spl_matrix *a, *b;
    io_begin(&c, 2, 0);
    EXPECT_OK(read_bytes(c.context, graph.bytes, graph.count, "a.graph", &a));
    EXPECT_OK(read_bytes(c.context, list.bytes, list.count, "a.txt", &b));
    spl_sparse view_a = io_view(a), view_b = io_view(b);
    EXPECT(view_a.nnz == 2 * LEAVES && io_same(&view_a, &view_b));
    spl_matrix_destroy(a);
    spl_matrix_destroy(b);
    io_end(&c);
    free(graph.bytes);
    free(list.bytes);
}

/* The reader does not search a file that is not text for the end of a line; a budget ends the
 * search, too. */
static void no_end_in_sight(void **state)
{
    (void)state;
    for (int zeros = 0; zeros < 2; zeros++) {
        io_context c;
        spl_matrix *matrix = NULL;
        text t = {0};
        add_run(&t, 'x', 8 * SPL__BATCH_BYTES);
        t.bytes[SPL__BATCH_BYTES / 2] = zeros ? 0 : 'x';
        io_begin(&c, 1, zeros ? 0 : 3 * SPL__BATCH_BYTES);
        EXPECT_STATUS(zeros ? SPL_FILE_INVALID : SPL_OVER_BUDGET,
                      read_bytes(c.context, t.bytes, t.count, "a.mtx", &matrix));
        EXPECT(c.hook.peak < 2 * SPL__BATCH_BYTES);
        io_end(&c);
        free(t.bytes);
    }
}

/* -------------------------------------------------------------------------------- foreign files */

static const struct {
    size_t offset;
    const char *bytes;
    size_t count;
    const char *kind;
} kinds[] = {
#define KIND(offset, bytes, kind)                                                                  \
    {                                                                                              \
        offset, bytes, sizeof(bytes) - 1, kind                                                     \
    }
    KIND(0, "BZh91AY", "bzip2"),
    KIND(0,
         "\xFD"
         "7zXZ\0\0",
         "xz"),
    KIND(0, "\x28\xB5\x2F\xFD", "zstd"),
    KIND(0, "\x04\x22\x4D\x18", "lz4"),
    KIND(0, "\x1F\x9D\x90", "compress"),
    KIND(0, "7z\xBC\xAF\x27\x1C", "7-Zip"),
    KIND(257, "ustar", "tar archive"),
    KIND(0, "\x93NUMPY\1\0", ".npy"),
    KIND(0, "\x89HDF\r\n\x1A\n", "HDF5"),
    KIND(0, "MATLAB 5.0 MAT-file, Platform: GLNXA64", "MATLAB 5"),
    KIND(0, "MATLAB 7.3 MAT-file, Platform: GLNXA64", "MATLAB 7.3"),
    KIND(0, "\0\x12\x7B\x50", "PETSc"),
    KIND(0, "\xFF\xFE%\0%\0", "UTF-16"),
    KIND(0, "<!DOCTYPE html>", "HTML"),
    KIND(0, "version https://git-lfs.github.com/spec/v1\n", "Git LFS"),
    KIND(0, "\x1F\x8B\x08\0", "gzip twice"), /* packed only */
    KIND(0, "PK\3\4", "zip archive in gzip"),
#undef KIND
};
enum { KINDS = sizeof kinds / sizeof *kinds, PLAIN_KINDS = KINDS - 2, FOREIGN_BYTES = 600 };

static void foreign_files(void **state)
{
    (void)state;
    static const char *const names[] = {"a.mtx", "a.mtx.gz", "a.graph", "a.txt", "a"};
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    for (int k = 0; k < 2 * KINDS; k++) {
        char bytes[FOREIGN_BYTES], begin[64];
        size_t length;
        io_context c;
        spl_matrix *matrix = NULL;
        const char *name = names[zoo_random_below(&random, 5)];
        bool gz = k % 2 || k / 2 >= PLAIN_KINDS;
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = kinds[k / 2].offset ? 'a' : (char)zoo_random_below(&random, 256);
        memcpy(bytes + kinds[k / 2].offset, kinds[k / 2].bytes, kinds[k / 2].count);
        unsigned char *packed = io_gzip(bytes, sizeof bytes, &length);
        io_begin(&c, 1, 0);
        EXPECT_STATUS(SPL_UNSUPPORTED, read_bytes(c.context, gz ? (const void *)packed : bytes,
                                                  gz ? length : sizeof bytes, name, &matrix));
        snprintf(begin, sizeof begin, "%s: is ", name);
        testing_case("%s: \"%s\"", kinds[k / 2].kind, spl_error_detail());
        EXPECT(strncmp(spl_error_detail(), begin, strlen(begin)) == 0 &&
               strstr(spl_error_detail(), kinds[k / 2].kind));
        io_end(&c);
        free(packed);
    }
}

/* Harwell-Boeing files have no magic bytes; what is nearly one is not taken for one. */
static void harwell_boeing(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        spl_status status;
    } cases[] = {
        {"1SYMMETRIC MATRIX                       KEY\n 5 1 1 3 0\nRUA            3 3 4 0\n(16I5) "
         "(16I5)\n",
         SPL_UNSUPPORTED},
        {"title|key\n 5 1 1 3\r\nrsa            30 30 40 0\r\n", SPL_UNSUPPORTED},
        {"title|key\r 5 1 1 3\rpua            30 30 40\r(1)\r", SPL_UNSUPPORTED},
        {"title|key\n 5 1 1\nrsa            30 30 40 0\n", SPL_FILE_INVALID},
        {"title|key\n 5 1 1 3\nrsx            30 30 40 0\n", SPL_FILE_INVALID},
        {"title|key\n 5 1 1 3\nrsa            30 30 forty\n", SPL_FILE_INVALID},
        {"title|key\n 5 1 1 3\n", SPL_FILE_INVALID},
    };
    static const char *const names[] = {"a.rua", "a.mtx", "a.txt"};
    for (int i = 0; i < 21; i++) {
        io_context c;
        spl_matrix *matrix = NULL;
        const char *lines = cases[i / 3].text;
        io_begin(&c, 1, 0);
        testing_case("%s: \"%s\"", names[i % 3], lines);
        EXPECT_STATUS(cases[i / 3].status,
                      read_bytes(c.context, lines, strlen(lines), names[i % 3], &matrix));
        EXPECT(cases[i / 3].status != SPL_UNSUPPORTED ||
               strstr(spl_error_detail(), "Harwell-Boeing") != NULL);
        io_end(&c);
    }
}

/* For unknown contents the message lists the endings, for unknown words the known ones. */
static void unknown_text(void **state)
{
    (void)state;
    static const char *const wanted[] = {"%%MatrixMarket", ".txt",   ".edges", ".tsv", ".el",
                                         ".edgelist",      ".graph", ".csv"};
    io_context c;
    spl_matrix *matrix = NULL;
    io_begin(&c, 1, 0);
    EXPECT_STATUS(SPL_FILE_INVALID, read_bytes(c.context, "0 1\n", 4, "a.lst", &matrix));
    for (int i = 0; i < 8; i++)
        EXPECT(strstr(spl_error_detail(), wanted[i]) != NULL);
    EXPECT_STATUS(SPL_FILE_INVALID, read_bytes(c.context, "0 1\n", 4, "a.npz", &matrix));
    EXPECT(strstr(spl_error_detail(), "no ZIP archive") != NULL);
    const char banner[] = "%%MatrixMarket matrix coordinates real general\n";
    EXPECT_STATUS(SPL_FILE_INVALID, read_bytes(c.context, banner, strlen(banner), "a", &matrix));
    EXPECT(strstr(spl_error_detail(), "\"coordinates\" is not a known format: coordinate, array"));
    io_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_of_lines),
        cmocka_unit_test(mixed_ends),
        cmocka_unit_test(ends_between_batches),
        cmocka_unit_test(long_lines),
        cmocka_unit_test(hub),
        cmocka_unit_test(no_end_in_sight),
        cmocka_unit_test(foreign_files),
        cmocka_unit_test(harwell_boeing),
        cmocka_unit_test(unknown_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
