/* SPDX-License-Identifier: Apache-2.0 */
/* triple.h: C = alpha*op(P)'*op(A)*op(P), the Galerkin product of multigrid, in one plan, on CPUs
 * and devices.
 *
 * The conventions of sparloom.h hold. */
#ifndef SPARLOOM_TRIPLE_H
#define SPARLOOM_TRIPLE_H

#include <sparloom/sparloom.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Plans C = alpha*op(P)'*op(A)*op(P); options.op_a is of A, options.op_b of P: with
 * op_b = SPL_TRANSPOSE, C = R*A*R' for P = R. op(A) is square, and A and P have the same type.
 *
 * What sparloom.h says of plans of SpGEMM holds: pattern(C) is that of all products, whatever
 * values are; the structure is known exactly after the call, and sorted. spl_spgemm_result,
 * spl_spgemm_execute (beta is ignored), spl_spgemm_export and spl_spgemm_take are for these plans,
 * too; spl_plan_update_values(plan, A, P, NULL, stream) announces new values.
 *   - On the CPU a row of op(P)'*op(A) is added up, multiplied by op(P), and forgotten. Memory: the
 *     structure of C, two indices an entry of P, and per thread two values a row of A and one a
 *     column of P. Where all rows and columns come in nodes of several unknowns, indices are of
 *     nodes. Copies only of operands that are not op(A), op(P) in CSR. Values are read where they
 *     are; each gives the same bits for any number of threads.
 *   - With AVX-512, f64 and rows of op(P) in ascending order, op(A)*op(P) is stored where that is
 *     faster for two executions and more (options.executions is not 1): with masks it takes no more
 *     than twice the operands' bytes, and is left out where memory_budget has no room for it.
 *     spl_plan_explain says so.
 *   - On a device there are two plans of SpGEMM in one. op(A)*op(P) stays there, structure and
 *     values, and so do op(P)' and the structure of C; alpha = 0 reads values, to no effect. Bits
 *     are the same with options.deterministic.
 *   - Error bound of an element, k the most products in a sum of op(P)'*op(A), on devices and
 *     where it is stored of op(A)*op(P), that it is made of, l the number of those sums, as long as
 *     no product is subnormal:
 *         |err| <= 2*gamma_(k+l+3) * |alpha| * |op(P)|' * |op(A)| * |op(P)|
 *   - There are no methods to choose from: options.method must be NULL, and unsorted has no effect,
 *     nor have policy and updates on the CPU. SPL_UNSUPPORTED: several processors,
 *     masks, semirings, types other than f32 and f64.
 * Statuses as spl_spgemm_plan. */
SPARLOOM_API spl_status spl_triple_plan(spl_context *context, const spl_sparse *a,
                                        const spl_sparse *p, const spl_options *options,
                                        spl_plan **plan);

#ifdef __cplusplus
}
#endif
#endif
