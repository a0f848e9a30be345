/* SPDX-License-Identifier: Apache-2.0 */
#include "text_table.h"

#include "shown_text.h"

#include <stdlib.h>
#include <string.h>

void tool_table_row(tool_table *table, const char *a, const char *b, const char *c, const char *d)
{
    if (table->rows == TOOL_TABLE_ROWS)
        return;
    const char *texts[TOOL_TABLE_COLUMNS] = {a, b, c, d};
    for (int i = 0; i < TOOL_TABLE_COLUMNS; i++)
        table->cells[table->rows][i] =
            texts[i] && *texts[i] ? strdup(tool_shown(texts[i]).text) : NULL;
    table->rows++;
}

static int width_of(const tool_table *table, int column)
{
    size_t width = 0;
    for (int row = 0; row < table->rows; row++) {
        const char *cell = table->cells[row][column];
        if (cell && strlen(cell) > width)
            width = strlen(cell);
    }
    return (int)width;
}

static int last_cell(const tool_table *table, int row)
{
    int last = TOOL_TABLE_COLUMNS - 1;
    while (last > 0 && !table->cells[row][last])
        last--;
    return last;
}

static void print_row(const tool_table *table, int row, const int *widths, FILE *stream)
{
    int last = last_cell(table, row);
    for (int column = 0; column <= last; column++) {
        const char *cell = table->cells[row][column] ? table->cells[row][column] : "";
        if (table->right >> column & 1)
            fprintf(stream, "%*s", widths[column], cell);
        else
            fprintf(stream, "%-*s", column == last ? 0 : widths[column], cell);
        fputs(column == last ? "\n" : "  ", stream);
    }
}

void tool_table_print(tool_table *table, FILE *stream)
{
    int widths[TOOL_TABLE_COLUMNS];
    for (int column = 0; column < TOOL_TABLE_COLUMNS; column++)
        widths[column] = width_of(table, column);
    for (int row = 0; row < table->rows; row++)
        print_row(table, row, widths, stream);
    for (int row = 0; row < table->rows; row++)
        for (int column = 0; column < TOOL_TABLE_COLUMNS; column++)
            free(table->cells[row][column]);
    table->rows = 0;
}
