/* SPDX-License-Identifier: Apache-2.0 */
/* machine.h: what the cost model knows about a processor: the rows of machine/cpu.def. */
#ifndef SPL_PLAN_MACHINE_H
#define SPL_PLAN_MACHINE_H

typedef struct spl__machine {
#define COEFFICIENT(name, value, unit, meaning) double name;
#include "plan/machine/cpu.def"
#undef COEFFICIENT
} spl__machine;

extern const spl__machine spl__machine_cpu;

#endif
