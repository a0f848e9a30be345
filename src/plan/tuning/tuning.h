/* SPDX-License-Identifier: Apache-2.0 */
/* tuning.h: measured values that replace the cost model's defaults: coefficients of machine/cpu.def
 * and machine/gpu.def, and a factor for each method, by which its predicted seconds are multiplied.
 *
 * Tunings are immutable: a change makes a new one, and old ones live as long as the context,
 * because plans keep using theirs. */
#ifndef SPL_PLAN_TUNING_TUNING_H
#define SPL_PLAN_TUNING_TUNING_H

#include "file/text_file.h"
#include "plan/method.h"
#include "sparloom/measured.h"

typedef struct spl__tuning {
    spl__machine cpu;
    struct spl__tuning *previous;
    /* one table per device of the context, one if there is none; entries of the registry */
    int tables, methods;
    spl__gpu_machine *gpu; /* [tables] */
    double *factors;       /* [tables*methods]: CPU methods have the same factor in all tables */
} spl__tuning;

/* The context's tuning; NULL: nothing was measured. */
const spl__tuning *spl__tuning_of(spl_context *context);
/* The number of a device's table; NULL: the first. */
int spl__tuning_table(const spl_context *context, const spl__device *device);
/* Sets one value, > 0. "cpu/NAME" or "gpu/NAME" is a coefficient, the id of a method its factor.
 * It applies to that device and to equal ones (spl__machine_signature), or if NULL to all.
 * SPL_INVALID_ARGUMENT, SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
spl_status spl__tuning_set(spl_context *context, const spl__device *device, const char *name,
                           double value);
/* The value that new plans use on the first device: as set, or the default.
 * SPL_INVALID_ARGUMENT. */
spl_status spl__tuning_get(spl_context *context, const char *name, double *value);
/* Called when the context is destroyed. */
void spl__tuning_free(spl_context *context);

/* Files: sealed texts. "machine MACHINE" selects the machine of the lines after it; "set NAME
 * VALUE" and "factor METHOD REVISION VALUE" are values. Lines of other machines, with unknown
 * names, or of other revisions are skipped and counted. Read closes the file. SPL_FILE_INVALID:
 * nothing is changed, ... */
spl_status spl__tuning_read(spl_context *context, const spl__text_file *file, spl_import *report);
/* Writes the values that differ from the defaults. */
spl_status spl__tuning_write(spl_context *context, const char *path);

#endif
