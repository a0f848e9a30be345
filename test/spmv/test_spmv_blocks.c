/* SPDX-License-Identifier: Apache-2.0 */
/* SpMV where neighbouring rows have the same columns: dense blocks, nodes of several sizes, and
 * matrices that look as if they were made of blocks. Devices find the same as counting, and as
 * the host. */
#include "lib/block_matrices.h"
#include "lib/run_products.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char method[] = "spmv/compute/gpu/blocks";

/* ---- by counting ---- */

static bool equals_previous(const spl_sparse *a, int64_t i)
{
    int64_t before = zoo_index_at(a->offsets, a->offset_type, i - 1),
            begin = zoo_index_at(a->offsets, a->offset_type, i),
            length = zoo_index_at(a->offsets, a->offset_type, i + 1) - begin;
    if (begin - before != length)
        return false;
    for (int64_t k = 0; k < length; k++)
        if (zoo_index_at(a->indices, a->index_type, begin + k) !=
            zoo_index_at(a->indices, a->index_type, before + k))
            return false;
    return true;
}

/* Groups of at most six rows of at most `longest` entries. Runs end at multiples of sixty. */
static int64_t groups_of(const spl_sparse *a, int64_t longest)
{
    int64_t groups = 0;
    for (int64_t i = 0, run = 1; i < a->rows; i++, run++) {
        int64_t length = zoo_index_at(a->offsets, a->offset_type, i + 1) -
                         zoo_index_at(a->offsets, a->offset_type, i);
        if (i + 1 < a->rows && (i + 1) % 60 != 0 && equals_previous(a, i + 1))
            continue;
        groups += length <= longest ? (run + 5) / 6 : 0;
        run = 0;
    }
    return groups;
}

/* ---- by the plan ---- */

/* The number before or after `words` in the explanation of the plan, NAN if it does not contain
 * them. */
static double explained(const spl_plan *plan, const char *words, bool after_words)
{
    static char text[16384];
    EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
    char *cursor = strstr(text, words), digits[32] = "";
    if (!cursor)
        return NAN;
    if (after_words) {
        cursor += strlen(words);
    } else {
        while (cursor > text && cursor[-1] != ' ')
            cursor--;
    }
    for (size_t n = 0; (*cursor >= '0' && *cursor <= '9') || *cursor == ','; cursor++)
        if (*cursor != ',' && n + 1 < sizeof digits)
            digits[n++] = *cursor;
    return atof(digits);
}

static void expect_structure(spl_context *context, const spl_sparse *a, int size)
{
    spl_description description = SPL_DESCRIPTION_INIT;
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    EXPECT_OK(spl_describe(context, a, &description));
    EXPECT(description.block_size == size);
    if (!testing_device())
        return;
    options.method = method;
    EXPECT_OK(spl_spmv_plan(context, a, &options, &plan));
    EXPECT(testing_feature(plan, "block_size") == size);
    if (size > 1) {
        EXPECT(explained(plan, " unknowns per node, ", false) == size);
        EXPECT(explained(plan, " nodes, blocks 100 % full", false) == (double)(a->rows / size));
    } else {
        int64_t longest = (int64_t)explained(plan, "; rows of more than ", true);
        EXPECT(explained(plan, "rows with the same columns ", true) ==
               (double)groups_of(a, longest));
    }
    spl_plan_destroy(plan);
}

/* Right for some pairs of scalars, once and again. */
static void expect_product(spl_context *context, const spl_sparse *a)
{
    spmv_run run = {.a = a, .options = SPL_OPTIONS_INIT};
    run.options.method = testing_device() ? method : NULL;
    for (int s = 0; s < TEST_SCALARS; s += 6) {
        run.scalars = testing_scalars(s);
        EXPECT_OK(run_spmv(context, &run));
    }
}

/* ---- blocks ---- */

static void blocks_are_found_and_used(void **state)
{
    (void)state;
    static const zoo_maker nodes[] = {{"a mesh", zoo_box, {4, 3, 3, 1}, false},
                                      {"short rows", zoo_half_empty, {60, 60, 3}, false},
                                      {"rectangular", zoo_uniform, {9, 30, 12}, false},
                                      {"an uneven row", zoo_dense_row, {100, 100, 4, 2}, false},
                                      {"a long row", zoo_dense_row, {300, 300, 4, 2}, false}};
    static const int sizes[][2] = {{2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 6}, {8, 4}};
    static const int csr_forms[] = {0, 3, 6, 9, 12, 15};
    spl_context *context = testing_context(2);
    for (size_t n = 0; n < sizeof nodes / sizeof *nodes; n++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            zoo_triples t;
            zoo_matrix a;
            int form = csr_forms[(n + k) % 6];
            block_matrix(&t, &nodes[n], sizes[k][0], testing_seed());
            block_matrix_build(&a, &t, form);
            testing_case("%s, %s, blocks of %d", nodes[n].name,
                         zoo_form_name(zoo_form_number(form)), sizes[k][0]);
            expect_structure(context, &a.view, sizes[k][1]);
            expect_product(context, &a.view);
            zoo_matrix_free(&a);
        }
    spl_context_destroy(context);
}

