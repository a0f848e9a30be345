/* SPDX-License-Identifier: Apache-2.0 */
/* calibrate.h: what memory, links and launches give on this machine, measured in place of the
 * guesses in machine/cpu.def and machine/gpu.def.
 *
 * Everything is read, copied or launched a few times, and the best time counts: what else the
 * machine does only adds. Arrays are as large as the time allows, up to sizes beyond any cache.
 * Devices that are alike share what the first of them has shown. */
#ifndef SPL_PLAN_CALIBRATE_H
#define SPL_PLAN_CALIBRATE_H

#include "core/context.h"
#include "sparloom/sparloom.h"

/* Takes about `seconds`. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_DEVICE_FAILURE; what was measured
 * before a failure stays. */
spl_status spl__calibrate(spl_context *context, double seconds);

/* ---- for its parts ---- */

/* What one measurement may take, and how much it may move. */
enum { SPL__CALIBRATE_PROBE = 1 << 20, SPL__CALIBRATE_MOST = 1 << 29, SPL__CALIBRATE_TURNS = 4 };
/* Bytes that pass in `seconds` at a rate seen on SPL__CALIBRATE_PROBE bytes: at least those, at
 * most SPL__CALIBRATE_MOST. */
size_t spl__calibrate_bytes(double probe_seconds, double seconds);
/* The host's part: "cpu/parallel_start", "cpu/parallel_wake", "cpu/bandwidth" and
 * "cpu/memory_bandwidth". */
spl_status spl__calibrate_host(spl_context *context, double seconds);
/* A device's: its memory, launches and links. */
struct spl__device;
spl_status spl__calibrate_device(spl_context *context, struct spl__device *device, double seconds);

#endif
