/* SPDX-License-Identifier: Apache-2.0 */
/* spmm_tensor_results.h: what becomes of the sums of a window: those that are not finite are looked
 * at, all are stored. Part of the template of spmm_tensor.k.h: read once per combination of types,
 * without a guard. */

/* Where sums[i] belongs: a row of the window, and a column of the team's runs. */
DEVICE int FN(tensor_row_of)(const FN(tensor_lane) *lane, int i, const struct spmm_tensor_form form)
{
    return form.tall ? lane->row + i / 2 % 2 * 8 : 2 * lane->turn + i % 2;
}
DEVICE int FN(tensor_column_of)(const FN(tensor_lane) *lane, int i,
                                const struct spmm_tensor_form form)
{
    return form.tall ? FN(tensor_column)(2 * lane->turn + i % 2, i / 4, form.run)
                     : FN(tensor_column)(lane->row, i / 4 * 2 + i / 2 % 2, form.run);
}

/* Sum i, entry by entry. */
DEVICE float FN(tensor_sum_of)(const FN(tensor_operands) *o, const FN(tensor_lane) *lane, int i,
                               const struct spmm_tensor_form form)
{
    const struct spmm_tensor_args *const args = o->args;
    const int64_t row =
        (int64_t)lane->window * (form.tall ? 16 : 8) + FN(tensor_row_of)(lane, i, form);
    const int64_t column = lane->slab + FN(tensor_column_of)(lane, i, form);
    const bool inside = row < args->rows && column < args->width;
    const P end = inside ? READ(&o->offsets[row + 1]) : 0;
    float sum = 0;
    for (P p = inside ? READ(&o->offsets[row]) : 0; p < end; p++)
        sum += WIDEN(READ(&o->values[p])) *
               WIDEN(READ(&o->b[READ(&o->columns[p]) * args->b_row + column * args->b_column]));
    return sum;
}

/* One bit for each sum that is Inf or NaN by right: its row of A has such a value, and all that the
 * window reads of its column of B is finite, so that slots without entries added nothing. All lanes
 * of the team take part. */
DEVICE uint32_t FN(tensor_rightly)(const struct spmm_tensor_args *args, const FN(tensor_lane) *lane,
                                   uint32_t wild, const struct spmm_tensor_form form)
{
    const uint32_t odd[2] = {FN(tensor_odd)(args, lane, 0, form),
                             FN(tensor_odd)(args, lane, form.tall, form)};
    const lane_mask team = GROUP_MASK(SPMM_TENSOR_TEAM);
    const int first = LANE / SPMM_TENSOR_TEAM * SPMM_TENSOR_TEAM;
    uint32_t bits = 0;
    UNROLL for (int x = 1; x < 4; x *= 2) wild |= SHUFFLE_XOR(team, wild, x);
    uint32_t of_run[2] = {wild, wild}; /* of even and odd i: see tensor_column_of */
    UNROLL for (int k = 0; form.tall && k < 2; k++) of_run[k] =
        SHUFFLE(team, wild, first + 4 * (2 * lane->turn + k));
    UNROLL for (int i = 0; i < (form.tall ? 4 : 2) * form.run; i++)
    {
        const int row = FN(tensor_row_of)(lane, i, form) % 8,
                  v = form.tall ? i / 4 : i / 4 * 2 + i / 2 % 2;
        bits |= (uint32_t)((odd[form.tall ? i / 2 % 2 : 0] >> 4 * row & 15) != 0 &&
                           (of_run[i % 2] >> v & 1) == 0)
                << i;
    }
    return bits;
}

/* Tiles multiply slots without entries as well, so Inf or NaN of B would spread to rows that do
 * not use it. Elements that are not finite are computed again, entry by entry, unless they are
 * rightly so. */
DEVICE void FN(tensor_again)(const FN(tensor_operands) *o, const FN(tensor_lane) *lane,
                             FN(tensor_sums) *to, const struct spmm_tensor_form form)
{
    const int count = (form.tall ? 4 : 2) * form.run;
    float none = 0; /* NaN if a sum is not finite: one instruction each */
    UNROLL for (int i = 0; i < count; i++) none += 0 * to->sums[i];
    if (BALLOT(GROUP_MASK(SPMM_TENSOR_TEAM), none != 0) == 0)
        return;
    uint32_t again = 0;
    UNROLL for (int i = 0; i < count; i++) again |= (uint32_t)(to->sums[i] - to->sums[i] != 0) << i;
    again &= ~FN(tensor_rightly)(o->args, lane, to->wild, form);
    for (int i = 0; i < count && again != 0; i++)
        if (again >> i & 1) {
            const float sum = FN(tensor_sum_of)(o, lane, i, form);
            again &= ~((uint32_t)1 << i);
            UNROLL for (int k = 0; k < count; k++) to->sums[k] = k == i ? sum : to->sums[k];
        }
}

/* Stores neighbours in one row of C. */
DEVICE void FN(tensor_store_piece)(const struct spmm_tensor_args *args, int64_t row, int64_t column,
                                   const ACC *own, const int piece)
{
    const ACC alpha = SCALAR(ACC, args->scalars.alpha), beta = SCALAR(ACC, args->scalars.beta);
    T *const c = (T *)args->c + row * args->c_row + column * args->c_column;
    if (row >= args->rows || column >= args->width)
        return;
    if (args->by_runs && args->c_column == 1)
        FN(spmm_write)(c, own, alpha, beta, piece);
    else
        UNROLL for (int v = 0; v < piece; v++) if (column + v < args->width)
            FN(spmm_write)(c + v * args->c_column, own + v, alpha, beta, 1);
}

/* A lane has a run of columns of two rows, or of two runs of two rows. Of two rows in f32, runs are
 * exchanged, so that eight neighbouring lanes store a row's; elsewhere that would take as long. */
DEVICE void FN(tensor_store)(const struct spmm_tensor_args *args, const FN(tensor_lane) *lane,
                             const float *sums, const struct spmm_tensor_form form)
{
    const int piece = FN(tensor_piece)(form.run);
    const bool exchanges = !form.tall && sizeof(T) == sizeof(float) && args->by_runs;
    UNROLL for (int i = 0; i < (form.tall ? 4 : 2); i++)
    {
        const int of_window =
                      exchanges ? 2 * FN(tensor_line_of)() + i : FN(tensor_row_of)(lane, i, form),
                  of_slab = exchanges   ? FN(tensor_run_of)()
                            : form.tall ? 2 * lane->turn + i % 2
                                        : lane->row;
        const int64_t row = (int64_t)lane->window * (form.tall ? 16 : 8) + of_window;
        ACC own[SPMM_TENSOR_MOST_RUN];
        UNROLL for (int v = 0; v < form.run; v++) own[v] =
            form.tall ? sums[4 * v + i] : sums[4 * (v / 2) + v % 2 * 2 + i];
        if (exchanges)
            FN(tensor_exchange)((T *)own, 4 * FN(tensor_run_of)() + FN(tensor_line_of)(), form.run);
        UNROLL for (int v = 0; v < form.run; v += piece) FN(tensor_store_piece)(
            args, row, lane->slab + FN(tensor_column)(of_slab, v, form.run), own + v, piece);
    }
}
