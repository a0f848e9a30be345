/* SPDX-License-Identifier: Apache-2.0 */
/* measured.h: what contexts learn of the machine that they run on: which methods were fastest
 * (wisdom), and coefficients of the cost model.
 *
 * The conventions of sparloom.h hold. */
#ifndef SPARLOOM_MEASURED_H
#define SPARLOOM_MEASURED_H

#include <sparloom/sparloom.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --------------------------------------------------------------------------------------- wisdom */

/* What the policy measure found out: a method for each kind of problem and processor. A context
 * remembers it and uses it with that policy only. Files are read and written only by these
 * functions. May be called from any thread, while others plan. */
typedef struct spl_wisdom {
    uint32_t size;
    int32_t measured_here;           /* 1: measured by this context, 0: imported */
    char machine[160], problem[256]; /* signatures: doc/file-formats.md */
    const char *method;
    double seconds; /* of an execution, when it was measured */
} spl_wisdom;
#define SPL_WISDOM_INIT SPL_SIZED(spl_wisdom)
/* Number of remembered choices; 0 for NULL. */
SPARLOOM_API int64_t spl_wisdom_count(spl_context *context);
/* Describes choice `number`. SPL_INVALID_ARGUMENT if there is none. */
SPARLOOM_API spl_status spl_wisdom_get(spl_context *context, int64_t number, spl_wisdom *wisdom);
/* Forgets all choices. */
SPARLOOM_API spl_status spl_wisdom_forget(spl_context *context);
/* Writes all of it as a text. The file appears complete or stays as it was. SPL_FILE_ERROR. */
SPARLOOM_API spl_status spl_wisdom_export(spl_context *context, const char *path);

typedef struct spl_import {
    uint32_t size;
    int64_t taken;
    int64_t foreign; /* about processors that the context has not: kept for the next export only */
    int64_t unknown; /* left out: about methods that are not here, or in another revision */
} spl_import;
#define SPL_IMPORT_INIT SPL_SIZED(spl_import)
/* Adds what a file says, replacing what was imported before, but nothing that this context has
 * measured. All or nothing. report may be NULL. SPL_FILE_ERROR; SPL_FILE_INVALID (cut off, changed,
 * of another version, or no such file); SPL_UNSUPPORTED (packed, or of another known kind). */
SPARLOOM_API spl_status spl_wisdom_import(spl_context *context, const char *path,
                                          spl_import *report);

/* -------------------------------------------------------------------------------------- machine */

/* Values of the cost model measured on this machine, in place of its defaults, for plans that are
 * made afterwards. options.deterministic keeps the defaults. `name` is a coefficient,
 * "cpu/bandwidth" (src/machine), or a method, whose predicted seconds are multiplied by
 * `value` > 0; of a device: for all devices of the context. Measuring and importing tell kinds of
 * devices apart. */
SPARLOOM_API spl_status spl_machine_set(spl_context *context, const char *name, double value);
/* The value that plans are made with now, measured or default; of a device: on the first one. */
SPARLOOM_API spl_status spl_machine_get(spl_context *context, const char *name, double *value);
/* Measures and sets, in about `seconds` (one is enough):
 *   cpu/parallel_start                      starting the context's threads
 *   cpu/bandwidth, cpu/memory_bandwidth     the host's memory, for one thread and for all
 *   gpu/bandwidth                           memory of each kind of the context's devices, per SM
 *   gpu/launch, gpu/launch_host             a launch
 *   gpu/link_latency, gpu/link_to, gpu/link_from, the latter also with _pageable: the links
 * Needs up to 1.5 GB. What fails leaves the rest as it was.
 * SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_DEVICE_FAILURE. */
SPARLOOM_API spl_status spl_machine_measure(spl_context *context, double seconds);
/* Writes what differs from the defaults as a text, under the same terms as wisdom. */
SPARLOOM_API spl_status spl_machine_export(spl_context *context, const char *path);
/* Reads such a text, under the same terms; values of other machines are left out. */
SPARLOOM_API spl_status spl_machine_import(spl_context *context, const char *path,
                                           spl_import *report);

#ifdef __cplusplus
}
#endif
#endif
