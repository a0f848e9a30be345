/* SPDX-License-Identifier: Apache-2.0 */
/* device_find.c: the symbolic phase on a device: bins rows, computes the length of every row, then
 * the columns of C.
 *
 * Where the terms of a row are sorted, the position of each term in C's row is kept for the numeric
 * phase, one byte each.
 *
 * Columns are found once where possible: while rows are counted, their columns are stored in a
 * stash of estimated size and copied from there. Rows that did not fit the stash are found a
 * second time. The stash is smaller than the values of C as long as C has 3.25 times the entries
 * of A or B; then C itself sets the peak of memory. */
#include "spgemm/gpu/device_find.h"

#include "core/checked.h"
#include "spgemm/gpu/bins/row_work.h"
#include "spgemm/gpu/device_launches.h"
#include "spgemm/kernels/spgemm_bounds.k.h"
#include "spgemm/kernels/spgemm_find.k.h"
#include "spgemm/kernels/spgemm_rows.k.h"

#include <math.h>
#include <stddef.h>

/* 6.5 times the entries of the larger operand hold C for meshes of any dimension: in 3-D a row of
 * A*A has (5/3)^3 = 4.6 times as many, in 2-D 2.8. */
static const double aside_per_entry = 6.5;
static const double aside_least = 1 << 19; /* 2 MiB: small products always fit */

enum {
    COLUMN_BYTES = sizeof(int32_t),
    BITS_BYTES = sizeof(uint32_t),
    SLOT_BYTES = 8,
    COLUMNS_OF_WORD = 32,
    SORTED_BYTES = SPGEMM_RUN_KEYS * (COLUMN_BYTES + 1) /* of a lane: keys and positions */
};

static const spl__window_bytes window_bytes = {.word = BITS_BYTES};

struct notes {
    uint64_t work, used;
    uint32_t missed, overflows;
    int64_t nnz, expanded;           /* expanded: of C itself, if its form counts it */
    struct spgemm_group_sums groups; /* of the numeric phase */
};

typedef struct finding {
    spl_plan *plan;
    spl__row_shapes shapes;
    bool attempt, bounded;
    int64_t block_bytes; /* of shared memory */
    spl__row_bins bins;
    spl__team_launches launches;
    spl__device_array starts, stash, notes, overflowed;
    int64_t room;
    int64_t most_overflowed, overflowed_first, overflowed_all; /* rows */
} finding;

static int64_t team_bytes(const void *context, const spl__row_shape *s)
{
    (void)context;
    if (spl__shape_has_bytes(s))
        return s->most;
    if (s->kind == SPGEMM_SORT)
        return s->team * SORTED_BYTES;
    if (s->kind == SPGEMM_SLOTS)
        return spl__found_slots(s->most) * COLUMN_BYTES;
    return s->kind == SPGEMM_HASH ? spl__table_slots(s->most, s->team) * SLOT_BYTES : 0;
}

/* The number of words that cover all columns. */
static int64_t words_of_columns(const finding *f)
{
    return spl__device_product_of(f->plan)->form.b.cols / COLUMNS_OF_WORD + 1;
}

/* Whether the rows of the bin are tried with tables that may be too small for them. */
static bool attempts(const finding *f, int g)
{
    return f->attempt && g == f->shapes.count - 1;
}

/* Words of the bin's window; 0 for hashed and sorted bins. */
static int32_t words_of(const finding *f, int g)
{
    return (int32_t)spl__min_i64(f->shapes.shape[g].most / BITS_BYTES, words_of_columns(f));
}

/* Shared memory for a listed window of the bin. */
static int64_t listed_bytes(const finding *f, int g)
{
    enum { PART = 32 };
    return SPGEMM_LISTED_BYTES((int64_t)words_of(f, g), f->shapes.shape[g].team / PART,
                               f->bins.longest[g]);
}

static bool is_listed(const finding *f, int g)
{
    return f->shapes.shape[g].kind == SPGEMM_LISTED && listed_bytes(f, g) <= f->block_bytes;
}

