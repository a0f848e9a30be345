/* SPDX-License-Identifier: Apache-2.0 */
/* rivals.h: the libraries that were found when the project was configured, and those that are
 * opened at run time. */
#ifndef BENCH_RIVALS_H
#define BENCH_RIVALS_H

#include <bench_rival.h>

/* Ends with NULL. */
extern const bench_rival *const bench_rivals[];

/* The rival in a shared object; NULL: none, and *reason says why. It stays open. */
const bench_rival *bench_open_rival(const char *path, const char **reason);

#endif
