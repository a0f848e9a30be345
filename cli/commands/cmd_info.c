/* SPDX-License-Identifier: Apache-2.0 */
/* sparloom info: describes a matrix */
#include "failure.h"
#include "row_lengths.h"

#include <json_helpers.h>
#include <readable.h>
#include <shown_text.h>
#include <stdio.h>
#include <text_table.h>
#include <typed_array.h>

static void add_count(tool_table *table, const char *label, int64_t count, const char *note)
{
    tool_table_row(table, label, tool_thousands(count).text, note, NULL);
}

static void add_real(tool_table *table, const char *label, double value, const char *note)
{
    char text[32];
    snprintf(text, sizeof text, "%.4g", value);
    tool_table_row(table, label, text, note, NULL);
}

static const char *symmetry_of(const spl_description *description)
{
    if (description->value_symmetric)
        return "symmetric";
    return description->pattern_symmetric ? "pattern" : "no";
}

/* Row lengths, and the storage of the matrix in other formats. */
typedef struct layout {
    cli_row_lengths rows;
    spl_storage storage;
} layout;

static int layout_read(cli_session *session, const spl_sparse *view, layout *all)
{
    *all = (layout){.storage = SPL_STORAGE_INIT};
    int code = cli_row_lengths_read(session, view, &all->rows);
    return code ? code
                : cli_check_of(spl_measure_storage(session->context, view, &all->storage),
                               "the storage formats");
}

static void add_bytes(tool_table *table, const char *label, size_t bytes, const char *format,
                      double density)
{
    char note[80] = "";
    if (format)
        snprintf(note, sizeof note, format, density);
    tool_table_row(table, label, bytes == SIZE_MAX ? "too many" : tool_bytes((double)bytes).text,
                   note, NULL);
}

static void print_storage(const spl_storage *s)
{
    tool_table table = {.right = 1 << 1};
    add_bytes(&table, "COO", s->coo, NULL, 0);
    add_bytes(&table, "CSR", s->csr, NULL, 0);
    add_bytes(&table, "ELL", s->ell, "density %.4g", s->ell_density);
    add_bytes(&table, "RVS", s->rvs, "density %.4g: rows of equal length together", s->rvs_density);
    add_bytes(&table, "sliced ELL", s->sliced_ell, "density %.4g", s->sliced_ell_density);
    printf("\nstorage, and the part of it that is no padding\n");
    tool_table_print(&table, stdout);
}

/* All lengths if they are few, else the first ones and the last. */
static void print_distribution(const layout *all)
{
    enum { SHOWN = 12 };
    tool_table table = {.right = 3};
    tool_table_row(&table, "entries", "rows", NULL, NULL);
    for (int64_t b = 0; b < all->rows.count; b++) {
        if (all->rows.count > SHOWN && b == SHOWN - 1) {
            tool_table_row(&table, "...", NULL, NULL, NULL);
            b = all->rows.count - 1;
        }
        tool_table_row(&table, tool_thousands(all->rows.lengths[b]).text,
                       tool_thousands(all->rows.row_counts[b]).text, NULL, NULL);
    }
    printf("\ndistribution function, %s length%s of rows\n", tool_thousands(all->rows.count).text,
           all->rows.count == 1 ? "" : "s");
    tool_table_print(&table, stdout);
}

/* null: more than can be addressed */
static void add_json_bytes(cJSON *object, const char *key, size_t bytes)
{
    if (bytes > INT64_MAX)
        tool_json_null(object, key);
    else
        tool_json_integer(object, key, (int64_t)bytes);
}

static void layout_json(const layout *all, cJSON *json)
{
    const spl_storage *s = &all->storage;
    cJSON *storage = cJSON_AddObjectToObject(json, "storage"),
          *list = cJSON_AddArrayToObject(json, "distribution");
    add_json_bytes(storage, "coo", s->coo);
    add_json_bytes(storage, "csr", s->csr);
    add_json_bytes(storage, "ell", s->ell);
    add_json_bytes(storage, "rvs", s->rvs);
    add_json_bytes(storage, "sliced_ell", s->sliced_ell);
    tool_json_real(storage, "ell_density", s->ell_density);
    tool_json_real(storage, "rvs_density", s->rvs_density);
    tool_json_real(storage, "sliced_ell_density", s->sliced_ell_density);
    tool_json_real(storage, "ell_compute_density", s->ell_compute_density);
    tool_json_real(storage, "rvs_compute_density", s->rvs_compute_density);
    for (int64_t b = 0; b < all->rows.count; b++) {
        cJSON *set = tool_json_object(list);
        tool_json_integer(set, "length", all->rows.lengths[b]);
        tool_json_integer(set, "rows", all->rows.row_counts[b]);
    }
}