static const char *kernel_of(const finding *f, int g)
{
    static const char *const names[SPGEMM_KINDS] = {[SPGEMM_SORT] = "spgemm_sort_find",
                                                    [SPGEMM_WINDOW] = "spgemm_window_find",
                                                    [SPGEMM_LISTED] = "spgemm_window_find",
                                                    [SPGEMM_HASH] = "spgemm_hash_find",
                                                    [SPGEMM_SLOTS] = "spgemm_slots_find"};
    if (is_listed(f, g))
        return "spgemm_listed_find";
    return attempts(f, g) ? "spgemm_attempt_find" : names[f->shapes.shape[g].kind];
}

/* ---- launches ---- */

/* Tables in global memory for all blocks that run at once, or for fewer if the budget does not
 * suffice. */
static spl_status make_tables(finding *f, int64_t rows, int64_t slots, int64_t *blocks,
                              spl__device_array *tables)
{
    enum { BLOCKS_PER_UNIT = 2 };
    spl__queue *queue = &f->plan->problem.queue;
    *blocks = spl__min_i64(rows, (int64_t)queue->device->properties.units * BLOCKS_PER_UNIT);
    for (;; *blocks = (*blocks + 1) / 2) {
        spl_status status = spl__queue_alloc(queue, *blocks * slots, SLOT_BYTES, tables);
        if ((status != SPL_OVER_BUDGET && status != SPL_OUT_OF_MEMORY) || *blocks <= 1)
            return status;
    }
}

/* Slots of a team's table: enough for the longest row, unless overflow is allowed. */
static int64_t slots_of(const finding *f, int g)
{
    const spl__row_shape *s = &f->shapes.shape[g];
    return s->kind == SPGEMM_SLOTS
               ? spl__found_slots(f->bins.longest[g])
               : spl__table_slots(attempts(f, g) ? s->most : f->bins.longest[g], s->team);
}

/* Shared memory of a team. */
static int64_t bytes_of_team(const finding *f, int g, const struct spgemm_teams *layout)
{
    const spl__row_shape *s = &f->shapes.shape[g];
    if (s->kind == SPGEMM_HASH || s->kind == SPGEMM_SLOTS)
        return layout->slots * (s->kind == SPGEMM_HASH ? SLOT_BYTES : COLUMN_BYTES);
    return s->kind == SPGEMM_SORT ? team_bytes(NULL, s) : layout->words * BITS_BYTES;
}

/* Each block clears a listed window once; so blocks get several rows where there are enough rows
 * for all blocks. */
static int64_t blocks_of(const finding *f, int g, int64_t rows)
{
    enum { LISTED_ROWS = 4 };
    const spl__row_shape *s = &f->shapes.shape[g];
    int64_t units = f->plan->problem.queue.device->properties.units;
    int64_t listed = spl__min_i64(LISTED_ROWS, spl__max_i64(1, rows / units));
    int64_t each = is_listed(f, g) ? listed : s->threads / s->team;
    return (rows + each - 1) / each;
}

/* The layout of the teams that compute the bin's rows. */
static struct spgemm_teams teams_of(const finding *f, int g)
{
    const spl__row_shape *s = &f->shapes.shape[g];
    const int32_t most = s->team < SPGEMM_WARP ? s->team : SPGEMM_WARP;
    double pairs = f->bins.row_of_b[g] * spl__device_product_of(f->plan)->pairs_of_entry;
    bool singly = spl__walks_singly(&f->bins, g);
    int32_t width = s->kind == SPGEMM_SORT
                        ? s->team
                        : spl__part_width(singly ? most : pairs, SPGEMM_LEAST_WIDTH, most);
    int64_t slots = slots_of(f, g), rows = f->bins.first[g + 1] - f->bins.first[g];
    return (struct spgemm_teams){.list = spl__row_bins_list(&f->bins, g),
                                 .list_count = rows,
                                 .blocks = blocks_of(f, g, rows),
                                 .kind = s->kind == SPGEMM_LISTED ? SPGEMM_WINDOW : s->kind,
                                 .team = s->team,
                                 .width = width,
                                 .long_row = spl__long_row(f->plan, s->team, singly ? 1 : width),
                                 .singly = singly,
                                 .shift = spl__table_shift(slots),
                                 .slots = slots,
                                 .words = words_of(f, g),
                                 .most = f->bins.longest[g]};
}

