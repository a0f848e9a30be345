/* SPDX-License-Identifier: Apache-2.0 */
/* text_table.h: aligned columns on a stream. */
#ifndef TOOL_TEXT_TABLE_H
#define TOOL_TEXT_TABLE_H

#include <stdio.h>

enum { TOOL_TABLE_COLUMNS = 4, TOOL_TABLE_ROWS = 64 };

/* A small table: cells beyond the limits are dropped. Start with all zero but `right`. */
typedef struct tool_table {
    unsigned right; /* bit c: column c is aligned to the right */
    int rows;
    char *cells[TOOL_TABLE_ROWS][TOOL_TABLE_COLUMNS];
} tool_table;

/* Adds a row of up to TOOL_TABLE_COLUMNS copied texts, as shown_text.h shows them; NULL or ""
 * leaves a cell empty. */
void tool_table_row(tool_table *table, const char *a, const char *b, const char *c, const char *d);
/* Prints the rows, columns two blanks apart, no blanks at line ends; empties the table. */
void tool_table_print(tool_table *table, FILE *stream);

#endif