static void what_is_not_made_of_blocks(void **state)
{
    (void)state;
    enum { SIZE = 3 };
    spl_context *context = testing_context(2);
    for (int fault = 0; fault < block_fault_count; fault++) {
        zoo_maker nodes = {"nodes", zoo_uniform, {40, 40, 6}, false};
        zoo_triples t;
        zoo_matrix a;
        block_matrix(&t, &nodes, SIZE, testing_seed());
        block_faults[fault].spoil(&t);
        block_matrix_build(&a, &t, 0);
        testing_case("%s", block_faults[fault].name);
        expect_structure(context, &a.view, block_faults[fault].blocks ? SIZE : 1);
        expect_product(context, &a.view);
        zoo_matrix_free(&a);
    }
    spl_context_destroy(context);
}

/* A node with 250 neighbours, whose last columns are right, are moved by one in one row, or in
 * all. */
static void long_rows_are_looked_at_to_their_end(void **state)
{
    (void)state;
    enum { SIZE = 3, NODES = 300, LONG = 5, NEIGHBOURS = 250, LAST = SIZE * NEIGHBOURS - 1 };
    static const char *const names[] = {"as it should be", "one row differs",
                                        "a run is not where blocks are"};
    spl_context *context = testing_context(2);
    for (int fault = 0; fault < 3; fault++) {
        zoo_triples t;
        zoo_matrix a;
        zoo_triples_start(&t, SIZE * NODES, SIZE * NODES);
        for (int64_t i = 0; i < SIZE * NODES; i++) {
            const bool is_long = i / SIZE == LONG;
            for (int64_t j = is_long ? 0 : i / SIZE * SIZE;
                 j <= (is_long ? LAST : i / SIZE * SIZE + SIZE - 1); j++) {
                const bool moved = is_long && ((fault == 1 && i % SIZE == 1 && j == LAST) ||
                                               (fault == 2 && j > LAST - SIZE));
                zoo_triples_add(&t, i, j + moved, 1);
            }
        }
        block_matrix_build(&a, &t, 0);
        testing_case("%s", names[fault]);
        expect_structure(context, &a.view, fault == 0 ? SIZE : 1);
        expect_product(context, &a.view);
        zoo_matrix_free(&a);
    }
    spl_context_destroy(context);
}

static void sizes_mixed(void **state)
{
    (void)state;
    static const struct {
        int sizes[3], found;
    } mixes[] = {{{3, 6, 3}, 3}, {{1, 3, 6}, 1}, {{2, 5, 1}, 1}, {{13, 9, 70}, 1}};
    static const zoo_maker nodes[] = {{"short rows", zoo_uniform, {26, 24, 5}, false},
                                      {"a long row", zoo_dense_row, {210, 210, 4, 3}, false}};
    spl_context *context = testing_context(2);
    for (size_t n = 0; n < sizeof mixes / sizeof *mixes; n++)
        for (size_t k = 0; k < (n == 3 ? 1 : sizeof nodes / sizeof *nodes); k++) {
            zoo_triples t;
            zoo_matrix a;
            block_matrix_mixed(&t, &nodes[k], mixes[n].sizes, testing_seed());
            block_matrix_build(&a, &t, n % 2 ? 9 : 0);
            testing_case("sizes %d, %d, %d, %s", mixes[n].sizes[0], mixes[n].sizes[1],
                         mixes[n].sizes[2], nodes[k].name);
            expect_structure(context, &a.view, mixes[n].found);
            expect_product(context, &a.view);
            zoo_matrix_free(&a);
        }
    spl_context_destroy(context);
}

/* ---- what a plan does with it ---- */

/* The host and the device find the same size, and the method does not serve where rows differ
 * from their neighbours. */
static void host_and_device_agree(void **state)
{
    (void)state;
    if (!testing_device())
        return;
    spl_context *context = testing_context(2);
    for (int m = 0; m < zoo_tiny_count; m++) {
        zoo_matrix a;
        spl_plan *plan = NULL;
        spl_description description = SPL_DESCRIPTION_INIT;
        spl_options options = SPL_OPTIONS_INIT;
        zoo_matrix_make(&a, &zoo_tiny[m], zoo_form_number(0), testing_seed());
        testing_case("%s", zoo_tiny[m].name);
        EXPECT_OK(spl_describe(context, &a.view, &description));
        EXPECT_OK(spl_spmv_plan(context, &a.view, NULL, &plan));
        EXPECT(testing_feature(plan, "block_size") == (double)description.block_size);
        bool serves =
            description.block_size > 1 || testing_feature(plan, "repeated_sampled") * 3 >= 1;
        spl_plan_destroy(plan);
        options.method = method;
        plan = NULL;
        EXPECT(spl_spmv_plan(context, &a.view, &options, &plan) ==
               (serves ? SPL_OK : SPL_UNSUPPORTED));
        spl_plan_destroy(plan);
        zoo_matrix_free(&a);
    }
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_found_and_used),
        cmocka_unit_test(what_is_not_made_of_blocks),
        cmocka_unit_test(long_rows_are_looked_at_to_their_end),
        cmocka_unit_test(sizes_mixed),
        cmocka_unit_test(host_and_device_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