static spl_status lay_out_bin(const finding *f, int g, spl__team_launch *l)
{
    const spl__row_shape *s = &f->shapes.shape[g];
    l->layout = teams_of(f, g);
    l->teams = l->layout.list_count;
    l->team_bytes = bytes_of_team(f, g, &l->layout);
    l->shared = is_listed(f, g) ? listed_bytes(f, g) : l->team_bytes * (s->threads / s->team);
    l->threads = s->threads;
    l->joins = !is_listed(f, g) && !attempts(f, g);
    return spl__product_kernel(f->plan, kernel_of(f, g), &l->kernel);
}

/* Launches the kernels of all bins: one joint launch for those that fit the device at once. */
static spl_status launch_bins(finding *f, struct spgemm_find *find)
{
    struct spgemm_several_find_args args = {.f = *find};
    for (int g = 0; g < f->shapes.count; g++)
        if (f->bins.first[g] < f->bins.first[g + 1])
            SPL__TRY(lay_out_bin(f, g, &f->launches.group[g]));
    SPL__TRY(spl__team_launches_join(f->plan, &f->bins, "spgemm_several_find", &f->launches));
    return spl__team_launches_enqueue(f->plan, &f->bins, &f->launches,
                                      &(spl__team_args){.all = &args,
                                                        .own_bytes = sizeof args.f,
                                                        .bytes = sizeof args,
                                                        .layout = &args.f.layout,
                                                        .several = &args.several});
}

/* ---- rows that overflow their table ---- */

/* Fetches how many rows overflowed. Their list becomes the input of the next attempt and is
 * replaced by an empty one. */
static spl_status take_overflowed(finding *f, struct spgemm_find *args, int64_t *rows)
{
    spl__queue *queue = &f->plan->problem.queue;
    uint32_t found;
    SPL__TRY(spl__queue_fetch(queue, &found, args->overflows, sizeof found));
    SPL__TRY(spl__queue_fill(queue, args->overflows, 0, sizeof found));
    args->layout.list = args->overflowed;
    args->layout.list_count = *rows = found;
    args->overflowed += f->most_overflowed;
    return SPL_OK;
}

static void set_slots(struct spgemm_find *args, int64_t slots)
{
    args->layout.slots = slots;
    args->layout.shift = spl__table_shift(slots);
}

/* One block per row. */
static spl_status launch_blocks(const finding *f, struct spgemm_find *args, const char *name,
                                int64_t blocks, int64_t shared)
{
    const spl__kernel *kernel;
    SPL__TRY(spl__product_kernel(f->plan, name, &kernel));
    args->layout.blocks = blocks;
    return SPL__LAUNCH_SHARED(&f->plan->problem.queue, args, kernel, blocks, args->layout.team,
                              (size_t)shared);
}

/* Second attempt, with the largest table that fits shared memory. */
static spl_status attempt_again(const finding *f, struct spgemm_find *args)
{
    int64_t slots = args->layout.team;
    while (2 * slots * SLOT_BYTES <= f->block_bytes)
        slots *= 2;
    set_slots(args, slots);
    return launch_blocks(f, args, "spgemm_attempt_find", args->layout.list_count,
                         slots * SLOT_BYTES);
}

/* Whether a few turns of a window in shared memory cover all columns of C. Rows that are stored
 * at their bounds need a single turn. */
static bool few_turns(const finding *f)
{
    enum { FEW = 4 };
    return words_of_columns(f) * BITS_BYTES <= f->block_bytes * (f->bounded ? 1 : FEW);
}

static spl_status find_in_turns(const finding *f, struct spgemm_find *args)
{
    args->layout.words = (int32_t)spl__min_i64(f->block_bytes / BITS_BYTES, words_of_columns(f));
    return launch_blocks(f, args, "spgemm_window_find", args->layout.list_count,
                         (int64_t)args->layout.words * BITS_BYTES);
}

/* Last attempt, with tables in global memory that hold all words of a row. */
static spl_status find_globally(finding *f, struct spgemm_find *args)
{
    int64_t longest = f->bins.longest[f->shapes.count - 1], blocks;
    spl__device_array tables = {NULL, 0};
    set_slots(args,
              spl__table_slots(spl__min_i64(longest, words_of_columns(f)), args->layout.team));
    SPL__TRY(make_tables(f, args->layout.list_count, args->layout.slots, &blocks, &tables));
    args->tables = tables.data;
    spl_status status = launch_blocks(f, args, "spgemm_global_hash_find", blocks, 0);
    spl__queue_free(&f->plan->problem.queue, &tables);
    return status;
}

