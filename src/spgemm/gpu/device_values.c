/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/gpu/device_values.h"

#include "core/checked.h"
#include "spgemm/gpu/device_launches.h"
#include "spgemm/gpu/device_sums.h"
#include "spgemm/kernels/spgemm_values.k.h"

#include <math.h>

typedef struct state {
    const spl__value_kernels *kernels;
    int64_t sums_bytes; /* the most per column of C */
    spl__row_shapes shapes;
    spl__row_bins bins;
    spl__team_launches launches;
} state;

#define KERNEL_OF_KIND(kind, name) [kind] = "spgemm_" #name "_values",
const spl__value_kernels spl__entry_values = {.of_kind = {EACH_VALUE_KIND(KERNEL_OF_KIND)},
                                              .sums = 1};

/* Bytes of the search structures: a window's share per word, a slot's column and position. */
enum { WORD_BYTES = 8, SLOT_BYTES = 8, COLUMN_BYTES = sizeof(int32_t) };

/* Slots for the columns of a row. With chains a slot leads to one or two columns on average. */
static int64_t slots_of(const spl__row_shape *s)
{
    return spl__table_slots(s->most, s->team) / (s->kind == SPGEMM_CHAIN ? 2 : 1);
}

/* Bytes of the structure that maps a column to its position in the row. */
static int64_t finder_bytes(const spl__row_shape *s)
{
    if (s->kind == SPGEMM_KEPT || s->kind == SPGEMM_SUMMED)
        return 0;
    if (s->kind == SPGEMM_CHAIN)
        return COLUMN_BYTES * (2 * s->most + slots_of(s));
    return s->kind == SPGEMM_HASH ? SLOT_BYTES * slots_of(s) : COLUMN_BYTES * s->most;
}

static int64_t team_bytes(const void *context, const spl__row_shape *s)
{
    int64_t sums = ((const state *)context)->sums_bytes;
    if (spl__shape_has_bytes(s))
        return s->most;
    return (sums * s->most + WORD_BYTES - 1) / WORD_BYTES * WORD_BYTES + finder_bytes(s);
}

/* Whether larger teams can compute such rows: kept positions are in the order of a single part. */
static bool may_widen(const state *s, const spl__row_shape *shape)
{
    bool any = shape->kind == SPGEMM_WINDOW || shape->kind == SPGEMM_SPREAD ||
               shape->kind == SPGEMM_HASH || shape->kind == SPGEMM_CHAIN;
    return any && s->kernels == &spl__entry_values;
}

/* Chooses the width of teams and of their parts, and how rows are split. A team of one warp
 * walks one row of B at a time with all lanes, which needs no atomic additions. */
static void fit_shape(const spl_plan *plan, const state *s, int g, spl__row_shape *shape,
                      struct spgemm_teams *layout)
{
    /* several parts have to add atomically */
    enum { LEAST = 4, SINGLY = 8, MOST_PIECES = 16, THREADS = 512 };
    int64_t longest = spl__max_i64(1, s->bins.longest[g]);
    double row_of_b = s->bins.row_of_b[g];
    bool in_window = spl__shape_has_bytes(shape);
    layout->singly = s->kernels == &spl__entry_values && shape->kind != SPGEMM_KEPT &&
                     spl__walks_singly(&s->bins, g);
    if (!in_window)
        shape->most = spl__min_i64(shape->most, longest);
    if (shape->kind == SPGEMM_KEPT)
        shape->team = spl__part_width(layout->singly ? SINGLY : row_of_b, LEAST, shape->team);
    const int32_t narrow = shape->team;
    if (may_widen(s, shape))
        spl__widen_teams(plan, &s->bins, g, THREADS, shape);
    layout->width = shape->team == narrow && narrow <= SPGEMM_WARP
                        ? narrow
                        : spl__part_width(row_of_b, LEAST, spl__min_i64(shape->team, SPGEMM_WARP));
    layout->most = in_window ? longest : shape->most;
    layout->pieces =
        (int32_t)spl__min_i64((longest + layout->most - 1) / layout->most, MOST_PIECES);
}

static int64_t rows_of(const state *s, int g)
{
    return s->bins.first[g + 1] - s->bins.first[g];
}

/* Bytes of a row that one thread computes: an odd number of sums, lest threads use the same
 * banks. */
static int64_t bytes_alone(const state *s, int g)
{
    return s->sums_bytes * (spl__min_i64(s->shapes.shape[g].most, s->bins.longest[g]) | 1);
}

/* Whether one thread computes each row of the bin: at kept positions, if rows are short, so alike
 * that threads of a warp rarely wait for each other, and enough to fill the device. Where rows of A
 * differ in length, they must be shorter: on gen:circuit, with 20 products a row, teams take 37 us,
 * threads 97. */
