/* SPDX-License-Identifier: Apache-2.0 */
/* bench_multigrid.h: the set "multigrid": Galerkin products R*A*P with R = P', as the setup of
 * algebraic multigrid makes them. */
#ifndef TOOL_BENCH_MULTIGRID_H
#define TOOL_BENCH_MULTIGRID_H

#include <sparloom/sparloom.h>

typedef struct bench_hierarchy {
    const char *name;
    const char *fine, *prolongation; /* A and P, for gen_make */
    /* most intermediate products of one of its multiplications, about */
    double products;
} bench_hierarchy;

/* Ends with a row whose name is NULL. */
extern const bench_hierarchy bench_multigrid[];

/* The operands of a hierarchy's products: R = P', and A*P, computed on the CPU. Both are owned
 * by the caller, NULL after failure. */
spl_status bench_galerkin(spl_context *context, const spl_sparse *a, const spl_sparse *p,
                          spl_matrix **r, spl_matrix **ap);

#endif