/* The second attempt is S3's; the third is ours. */
static spl_status find_overflowed(finding *f, struct spgemm_find *args)
{
    enum { WIDTH = 16 };
    int last = f->shapes.count - 1;
    if (!attempts(f, last) || f->bins.first[last] == f->bins.first[last + 1])
        return SPL_OK;
    SPL__TRY(take_overflowed(f, args, &f->overflowed_first));
    if (f->overflowed_first == 0)
        return SPL_OK;
    args->layout.team = SPGEMM_MOST_THREADS;
    args->layout.width = WIDTH;
    args->layout.long_row = spl__long_row(f->plan, args->layout.team, args->layout.width);
    SPL__TRY(attempt_again(f, args));
    SPL__TRY(take_overflowed(f, args, &f->overflowed_all));
    if (f->overflowed_all == 0)
        return SPL_OK;
    return few_turns(f) ? find_in_turns(f, args) : find_globally(f, args);
}

/* Finds the rows of all bins. Rows of the last bin that overflow their tables are tried at
 * most twice more. */
static spl_status find_bins(finding *f, struct spgemm_find *args)
{
    struct notes *notes = f->notes.data;
    int last = f->shapes.count - 1;
    enum { LISTS = 2 };
    f->most_overflowed = f->bins.first[last + 1] - f->bins.first[last];
    if (attempts(f, last) && !f->overflowed.data)
        SPL__TRY(spl__queue_alloc(&f->plan->problem.queue, LISTS * f->most_overflowed,
                                  sizeof(uint32_t), &f->overflowed));
    if (attempts(f, last))
        SPL__TRY(spl__queue_fill(&f->plan->problem.queue, &notes->overflows, 0,
                                 sizeof notes->overflows));
    args->overflowed = f->overflowed.data;
    args->overflows = &notes->overflows;
    SPL__TRY(launch_bins(f, args));
    return find_overflowed(f, args);
}

/* ---- phases ---- */

static struct spgemm_find arguments(const finding *f)
{
    const spl__device_product *device_c = spl__device_product_of(f->plan);
    return (struct spgemm_find){.s = spl__form_structures(f->plan),
                                .pair_offsets = device_c->pair_offsets.data,
                                .pairs = device_c->pairs.data,
                                .windows = device_c->windows.data,
                                .unsorted = device_c->unsorted,
                                .placed = f->bounded,
                                .starts = f->starts.data};
}

/* Allocates the upper bound of every row's length, rows consecutively: [S1]'s upper bound. */
static spl_status make_bounds(finding *f)
{
    spl_plan *plan = f->plan;
    spl__queue *queue = &plan->problem.queue;
    const spl__form *form = spl__form_of(plan);
    SPL__TRY(spl__count_device_work(plan));
    f->room = spl__device_product_of(plan)->bound;
    SPL__TRY(spl__queue_alloc(queue, f->room, COLUMN_BYTES, &f->stash));
    SPL__TRY(spl__queue_alloc(queue, form->a.rows + 1, sizeof(int64_t), &f->starts));
    struct spgemm_bound_rows_args args = {.rows = form->a.rows,
                                          .cols = form->b.cols,
                                          .work = spl__device_product_of(plan)->work.data,
                                          .bounds = f->starts.data};
    SPL__TRY(spl__product_launch(plan, "spgemm_bound_rows", args.rows, &args, sizeof args));
    return spl__queue_offsets(queue, SPL_I64, f->starts.data, args.rows, NULL);
}

/* Columns that should have room of their own while they are found. */
static int64_t wanted_room(const finding *f)
{
    const spl__form *form = spl__form_of(f->plan);
    double entries = (double)spl__max_i64(form->a.nnz, form->b.nnz);
    double most = fmax(aside_least, aside_per_entry * entries);
    return (int64_t)fmin(f->plan->features.bound_c / spl__form_of(f->plan)->times.c, most);
}

