/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that repeat, and runs of neighbouring columns: what is found agrees with the columns, in
 * every matrix of the zoo. */
#include "lib/hook_allocator.h"
#include "lib/testing.h"
#include "structure/column_runs.h"
#include "structure/identical_rows.h"

typedef struct setting {
    hook_allocator hook;
    spl_allocator allocator;
    spl__account account;
} setting;

static void start(setting *s)
{
    hook_start(&s->hook);
    s->allocator = hook_as_allocator(&s->hook);
    spl__account_init(&s->account, &s->allocator, NULL, 0);
}

static void stop(setting *s)
{
    EXPECT(s->hook.live == 0 && hook_clean(&s->hook));
    hook_stop(&s->hook);
}

static int64_t begin_of(const spl_sparse *m, int64_t row)
{
    return zoo_index_at(m->offsets, m->offset_type, row);
}

static bool has_equal_neighbour(const spl_sparse *m, int64_t row)
{
    int64_t begin = begin_of(m, row), length = begin_of(m, row + 1) - begin;
    bool same = row > 0 && begin - begin_of(m, row - 1) == length;
    for (int64_t q = begin; same && q < begin + length; q++)
        same = zoo_index_at(m->indices, m->index_type, q) ==
               zoo_index_at(m->indices, m->index_type, q - length);
    return same;
}

/* Runs, written out, are the row; and none goes on where the one before ends. */
static void expect_row(const spl_sparse *m, const spl__column_runs *runs, int64_t row)
{
    int64_t last = -2, run = runs->first[row];
    for (int64_t q = begin_of(m, row); q < begin_of(m, row + 1); run++) {
        int64_t first = zoo_index_at(runs->pairs, m->index_type, 2 * run);
        int64_t length = zoo_index_at(runs->pairs, m->index_type, 2 * run + 1);
        EXPECT(run < runs->count && length > 0 && first != last + 1);
        for (int64_t k = 0; k < length; k++, q++)
            EXPECT(q < begin_of(m, row + 1) &&
                   zoo_index_at(m->indices, m->index_type, q) == first + k);
        last = first + length - 1;
    }
}

static void expect_matrix(const spl_sparse *m, int threads)
{
    setting s;
    uint8_t *equals_previous;
    spl__column_runs runs;
    start(&s);
    EXPECT_OK(spl__identical_rows_mark(&s.account, threads, m, &equals_previous));
    EXPECT_OK(spl__column_runs_make(&s.account, threads, m, equals_previous, &runs));
    for (int64_t row = 0; row < m->rows; row++) {
        EXPECT(equals_previous[row] == has_equal_neighbour(m, row));
        EXPECT(!equals_previous[row] || runs.first[row] == runs.first[row - 1]);
        expect_row(m, &runs, row);
    }
    EXPECT(equals_previous[m->rows] == 0);
    spl__column_runs_free(&runs);
    spl__free(equals_previous);
    stop(&s);
}

static void the_zoo(void **state)
{
    (void)state;
    for (int n = 0; n < zoo_tiny_count; n++)
        for (int form = 0; form < ZOO_FORMS; form++) {
            zoo_matrix a;
            if (zoo_form_number(form).format != SPL_CSR)
                continue;
            zoo_matrix_make(&a, &zoo_tiny[n], zoo_form_number(form), testing_seed());
            testing_case("%s %s", zoo_tiny[n].name, zoo_form_name(zoo_form_number(form)));
            expect_matrix(&a.view, 1 + form % 3);
            zoo_matrix_free(&a);
        }
}

/* Two identical rows, an empty one, one that is not sorted and repeats a column: (0,1) (63,2)
 * shared, none, (7,2) (7,1) (3,1). */
static void worked_example(void **state)
{
    (void)state;
    static const int32_t offsets[] = {0, 3, 6, 6, 10},
                         columns[] = {0, 63, 64, 0, 63, 64, 7, 8, 7, 3};
    static const int32_t expected[] = {0, 1, 63, 2, 7, 2, 7, 1, 3, 1};
    spl_sparse m = zoo_csr(SPL_F64, 4, 65, offsets, columns, NULL);
    static const uint8_t equals_previous[] = {0, 1, 0, 0, 0};
    setting s;
    spl__column_runs runs;
    start(&s);
    EXPECT_OK(spl__column_runs_make(&s.account, 1, &m, equals_previous, &runs));
    EXPECT(runs.count == 5 && runs.first[0] == 0 && runs.first[1] == 0 && runs.first[3] == 2);
    for (int k = 0; k < 10; k++)
        EXPECT(((const int32_t *)runs.pairs)[k] == expected[k]);
    spl__column_runs_free(&runs);
    EXPECT(spl__identical_rows_count(equals_previous, 0, 8) == 2 &&
           spl__identical_rows_count(equals_previous, 0, 1) == 1 &&
           spl__identical_rows_count(equals_previous, 3, 8) == 1);
    stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_zoo),
        cmocka_unit_test(worked_example),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
