/* SPDX-License-Identifier: Apache-2.0 */
/* signature.h: the keys of measurements: the processor that made them, and the kind of problem.
 *
 * A problem's signature is its operation and phase, types and options that methods depend on,
 * and its features in coarse steps: powers of two from 1 on, eighths below. Problems of one
 * signature are equal in all that the planner knows; the positions of columns, which it does not
 * know, may differ. */
#ifndef SPL_PLAN_SIGNATURE_H
#define SPL_PLAN_SIGNATURE_H

#include "plan/method.h"

enum { SPL__MACHINE_BYTES = 160, SPL__SIGNATURE_BYTES = 256 };

/* One word: "cpu/Intel-Xeon-6754/x86-64-v4/8" (model, instruction set in use, threads),
 * "gpu/NVIDIA-H100-80GB-HBM3/132" (multiprocessors). device NULL: the CPU with
 * that many threads. */
void spl__machine_signature(const spl_context *context, const spl__device *device, int threads,
                            char text[SPL__MACHINE_BYTES]);
/* The number of the context's first device with the signature of device `number`. */
int spl__first_like(const spl_context *context, int number);
/* Whether `machine` is one of the context's processors; a CPU matches with any number of
 * threads. */
bool spl__machine_matches(const spl_context *context, const char *machine);
/* One word: "spmv/compute/f64/32/32/----/18.18.8.20..." */
void spl__signature(const spl__task *task, char text[SPL__SIGNATURE_BYTES]);

#endif