static bool is_alone(const spl_plan *plan, const state *s, int g)
{
    enum { MOST = 32, MOST_UNEVEN = 16, ALIKE = 2, LEAST_ROWS = 512 /* of a multiprocessor */ };
    const bool even = plan->features.variation_row_a <= 0.5;
    int64_t rows = rows_of(s, g), longest = s->bins.longest[g];
    return s->kernels == &spl__entry_values && s->shapes.shape[g].kind == SPGEMM_KEPT &&
           longest <= (even ? MOST : MOST_UNEVEN) && longest * rows <= ALIKE * s->bins.work[g] &&
           rows >= (int64_t)LEAST_ROWS * plan->problem.queue.device->properties.units &&
           bytes_alone(s, g) * SPGEMM_ROWS_THREADS <= spl__block_bytes(plan);
}

static void lay_out_alone(state *s, int g)
{
    spl__row_shape *shape = &s->shapes.shape[g];
    spl__team_launch *l = &s->launches.bin[g];
    shape->team = 1;
    shape->threads = SPGEMM_ROWS_THREADS;
    l->team_bytes = bytes_alone(s, g);
    l->teams = rows_of(s, g);
    l->layout = (struct spgemm_teams){.list = spl__row_bins_list(&s->bins, g),
                                      .list_count = l->teams,
                                      .blocks = (l->teams + shape->threads - 1) / shape->threads,
                                      .kind = shape->kind,
                                      .team = 1,
                                      .width = 1,
                                      .team_bytes = (int32_t)l->team_bytes,
                                      .pieces = 1};
    l->threads = shape->threads;
    l->shared = l->team_bytes * shape->threads;
    l->joins = false;
}

/* Rows whose sums are there already. */
static void lay_out_summed(state *s, int g)
{
    const spl__row_shape *shape = &s->shapes.shape[g];
    const int32_t teams = shape->threads / shape->team;
    spl__team_launch *l = &s->launches.bin[g];
    l->teams = rows_of(s, g);
    l->layout = (struct spgemm_teams){.list = spl__row_bins_list(&s->bins, g),
                                      .list_count = l->teams,
                                      .blocks = (l->teams + teams - 1) / teams,
                                      .kind = shape->kind};
    l->threads = shape->threads;
    l->team_bytes = l->shared = 0;
    l->joins = false;
}

static void lay_out_bin(const spl_plan *plan, state *s, int g)
{
    spl__row_shape *shape = &s->shapes.shape[g];
    spl__team_launch *l = &s->launches.bin[g];
    fit_shape(plan, s, g, shape, &l->layout);
    int64_t bytes = team_bytes(s, shape) + s->kernels->own_bytes;
    l->team_bytes = (bytes + WORD_BYTES - 1) / WORD_BYTES * WORD_BYTES;
    /* narrower teams: more tables */
    spl__row_shape_fit_block(shape, l->team_bytes, spl__block_bytes(plan));
    int64_t teams = shape->threads / shape->team;
    l->layout.list = spl__row_bins_list(&s->bins, g);
    l->layout.list_count = rows_of(s, g);
    l->layout.kind = shape->kind;
    l->layout.team = shape->team;
    l->layout.long_row = spl__long_row(plan, shape->team, l->layout.singly ? 1 : l->layout.width);
    l->layout.slots = slots_of(shape);
    l->layout.shift = spl__table_shift(l->layout.slots);
    l->layout.team_bytes = (int32_t)l->team_bytes;
    l->teams = l->layout.list_count * l->layout.pieces;
    l->layout.blocks = (l->teams + teams - 1) / teams;
    l->threads = shape->threads;
    l->shared = l->team_bytes * teams;
    l->joins = s->kernels == &spl__entry_values;
}

static spl_status prepare_bin(spl_plan *plan, state *s, int g)
{
    const spl__row_shape *shape = &s->shapes.shape[g];
    const char *name = shape->rows > 0 ? s->kernels->of_few_rows : s->kernels->of_kind[shape->kind];
    if (rows_of(s, g) == 0)
        return SPL_OK;
    if (is_alone(plan, s, g)) {
        lay_out_alone(s, g);
        name = "spgemm_lane_values";
    } else if (shape->kind == SPGEMM_SUMMED) {
        lay_out_summed(s, g);
        name = "spgemm_summed_values";
    } else {
        lay_out_bin(plan, s, g);
    }
    return spl__product_kernel(plan, name, &s->launches.bin[g].kernel);
}

/* What the state knows without rows; returns what windows need. */
static spl__window_bytes fit_shapes(const spl__task *task, state *s)
{
    const spl__values_method *method = task->parameters;
    const spl__form *form = spl__form_of(task->plan);
    s->kernels = method->kernels ? method->kernels : &form->kind->block_values[form->block];
    int64_t of_row = s->kernels->sums * (int64_t)spl__type_size(task->plan->problem.a.csr.type);
    s->sums_bytes = of_row * spl__max_i64(1, s->kernels->most_rows);
    s->shapes = method->shapes;
    spl__row_shapes_fit(&s->shapes, task->plan, team_bytes, s);
    return (spl__window_bytes){WORD_BYTES, (int32_t)of_row};
}

