/* SPDX-License-Identifier: Apache-2.0 */
/* tuning.h: measured values in place of the cost model's defaults: coefficients of machine/cpu.def
 * and machine/gpu.def, and a factor for each method, by which its predicted seconds are multiplied.
 *
 * A tuning is never changed: a new one takes its place, and old ones live as long as the context,
 * because plans go on using what they began with. */
#ifndef SPL_PLAN_TUNING_H
#define SPL_PLAN_TUNING_H

#include "file/text_file.h"
#include "plan/method.h"

typedef struct spl__tuning {
    spl__machine cpu;
    struct spl__tuning *before;
    /* one table for each device of the context, one if there is none; entries of the registry */
    int tables, methods;
    spl__gpu_machine *gpu; /* [tables] */
    double *factors;       /* [tables*methods]: methods of the CPU have the same factor in all */
} spl__tuning;

/* The context's; NULL: nothing was measured. */
const spl__tuning *spl__tuning_of(spl_context *context);
/* The number of a device's table; of NULL the first one's. */
int spl__tuning_table(const spl_context *context, const spl__device *device);
/* Sets one value, > 0: "cpu/NAME" or "gpu/NAME" is a coefficient, the id of a method its factor; of
 * that device and of those that are like it (spl__machine_signature), or, if it is NULL, of all.
 * SPL_INVALID_ARGUMENT, SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
spl_status spl__tuning_set(spl_context *context, const spl__device *device, const char *name,
                           double value);
/* What plans are made with now, on the first device: what was set, or the default.
 * SPL_INVALID_ARGUMENT. */
spl_status spl__tuning_get(spl_context *context, const char *name, double *value);
/* When the context goes. */
void spl__tuning_free(spl_context *context);

/* Files: sealed texts. "machine MACHINE" says whom the lines after it are about, "set NAME VALUE"
 * and "factor METHOD REVISION VALUE". What is about other machines, unknown names, and other
 * revisions is left out and counted. Read closes the file. SPL_FILE_INVALID, and then nothing is
 * taken, ... */
spl_status spl__tuning_read(spl_context *context, const spl__text_file *file, spl_import *report);
/* What differs from the defaults. */
spl_status spl__tuning_write(spl_context *context, const char *path);

#endif
