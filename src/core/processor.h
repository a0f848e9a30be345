/* SPDX-License-Identifier: Apache-2.0 */
/* processor.h: what the operating system says about the CPU. */
#ifndef SPL_CORE_PROCESSOR_H
#define SPL_CORE_PROCESSOR_H

#include <stddef.h>

enum { SPL__NAME_BYTES = 96 };

/* Writes the CPU's model name, "CPU" if the system does not tell (Linux: /proc/cpuinfo). */
void spl__processor_name(char name[SPL__NAME_BYTES]);

#endif
