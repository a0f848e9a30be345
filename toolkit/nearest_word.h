/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_NEAREST_WORD_H
#define TOOL_NEAREST_WORD_H

/* Letters to insert, delete, replace or swap with the next one (Damerau) to turn one word into the
 * other; words are cut at 63 letters. */
int tool_edit_distance(const char *from, const char *to);

/* Searches the best guess for a mistyped word: call it for each known word, starting with an
 * all-zero guess. */
typedef struct tool_guess {
    const char *word; /* NULL: nothing near enough */
    int distance;
} tool_guess;
void tool_guess_add(tool_guess *guess, const char *typed, const char *known);

#endif
