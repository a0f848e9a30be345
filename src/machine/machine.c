/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/machine.h"

const spl__machine spl__machine_cpu = {
#define COEFFICIENT(name, value, unit, meaning) .name = (value),
#include "machine/cpu.def"
#undef COEFFICIENT
};

const spl__gpu_machine spl__machine_gpu = {
#define COEFFICIENT(name, value, unit, meaning) .name = (value),
#include "machine/gpu.def"
#undef COEFFICIENT
};
