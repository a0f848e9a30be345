/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_machine.h"

#include "stopwatch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TRIAD_RUNS = 5 };
static const size_t usual_cache = (size_t)32 << 20, largest_buffer = (size_t)768 << 20;

size_t bench_cache_bytes(void)
{
    long bytes = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
    bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
    return bytes > 0 ? (size_t)bytes : usual_cache;
}

double bench_free_bytes(void)
{
    double kilobytes = 0;
    char line[128];
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && fgets(line, sizeof line, file) &&
           sscanf(line, "MemAvailable: %lf", &kilobytes) != 1)
        ;
    if (file)
        fclose(file);
    return kilobytes > 0 ? kilobytes * 1024 : HUGE_VAL;
}

static size_t buffer_bytes(size_t caches)
{
    size_t bytes = caches * bench_cache_bytes();
    return bytes < largest_buffer ? bytes : largest_buffer;
}

static double triad_once(double *a, const double *b, const double *c, long long count)
{
    double start = tool_now();
#pragma omp parallel for schedule(static)
    for (long long i = 0; i < count; i++)
        a[i] = b[i] + 3.0 * c[i];
    return tool_now() - start;
}

double bench_triad(void)
{
    long long count = (long long)(buffer_bytes(4) / (3 * sizeof(double)));
    double *memory = malloc((size_t)count * 3 * sizeof *memory), best = HUGE_VAL;
    if (!memory)
        return 0;
#pragma omp parallel for schedule(static)
    for (long long i = 0; i < count; i++)
        memory[i] = memory[count + i] = memory[2 * count + i] = 1;
    for (int run = 0; run < TRIAD_RUNS; run++)
        best = fmin(best, triad_once(memory, memory + count, memory + 2 * count, count));
    free(memory);
    return 24 * (double)count / best;
}

bench_flusher bench_flusher_open(void)
{
    bench_flusher flusher = {NULL, (long long)(buffer_bytes(2) / sizeof(double))};
    flusher.values = calloc((size_t)flusher.count, sizeof(double));
    return flusher;
}

void bench_flush(bench_flusher *flusher)
{
    double *values = flusher->values;
    if (!values)
        return;
#pragma omp parallel for schedule(static)
    for (long long i = 0; i < flusher->count; i++)
        values[i] += 1;
}

void bench_flusher_close(bench_flusher *flusher)
{
    free(flusher->values);
    flusher->values = NULL;
}
