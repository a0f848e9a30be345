/* SPDX-License-Identifier: Apache-2.0 */
#include "spmv/holed_blocks.h"

/* A row of a block in f64 takes two registers of 32 bytes from 5 unknowns on, in f32 one. */
double spl__spmv_slot_seconds(const spl__machine *m, spl_type type, double size)
{
    const double share = type == SPL_F32 && size > 4 ? m->spmv_holed_narrow : 1;
    return (m->spmv_holed_slot + m->spmv_holed_block / (size * size)) * share;
}

/* Seconds per entry if the share `fill` of slots are entries, with the time to read it. */
static double entry_seconds(const spl_plan *plan, double size, double fill)
{
    const spl_sparse *a = &plan->problem.a.csr;
    double bytes =
        (double)spl__type_size(a->type) + (double)spl__index_size(a->index_type) / (size * size);
    double rate = plan->machine->cache_bandwidth * plan->machine->spmv_one_stream;
    return (spl__spmv_slot_seconds(plan->machine, a->type, size) + bytes / rate) / fill;
}

void spl__spmv_find_blocks(spl_plan *plan)
{
    spl__features_of_blocks(plan, entry_seconds);
}
