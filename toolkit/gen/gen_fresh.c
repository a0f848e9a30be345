/* SPDX-License-Identifier: Apache-2.0 */
/* The set "fresh": matrices that nobody has seen, of every family, drawn by a seed. Entries are
 * drawn from 300 to 400,000, as many small matrices as large ones in the logarithm. */
#include "gen_job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double least_entries = 300, most_entries = 400000;

/* In `text` %g is the length of a grid of `dimensions`, %n a number of rows, %e of entries, %l of
 * those in the longest row, %s of rows with a square of few entries though it is full, and
 * {LOW..HIGH} a number between the two: whole unless LOW has a decimal point. */
typedef struct recipe {
    const char *text;
    double per_row; /* entries of a row or of a node, about */
    int dimensions;
} recipe;

static const recipe recipes[] = {
    {"stencil5:%g,%g", 5, 2},
    {"stencil9:%g,%g", 9, 2},
    {"stencil7:%g,%g,%g", 7, 3},
    {"stencil27:%g,%g,%g", 27, 3},
    {"periodic:%g,%g", 4, 2},
    {"lattice:%g,%g", 468, 4},
    {"box2d:%g,%g,1,drop={0.05..0.5}", 6.5, 2},
    {"box2d:%g,%g,1,drop={0.0..0.3},shuffle=1", 8, 2},
    {"box2d:%g,%g,2,drop={0.0..0.3}", 32, 2},
    {"box2d:%g,%g,4,nodes=4", 144, 2},
    {"box2d:%g,%g,6,holes={0.0..0.4}", 324, 2},
    {"box3d:%g,%g,%g,1,drop={0.1..0.7},shuffle=1", 16, 3},
    {"box3d:%g,%g,%g,2,fixed={0.0..0.3}", 108, 3},
    {"box3d:%g,%g,%g,3,drop={0.0..0.3}", 206, 3},
    {"box3d:%g,%g,%g,5,holes={0.0..0.3}", 675, 3},
    {"prolong2d:%g,%g,size={2..4},smooth={0..2}", 3, 2},
    {"prolong3d:%g,%g,%g,size={2..3},smooth={0..2}", 6, 3},
    {"powerlaw:%n,%e,{1.5..2.0},%l,near={0.2..0.8},long={0.0..0.2}", 5, 1},
    {"powerlaw:%n,%e,{2.0..3.5},%l,near={0.0..0.6},hubs={0.0..0.3}", 9, 1},
    {"powerlaw:%n,%e,{1.3..1.8},%l,long={0.1..0.5}", 20, 1},
    {"rmat:%n,%e,{0.42..0.58},0.2", 2.5, 1},
    {"rmat:%n,%e,{0.42..0.58},0.19", 15, 1},
    {"random:%n,%n,{2..5}", 3.5, 1},
    {"random:%n,%n,{6..24}", 15, 1},
    {"random:%n,%n,{30..90}", 60, 1},
    {"banded:%n,{1..4},{1..4}", 6, 1},
    {"banded:%n,{5..30},{5..30}", 36, 1},
    {"hypersparse:%e,%n", 3, 1},
    {"denserow:%n", 2, 1},
    {"densecolumn:%n", 2, 1},
    {"arrow:%s", 3, 1},
    {"diagonal:%n", 1, 1},
};

enum { RECIPES = sizeof recipes / sizeof *recipes };

static double draw_between(gen_stream *stream, double low, double high)
{
    return low + (high - low) * gen_unit(stream);
}

/* Writes what `token` stands for; returns what follows it. */
static const char *write_token(const recipe *r, double entries, gen_stream *stream,
                               const char *token, FILE *to)
{
    double nodes = entries / r->per_row, length = pow(nodes, 1.0 / r->dimensions);
    if (r->dimensions == 1) /* rows that are short for their number */
        nodes = fmax(nodes, 4 * r->per_row);
    char *end = NULL;
    if (*token == '{') {
        const char *dots = strstr(token, "..");
        double low = strtod(token + 1, NULL), high = strtod(dots + 2, &end);
        if (!memchr(token, '.', (size_t)(dots - token)))
            fprintf(to, "%.0f", floor(draw_between(stream, low, high + 1)));
        else
            fprintf(to, "%.2f", draw_between(stream, low, high));
        return end + 1;
    }
    if (token[1] == 's')
        fprintf(to, "%.0f", fmin(2000, nodes));
    else if (token[1] == 'l')
        fprintf(to, "%.0f", fmin(4000, nodes * draw_between(stream, 0.5, 0.9)));
    else if (token[1] == 'g') /* no lattice is shorter than 3 */
        fprintf(to, "%.0f", fmax(3, length * draw_between(stream, 0.8, 1.25)));
    else
        fprintf(to, "%.0f", fmax(4, token[1] == 'n' ? nodes : entries));
    return token + 2;
}

int gen_fresh(uint64_t seed, int number, char *text, size_t capacity)
{
    if (number < 0 || number >= GEN_FRESH_SIZES * RECIPES)
        return 0;
    const recipe *r = &recipes[number % RECIPES];
    gen_stream stream = {gen_hash(seed, (uint64_t)number, 0)};
    double step = log(most_entries / least_entries) / GEN_FRESH_SIZES;
    int size = number / RECIPES;
    double entries = least_entries * exp(step * (size + gen_unit(&stream)));
    FILE *to = fmemopen(text, capacity, "w");
    for (const char *token = r->text; to && *token;)
        if (*token == '%' || *token == '{')
            token = write_token(r, entries, &stream, token, to);
        else
            fputc(*token++, to);
    if (!to)
        return 0;
    fprintf(to, ",seed=%d", (int)(gen_next(&stream) % 1000000));
    return fclose(to) == 0;
}

int gen_fresh_seed(const char *operand, const char *set, uint64_t now, uint64_t *seed)
{
    size_t length = strlen(set);
    char *end = NULL;
    *seed = now;
    if (strncmp(operand, set, length) != 0 || (operand[length] && operand[length] != ':'))
        return 0;
    if (operand[length])
        *seed = strtoull(operand + length + 1, &end, 10);
    return !end || (end != operand + length + 1 && !*end);
}
