/* SPDX-License-Identifier: Apache-2.0 */
/* An allocator refuses what goes beyond a limit, and there is no budget: spl_error_bytes says
 * what the context would hold, so that few retries suffice. For coordinates the library does not
 * estimate it. */
#include "lib/hook_allocator.h"
#include "lib/testing.h"

enum { TRIES = 3, ROOM = 64 << 20 };

typedef spl_status (*call_fn)(hooked *s, const spl_sparse *view, spl_format to);

static spl_status convert(hooked *s, const spl_sparse *view, spl_format to)
{
    spl_convert_options options = SPL_CONVERT_OPTIONS_INIT;
    spl_matrix *made = NULL;
    options.format = to;
    options.sort = to % 2;
    spl_status status = spl_convert(s->context, view, &options, &made);
    spl_matrix_destroy(made);
    return status;
}

static spl_status describe(hooked *s, const spl_sparse *view, spl_format to)
{
    spl_description description = SPL_DESCRIPTION_INIT;
    (void)to;
    return spl_describe(s->context, view, &description);
}

/* Calls until nothing is refused, and allows what was asked for each time. What the context itself
 * takes is not counted. */
static void try_call(hooked *s, call_fn call, const spl_sparse *view, spl_format to)
{
    int tries = 1;
    size_t least = s->hook.live, allowed = 0;
    s->hook.limit = least;
    for (; call(s, view, to) != SPL_OK; tries++) {
        EXPECT(spl_error_bytes() > allowed && tries <= TRIES);
        allowed = spl_error_bytes();
        s->hook.limit = least + allowed;
    }
    s->hook.limit = ROOM;
    s->hook.peak = least;
    EXPECT_OK(call(s, view, to));
    EXPECT(allowed <= 4 * (s->hook.peak - least));
}

static void what_was_asked_for_suffices(void **state)
{
    (void)state;
    hooked s;
    uint64_t seed = testing_fresh_seed();
    hooked_start(&s, ROOM);
    zoo_random_seed(&s.random, seed);
    for (int repeat = 0; repeat < 40; repeat++) {
        int64_t rows = 200 + zoo_random_below(&s.random, 2000),
                cols = 200 + zoo_random_below(&s.random, 2000);
        spl_format from = zoo_random_below(&s.random, 2) ? SPL_CSR : SPL_CSC,
                   to = (spl_format)(SPL_CSR + zoo_random_below(&s.random, 3));
        zoo_maker maker = {"unsorted", zoo_unsorted, {rows, cols, 8}, false};
        zoo_form form = zoo_form_number((int)zoo_random_below(&s.random, ZOO_FORMS));
        zoo_matrix a;
        form.format = from;
        zoo_matrix_make(&a, &maker, form, zoo_random_next(&s.random));
        testing_case("seed %llu: %lld x %lld, %s to %d", (unsigned long long)seed, (long long)rows,
                     (long long)cols, zoo_form_name(form), (int)to);
        try_call(&s, convert, &a.view, to);
        try_call(&s, describe, &a.view, to);
        zoo_matrix_free(&a);
    }
    hooked_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_asked_for_suffices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
