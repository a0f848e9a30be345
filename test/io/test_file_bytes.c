/* SPDX-License-Identifier: Apache-2.0 */
/* spl_error_bytes of reading files: see lib/retries.h. Cases are drawn anew in every run. */
#include "io/io_files.h"
#include "lib/retries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static spl_status read_file(spl_context *context, retry_case *c)
{
    zoo_random dice = c->dice;
    spl_read_options o = SPL_READ_OPTIONS_INIT;
    spl_matrix *result;
    o.format = (spl_format)zoo_random_below(&dice, 4);
    o.type = zoo_random_below(&dice, 3) == 0 ? SPL_F32 : 0;
    o.index_type = zoo_random_below(&dice, 3) == 0 ? SPL_I64 : 0;
    o.offset_type = o.index_type;
    spl_status status = spl_read(context, c->path, &o, &result);
    if (status == SPL_OK)
        spl_matrix_destroy(result);
    return status;
}

/* A path of n vertices, or a circle. */
static void make_graph(retry_case *c, int64_t n)
{
    zoo_triples t;
    zoo_triples_start(&t, n, n);
    for (int64_t i = 0; i + 1 < n; i++) {
        zoo_triples_add(&t, i, i + 1, 1);
        zoo_triples_add(&t, i + 1, i, 1);
    }
    zoo_build(&c->a, &t, zoo_form_number(0));
    zoo_triples_free(&t);
}

static void write_file(retry_case *c, const char *name)
{
    spl_context *context = testing_context(1);
    c->path = io_path(name);
    EXPECT_OK(spl_write(context, &c->a.view, c->path));
    spl_context_destroy(context);
}

static const char symmetric_header[] = "%%MatrixMarket matrix coordinate real symmetric\n";

static void write_symmetric(retry_case *c, int64_t n)
{
    c->path = io_path("symmetric.mtx");
    FILE *file = fopen(c->path, "w");
    EXPECT(file != NULL);
    fprintf(file, "%s%lld %lld %lld\n", symmetric_header, (long long)n, (long long)n, (long long)n);
    for (int64_t i = 1; i <= n; i++)
        fprintf(file, "%lld 1 %lld.5\n", (long long)i, (long long)i);
    EXPECT(fclose(file) == 0);
}

static void write_array(retry_case *c, int64_t n)
{
    c->path = io_path("array.mtx");
    FILE *file = fopen(c->path, "w");
    EXPECT(file != NULL);
    fprintf(file, "%%%%MatrixMarket matrix array real general\n%lld 4\n", (long long)n);
    for (int64_t i = 0; i < 4 * n; i++)
        fprintf(file, "%d\n", (int)zoo_random_below(&c->dice, 3));
    EXPECT(fclose(file) == 0);
}

/* A buffer is no larger than what usually comes out of the file. */
static void a_small_packed_file_takes_little(void **state)
{
    (void)state;
    const zoo_maker maker = {"uniform", zoo_uniform, {60, 60, 4}, false};
    retry_case c;
    size_t peak, asked;
    retry_begin(&c, 0, "read small.mtx.gz");
    zoo_matrix_make(&c.a, &maker, zoo_form_number(0), c.seed);
    write_file(&c, "small.mtx.gz");
    EXPECT_OK(retry_attempt(&c, read_file, true, 0, &peak, &asked));
    testing_case("%s holds %zu bytes", c.words, peak);
    EXPECT(peak < 1 << 18);
    retry_end(&c);
}

/* A line far longer than the first buffer. */
static void write_long_comment(retry_case *c)
{
    int length = 1 << (16 + zoo_random_below(&c->dice, 6));
    char *text = malloc((size_t)length + 128);
    EXPECT(text != NULL);
    int used = sprintf(text, "%s", symmetric_header);
    memset(text + used, '%', (size_t)length);
    used += length;
    used += sprintf(text + used, "\n2 2 1\n2 1 1\n");
    c->path = io_path("comment.mtx.gz");
    gzFile file = gzopen(c->path, "wb");
    EXPECT(file && gzwrite(file, text, (unsigned)used) == used && gzclose(file) == Z_OK);
    free(text);
}

/* What comes out of a small packed file is not known before, but can be little only. */
static void long_lines_of_packed_files(void **state)
{
    (void)state;
    for (int n = 0; n < retry_cases(12); n++) {
        size_t budget = 1, peak, asked;
        int retries = 0;
        retry_case c;
        retry_begin(&c, (uint64_t)n, "read comment.mtx.gz");
        write_long_comment(&c);
        while (retry_attempt(&c, read_file, true, budget, &peak, &asked) != SPL_OK) {
            EXPECT(asked > budget && ++retries <= RETRY_MOST);
            budget = asked;
        }
        retry_end(&c);
    }
}

static void files(void **state)
{
    (void)state;
    retry_outliers o = {0};
    static const char *const names[] = {
        "a.mtx", "a.mtx.gz", "a.el", "a.el.gz", "a.graph", "a.graph.gz", "symmetric", "array",
#ifdef SPARLOOM_LIBZIP
        "a.npz",
#endif
    };
    const int count = (int)(sizeof names / sizeof *names);
    for (int n = 0; n < retry_cases(6 * count); n++) {
        retry_case c;
        const char *name = names[n % count];
        retry_begin(&c, (uint64_t)n, "read ");
        strcat(c.words, name);
        int64_t size = retry_draw_size(&c);
        if (strncmp(name, "a.graph", 7) == 0)
            make_graph(&c, 1 + size);
        else
            retry_draw_matrix(&c, &c.a, size,
                              strncmp(name, "a.el", 4) == 0 ? size : retry_draw_size(&c));
        if (strcmp(name, "symmetric") == 0)
            write_symmetric(&c, size);
        else if (strcmp(name, "array") == 0)
            write_array(&c, size);
        else
            write_file(&c, name);
        retry_follow(&o, &c, read_file, true);
        retry_end(&c);
    }
    retry_expect_few(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_packed_file_takes_little),
        cmocka_unit_test(long_lines_of_packed_files),
        cmocka_unit_test(files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
