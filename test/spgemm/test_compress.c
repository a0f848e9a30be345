/* SPDX-License-Identifier: Apache-2.0 */
/* Compression of B: the pairs hold exactly the columns, repeated rows share them, and every byte is
 * accounted for. */
#include "lib/hook_allocator.h"
#include "lib/testing.h"
#include "spgemm/cpu/compress.h"
#include "structure/identical_rows.h"

typedef struct setting {
    hook_allocator hook;
    spl_allocator allocator;
    spl__account account;
} setting;

static void start(setting *s, size_t budget)
{
    hook_start(&s->hook);
    s->allocator = hook_as_allocator(&s->hook);
    spl__account_init(&s->account, &s->allocator, NULL, budget);
}

static void stop(setting *s)
{
    EXPECT(s->hook.live == 0 && hook_clean(&s->hook));
    hook_stop(&s->hook);
}

static spl_status compress(setting *s, const spl_sparse *m, int threads, spl__compressed *c)
{
    uint8_t *equals_previous;
    *c = (spl__compressed){0};
    spl_status status = spl__identical_rows_mark(&s->account, threads, m, &equals_previous);
    if (status == SPL_OK)
        status = spl__compress(&s->account, m, equals_previous, threads, c);
    spl__free(equals_previous);
    return status;
}

static bool row_holds(const spl__compressed *c, const spl_sparse *m, int64_t row, int64_t column)
{
    const spl__compressed_row *r = &c->rows[row];
    for (int64_t k = r->begin; k < r->end; k++)
        if (zoo_index_at(c->ids, m->index_type, k) == column / 64 &&
            c->masks[k] >> (column % 64) & 1)
            return true;
    return false;
}

/* Bits of a row's masks, counted with repeats of the same word taken together. */
static int64_t distinct_bits(const spl__compressed *c, const spl_sparse *m, int64_t row)
{
    int64_t bits = 0;
    for (int64_t column = 0; column < m->cols; column++)
        bits += row_holds(c, m, row, column);
    return bits;
}

static int64_t distinct_columns(const spl_sparse *m, int64_t begin, int64_t end)
{
    int64_t count = 0;
    for (int64_t q = begin; q < end; q++) {
        int64_t k = begin, column = zoo_index_at(m->indices, m->index_type, q);
        while (zoo_index_at(m->indices, m->index_type, k) != column)
            k++;
        count += k == q;
    }
    return count;
}

static void expect_row(const spl__compressed *c, const spl_sparse *m, int64_t row)
{
    const spl__compressed_row *r = &c->rows[row];
    int64_t begin = zoo_index_at(m->offsets, m->offset_type, row),
            end = zoo_index_at(m->offsets, m->offset_type, row + 1);
    EXPECT(r->begin >= 0 && r->begin <= r->end && r->end <= c->pairs &&
           r->end - r->begin <= end - begin);
    EXPECT((begin == end) == (r->begin == r->end) && (begin == end) == (r->lowest > r->highest));
    for (int64_t q = begin; q < end; q++) {
        int64_t column = zoo_index_at(m->indices, m->index_type, q);
        EXPECT(row_holds(c, m, row, column));
        EXPECT(r->lowest <= column / 64 && column / 64 <= r->highest);
    }
    EXPECT(distinct_bits(c, m, row) == distinct_columns(m, begin, end));
}

static void pairs_hold_the_columns(void **state)
{
    (void)state;
    setting s;
    start(&s, 0);
    for (int m = 0; m < zoo_tiny_count; m++)
        for (int form = 0; form < ZOO_FORMS; form++) {
            zoo_matrix a;
            spl__compressed c;
            if (zoo_form_number(form).format != SPL_CSR)
                continue;
            zoo_matrix_make(&a, &zoo_tiny[m], zoo_form_number(form), testing_seed());
            testing_case("%s %s", zoo_tiny[m].name, zoo_form_name(zoo_form_number(form)));
            EXPECT_OK(compress(&s, &a.view, 3, &c));
            for (int64_t row = 0; row < a.view.rows; row++)
                expect_row(&c, &a.view, row);
            spl__compressed_free(&c);
            zoo_matrix_free(&a);
        }
    stop(&s);
}

/* Rows 0 and 1 are identical, row 2 is empty, row 3 unsorted: words 0 1 (shared), none, 1 0 1. */
static void worked_example(void **state)
{
    (void)state;
    static const int32_t offsets[] = {0, 3, 6, 6, 10},
                         columns[] = {0, 63, 64, 0, 63, 64, 100, 2, 1, 70};
    static const double values[10] = {0};
    spl_sparse m = zoo_csr(SPL_F64, 4, 128, offsets, columns, values);
    setting s;
    spl__compressed c;
    start(&s, 0);
    EXPECT_OK(compress(&s, &m, 1, &c));
    const int32_t *ids = c.ids;
    EXPECT(c.pairs == 5);
    EXPECT(c.rows[0].begin == 0 && c.rows[0].end == 2 && c.rows[1].begin == 0 &&
           c.rows[1].end == 2);
    EXPECT(ids[0] == 0 && c.masks[0] == (1 | (uint64_t)1 << 63) && ids[1] == 1 && c.masks[1] == 1);
    EXPECT(c.rows[2].begin == c.rows[2].end && c.rows[2].lowest > c.rows[2].highest);
    EXPECT(c.rows[3].end - c.rows[3].begin == 3 && c.rows[3].lowest == 0 && c.rows[3].highest == 1);
    EXPECT(ids[2] == 1 && ids[3] == 0 && ids[4] == 1 && c.masks[3] == 6);
    spl__compressed_free(&c);
    stop(&s);
}

static void budgets_and_failures_leak_nothing(void **state)
{
    (void)state;
    zoo_matrix a;
    zoo_matrix_make(&a, zoo_find("box3d_d2"), zoo_form_number(0), testing_seed());
    int successes = 0;
    for (size_t budget = 64; budget < 1 << 20; budget *= 2) {
        setting s;
        spl__compressed c;
        start(&s, budget);
        testing_case("%zu bytes", budget);
        spl_status status = compress(&s, &a.view, 2, &c);
        EXPECT(status == SPL_OK || status == SPL_OVER_BUDGET);
        EXPECT(s.hook.peak <= budget);
        successes += status == SPL_OK;
        spl__compressed_free(&c);
        stop(&s);
    }
    EXPECT(successes > 0);
    zoo_matrix_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_hold_the_columns),
        cmocka_unit_test(worked_example),
        cmocka_unit_test(budgets_and_failures_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
