/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures: what is in a scene can be counted, and where it is follows from the matrix; drawing
 * gives files of the right kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <gen.h>
#include <math.h>
#include <plot_grid.h>
#include <plot_matrix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A matrix with its distribution function and its partition, as `sparloom plot` collects them. */
typedef struct sample {
    gen_matrix made;
    spl_context *context;
    int64_t lengths[64], row_counts[64];
    int64_t *order;
    spl_part parts[3];
    plot_subject subject;
} sample;

static const double capabilities[3] = {1, 0, 2};

static sample *open_sample(const char *name, spl_partition_kind kind)
{
    sample *s = calloc(1, sizeof *s);
    gen_message message;
    assert_non_null(s);
    assert_int_equal(gen_make(name, 1, SPL_F64, &s->made, &message), GEN_OK);
    assert_int_equal(spl_context_create(NULL, &s->context), SPL_OK);
    s->subject = (plot_subject){.name = name,
                                .matrix = gen_view(&s->made),
                                .row_lengths = s->lengths,
                                .row_counts = s->row_counts};
    assert_int_equal(spl_distribution(s->context, &s->subject.matrix, 64, s->lengths, s->row_counts,
                                      &s->subject.lengths),
                     SPL_OK);
    s->order = malloc((size_t)(s->made.rows + 1) * sizeof *s->order);
    for (int p = 0; p < 3; p++)
        s->parts[p] = (spl_part)SPL_PART_INIT;
    assert_int_equal(spl_partition(s->context, &s->subject.matrix, kind, 3, capabilities, NULL,
                                   s->order, s->parts),
                     SPL_OK);
    s->subject.partition = (plot_partition){"nnz", 3, capabilities, s->parts, s->order};
    return s;
}

static void close_sample(sample *s)
{
    gen_free(&s->made);
    spl_context_destroy(s->context);
    free(s->order);
    free(s);
}

/* Shapes of the kind with that colour in a picture of one panel. */
static int64_t drawn(const sample *s, unsigned panels, plot_kind kind, uint32_t colour)
{
    plot_scene scene = {0};
    plot_matrix(&scene, &s->subject, panels);
    assert_false(scene.failed);
    assert_true(scene.width > 0 && scene.height > 0);
    int64_t count = plot_count(&scene, kind, colour);
    plot_scene_free(&scene);
    return count;
}

static void small_matrices_have_a_square_for_each_entry(void **state)
{
    (void)state;
    static const char *const names[] = {"arrow:20",  "stencil5:7,5", "random:30,11,4",
                                        "empty:4,3", "empty:0,0",    "diagonal:120"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        sample *s = open_sample(names[i], SPL_PARTITION_NNZ);
        assert_int_equal(drawn(s, PLOT_SPY, PLOT_RECT, PLOT_BLUE), s->made.nnz);
        assert_int_equal(drawn(s, PLOT_SPY, PLOT_IMAGE, 0), 0);
        close_sample(s);
    }
}

/* Squares lie where row and column say. */
static void squares_are_in_place(void **state)
{
    (void)state;
    sample *s = open_sample("densecolumn:10", SPL_PARTITION_NNZ);
    plot_scene scene = {0};
    plot_matrix(&scene, &s->subject, PLOT_SPY);
    int64_t left = 0, upper = 0;
    double x = HUGE_VAL, y = HUGE_VAL;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < scene.count; i++) {
            const plot_shape *shape = &scene.shapes[i];
            if (shape->kind != PLOT_RECT)
                continue;
            if (pass) {
                left += shape->box.x == x;
                upper += shape->box.y == y;
            }
            x = fmin(x, shape->box.x);
            y = fmin(y, shape->box.y);
        }
    assert_int_equal(left, 10);
    assert_int_equal(upper, 1);
    plot_scene_free(&scene);
    close_sample(s);
}