/* Allocates the stash of columns; none if memory is short. */
static spl_status make_room(finding *f)
{
    spl_plan *plan = f->plan;
    const spl__form *form = spl__form_of(plan);
    int64_t wanted = wanted_room(f);
    spl_status status = spl__queue_alloc(&plan->problem.queue, wanted, COLUMN_BYTES, &f->stash);
    if (status == SPL_OK)
        status = spl__queue_alloc(&plan->problem.queue, form->a.rows, sizeof(int64_t), &f->starts);
    if (status == SPL_OK)
        f->room = wanted;
    else
        spl__queue_free(&plan->problem.queue, &f->stash);
    return status == SPL_OVER_BUDGET || status == SPL_OUT_OF_MEMORY ? SPL_OK : status;
}

/* Terms (products and entries of D) of all rows whose terms are sorted. */
static int64_t sorted_terms(const finding *f)
{
    int64_t terms = 0;
    for (int g = 0; g < f->shapes.count; g++)
        if (f->shapes.shape[g].kind == SPGEMM_SORT)
            terms += f->bins.work[g];
    return terms;
}

/* Allocates the kept positions of sorted rows' terms. They are optional: none are kept if memory
 * is short or may become short. */
static spl_status make_kept(finding *f)
{
    spl__queue *queue = &f->plan->problem.queue;
    spl__device_product *device_c = spl__device_product_of(f->plan);
    int64_t terms = sorted_terms(f);
    if (terms == 0 || f->bounded || device_c->form.kind->refuses[SPL__BY_ENTRIES] ||
        device_c->form.b.cols >= SPGEMM_MOST_KEYED_COLUMNS || spl__queue_has_budget(queue))
        return SPL_OK;
    spl_status status = spl__queue_alloc(queue, terms, 1, &device_c->kept_slots);
    if (status == SPL_OK)
        status =
            spl__queue_alloc(queue, device_c->form.a.rows, sizeof(int64_t), &device_c->kept_starts);
    if (status == SPL_OK)
        return spl__queue_fill(queue, device_c->kept_starts.data, 0xff,
                               device_c->kept_starts.bytes);
    spl__queue_free(queue, &device_c->kept_slots);
    return status == SPL_OUT_OF_MEMORY ? SPL_OK : status;
}

/* Computes the lengths of rows, then offsets and nnz(C). */
static spl_status count_columns(finding *f, struct notes *found)
{
    spl__queue *queue = &f->plan->problem.queue;
    spl__device_product *device_c = spl__device_product_of(f->plan);
    struct notes *notes = f->notes.data;
    SPL__TRY(spl__queue_fill(queue, notes, 0, sizeof *notes));
    struct spgemm_find args = arguments(f);
    args.counts = device_c->offsets.data;
    args.room = f->room;
    args.work = &notes->work;
    args.used = &notes->used;
    args.missed = &notes->missed;
    args.stash = f->stash.data;
    args.kept = (struct spgemm_kept){device_c->kept_slots.data, device_c->kept_starts.data};
    SPL__TRY(find_bins(f, &args));
    SPL__TRY(spl__queue_offsets(queue, SPL_I64, device_c->offsets.data, device_c->form.a.rows,
                                &notes->nnz));
    if (device_c->form.kind->count)
        SPL__TRY(device_c->form.kind->count(f->plan, &notes->expanded));
    f->plan->features.nnz_c = f->plan->features.bound_c; /* an estimate until the number arrives */
    SPL__TRY(spl__early_bins_begin(f->plan, &device_c->early, SPL__PHASE_numeric, &notes->groups));
    return spl__early_bins_fetch(f->plan, &device_c->early, found, notes,
                                 offsetof(struct notes, groups), &found->groups);
}

static spl_status settle(finding *f)
{
    const spl__device_product *device_c = spl__device_product_of(f->plan);
    struct spgemm_settle_args args = {.rows = device_c->form.a.rows,
                                      .starts = f->starts.data,
                                      .stash = f->stash.data,
                                      .offsets = device_c->offsets.data,
                                      .columns = device_c->columns.data};
    enum { COLUMNS_PER_THREAD = 4 }; /* of long rows */
    int64_t threads =
        spl__max_i64(args.rows * SPGEMM_ROW_LANES, device_c->form.nnz_c / COLUMNS_PER_THREAD);
    return spl__product_launch(f->plan, "spgemm_settle", threads, &args, sizeof args);
}

