/* SPDX-License-Identifier: Apache-2.0 */
/* Promise 1 for SpGEMM, from both sides: never a byte more than the budget, and a result if the
 * budget holds C, two numbers per row, and one thread's workspace for its longest row. */
#include "core/watch.h"
#include "lib/hook_allocator.h"
#include "lib/run_products.h"

#include <string.h>

static const char *const names[] = {"box3d_d2", "rmat_1024", "dense_row_2000", "uniform_40"};
enum { NAMES = sizeof names / sizeof *names, ROOM = 1 << 16 };

typedef struct sizes {
    size_t result;   /* bytes of C: offsets, columns, values */
    size_t per_row;  /* work and offsets of the plan */
    size_t longest;  /* products of the longest row, at most the columns of C */
    size_t products; /* of all rows */
} sizes;

static int64_t row_length(const spl_sparse *m, int64_t i)
{
    const int32_t *offsets = m->offsets;
    return offsets[i + 1] - offsets[i];
}

static sizes sizes_of(const spl_sparse *a, const spl_sparse *c)
{
    sizes s = {.result = (size_t)c->nnz * 12 + (size_t)(c->rows + 1) * 4,
               .per_row = (size_t)(a->rows + 1) * 16};
    const int32_t *offsets = a->offsets, *columns = a->indices;
    for (int64_t i = 0; i < a->rows; i++) {
        size_t products = 0;
        for (int32_t q = offsets[i]; q < offsets[i + 1]; q++)
            products += (size_t)row_length(a, columns[q]);
        s.products += products;
        if (products > s.longest)
            s.longest = products;
    }
    if (s.longest > (size_t)a->cols)
        s.longest = (size_t)a->cols;
    return s;
}

/* What surely suffices: two hash tables of four words per column of the longest row, a block's
 * columns, and the plan itself. */
static size_t enough(const sizes *s)
{
    size_t block = s->products < 32768 ? s->products : 32768;
    return s->result + s->per_row + s->longest * 64 + (block + s->longest) * 4 + ROOM;
}

typedef struct setting {
    hook_allocator hook;
    spl_context *context;
    spgemm_run run;
} setting;

/* The one-shot product within a budget; what it gives is right. */
static spl_status multiply(setting *s, size_t budget, spl_sparse *view, spl_matrix **c)
{
    const double alpha = 1, beta = 0;
    size_t live = s->hook.live;
    s->hook.peak = live;
    s->run.options.memory_budget = budget;
    *c = NULL;
    spl_status status =
        spl_spgemm(s->context, &alpha, s->run.a, s->run.b, &beta, NULL, &s->run.options, c);
    if (budget)
        EXPECT(s->hook.peak - live <= budget);
    if (status != SPL_OK) {
        EXPECT(*c == NULL && s->hook.live == live);
        return status;
    }
    *view = (spl_sparse)SPL_SPARSE_INIT;
    EXPECT_OK(spl_matrix_view(*c, view));
    expect_spgemm(&s->run, view);
    return status;
}

static void sweep(setting *s)
{
    spl_sparse view;
    spl_matrix *c;
    EXPECT_OK(multiply(s, 0, &view, &c));
    sizes size = sizes_of(s->run.a, &view);
    spl_matrix_destroy(c);
    const size_t free_peak = s->hook.peak, scale = (size_t)testing_scale(),
                 parts = scale > 10  ? 2
                         : scale > 1 ? 5
                                     : 10;
    for (size_t budget = size.result / 2; budget < 2 * free_peak; budget += budget / parts + 1) {
        spl_status status = multiply(s, budget, &view, &c);
        spl_matrix_destroy(c);
        testing_case("budget %zu, C has %zu bytes, %zu surely suffice: %s", budget, size.result,
                     enough(&size), status ? spl_error_detail() : "fits");
        if (status != SPL_OK)
            testing_status(SPL_OVER_BUDGET, status, "spl_spgemm", __FILE__, __LINE__);
        EXPECT(status == SPL_OK ? budget >= size.result : budget < enough(&size));
    }
}

static void every_budget(void **state)
{
    (void)state;
    static const char *const methods[] = {NULL, "spgemm/numeric/cpu/hash"};
    for (int n = 0; n < NAMES; n++)
        for (int threads = 1; threads <= 4; threads += 3) {
            zoo_matrix a;
            setting s;
            hook_start(&s.hook);
            EXPECT_OK(hook_context(&s.hook, threads, 0, &s.context));
            zoo_matrix_make(&a, zoo_find(names[n]), zoo_form_number(0), testing_seed());
            s.run = (spgemm_run){&a.view, &a.view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(1, 0),
                                 true};
            for (int m = 0; m < 2; m++) {
                s.run.options.method = methods[m];
                testing_case("%s, %d threads, %s", names[n], threads,
                             methods[m] ? methods[m] : "auto");
                sweep(&s);
            }
            zoo_matrix_free(&a);
            spl_context_destroy(s.context);
            EXPECT(hook_clean(&s.hook));
            hook_stop(&s.hook);
        }
}

/* The number of searches for C, and the progress of the last one. */
typedef struct searches {
    int count;
    int64_t done, total;
} searches;

static int observe(void *user, const char *stage, int64_t done, int64_t total)
{
    searches *s = user;
    if (strcmp(stage, "symbolic") != 0 || total == 0)
        return 0;
    s->count += s->count == 0 || done < s->done;
    s->done = done;
    s->total = total;
    return 0;
}

/* C takes 80 times the budget: few of its rows are looked at, by one method, and by another only if
 * that leaves more room for C. */
static void a_product_far_over_its_budget_is_refused_soon(void **state)
{
    (void)state;
    const zoo_maker maker = {"uniform", zoo_uniform, {20000, 20000, 20}, false};
    spl_context_options context_options = SPL_CONTEXT_OPTIONS_INIT;
    spl_options options = SPL_OPTIONS_INIT;
    spl_context *context;
    searches seen = {0};
    zoo_matrix a;
    spl_plan *plan;
    if (testing_few())
        return;
    zoo_matrix_make(&a, &maker, zoo_form_number(0), testing_seed());
    context_options.threads = 2;
    context_options.progress = observe;
    context_options.progress_user = &seen;
    EXPECT_OK(spl_context_create(&context_options, &context));
    const double seconds = spl__watch_seconds;
    spl__watch_seconds = 0;
    options.memory_budget = 1200000;
    EXPECT_STATUS(SPL_OVER_BUDGET,
                  spl_spgemm_plan(context, &a.view, &a.view, NULL, &options, &plan));
    spl__watch_seconds = seconds;
    testing_case("%d searches, the last came to %lld of %lld; told %zu bytes", seen.count,
                 (long long)seen.done, (long long)seen.total, spl_error_bytes());
    EXPECT(seen.count <= 2 && seen.done < seen.total / 10);
    EXPECT(spl_error_bytes() > 20 * options.memory_budget);
    EXPECT(spl_error_bytes() < 120 * options.memory_budget);
    spl_context_destroy(context);
    zoo_matrix_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_budget),
        cmocka_unit_test(a_product_far_over_its_budget_is_refused_soon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