static void large_matrices_become_an_image_of_all_entries(void **state)
{
    (void)state;
    sample *s = open_sample("random:3000,70,20", SPL_PARTITION_NNZ);
    assert_int_equal(drawn(s, PLOT_SPY, PLOT_RECT, PLOT_BLUE), 0);
    assert_int_equal(drawn(s, PLOT_SPY, PLOT_IMAGE, 0), 2); /* and the scale of its shades */
    plot_grid grid = plot_grid_make(&s->subject.matrix, 100, NULL);
    double sum = 0, most = 0;
    assert_non_null(grid.cells);
    assert_true(grid.cell_rows == 30 && grid.rows == 100 && grid.cell_cols == 1 && grid.cols == 70);
    for (int i = 0; i < grid.rows * grid.cols; i++) {
        sum += grid.cells[i].entries;
        most = fmax(most, grid.cells[i].entries);
    }
    assert_true(sum == (double)s->made.nnz && most == grid.most);
    plot_grid_free(&grid);
    close_sample(s);
}

/* A dot for each length that some row has, empty rows included. */
static void lengths_have_a_dot_each(void **state)
{
    (void)state;
    static const char *const names[] = {"arrow:20", "hypersparse:500,20", "stencil9:9,9",
                                        "empty:5,5", "empty:0,0"};
    static const int lengths[] = {2, 2, 3, 1, 0};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        sample *s = open_sample(names[i], SPL_PARTITION_NNZ);
        assert_int_equal(s->subject.lengths, lengths[i]);
        assert_int_equal(drawn(s, PLOT_ROWS, PLOT_DOT, PLOT_BLUE), lengths[i]);
        close_sample(s);
    }
}

/* Areas of the two shades of a part: entries, and positions of ELL; their proportion is the part's
 * density. */
static double area(const plot_scene *scene, uint32_t colour)
{
    double sum = 0;
    for (int64_t i = 0; i < scene->count; i++)
        if (scene->shapes[i].kind == PLOT_RECT && scene->shapes[i].colour == colour)
            sum += scene->shapes[i].box.width * scene->shapes[i].box.height;
    return sum;
}

static void areas_of_a_partition_are_densities(void **state)
{
    (void)state;
    static const spl_partition_kind kinds[] = {SPL_PARTITION_ROWS, SPL_PARTITION_NNZ,
                                               SPL_PARTITION_DENSITY};
    for (int k = 0; k < 3; k++) {
        sample *s = open_sample("random:300,200,8", kinds[k]);
        plot_scene scene = {0};
        plot_profile(&scene, 0, 0, &s->subject);
        for (int p = 0; p < 3; p++) {
            uint32_t colour = plot_part_colour(p);
            double entries = area(&scene, colour),
                   positions = area(&scene, plot_blend(PLOT_WHITE, colour, 0.25));
            if (p == 1)
                assert_true(entries == 0 && positions == 0);
            else /* bars overlap by half a point */
                assert_true(fabs(entries / positions - s->parts[p].density) < 0.01);
        }
        plot_scene_free(&scene);
        /* only in the list */
        assert_int_equal(drawn(s, PLOT_SPY | PLOT_PARTITION, PLOT_RECT, plot_part_colour(1)), 1);
        close_sample(s);
    }
}

static void texts_are_cut_to_the_room(void **state)
{
    (void)state;
    plot_scene scene = {0};
    plot_font font = plot_plain(10, PLOT_LEFT);
    plot_text(&scene, 0, 0, font, 60, "short");
    plot_text(&scene, 0, 0, font, 60, "a name that is far too long");
    plot_text(&scene, 0, 0, font, 60,
              "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3"
              "\xb6\xc3\xbc");
    assert_string_equal(scene.shapes[0].text, "short");
    assert_true(plot_text_width(scene.shapes[1].text, &font) <= 60);
    assert_non_null(strstr(scene.shapes[1].text, "..."));
    /* letters of two bytes stay whole, before three dots */
    assert_true(strlen(scene.shapes[2].text) % 2 == 1);
    plot_scene_free(&scene);
}

static void numbers_on_axes_are_short(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } labels[] = {{0, "0"}, {0.1, "0.1"}, {250, "250"}, {5000, "5k"}, {1e6, "1M"}, {2.5e9, "2.5G"}};
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        char text[16];
        plot_label(labels[i].value, text);
        assert_string_equal(text, labels[i].text);
    }
    plot_panel panel = {
        .box = {10, 20, 100, 200}, .across = plot_decades(99, NULL), .up = {0, 50, 0, NULL}};
    assert_true(fabs(plot_x(&panel, 10) - 60) < 1e-9 && fabs(plot_y(&panel, 0) - 220) < 1e-9);
    panel.downwards = 1;
    assert_true(fabs(plot_y(&panel, 0) - 20) < 1e-9);
}

