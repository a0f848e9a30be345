/* SPDX-License-Identifier: Apache-2.0 */
/* bench_machine.h: properties of the machine for measurements. All with OpenMP's default number
 * of threads. */
#ifndef TOOL_BENCH_MACHINE_H
#define TOOL_BENCH_MACHINE_H

#include <stddef.h>

/* Bytes of the largest cache, 32 MiB if the system does not say. */
size_t bench_cache_bytes(void);
/* Bytes of memory that can be had now without swapping, by the system's own estimate. */
double bench_free_bytes(void);
/* Best of five runs of a[i] = b[i] + s*c[i] in f64 over arrays far larger than the cache (as memory
 * allows), bytes per second at 24 bytes an element; 0 if there is no memory. Source: J. McCalpin,
 * Memory Bandwidth and Machine Balance, IEEE TCCA, 1995. */
double bench_triad(void);

/* A buffer for emptying caches. */
typedef struct bench_flusher {
    double *values;
    long long count;
} bench_flusher;
/* `values` is NULL if there is no memory; flushing then does nothing. */
bench_flusher bench_flusher_open(void);
void bench_flush(bench_flusher *flusher);
void bench_flusher_close(bench_flusher *flusher);

#endif