/* C is counted: its arrays, those of its factors, and what the search would have liked to have. */
static void expect_arrays(const finding *f)
{
    enum { SMALL = 8192 };
    spl_plan *plan = f->plan;
    const spl__form *form = spl__form_of(plan);
    const spl_sparse *a = &plan->problem.a.csr;
    double block = (double)(form->block * form->block), rows = (double)plan->problem.rows,
           found = (double)form->nnz_c,
           entries = fmax(found * block, (double)spl__device_product_of(plan)->nnz);
    bool keeps = plan->problem.options.keep_result || plan->problem.staged;
    double columns = COLUMN_BYTES * (found + (form->kind->expand ? entries : 0)),
           values = keeps ? entries * (double)spl__type_size(a->type) : 0,
           room = f->room ? 0 : COLUMN_BYTES * (double)wanted_room(f) + sizeof(int64_t) * rows,
           copy = plan->problem.staged && plan->problem.once /* of C, for the caller */
                      ? values + COLUMN_BYTES * entries + sizeof(int64_t) * rows
                      : 0;
    spl__plan_expect(plan, SMALL + copy,
                     columns + values + room + 2 * sizeof(int64_t) * rows + SMALL);
}

static spl_status write_columns(finding *f, const struct notes *found)
{
    spl__device_product *device_c = spl__device_product_of(f->plan);
    expect_arrays(f);
    SPL__TRY(spl__queue_alloc(&f->plan->problem.queue, device_c->form.nnz_c, COLUMN_BYTES,
                              &device_c->columns));
    if (device_c->form.nnz_c == 0)
        return SPL_OK;
    if (found->used > 0 || f->bounded)
        SPL__TRY(settle(f));
    struct spgemm_find args = arguments(f);
    args.offsets = device_c->offsets.data;
    args.columns = device_c->columns.data;
    return f->room > 0 && found->missed == 0 ? SPL_OK : find_bins(f, &args);
}

/* Whether one warp must sort the row: in registers. */
static bool is_sorted(const spl__row_shape *s)
{
    return s->kind == SPGEMM_SORT || s->kind == SPGEMM_SLOTS;
}

/* Widens the teams of bins that are not sorted and have few products. */
static void widen_teams(finding *f)
{
    enum { THREADS = 1024 };
    for (int g = 0; g < f->shapes.count; g++)
        if (!is_sorted(&f->shapes.shape[g]) && f->bins.first[g] < f->bins.first[g + 1])
            spl__widen_teams(f->plan, &f->bins, g, THREADS, &f->shapes.shape[g]);
}

static spl_status find_all(finding *f)
{
    spl__queue *queue = &f->plan->problem.queue;
    spl__device_product *device_c = spl__device_product_of(f->plan);
    struct notes found;
    SPL__TRY(
        spl__queue_alloc(queue, device_c->form.a.rows + 1, sizeof(int64_t), &device_c->offsets));
    SPL__TRY(spl__queue_alloc(queue, 1, sizeof found, &f->notes));
    SPL__TRY(spl__row_bins_make(f->plan, &f->shapes, window_bytes, false, &f->bins));
    widen_teams(f);
    SPL__TRY(f->bounded ? make_bounds(f) : make_room(f));
    SPL__TRY(make_kept(f));
    SPL__TRY(count_columns(f, &found));
    device_c->form.nnz_c = found.nnz;
    device_c->nnz = spl__form_entries_of_c(f->plan, found.expanded);
    if (!device_c->work.data)
        f->plan->features.products = (double)found.work - f->plan->features.nnz_d;
    SPL__TRY(spl__check_result_width(f->plan, device_c->nnz));
    return write_columns(f, &found);
}

typedef struct state {
    spl__row_shapes shapes;
    spl__row_bins bins; /* without their rows */
    unsigned joined;
    int64_t overflowed_first, overflowed_all;
} state;

/* The method's shapes, cut to the limits of the device. */
static spl__row_shapes shapes_for(const spl__task *task)
{
    const spl__find_method *method = task->parameters;
    const int64_t words = spl__form_of(task->plan)->b.cols / COLUMNS_OF_WORD + 1;
    spl__row_shapes shapes = method->shapes;
    for (int g = 0; g < shapes.count && method->as_wide_as_c; g++)
        shapes.shape[g].most = words * BITS_BYTES;
    spl__row_shapes_fit(&shapes, task->plan, team_bytes, NULL);
    return shapes;
}