/* ---------------------------------------------------------------------------------------- files */

static void pictures_have_their_signature(void **state)
{
    (void)state;
    const char *required = getenv("SPARLOOM_REQUIRE");
    tool_buffer svg = {0}, png = {0};
    sample *s = open_sample("random:300,200,8", SPL_PARTITION_DENSITY);
    plot_scene scene = {0};
    plot_matrix(&scene, &s->subject, PLOT_SPY | PLOT_ROWS | PLOT_PARTITION);
    close_sample(s);
    if (!plot_available()) {
        assert_false(required && strstr(required, "cairo"));
        assert_non_null(plot_draw(&scene, PLOT_SVG, &svg));
        plot_scene_free(&scene);
        skip();
    }
    assert_null(plot_draw(&scene, PLOT_SVG, &svg));
    assert_null(plot_draw(&scene, PLOT_PNG, &png));
    assert_memory_equal(png.bytes, "\x89PNG\r\n\x1a\n", 8);
    /* Width and height are the first numbers of a PNG: two pixels a point. */
    const unsigned char *size = (const unsigned char *)png.bytes + 16;
    assert_int_equal(size[2] << 8 | size[3], (int)ceil(2 * scene.width));
    assert_int_equal(size[6] << 8 | size[7], (int)ceil(2 * scene.height));
    tool_buffer_add(&svg, "", 1);
    assert_non_null(strstr(svg.bytes, "<svg"));
    assert_non_null(strstr(svg.bytes, "</svg>"));
    tool_buffer_free(&svg);
    tool_buffer_free(&png);
    scene.height = 20000;
    assert_non_null(strstr(plot_draw(&scene, PLOT_PNG, &png), "SVG"));
    plot_scene_free(&scene);
}

static void formats_follow_from_names(void **state)
{
    (void)state;
    assert_int_equal(plot_format_of("a.b/c.svg"), PLOT_SVG);
    assert_int_equal(plot_format_of("c.PNG"), PLOT_PNG);
    assert_int_equal(plot_format_of("png"), PLOT_UNKNOWN);
    assert_int_equal(plot_format_of("c.svg.gz"), PLOT_UNKNOWN);
}

static void files_are_whole_or_as_before(void **state)
{
    (void)state;
    char folder[] = "/tmp/sparloom-plot-XXXXXX", path[64], link[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a", folder);
    snprintf(link, sizeof link, "%s/link", folder);
    tool_buffer text = {0};
    tool_buffer_text(&text, "%d,%s", 12, "three");
    assert_true(tool_write_file(path, &text));
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink(path, link), 0);
    text.failed = 1;
    assert_false(tool_write_file(path, &text));
    char *read = tool_read_file(link);
    assert_string_equal(read, "12,three");
    free(read);
    text.failed = 0;
    tool_buffer_text(&text, ";");
    assert_true(tool_write_file(link, &text));
    read = tool_read_file(path);
    assert_string_equal(read, "12,three;");
    free(read);
    struct stat info;
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    /* nothing else is left there */
    assert_int_equal(unlink(link) | unlink(path) | rmdir(folder), 0);
    assert_false(tool_write_file(path, &text));
    assert_int_equal(errno, ENOENT);
    assert_null(tool_read_file(path));
    tool_buffer_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_matrices_have_a_square_for_each_entry),
        cmocka_unit_test(squares_are_in_place),
        cmocka_unit_test(large_matrices_become_an_image_of_all_entries),
        cmocka_unit_test(lengths_have_a_dot_each),
        cmocka_unit_test(areas_of_a_partition_are_densities),
        cmocka_unit_test(texts_are_cut_to_the_room),
        cmocka_unit_test(numbers_on_axes_are_short),
        cmocka_unit_test(pictures_have_their_signature),
        cmocka_unit_test(formats_follow_from_names),
        cmocka_unit_test(files_are_whole_or_as_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