static void add_blocks(tool_table *table, const spl_description *description)
{
    char note[200] = "not made of dense blocks of 2 to 6 rows";
    if (description->holed_block_size > description->block_size)
        snprintf(note, sizeof note,
                 "%d unknowns per node if holes are allowed, %s nodes, blocks %.3g %% full",
                 (int)description->holed_block_size,
                 tool_thousands(description->rows / description->holed_block_size).text,
                 100 * description->block_fill);
    if (description->block_size > 1)
        snprintf(note, sizeof note, "unknowns per node, %s nodes, blocks 100 %% full",
                 tool_thousands(description->rows / description->block_size).text);
    add_count(table, "block size", description->block_size, note);
}

static void add_values(tool_table *table, const cli_input *input,
                       const spl_description *description)
{
    int bytes = (int)tool_type_bytes(input->view.type);
    const char *whole_numbers =
        description->value_bytes == 2 && bytes > 2   ? ", whole numbers times a power of two"
        : description->value_bytes == 4 && bytes > 4 ? ", f32 holds all of them"
                                                     : "";
    char note[120] = "all the same";
    if (description->distinct_values != 1)
        snprintf(note, sizeof note, "distinct%s", whole_numbers);
    if (description->distinct_values != 1 && description->value_bytes < bytes &&
        description->nnz > 0)
        snprintf(note, sizeof note, "distinct%s: each fits %g of its %d bytes", whole_numbers,
                 description->value_bytes, bytes);
    if (description->distinct_values < 0)
        tool_table_row(table, "values", "> 256", note, NULL);
    else
        add_count(table, "values", description->distinct_values, note);
}

static void print_text(const cli_input *input, const spl_description *description)
{
    int square = description->rows == description->cols;
    tool_table table = {.right = 1 << 1};
    add_count(&table, "rows", description->rows, NULL);
    add_count(&table, "columns", description->cols, NULL);
    add_count(&table, "entries", description->nnz,
              "stored, symmetric halves and duplicates included");
    add_real(&table, "density", description->density, "entries/(rows*columns)");
    add_real(&table, "mean row", description->mean_row, "entries per row");
    add_real(&table, "deviation", description->row_deviation,
             "standard deviation of entries per row");
    add_count(&table, "longest row", description->longest_row, "entries");
    add_count(&table, "empty rows", description->empty_rows, NULL);
    add_count(&table, "duplicates", description->duplicates,
              "entries beyond the first at their position");
    add_count(&table, "unsorted rows", description->unsorted_rows, "columns do not ascend");
    add_blocks(&table, description);
    add_values(&table, input, description);
    tool_table_row(&table, "symmetry", symmetry_of(description),
                   description->value_symmetric ? "of values and pattern" : NULL, NULL);
    add_count(&table, "bandwidth", description->bandwidth,
              "largest |row - column| of an entry; -1 without entries");
    add_count(&table, "products", description->products,
              square ? "of A*A; its FLOP are twice as many"
                     : "of A*A'; its FLOP are twice as many");
    tool_table_row(&table, "read in", tool_duration(input->seconds).text, NULL, NULL);
    printf("%s\n", tool_shown(input->file).text);
    tool_table_print(&table, stdout);
}

static void fill_json(const cli_input *input, const spl_description *description, cJSON *json)
{
    cli_input_json(input, "A", cJSON_AddArrayToObject(json, "inputs"));
    cJSON *object = cJSON_AddObjectToObject(json, "description");
    tool_json_integer(object, "rows", description->rows);
    tool_json_integer(object, "cols", description->cols);
    tool_json_integer(object, "nnz", description->nnz);
    tool_json_real(object, "density", description->density);
    tool_json_real(object, "mean_row", description->mean_row);
    tool_json_real(object, "row_deviation", description->row_deviation);
    tool_json_integer(object, "longest_row", description->longest_row);
    tool_json_integer(object, "empty_rows", description->empty_rows);
    tool_json_integer(object, "duplicates", description->duplicates);
    tool_json_integer(object, "unsorted_rows", description->unsorted_rows);
    tool_json_truth(object, "pattern_symmetric", description->pattern_symmetric);
    tool_json_truth(object, "value_symmetric", description->value_symmetric);
    tool_json_integer(object, "bandwidth", description->bandwidth);
    tool_json_integer(object, "products", description->products);
    tool_json_integer(object, "block_size", description->block_size);
    tool_json_integer(object, "distinct_values", description->distinct_values);
    tool_json_real(object, "value_bytes", description->value_bytes);
    tool_json_integer(object, "holed_block_size", description->holed_block_size);
    tool_json_real(object, "block_fill", description->block_fill);
}

int cli_run_info(cli_session *session)
{
    cli_input input;
    layout all = {0};
    spl_description description = SPL_DESCRIPTION_INIT;
    int code = cli_input_read(session, session->request->operands[0], &input);
    if (!code)
        code = cli_check_of(spl_describe(session->context, &input.view, &description), input.file);
    if (!code)
        code = layout_read(session, &input.view, &all);
    if (!code && session->json) {
        fill_json(&input, &description, session->json);
        layout_json(&all, session->json);
    } else if (!code) {
        print_text(&input, &description);
        print_storage(&all.storage);
        print_distribution(&all);
    }
    cli_row_lengths_free(&all.rows);
    cli_input_free(&input);
    return code;
}
