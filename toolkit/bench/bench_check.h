/* SPDX-License-Identifier: Apache-2.0 */
/* bench_check.h: checks a result against the executable specification, with all threads, because
 * it is slow and would occupy a GPU. */
#ifndef TOOL_BENCH_CHECK_H
#define TOOL_BENCH_CHECK_H

#include "bench_rival.h"

/* spl_check_* on blocks of rows; the worst row is that of the whole. `c` is for spgemm and numeric;
 * the others check problem->y. Statuses as there. */
spl_status bench_check(const bench_problem *problem, const spl_sparse *c, spl_check *check);

#endif