spl_status spl__device_find_enqueue_early(const spl__task *task)
{
    spl__row_shapes shapes = shapes_for(task);
    return spl__row_bins_enqueue_early(task->plan, &shapes, window_bytes, false);
}

/* Whether threads may find columns in an order that differs between runs. */
static bool finds_unsorted(const spl__task *task)
{
    const spl__find_method *method = task->parameters;
    const spl_options *options = &task->plan->problem.options;
    return method->unsorted && options->unsorted && !options->deterministic &&
           !spl__form_refuses_entries(task);
}

static spl_status find(spl__step *step)
{
    const spl__find_method *method = step->task.parameters;
    spl_plan *plan = step->task.plan;
    spl__queue *queue = &plan->problem.queue;
    state *s = step->state;
    finding f = {.plan = plan,
                 .shapes = shapes_for(&step->task),
                 .attempt = method->attempts,
                 .bounded = method->bounded,
                 .block_bytes = spl__block_bytes(plan)};
    spl__device_product_of(plan)->unsorted = finds_unsorted(&step->task);
    spl__device_product_of(plan)->bounded = f.bounded;
    spl_status status = find_all(&f);
    if (status != SPL_OK) { /* another method may be tried */
        spl__queue_free(queue, &spl__device_product_of(plan)->offsets);
        spl__queue_free(queue, &spl__device_product_of(plan)->columns);
        spl__queue_free(queue, &spl__device_product_of(plan)->form.c_offsets);
        spl__device_kept_free(plan);
        spl__early_bins_free(plan, &spl__device_product_of(plan)->early);
    }
    spl__row_bins_free(plan, &f.bins);
    spl__queue_free(queue, &f.starts);
    spl__queue_free(queue, &f.stash);
    spl__queue_free(queue, &f.notes);
    spl__queue_free(queue, &f.overflowed);
    s->shapes = f.shapes;
    s->bins = f.bins;
    s->joined = f.launches.joined;
    s->overflowed_first = f.overflowed_first;
    s->overflowed_all = f.overflowed_all;
    return status;
}

spl_status spl__device_find_execute(spl__step *step, const spl__call *call)
{
    const spl__find_method *method = step->task.parameters;
    (void)call;
    if (method->compresses)
        SPL__TRY(spl__compress_b(step->task.plan));
    return find(step);
}

/* ---- what symbolic methods share ---- */

void spl__device_find_estimate(const spl__task *task, spl__estimate *e)
{
    const spl__find_method *method = task->parameters;
    const spl__features *f = &task->plan->features;
    const spl__gpu_machine *m = task->plan->gpu_machine;
    double lanes = task->plan->problem.queue.device->properties.lanes;
    spl__form_times times = spl__form_of(task->plan)->times;
    double rows = f->rows / times.rows, bound = f->bound_c / times.c,
           products = f->products / times.products,
           words = method->as_wide_as_c ? (double)spl__form_of(task->plan)->b.cols / COLUMNS_OF_WORD
                                        : 0,
           row = method->costs.row + m->spgemm_bitmap_words * words / lanes;
    spl__device_work work = {.streamed = 8 * f->nnz_a / times.a + 24 * rows + 4 * bound,
                             .gathered = 4 * products,
                             .reach = 4 * f->nnz_b / times.b,
                             .steps = method->costs.product * products / lanes + row * rows,
                             .launches = method->costs.launches};
    e->seconds = spl__device_seconds(task, &work);
    if (method->costs.hashes_long)
        e->seconds += m->spgemm_hash_column *
                      fmax(0, fmin(f->longest_products, f->cols) - m->spgemm_hash_long);
    e->bytes = 28 * rows + 4 * bound;
    if (method->compresses)
        e->bytes += (double)sizeof(struct spgemm_pair) * (double)spl__form_of(task->plan)->b.nnz;
}

spl_status spl__device_find_prepare(spl__step *step)
{
    return SPL__NEW_ZERO(&step->task.plan->account, (state **)&step->state, 1);
}

void spl__device_find_explain(const spl__step *step, spl__text *text)
{
    const state *s = step->state;
    spl__row_bins_explain(&s->shapes, &s->bins, s->joined, text);
    if (s->overflowed_first > 0)
        spl__text_add(text, "  %s rows outgrew their table, %s the largest\n",
                      spl__thousands(s->overflowed_first), spl__thousands(s->overflowed_all));
}
