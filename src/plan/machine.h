/* SPDX-License-Identifier: Apache-2.0 */
/* machine.h: what the cost model knows about processors: the rows of machine/cpu.def and
 * machine/gpu.def. */
#ifndef SPL_PLAN_MACHINE_H
#define SPL_PLAN_MACHINE_H

typedef struct spl__machine {
#define COEFFICIENT(name, value, unit, meaning) double name;
#include "plan/machine/cpu.def"
#undef COEFFICIENT
} spl__machine;

extern const spl__machine spl__machine_cpu;

/* Bytes a second that each of so many threads gets from memory: what one can take, until together
 * they take all that memory gives. */
static inline double spl__memory_rate(const spl__machine *machine, double threads)
{
    double share = machine->memory_bandwidth / threads;
    return share < machine->bandwidth ? share : machine->bandwidth;
}

typedef struct spl__gpu_machine {
#define COEFFICIENT(name, value, unit, meaning) double name;
#include "plan/machine/gpu.def"
#undef COEFFICIENT
} spl__gpu_machine;

extern const spl__gpu_machine spl__machine_gpu;

#endif
