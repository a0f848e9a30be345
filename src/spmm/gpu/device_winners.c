/* SPDX-License-Identifier: Apache-2.0 */
/* device_winners.c: SpMM over a min_ or max_ semiring with the rows of B that win, for any plan on
 * a device. A team of lanes has a row, a lane each a column of C; long rows have a block, whose
 * teams compare what they found. The least row of equal ones wins, so that results are those of the
 * CPU. */
#include "spmm/gpu/device_masked_rows_of_c.h"
#include "spmm/kernels/spmm_winners.k.h"

static int32_t choose_team(const spl_plan *plan, int64_t columns)
{
    int32_t team = 1, most = plan->problem.queue.device->properties.lanes;
    while (team < columns && team < most)
        team *= 2;
    return team;
}

spl_status spl__spmm_device_winners(spl_plan *plan, const spl__listed_rows *long_rows,
                                    const spl__call *call)
{
    static const spl_row_mask all;
    const spl_row_mask *mask = call->rows ? call->rows : &all;
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *a = &plan->problem.a.csr;
    const spl_dense *b = call->b, *c = call->c;
    const bool b_rows = b->order == SPL_ROW_MAJOR, c_rows = c->order == SPL_ROW_MAJOR;
    const spl__kernel *kernel;
    struct spmm_winners_args args = {
        .rows = a->rows,
        .width = c->cols,
        .offsets = a->offsets,
        .columns = a->indices,
        .values = a->values,
        .b = b->values,
        .b_row = b_rows ? b->ld : 1,
        .b_column = b_rows ? 1 : b->ld,
        .c = c->values,
        .c_row = c_rows ? c->ld : 1,
        .c_column = c_rows ? 1 : c->ld,
        .winners = call->winners,
        .ld = call->winners_ld,
        .choice = {mask->bits, mask->bytes, mask->complement, mask->clear},
        .long_rows = {long_rows->limit, long_rows->count, long_rows->list.data},
        .semiring = plan->problem.options.semiring,
        .team = choose_team(plan, c->cols)};
    const int64_t tiles = c->cols / args.team + (c->cols % args.team != 0);
    SPL__TRY(spl__queue_kernel(queue, "spmm_winners", a->type, a->offset_type, &kernel));
    if (tiles == 0)
        return SPL_OK;
    int64_t blocks = spl__blocks_for(queue, a->rows * tiles * args.team, SPMM_WINNERS_THREADS);
    return SPL__LAUNCH(queue, &args, kernel, args.long_rows.count + blocks, SPMM_WINNERS_THREADS);
}
