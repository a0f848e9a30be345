/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/once_products.h"

#include "lib/hook_allocator.h"
#include "lib/run_products.h"

#include <string.h>

void expect_once_product(const spl_sparse *a, const spl_sparse *b, bool unsorted,
                         long long allocations)
{
    spgemm_run run = {.a = a,
                      .b = b,
                      .options = SPL_OPTIONS_INIT,
                      .scalars = testing_scalars_of(1, 0),
                      .one_shot = true};
    spl_sparse view[2] = {SPL_SPARSE_INIT, SPL_SPARSE_INIT};
    spl_context *context[2];
    spl_matrix *c[2];
    hook_allocator hook[2];
    run.options.unsorted = unsorted;
    for (int k = 0; k < 2; k++) {
        hook_start(&hook[k]);
        EXPECT_OK(hook_context(&hook[k], k == 0 ? 1 : 3, 0, &context[k]));
        const long long before = hook[k].allocations;
        EXPECT_OK(spl_spgemm(context[k], NULL, a, b, NULL, NULL, &run.options, &c[k]));
        EXPECT(hook[k].allocations - before <= allocations);
        EXPECT_OK(spl_matrix_view(c[k], &view[k]));
        EXPECT_OK(run_spgemm(context[k], &run));
    }
    const size_t nnz = (size_t)view[0].nnz;
    EXPECT(view[0].nnz == view[1].nnz);
    EXPECT(nnz == 0 ||
           memcmp(view[0].indices, view[1].indices, nnz * zoo_index_bytes(a->index_type)) == 0);
    EXPECT(nnz == 0 || memcmp(view[0].values, view[1].values, nnz * zoo_type_bytes(a->type)) == 0);
    for (int k = 0; k < 2; k++) {
        spl_matrix_destroy(c[k]);
        spl_context_destroy(context[k]);
        EXPECT(hook_clean(&hook[k]));
        hook_stop(&hook[k]);
    }
}

long long once_allocations(const spl_sparse *a, const spl_sparse *b, int threads)
{
    hook_allocator hook;
    spl_context *context;
    spl_matrix *c;
    hook_start(&hook);
    EXPECT_OK(hook_context(&hook, threads, 0, &context));
    const long long before = hook.allocations;
    EXPECT_OK(spl_spgemm(context, NULL, a, b, NULL, NULL, NULL, &c));
    const long long allocations = hook.allocations - before;
    spl_matrix_destroy(c);
    spl_context_destroy(context);
    EXPECT(hook_clean(&hook));
    hook_stop(&hook);
    return allocations;
}