spl_status spl__device_values_enqueue_early(const spl__task *task)
{
    state s;
    spl__window_bytes bytes = fit_shapes(task, &s);
    return spl__row_bins_enqueue_early(task->plan, &s.shapes, bytes, true);
}

spl_status spl__device_values_prepare(spl__step *step)
{
    spl_plan *plan = step->task.plan;
    state *s;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s, 1));
    step->state = s;
    spl__window_bytes bytes = fit_shapes(&step->task, s);
    SPL__TRY(spl__row_bins_make(plan, &s->shapes, bytes, true, &s->bins));
    for (int g = 0; g < s->shapes.count; g++) {
        SPL__TRY(prepare_bin(plan, s, g));
        if (s->shapes.shape[g].kind == SPGEMM_KEPT)
            spl__device_product_of(plan)->uses_kept = true;
        if (s->shapes.shape[g].kind == SPGEMM_SUMMED)
            spl__device_product_of(plan)->uses_sums = true;
    }
    return spl__team_launches_join(plan, &s->bins, "spgemm_several_values", &s->launches);
}

spl_status spl__device_values_launch(const spl__step *step, const struct spgemm_operands *operands,
                                     const spl__kernel *instead)
{
    spl_plan *plan = step->task.plan;
    const state *s = step->state;
    const spl__device_product *device_c = spl__device_product_of(plan);
    struct spgemm_several_values_args args = {
        .v = {.o = *operands,
              .ordered = device_c->ordered,
              .kept = {device_c->kept_positions.data, device_c->kept_starts.data},
              .sums = spl__device_sums(plan)}};
    if (device_c->form.kind->arguments)
        device_c->form.kind->arguments(plan, &args.v);
    return spl__team_launches_enqueue(plan, &s->bins, &s->launches,
                                      &(spl__team_args){.all = &args,
                                                        .own_bytes = sizeof args.v,
                                                        .bytes = sizeof args,
                                                        .layout = &args.v.layout,
                                                        .several = &args.several,
                                                        .instead = instead});
}

spl_status spl__device_values_execute(spl__step *step, const spl__call *call)
{
    struct spgemm_operands operands = spl__form_operands(step->task.plan, call);
    return spl__device_values_launch(step, &operands, NULL);
}

const char *spl__device_values_applicable(const spl__task *task)
{
    const spl__values_method *method = task->parameters;
    return spl__device_product_of(task->plan)->unsorted && !method->in_any_order
               ? spl__known_unsorted
               : spl__form_refuses(task, method->family);
}

bool spl__device_rows_are_near(const spl_plan *plan)
{
    enum { PARTS = 8 };
    const spl__features *f = &plan->features;
    return f->span_sampled * PARTS <= f->cols;
}

/* The share of products in rows of C of more than so many columns: half of them if that is the mean
 * length, and the more suddenly all or none, the less the rows of A vary. */
static double share_beyond(const spl__features *f, double columns)
{
    const double least = 0.1; /* variation */
    const double mean = f->nnz_c / fmax(1, f->rows);
    if (columns <= 0 || columns >= f->cols || mean <= 0)
        return 0;
    return 1 / (1 + pow(columns / mean, 2 / fmax(least, f->variation_row_a)));
}

/* Steps of a warp for a product of each lane, on average. */
static double steps_of_product(const spl__device_costs *costs, const spl__features *f)
{
    return costs->product * (1 + share_beyond(f, costs->chunk_most)) +
           costs->together * share_beyond(f, costs->alone_most);
}

void spl__device_values_estimate(const spl__task *task, spl__estimate *e)
{
    const spl__device_costs costs = ((const spl__values_method *)task->parameters)->costs;
    const spl__features *f = &task->plan->features;
    double value = (double)spl__type_size(task->plan->problem.a.csr.type);
    double lanes = task->plan->problem.queue.device->properties.lanes;
    spl__device_work work = {.streamed = (4 + value) * (f->nnz_a + f->nnz_c) + 16 * f->rows,
                             .gathered = (4 + value) * f->products,
                             .reach = (4 + value) * f->nnz_b,
                             .steps = (steps_of_product(&costs, f) * f->products + 8 * f->nnz_c) /
                                          lanes +
                                      costs.row * f->rows,
                             .launches = costs.launches};
    e->seconds = spl__device_seconds(task, &work);
    e->bytes = 4 * f->rows;
}

void spl__device_values_explain(const spl__step *step, spl__text *text)
{
    const state *s = step->state;
    spl__row_bins_explain(&s->shapes, &s->bins, s->launches.joined, text);
}

void spl__device_values_destroy(spl__step *step)
{
    state *s = step->state;
    if (!s)
        return;
    spl__row_bins_free(step->task.plan, &s->bins);
    spl__free(s);
}
