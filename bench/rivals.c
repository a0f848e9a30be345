/* SPDX-License-Identifier: Apache-2.0 */
#include "rivals.h"

#ifdef SPARLOOM_RIVAL_MKL
extern const bench_rival bench_mkl;
#endif
#ifdef SPARLOOM_RIVAL_GRAPHBLAS
extern const bench_rival bench_graphblas;
#endif
#ifdef SPARLOOM_RIVAL_EIGEN
extern const bench_rival bench_eigen;
#endif
#ifdef SPARLOOM_RIVAL_CUSPARSE
extern const bench_rival bench_cusparse, bench_cusparse_1, bench_cusparse_2, bench_cusparse_3;
#endif

const bench_rival *const bench_rivals[] = {
#ifdef SPARLOOM_RIVAL_MKL
    &bench_mkl,
#endif
#ifdef SPARLOOM_RIVAL_GRAPHBLAS
    &bench_graphblas,
#endif
#ifdef SPARLOOM_RIVAL_EIGEN
    &bench_eigen,
#endif
#ifdef SPARLOOM_RIVAL_CUSPARSE
    &bench_cusparse,
    &bench_cusparse_1,
    &bench_cusparse_2,
    &bench_cusparse_3,
#endif
    NULL,
};
