/* SPDX-License-Identifier: Apache-2.0 */
/* processor.h: properties of the machine from the operating system. */
#ifndef SPL_CORE_PROCESSOR_H
#define SPL_CORE_PROCESSOR_H

#include <stdbool.h>
#include <stddef.h>

enum { SPL__NAME_BYTES = 96 };

/* Writes the CPU's model name, "CPU" if unknown (Linux: /proc/cpuinfo). */
void spl__processor_name(char name[SPL__NAME_BYTES]);

/* The machine's memory in bytes, INFINITY if unknown. */
double spl__machine_memory(void);

/* Whether the machine, with room for swap, could hold a block of so many bytes. A system that
 * overcommits without limit would grant more, and end the process when it is written to. */
bool spl__machine_holds(size_t bytes);

#endif
