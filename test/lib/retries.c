/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/retries.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The budget of a call as a multiple of what it holds at most. */
enum { TIMES = 4, SLACK = 1 << 13 };

/* ---- a budget for the call ---- */

/* The number behind "needs " in the detail of the last failure. */
static size_t told(void)
{
    const char *cursor = strstr(spl_error_detail(), "needs ");
    size_t number = 0;
    EXPECT(cursor != NULL);
    for (cursor += strlen("needs "); isdigit((unsigned char)*cursor) || *cursor == ','; cursor++)
        if (*cursor != ',')
            number = number * 10 + (size_t)(*cursor - '0');
    return number;
}

spl_status retry_attempt(retry_case *c, retry_call call, bool of_context, size_t budget,
                         size_t *peak, size_t *asked)
{
    spl_context *context = NULL;
    EXPECT_OK(hook_context(&c->hook, 2, of_context ? budget : 0, &context));
    c->options.memory_budget = of_context ? 0 : budget;
    size_t live = c->hook.live;
    c->hook.peak = live;
    c->hook.device_peak = 0;
    spl_status status = call(context, c);
    *asked = spl_error_bytes();
    if (status != SPL_OK) {
        testing_status(SPL_OVER_BUDGET, status, c->words, __FILE__, __LINE__);
        EXPECT(*asked == told());
    }
    EXPECT(c->hook.live == live && c->hook.device_live == 0);
    *peak = c->hook.peak - live;
    if (c->hook.device_peak > *peak)
        *peak = c->hook.device_peak;
    spl_context_destroy(context);
    return status;
}

/* Some numbers are estimates: of so many cases one may exceed the limits, but not by much. */
enum { FEW = 20 };
void retry_follow(retry_outliers *o, retry_case *c, retry_call call, bool of_context)
{
    size_t budget = 1, peak, asked;
    int retries = 0;
    testing_case("%s, SPARLOOM_RANDOM_SEED=%llu", c->words, (unsigned long long)c->seed);
    while (retry_attempt(c, call, of_context, budget, &peak, &asked) != SPL_OK) {
        testing_case("%s, SPARLOOM_RANDOM_SEED=%llu: retry %d with %zu bytes, %zu did not do",
                     c->words, (unsigned long long)c->seed, retries + 1, asked, budget);
        EXPECT(asked > budget);
        EXPECT(retries <= c->retries);
        retries++;
        budget = asked;
    }
    testing_case("%s, SPARLOOM_RANDOM_SEED=%llu: %d retries, %zu bytes at most with %zu", c->words,
                 (unsigned long long)c->seed, retries, peak, budget);
    EXPECT(budget <= 2 * TIMES * peak + SLACK);
    o->cases++;
    o->slow += retries > c->retries;
    o->large += budget > TIMES * peak + SLACK;
}

void retry_expect_few(const retry_outliers *o)
{
    testing_case("%d of %d cases took a retry more, %d were told too much", o->slow, o->cases,
                 o->large);
    EXPECT(o->slow <= 2 + o->cases / FEW && o->large <= 2 + o->cases / FEW);
}

/* ---- operands ---- */

void retry_draw_matrix(retry_case *c, zoo_matrix *m, int64_t rows, int64_t cols)
{
    const zoo_maker families[] = {
        {"uniform", zoo_uniform, {rows, cols, 1 + zoo_random_below(&c->dice, 24)}, false},
        {"half empty", zoo_half_empty, {rows, cols, 1 + zoo_random_below(&c->dice, 40)}, false},
        {"duplicates", zoo_duplicates, {rows, cols, 4 * rows}, false},
        {"hypersparse", zoo_hypersparse, {rows, cols, 1 + rows / 8}, false},
        {"unsorted", zoo_unsorted, {rows, cols, 1 + zoo_random_below(&c->dice, 12)}, false},
        {"dense row", zoo_dense_row, {rows, cols, rows / 2, 3}, false},
        {"banded", zoo_banded, {rows, 1 + zoo_random_below(&c->dice, 20)}, false},
    };
    const int count = (int)(sizeof families / sizeof *families);
    int family = (int)zoo_random_below(&c->dice, rows == cols ? count : count - 1);
    zoo_form form = zoo_form_number((int)zoo_random_below(&c->dice, ZOO_FORMS));
    zoo_matrix_make(m, &families[family], form, zoo_random_next(&c->dice));
    size_t used = strlen(c->words);
    snprintf(c->words + used, sizeof c->words - used, ", %s %s %lldx%lld of %lld",
             families[family].name, zoo_form_name(form), (long long)rows, (long long)cols,
             (long long)m->view.nnz);
}

int64_t retry_draw_size(retry_case *c)
{
    const int64_t most = testing_few() ? 60 : 3000 / (testing_device() ? 4 : 1);
    return 1 + zoo_random_below(&c->dice, zoo_random_below(&c->dice, 2) ? most : 1 + most / 30);
}

void retry_begin(retry_case *c, uint64_t number, const char *call_name)
{
    *c = (retry_case){.seed = testing_fresh_seed() + number, .retries = RETRY_MOST};
    zoo_random_seed(&c->dice, c->seed);
    hook_start(&c->hook);
    snprintf(c->words, sizeof c->words, "%s", call_name);
    c->options = (spl_options)SPL_OPTIONS_INIT;
}

void retry_end(retry_case *c)
{
    zoo_matrix *const all[] = {&c->a, &c->b, &c->d};
    for (int k = 0; k < 3; k++)
        if (all[k]->view.format)
            zoo_matrix_free(all[k]);
    EXPECT(hook_clean(&c->hook));
    hook_stop(&c->hook);
}

int retry_cases(int plain)
{
    return testing_few() ? 2 : (plain + testing_scale() - 1) / testing_scale();
}
