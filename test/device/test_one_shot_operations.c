/* SPDX-License-Identifier: Apache-2.0 */
/* What a small one-shot product asks the device for: each operation costs the host microseconds,
 * which are much of its time. */
#include "lib/counted_driver.h"

/* Rows of 4 entries, but each step-th has `most`; on the host. */
static resident make_host(int64_t rows, int64_t step, int64_t most)
{
    resident m;
    zoo_triples t;
    zoo_triples_start(&t, rows, rows);
    for (int64_t i = 0; i < rows; i++) {
        const int64_t entries = i % step == 0 ? most : 4;
        for (int64_t k = 0; k < entries; k++)
            zoo_triples_add(&t, i, i % (rows / entries) + k * (rows / entries),
                            1 + (double)((i + k) % 5));
    }
    zoo_build(&m.host, &t, zoo_form_number(0));
    zoo_triples_free(&t);
    return m;
}

static resident make(const on_device *s, int64_t rows, int64_t step, int64_t most)
{
    resident m = make_host(rows, step, most);
    resident_upload(s, &m);
    return m;
}

static void multiply(const on_device *s, const resident *a)
{
    spgemm_run run = {
        &a->host.view, &a->host.view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(1, 0), false};
    spl_matrix *c;
    counted_driver_begin(s);
    EXPECT_OK(spl_spgemm(s->context, NULL, &a->view, &a->view, NULL, NULL, NULL, &c));
    counted_driver_end(s);
    const spl_sparse view = resident_view_of(c);
    resident_expect(s, &run, &view);
    spl_matrix_destroy(c);
}

/* Multiplies twice, the second time with zeros that are there already, and takes its counts. */
static void multiply_and_look(const on_device *s, const resident *a, int waits, int reports)
{
    const bool tells = spl__device_at(s->context, s->place)->properties.tells_host;
    multiply(s, a);
    multiply(s, a);
    const driver_counts counts = *counted_driver_counts();
    testing_case("%d waits, %d reports, %d fills, %d events made", counts.waits, counts.reports,
                 counts.fills, counts.events);
    EXPECT(counts.waits == waits && counts.reports == (tells ? 0 : reports));
    EXPECT(counts.fills == 0 && counts.events == 0);
}

/* The survey; a count that ends at once, since it is not needed; rows, their offsets, columns and
 * values. So many rows that blocks have one part, and several. */
static void alike_rows(void **state)
{
    on_device s = on_device_start(*state);
    static const int64_t rows[] = {40, 2500, 12000};
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        resident a = make(&s, rows[n], rows[n], 4);
        multiply_and_look(&s, &a, 4, 3);
        EXPECT(counted_driver_counts()->launches == 6 &&
               counted_driver_counts()->event_operations == 2);
        resident_free(&s, &a);
    }
    on_device_stop(&s);
}

/* Rows of several lengths: work is counted and rows are binned by one launch, before the survey is
 * waited for, and so are rows of C placed and binned, also in several parts. */
static void uneven_rows(void **state)
{
    on_device s = on_device_start(*state);
    resident a = make(&s, 12000, 100, 40);
    multiply_and_look(&s, &a, 4, 3);
    EXPECT(counted_driver_counts()->at_first == 2);
    EXPECT(counted_driver_launched("csr_survey") == 1);
    EXPECT(counted_driver_launched("spgemm_count_and_bin") == 1);
    EXPECT(counted_driver_launched("spgemm_place_rows") == 1);
    EXPECT(counted_driver_launched("spgemm_list_rows") == 2);
    EXPECT(counted_driver_launched("spgemm_settle") == 1);
    static const char *const merged[] = {"spgemm_count_work", "spgemm_bin_rows", "offsets",
                                         "offsets_parts"};
    for (size_t k = 0; k < sizeof merged / sizeof *merged; k++)
        EXPECT(counted_driver_launched(merged[k]) == 0);
    resident_free(&s, &a);
    on_device_stop(&s);
}

