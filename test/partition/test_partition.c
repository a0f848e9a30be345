/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions of [S2]: its second example, properties of all kinds for random rows, 1 to 64
 * processors and extreme capabilities, and bad input. */
#include "lib/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 700, MOST_LENGTH = 60, MOST_PARTS = 64, ROUNDS = 400 };

typedef struct example {
    int64_t rows, lengths[MOST_ROWS], order[MOST_ROWS];
    int32_t offsets[MOST_ROWS + 1], columns[MOST_ROWS * MOST_LENGTH];
    double values[MOST_ROWS * MOST_LENGTH];
    spl_sparse view;
    int32_t count;
    double capabilities[MOST_PARTS], links[MOST_PARTS];
    spl_part parts[MOST_PARTS];
} example;

static uint64_t state_of_chance;
static double chance(void) /* [0, 1) */
{
    state_of_chance = state_of_chance * 6364136223846793005u + 1442695040888963407u;
    return (double)(state_of_chance >> 11) / 9007199254740992.0;
}

/* Row i has lengths[i] entries, in columns 0, 1, ... */
static void make_view(example *e)
{
    int32_t p = 0;
    for (int64_t i = 0; i < e->rows; i++) {
        for (int64_t k = 0; k < e->lengths[i]; k++)
            e->columns[p++] = (int32_t)k;
        e->offsets[i + 1] = p;
    }
    e->view = zoo_csr(SPL_F64, e->rows, MOST_LENGTH, e->offsets, e->columns, e->values);
    for (int p2 = 0; p2 < MOST_PARTS; p2++)
        e->parts[p2] = (spl_part)SPL_PART_INIT;
}

static spl_status share(spl_context *context, example *e, spl_partition_kind kind,
                        const double *links)
{
    return spl_partition(context, &e->view, kind, e->count, e->capabilities, links, e->order,
                         e->parts);
}

/* [S2], example 2: 31 entries in rows of 2 3 1 2 7 1 3 4 6 2. Half of them is reached with the row
 * of 4: eight rows, then those of 6 and 7. */
static void halves_of_example_2(void **state)
{
    (void)state;
    static const int64_t lengths[] = {2, 3, 1, 2, 7, 1, 3, 4, 6, 2},
                         order[] = {2, 5, 0, 3, 9, 1, 6, 7, 8, 4};
    spl_context *context = testing_context(1);
    example *e = calloc(1, sizeof *e);
    e->rows = 10;
    e->count = 2;
    e->capabilities[0] = e->capabilities[1] = 1;
    memcpy(e->lengths, lengths, sizeof lengths);
    make_view(e);
    EXPECT_OK(share(context, e, SPL_PARTITION_DENSITY, NULL));
    EXPECT(memcmp(e->order, order, sizeof order) == 0);
    EXPECT(e->parts[0].begin == 0 && e->parts[0].rows == 8 && e->parts[0].nnz == 18 &&
           e->parts[0].width == 4);
    EXPECT(e->parts[1].begin == 8 && e->parts[1].rows == 2 && e->parts[1].nnz == 13 &&
           e->parts[1].width == 7);
    EXPECT(e->parts[0].density == 18.0 / 32 && e->parts[1].density == 13.0 / 14);
    EXPECT_OK(share(context, e, SPL_PARTITION_ROWS, NULL));
    EXPECT(e->parts[0].rows == 5 && e->parts[0].nnz == 15);
    EXPECT_OK(share(context, e, SPL_PARTITION_NNZ, NULL));
    EXPECT(e->parts[0].rows == 6 && e->parts[0].nnz == 16);
    free(e);
    spl_context_destroy(context);
}

static double extreme(void)
{
    static const double numbers[] = {0, 0, 1, 1, 1e-300, 1e300, 5e-324, 1e-9, 3.5, 1e12};
    return numbers[(int)(chance() * 10)];
}

static void draw(example *e)
{
    double shape = chance() * 4;
    e->rows = (int64_t)(chance() * chance() * MOST_ROWS);
    e->count = 1 + (int32_t)(chance() * MOST_PARTS);
    for (int64_t i = 0; i < e->rows; i++)
        e->lengths[i] = (int64_t)(pow(chance(), shape) * MOST_LENGTH);
    bool wild = chance() < 0.5;
    for (int p = 0; p < e->count; p++) {
        e->capabilities[p] = wild ? extreme() : chance();
        e->links[p] = chance() < 0.2 ? INFINITY : 1e-3 + chance();
    }
    if (wild)
        e->capabilities[(int)(chance() * e->count)] = 1 + chance();
    make_view(e);
}

/* Every row is in exactly one part, and parts are what they say. */
static void expect_whole(const example *e)
{
    bool seen[MOST_ROWS] = {false};
    int64_t next = 0;
    for (int p = 0; p < e->count; p++) {
        const spl_part *part = &e->parts[p];
        int64_t nnz = 0, width = 0;
        EXPECT(part->begin == next && part->rows >= 0);
        EXPECT(part->rows == 0 || e->capabilities[p] > 0);
        for (next = part->begin; next < part->begin + part->rows; next++) {
            int64_t row = e->order[next];
            EXPECT(row >= 0 && row < e->rows && !seen[row]);
            seen[row] = true;
            nnz += e->lengths[row];
            width = e->lengths[row] > width ? e->lengths[row] : width;
        }
        EXPECT(part->nnz == nnz && part->width == width);
        EXPECT(nnz == 0 ? part->density == 0 : part->density > 0 && part->density <= 1);
    }
    EXPECT(next == e->rows);
}

