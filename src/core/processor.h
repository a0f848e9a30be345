/* SPDX-License-Identifier: Apache-2.0 */
/* processor.h: what the operating system says about the machine. */
#ifndef SPL_CORE_PROCESSOR_H
#define SPL_CORE_PROCESSOR_H

#include <stddef.h>

enum { SPL__NAME_BYTES = 96 };

/* Writes the CPU's model name, "CPU" if the system does not tell (Linux: /proc/cpuinfo). */
void spl__processor_name(char name[SPL__NAME_BYTES]);

/* Bytes of memory that the machine has, INFINITY if the system does not tell. */
double spl__machine_memory(void);

#endif
