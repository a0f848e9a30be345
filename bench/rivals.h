/* SPDX-License-Identifier: Apache-2.0 */
/* rivals.h: the libraries that were found when the project was configured. */
#ifndef BENCH_RIVALS_H
#define BENCH_RIVALS_H

#include <bench_rival.h>

/* Ends with NULL. */
extern const bench_rival *const bench_rivals[];

#endif
