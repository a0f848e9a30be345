/* SPDX-License-Identifier: Apache-2.0 */
#include "spmm/blocks_of_a.h"

#include "spmm/cpu/tile_rows.h"

double spl__spmm_slot_seconds(const spl_plan *plan, double size)
{
    const spl__machine *m = plan->machine;
    const double byte = m->spmm_product_byte + spl__spmm_load_seconds(plan) / size;
    return m->spmm_holed_slot + m->spmm_holed_block / (size * size) +
           spl__spmm_row_bytes(plan) * byte;
}

static double entry_seconds(const spl_plan *plan, double size, double fill)
{
    return spl__spmm_slot_seconds(plan, size) / fill;
}

void spl__spmm_find_blocks(spl_plan *plan)
{
    spl__features_of_blocks(plan, entry_seconds);
}