/* The first parts together have at least their share, and at most a row more; the last part with
 * a capability gets the rest. */
static void expect_shares(const example *e, bool by_rows)
{
    double all = 0, sum = 0, got = 0, total = (double)(by_rows ? e->rows : e->view.nnz);
    int last = 0;
    for (int p = 0; p < e->count; p++) {
        all += e->capabilities[p] / 1e300; /* finite */
        last = e->capabilities[p] > 0 ? p : last;
    }
    for (int p = 0; p < last && all > 1e-250; p++) {
        const spl_part *part = &e->parts[p];
        sum += e->capabilities[p] / 1e300;
        got += (double)(by_rows ? part->rows : part->nnz);
        double target = total * (sum / all), slack = 1e-9 * total;
        double row =
            by_rows ? 1 : (double)e->lengths[e->order[part->begin + part->rows - (part->rows > 0)]];
        EXPECT(got >= target - slack || e->capabilities[p] < 1e-290);
        EXPECT(part->rows == 0 || got < target + row + slack);
    }
}

static double slowest(const example *e)
{
    double most = 0;
    for (int p = 0; p < e->count; p++)
        most = fmax(most, e->parts[p].seconds);
    return most;
}

static void properties_of_every_kind(void **state)
{
    (void)state;
    spl_context *context = testing_context(1);
    example *e = calloc(1, sizeof *e);
    state_of_chance = testing_seed();
    for (int round = 0; round < ROUNDS; round += testing_scale()) {
        draw(e);
        testing_case("round %d: %lld rows, %d parts", round, (long long)e->rows, (int)e->count);
        EXPECT_OK(share(context, e, SPL_PARTITION_ROWS, e->links));
        expect_whole(e);
        expect_shares(e, true);
        EXPECT_OK(share(context, e, SPL_PARTITION_NNZ, e->links));
        expect_whole(e);
        expect_shares(e, false);
        double by_entries = slowest(e);
        EXPECT_OK(share(context, e, SPL_PARTITION_DENSITY, e->links));
        expect_whole(e);
        expect_shares(e, false);
        for (int64_t i = 1; i < e->rows; i++)
            EXPECT(e->lengths[e->order[i - 1]] <= e->lengths[e->order[i]]);
        EXPECT_OK(share(context, e, SPL_PARTITION_COST, e->links));
        expect_whole(e);
        EXPECT(!(slowest(e) > by_entries * (1 + 1e-5)));
    }
    free(e);
    spl_context_destroy(context);
}

/* Against every way to cut few rows for three processors. */
static void cost_is_least(void **state)
{
    (void)state;
    spl_context *context = testing_context(1);
    example *e = calloc(1, sizeof *e);
    state_of_chance = testing_seed() + 1;
    for (int round = 0; round < 50; round++) {
        double best = INFINITY;
        e->rows = 12;
        e->count = 3;
        for (int i = 0; i < 12; i++)
            e->lengths[i] = (int64_t)(chance() * 20);
        for (int p = 0; p < 3; p++) {
            e->capabilities[p] = 0.1 + chance();
            e->links[p] = 1 + 100 * chance();
        }
        make_view(e);
        for (int a = 0; a <= 12; a++)
            for (int b = a; b <= 12; b++) {
                const int cuts[] = {0, a, b, 12};
                double most = 0;
                for (int p = 0; p < 3; p++) {
                    double rows = cuts[p + 1] - cuts[p],
                           nnz = e->offsets[cuts[p + 1]] - e->offsets[cuts[p]];
                    most =
                        fmax(most, (rows * 4 + nnz * 12) / e->links[p] + nnz / e->capabilities[p]);
                }
                best = fmin(best, most);
            }
        EXPECT_OK(share(context, e, SPL_PARTITION_COST, e->links));
        EXPECT(fabs(slowest(e) - best) <= 1e-5 * best);
    }
    free(e);
    spl_context_destroy(context);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    static const double bad[] = {-1, NAN, INFINITY};
    spl_context *context = testing_context(1);
    example *e = calloc(1, sizeof *e);
    e->rows = 3;
    e->count = 2;
    make_view(e);
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, share(context, e, SPL_PARTITION_ROWS, NULL)); /* all 0 */
    for (int i = 0; i < 3; i++) {
        e->capabilities[0] = 1;
        e->capabilities[1] = bad[i];
        EXPECT_STATUS(SPL_INVALID_ARGUMENT, share(context, e, SPL_PARTITION_NNZ, NULL));
    }
    e->capabilities[1] = 1;
    e->links[0] = 1; /* the other is 0 */
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, share(context, e, SPL_PARTITION_COST, e->links));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, share(context, e, (spl_partition_kind)5, NULL));
    e->count = 0;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, share(context, e, SPL_PARTITION_ROWS, NULL));
    e->count = 1;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, share(NULL, e, SPL_PARTITION_ROWS, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_partition(context, &e->view, SPL_PARTITION_ROWS, 1,
                                                      e->capabilities, NULL, NULL, e->parts));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_partition(context, &e->view, SPL_PARTITION_ROWS, 1,
                                                      e->capabilities, NULL, e->order, NULL));
    free(e);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_of_example_2),
        cmocka_unit_test(properties_of_every_kind),
        cmocka_unit_test(cost_is_least),
        cmocka_unit_test(bad_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
