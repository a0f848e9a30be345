/* SPDX-License-Identifier: Apache-2.0 */
/* machine.h: the cost model's parameters of processors: the rows of machine/cpu.def and
 * machine/gpu.def. */
#ifndef SPL_MACHINE_MACHINE_H
#define SPL_MACHINE_MACHINE_H

typedef struct spl__machine {
#define COEFFICIENT(name, value, unit, meaning) double name;
#include "machine/cpu.def"
#undef COEFFICIENT
} spl__machine;

extern const spl__machine spl__machine_cpu;

/* Memory bandwidth per thread, in bytes per second: that of a single thread, limited by its
 * share of the total. */
static inline double spl__memory_rate(const spl__machine *machine, double threads)
{
    double share = machine->memory_bandwidth / threads;
    return share < machine->bandwidth ? share : machine->bandwidth;
}

/* Seconds that a loop of so many threads takes beside its work: one waits for no others. */
static inline double spl__loop_seconds(const spl__machine *machine, double threads)
{
    return threads > 1 ? machine->parallel_loop + threads * machine->parallel_loop_thread
                       : machine->parallel_start;
}

typedef struct spl__gpu_machine {
#define COEFFICIENT(name, value, unit, meaning) double name;
#include "machine/gpu.def"
#undef COEFFICIENT
} spl__gpu_machine;

extern const spl__gpu_machine spl__machine_gpu;

#endif
