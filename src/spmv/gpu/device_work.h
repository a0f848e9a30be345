/* SPDX-License-Identifier: Apache-2.0 */
/* device_work.h: common predictions of SpMV methods on devices. */
#ifndef SPL_SPMV_GPU_DEVICE_WORK_H
#define SPL_SPMV_GPU_DEVICE_WORK_H

#include "plan/plan.h"

/* One launch that reads `matrix_bytes` of A in the method's format, gathers x and writes y. */
spl__device_work spl__spmv_device_work(const spl__task *task, double matrix_bytes);

/* Bytes of A's entries with columns of `column` bytes; of its offsets. */
double spl__spmv_device_entries(const spl__task *task, double column);
/* The same with values in the form that was found (DEVICE_NARROW_...), if the bit mask `forms`
 * has it. Deterministic plans assume that no form was found: their choices must not depend on
 * values. */
double spl__spmv_device_narrow_entries(const spl__task *task, double column, unsigned forms);
/* The cost of scanning values in `prepare` and after updates, for plans that find one of
 * `forms`. */
double spl__spmv_device_look(const spl__task *task, unsigned forms);
bool spl__spmv_values_are(const spl_plan *plan, unsigned forms);
#define SPL__VALUES_ONE  (1u << DEVICE_NARROW_ONE)
#define SPL__VALUES_LESS (SPL__VALUES_ONE | 1u << DEVICE_NARROW_CODED | 1u << DEVICE_NARROW_F32)
double spl__spmv_device_offsets(const spl__task *task);

/* Launches a kernel with arguments `args`, for `items` threads in blocks of `threads`. */
#define SPL__SPMV_LAUNCH(queue, name, csr, items, threads, args)                                   \
    spl__spmv_launch((queue), (name), (csr), (items), (threads), (args), sizeof *(args))
spl_status spl__spmv_launch(spl__queue *queue, const char *name, const spl_sparse *csr,
                            int64_t items, int threads, const void *args, size_t bytes);

/* The prediction for a method with a copy of A of `bytes` bytes, made in `passes` passes over
 * A's entries; both are 0 without a copy. */
void spl__spmv_device_predict(const spl__task *task, const spl__device_work *work, double bytes,
                              double passes, spl__estimate *estimate);

#endif
