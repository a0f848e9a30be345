/* SPDX-License-Identifier: Apache-2.0 */
#include "nearest_word.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

enum { LONGEST = 63 };

static int least(int a, int b, int c)
{
    int ab = a < b ? a : b;
    return ab < c ? ab : c;
}

static int letters(const char *word)
{
    size_t length = strlen(word);
    return length < LONGEST ? (int)length : LONGEST;
}

int tool_edit_distance(const char *from, const char *to)
{
    int cost[LONGEST + 1][LONGEST + 1]; /* of turning from[0..i) into to[0..j) */
    const int from_letters = letters(from), to_letters = letters(to);
    for (int i = 0; i <= from_letters; i++)
        for (int j = 0; j <= to_letters; j++) {
            if (i == 0 || j == 0) {
                cost[i][j] = i + j;
                continue;
            }
            const bool same = from[i - 1] == to[j - 1];
            cost[i][j] = least(cost[i - 1][j - 1] + !same, cost[i - 1][j] + 1, cost[i][j - 1] + 1);
            if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
                cost[i][j] = least(cost[i][j], cost[i - 2][j - 2] + 1, INT_MAX);
        }
    return cost[from_letters][to_letters];
}

void tool_guess_add(tool_guess *guess, const char *typed, const char *known)
{
    int distance = tool_edit_distance(typed, known);
    int near_enough = distance <= 1 + letters(known) / 4;
    if (near_enough && (!guess->word || distance < guess->distance))
        *guess = (tool_guess){known, distance};
}