/* Bins of few products that do not quite fit the device at once share a launch in each phase: a
 * second one would need a branch of the stream. */
static void nearly_fitting_bins(void **state)
{
    on_device s = on_device_start(*state);
    resident a = make(&s, 600, 8, 24);
    multiply_and_look(&s, &a, 4, 3);
    EXPECT(counted_driver_launched("spgemm_several_find") == 1);
    EXPECT(counted_driver_counts()->event_operations == 2);
    resident_free(&s, &a);
    on_device_stop(&s);
}

/* A sample says how many columns rows have: taken by the launch that counts and bins them, whether
 * or not bins read it, which few rows do not. */
static void sampled_rows(void **state)
{
    on_device s = on_device_start(*state);
    static const int64_t rows[] = {200, 600};
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        resident a = make(&s, rows[n], 1, 20);
        multiply_and_look(&s, &a, 4, 3);
        EXPECT(counted_driver_counts()->at_first == 2);
        EXPECT(counted_driver_launched("spgemm_count_and_sample") == 1);
        EXPECT(counted_driver_launched("spgemm_count_work") == 0);
        EXPECT(counted_driver_launched("spgemm_bin_rows") == 0);
        resident_free(&s, &a);
    }
    on_device_stop(&s);
}

/* Most rows equal the one before: what is counted is the work of those that do not. Values of rows
 * of C of so many columns take one wait more. */
static void equal_rows(void **state)
{
    enum { ROWS = 1200, ENTRIES = 40, GROUP = 8, APART = ROWS / ENTRIES };
    on_device s = on_device_start(*state);
    resident a;
    zoo_triples t;
    zoo_triples_start(&t, ROWS, ROWS);
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t k = 0; k < ENTRIES; k++)
            zoo_triples_add(&t, i, i / GROUP * 7 % APART + k * APART, 1 + (double)((i + k) % 5));
    zoo_build(&a.host, &t, zoo_form_number(0));
    resident_upload(&s, &a);
    multiply_and_look(&s, &a, 6, 5);
    EXPECT(counted_driver_launched("spgemm_count_and_bin") == 2);
    resident_free(&s, &a);
    zoo_triples_free(&t);
    on_device_stop(&s);
}

/* Work is counted before the host knows that the operands are sound: not where they are not. */
static void faulty_operands(void **state)
{
    static const struct {
        bool index;
        int64_t at, to;
    } faults[] = {{true, 77, 600}, {true, 77, -1}, {false, 300, 1 << 30}, {false, 300, 0}};
    on_device s = on_device_start(*state);
    spl_matrix *c = NULL;
    for (size_t n = 0; n < sizeof faults / sizeof *faults; n++) {
        resident a = make(&s, 600, 8, 24), b = make_host(600, 8, 24);
        zoo_index_set(faults[n].index ? b.host.indices : b.host.offsets, SPL_I32, faults[n].at,
                      faults[n].to);
        resident_upload(&s, &b);
        EXPECT(spl_spgemm(s.context, NULL, &b.view, &a.view, NULL, NULL, NULL, &c) ==
               SPL_INVALID_MATRIX);
        EXPECT(spl_spgemm(s.context, NULL, &a.view, &b.view, NULL, NULL, NULL, &c) ==
               SPL_INVALID_MATRIX);
        EXPECT(spl_spgemm(s.context, NULL, &b.view, &b.view, NULL, NULL, NULL, &c) ==
               SPL_INVALID_MATRIX);
        multiply(&s, &a);
        resident_free(&s, &a);
        resident_free(&s, &b);
    }
    on_device_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BOTH_WIDTHS(alike_rows),          ON_BOTH_WIDTHS(uneven_rows),
        ON_BOTH_WIDTHS(nearly_fitting_bins), ON_BOTH_WIDTHS(sampled_rows),
        ON_BOTH_WIDTHS(equal_rows),          ON_BOTH_WIDTHS(faulty_operands)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
