/* SPDX-License-Identifier: Apache-2.0 */
/* early_bins.h: row bins that were enqueued before the method was chosen, so that their sizes
 * reach the host together with other numbers: this saves a synchronisation. */
#ifndef SPL_SPGEMM_GPU_BINS_EARLY_BINS_H
#define SPL_SPGEMM_GPU_BINS_EARLY_BINS_H

#include "spgemm/gpu/bins/row_shapes.h"
#include "spgemm/kernels/bins/spgemm_bins.k.h"

typedef struct spl__bins_along spl__bins_along; /* bin_launches.h */

typedef struct spl__early_bins {
    spl__row_shapes shapes; /* count 0: there are none */
    spl__window_bytes bytes;
    bool known;
    spl__device_array bin_of, rows;
    struct spgemm_bin_sums *sums; /* on the device, zero at first */
    struct spgemm_bin_sums found; /* their copy on the host, once it has arrived */
    const void *notes;            /* what the host waits for, on the device: ends with the sums */
    spl__report report;           /* of the notes, enqueued with the sums */
    const spl__bins_along *along; /* while they are enqueued; NULL: nothing, or it is launched */
} spl__early_bins;

/* Lets the method that is likely to be chosen enqueue its bins early. notes: a struct on the device
 * that ends with `sums`, which are zero. along: NULL, or what the launch of the bins does as well;
 * it is NULL afterwards if there was one. */
spl_status spl__early_bins_begin(spl_plan *plan, spl__early_bins *early, spl__phase phase,
                                 const void *notes, struct spgemm_bin_sums *sums,
                                 const spl__bins_along *along);
/* The bytes of the notes up to the sums. */
size_t spl__early_bins_notes(const spl__early_bins *early);
/* Whether these are the bins of those shapes. */
bool spl__early_bins_are(const spl__early_bins *early, const spl__row_shapes *shapes,
                         spl__window_bytes bytes, bool known);
void spl__early_bins_free(spl_plan *plan, spl__early_bins *early);

#endif
