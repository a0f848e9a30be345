/* SPDX-License-Identifier: Apache-2.0 */
/* processor.h: properties of the machine from the operating system. */
#ifndef SPL_CORE_PROCESSOR_H
#define SPL_CORE_PROCESSOR_H

#include <stddef.h>

enum { SPL__NAME_BYTES = 96 };

/* Writes the CPU's model name, "CPU" if unknown (Linux: /proc/cpuinfo). */
void spl__processor_name(char name[SPL__NAME_BYTES]);

/* The machine's memory in bytes, INFINITY if unknown. */
double spl__machine_memory(void);

#endif
