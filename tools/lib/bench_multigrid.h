/* SPDX-License-Identifier: Apache-2.0 */
/* bench_multigrid.h: the set "multigrid": Galerkin products R*A*P with R = P', as the setup of algebraic multigrid makes them. */
#ifndef TOOL_BENCH_MULTIGRID_H
#define TOOL_BENCH_MULTIGRID_H

typedef struct bench_hierarchy {
    const char *name;
    const char *fine, *prolongation; /* A and P, for gen_make */
    double products;                 /* most intermediate products of one of its multiplications, about */
} bench_hierarchy;

/* Ends with a row whose name is NULL. */
extern const bench_hierarchy bench_multigrid[];

#endif
