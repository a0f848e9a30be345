/* SPDX-License-Identifier: Apache-2.0 */
#include "nearest_word.h"

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
    int cost[LONGEST + 1]; /* of turning from[0..i) into to[0..j) */
    int from_letters = letters(from), to_letters = letters(to);
    for (int j = 0; j <= to_letters; j++)
        cost[j] = j;
    for (int i = 1; i <= from_letters; i++) {
        int diagonal = cost[0];
        cost[0] = i;
        for (int j = 1; j <= to_letters; j++) {
            int replaced = diagonal + (from[i - 1] != to[j - 1]);
            diagonal = cost[j];
            cost[j] = least(replaced, cost[j] + 1, cost[j - 1] + 1);
        }
    }
    return cost[to_letters];
}

void tool_guess_add(tool_guess *guess, const char *typed, const char *known)
{
    int distance = tool_edit_distance(typed, known);
    int near_enough = distance <= 1 + letters(known) / 4;
    if (near_enough && (!guess->word || distance < guess->distance))
        *guess = (tool_guess){known, distance};
}
