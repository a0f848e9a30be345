/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/cancelling.h"

#include "core/watch.h"
#include "lib/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int observe(void *user, const char *stage, int64_t done, int64_t total)
{
    cancel_observer *o = user;
    if (!pthread_equal(pthread_self(), o->caller) || !stage || !*stage || done < 0 || total < 0 ||
        (total > 0 && done > total))
        o->bad = true;
    return o->calls++ == o->cancel_at;
}

spl_context *cancel_context(hook_allocator *hook, cancel_observer *o)
{
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    spl_context *context = NULL;
    options.threads = 2;
    options.allocator = hook_as_allocator(hook);
    options.progress = observe;
    options.progress_user = o;
    EXPECT_OK(spl_context_create(&options, &context));
    return context;
}

static int cancel_at_once(void *user, const char *stage, int64_t done, int64_t total)
{
    (void)user, (void)stage, (void)done, (void)total;
    return 1;
}

spl_context *cancelling_context(void)
{
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    spl_context *context = NULL;
    options.progress = cancel_at_once;
    EXPECT_OK(spl_context_create(&options, &context));
    return context;
}

static void draw_matrix(zoo_random *random, int64_t rows, spl_format format, zoo_matrix *matrix)
{
    const zoo_maker makers[] = {{"uniform", zoo_uniform, {rows, rows, 12}, false},
                                {"unsorted", zoo_unsorted, {rows, rows, 12}, false},
                                {"banded", zoo_banded, {rows, 6}, false},
                                {"duplicates", zoo_duplicates, {rows, rows, 12 * rows}, false}};
    zoo_form form = zoo_form_number(0);
    zoo_triples triples;
    zoo_make(&triples, &makers[zoo_random_below(random, 4)], zoo_random_next(random));
    form.format = format;
    if (form.format == SPL_COO)
        zoo_triples_shuffle(&triples, zoo_random_next(random));
    zoo_build(matrix, &triples, form);
    zoo_triples_free(&triples);
}

void cancelled_work_start(cancelled_work *w)
{
    *w = (cancelled_work){.observer = {pthread_self(), 0, -1, false}, .usual = spl__watch_seconds};
    zoo_random_seed(&w->random, testing_seed());
    hook_start(&w->hook);
    w->context = cancel_context(&w->hook, &w->observer);
    draw_matrix(&w->random, CANCEL_ROWS, (spl_format)(SPL_CSR + zoo_random_below(&w->random, 3)),
                &w->a);
    draw_matrix(&w->random, CANCEL_ROWS, SPL_CSC, &w->by_columns);
    draw_matrix(&w->random, CANCEL_ROWS / 4, SPL_CSR, &w->square);
    w->dense_by = &w->a.view;
    w->x = zoo_allocate((size_t)CANCEL_ROWS * CANCEL_COLUMNS * sizeof(double));
    w->y = zoo_allocate((size_t)CANCEL_ROWS * CANCEL_COLUMNS * sizeof(double));
    for (int64_t i = 0; i < CANCEL_ROWS * CANCEL_COLUMNS; i++)
        w->x[i] = w->y[i] = 1;
    snprintf(w->path, sizeof w->path, "test_cancel.%d.mtx", (int)getpid());
    EXPECT_OK(spl_write(w->context, &w->a.view, w->path));
    spl__watch_seconds = 0;
}

void cancelled_work_stop(cancelled_work *w)
{
    spl__watch_seconds = w->usual;
    unlink(w->path);
    zoo_matrix_free(&w->a);
    zoo_matrix_free(&w->by_columns);
    zoo_matrix_free(&w->square);
    free(w->x);
    free(w->y);
    spl_context_destroy(w->context);
    EXPECT(hook_clean(&w->hook));
    hook_stop(&w->hook);
}

bool cancel_is_of(const char *method, const char *operation)
{
    return strncmp(method, operation, strlen(operation)) == 0;
}

spl_status cancelled_plan(const cancelled_work *w, const char *method, const spl_options *options,
                          spl_plan **plan)
{
    *plan = NULL;
    if (cancel_is_of(method, "spmv/"))
        return spl_spmv_plan(w->context, w->dense_by, options, plan);
    if (cancel_is_of(method, "spmm/"))
        return spl_spmm_plan(w->context, w->dense_by, CANCEL_COLUMNS, options, plan);
    return spl_spgemm_plan(w->context, &w->square.view, &w->square.view, NULL, options, plan);
}
