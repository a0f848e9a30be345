/* SPDX-License-Identifier: Apache-2.0 */
#include "graph_picture.h"

#include "failure.h"
#include "output_file.h"

#include <plot_matrix.h>
#include <sparse_rows.h>
#include <stdlib.h>
#include <string.h>
#include <typed_array.h>

typedef struct component {
    int64_t size;
    int32_t least;
} component;

/* Vertices in the order of the picture: order[place[v]] is v; and their edges there. */
typedef struct arrangement {
    int64_t vertices;
    int64_t *place, *order, *offsets, *columns;
    int32_t *number; /* of the component at each place, the largest first */
    component *components;
} arrangement;

static int by_size(const void *a, const void *b)
{
    const component *x = a, *y = b;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return (x->least > y->least) - (x->least < y->least);
}

static int make_arrays(arrangement *r, const spl_sparse *a)
{
    const int64_t n = r->vertices = a->rows;
    r->place = tool_array(n, sizeof *r->place);
    r->order = tool_array(n, sizeof *r->order);
    r->offsets = tool_array(n + 1, sizeof *r->offsets);
    r->columns = tool_array(a->nnz, sizeof *r->columns);
    r->number = tool_array(n, sizeof *r->number);
    r->components = tool_array(n, sizeof *r->components);
    return r->place && r->order && r->offsets && r->columns && r->number && r->components;
}

static void free_arrays(arrangement *r)
{
    free(r->place);
    free(r->order);
    free(r->offsets);
    free(r->columns);
    free(r->number);
    free(r->components);
}

/* Places vertices by component. place[least] first holds where the next of its component goes. */
static void arrange_vertices(arrangement *r, const int32_t *label)
{
    int64_t next = 0;
    for (int64_t v = 0; v < r->vertices; v++)
        r->components[v] = (component){0, (int32_t)v};
    for (int64_t v = 0; v < r->vertices; v++)
        r->components[label[v]].size++;
    qsort(r->components, (size_t)r->vertices, sizeof *r->components, by_size);
    for (int64_t k = 0; k < r->vertices; k++) {
        const component *c = &r->components[k];
        for (int64_t at = next; at < next + c->size; at++)
            r->number[at] = (int32_t)k;
        r->offsets[c->least] = next;
        next += c->size;
    }
    for (int64_t v = 0; v < r->vertices; v++) {
        r->place[v] = r->offsets[label[v]]++;
        r->order[r->place[v]] = v;
    }
}

static void arrange_edges(arrangement *r, const spl_sparse *a)
{
    int64_t count = 0;
    for (int64_t at = 0; at < r->vertices; at++) {
        const int64_t v = r->order[at];
        r->offsets[at] = count;
        for (int64_t p = tool_offset(a, v); p < tool_offset(a, v + 1); p++)
            r->columns[count++] = r->place[tool_column(a, p)];
    }
    r->offsets[r->vertices] = count;
}

static int draw(const cli_session *session, const plot_scene *scene)
{
    const char *path = session->request->plot;
    tool_buffer picture = {0};
    const char *problem = plot_draw(scene, plot_format_of(path), &picture);
    int code = problem ? cli_fail(SPL_OUT_OF_MEMORY, "%s: %s", path, problem)
                       : cli_output_write(path, &picture);
    tool_buffer_free(&picture);
    return code;
}

int cli_graph_picture_check(const char *path)
{
    if (plot_format_of(path) == PLOT_UNKNOWN)
        return cli_fail_usage("%s: pictures are .svg or .png", path);
    return cli_output_check_picture(path);
}

int cli_graph_picture(const cli_session *session, const cli_input *input, const int32_t *components)
{
    const char *slash = strrchr(input->file, '/');
    arrangement r = {0};
    plot_scene scene = {0};
    plot_subject subject = {.name = slash ? slash + 1 : input->file,
                            .parts = "component, the largest first",
                            .matrix = input->view};
    int code = make_arrays(&r, &input->view)
                   ? CLI_OK
                   : cli_fail(SPL_OUT_OF_MEMORY, "no memory for the picture");
    if (!code) {
        arrange_vertices(&r, components);
        arrange_edges(&r, &input->view);
        subject.matrix.offset_type = subject.matrix.index_type = SPL_I64;
        subject.matrix.offsets = r.offsets;
        subject.matrix.indices = r.columns;
        plot_matrix_by_part(&scene, &subject, r.number);
        code = draw(session, &scene);
    }
    plot_scene_free(&scene);
    free_arrays(&r);
    return code;
}
