/* SPDX-License-Identifier: Apache-2.0 */
/* calibrate.h: measures memory, links and launches of this machine, to replace the defaults of
 * machine/cpu.def and machine/gpu.def.
 *
 * Everything is read, copied or launched several times, and the least time counts, since other
 * load only adds time. Arrays are as large as the time allows, up to sizes beyond any cache.
 * Equal devices share the results of the first one. */
#ifndef SPL_PLAN_TUNING_CALIBRATE_H
#define SPL_PLAN_TUNING_CALIBRATE_H

#include "core/context.h"
#include "sparloom/sparloom.h"

/* Takes about `seconds`. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_DEVICE_FAILURE; results from
 * before a failure are kept. */
spl_status spl__calibrate(spl_context *context, double seconds);

/* ---- internal ---- */

/* Bytes of a probe, the most bytes of a measurement, and its repetitions. */
enum { SPL__CALIBRATE_PROBE = 1 << 20, SPL__CALIBRATE_MOST = 1 << 29, SPL__CALIBRATE_TURNS = 4 };
/* The bytes that can be processed in `seconds` if SPL__CALIBRATE_PROBE bytes take probe_seconds;
 * at least those, at most SPL__CALIBRATE_MOST. */
size_t spl__calibrate_bytes(double probe_seconds, double seconds);
/* Measures the host: "cpu/parallel_start", "cpu/parallel_wake", "cpu/parallel_loop",
 * "cpu/parallel_loop_thread", "cpu/bandwidth" and "cpu/memory_bandwidth". */
spl_status spl__calibrate_host(spl_context *context, double seconds);
/* Measures a device: its memory, launches and links. */
struct spl__device;
spl_status spl__calibrate_device(spl_context *context, struct spl__device *device, double seconds);

#endif
