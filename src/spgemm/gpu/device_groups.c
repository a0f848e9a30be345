/* SPDX-License-Identifier: Apache-2.0 */
/* device_groups.c: bins the rows of C by the kernel configuration that suits them. */
#include "core/checked.h"
#include "spgemm/gpu/device_product.h"

#include <math.h>

/* ---- shapes ---- */

int64_t spl__table_slots(int64_t columns, int64_t least)
{
    int64_t slots = least;
    while (slots < 2 * columns)
        slots *= 2;
    return slots;
}

int32_t spl__table_shift(int64_t slots)
{
    int32_t shift = 32;
    while (slots > 1) {
        slots /= 2;
        shift--;
    }
    return shift;
}

static int64_t block_bytes(const spl__row_shape *shape, int64_t team_bytes)
{
    return team_bytes * (shape->threads / shape->team);
}

int64_t spl__block_bytes(const spl_plan *plan)
{
    enum { OWN = 2048, ALIGNMENT = 8 }; /* OWN: more than kernels declare themselves */
    return ((int64_t)plan->problem.queue.device->properties.block_shared - OWN) / ALIGNMENT *
           ALIGNMENT;
}

bool spl__shape_has_bytes(const spl__row_shape *s)
{
    return s->kind == SPGEMM_WINDOW || s->kind == SPGEMM_LISTED || s->kind == SPGEMM_NESTED ||
           s->kind == SPGEMM_SPREAD;
}

void spl__row_shape_fit_block(spl__row_shape *shape, int64_t team_bytes, int64_t limit)
{
    while (shape->threads > shape->team && block_bytes(shape, team_bytes) > limit)
        shape->threads /= 2;
}

void spl__row_shapes_fit(spl__row_shapes *shapes, const spl_plan *plan, spl__team_bytes bytes_of,
                         const void *context)
{
    int64_t limit = spl__block_bytes(plan);
    for (int g = 0; g < shapes->count; g++) {
        spl__row_shape *s = &shapes->shape[g];
        if (spl__shape_has_bytes(s) && (s->most == 0 || s->most > limit))
            s->most = limit;
        spl__row_shape_fit_block(s, bytes_of(context, s), limit);
        while (g == shapes->count - 1 && s->most > 1 &&
               block_bytes(s, bytes_of(context, s)) > limit)
            s->most /= 2;
        if (block_bytes(s, bytes_of(context, s)) > limit)
            s->most = -1;
    }
}

/* ---- groups ---- */

/* Device arrays of the grouping. */
typedef struct grouping {
    uint8_t *group_of;
    uint32_t *list;
    struct spgemm_group_sums *sums; /* zero before */
} grouping;

/* Assigns rows to groups and lists the groups consecutively. */
static spl_status group_rows(spl_plan *plan, const spl__row_shapes *shapes, spl__window_bytes bytes,
                             bool known, const grouping *to)
{
    const struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    struct spgemm_structures structures = spl__device_structures(plan);
    struct spgemm_group_rows_args args = {.rows = structures.rows,
                                          .cols = structures.cols,
                                          .a_offsets = structures.a_offsets,
                                          .work = device_c->work.data,
                                          .offsets = known ? spl__device_offsets(plan) : NULL,
                                          .kept_starts = device_c->kept_starts.data,
                                          .windows = device_c->windows.data,
                                          .word_bytes = bytes.word,
                                          .entry_bytes = bytes.entry,
                                          .firsts = device_c->factors.a_distinct.firsts.data,
                                          .groups = shapes->count,
                                          .group_of = to->group_of,
                                          .sums = to->sums};
    struct spgemm_list_rows_args lists = {
        .rows = structures.rows, .group_of = to->group_of, .sums = to->sums, .list = to->list};
    for (int g = 0; g < shapes->count; g++) {
        const spl__row_shape *s = &shapes->shape[g];
        /* that takes the same rows */
        int32_t kind = s->kind == SPGEMM_LISTED ? SPGEMM_WINDOW : s->kind;
        args.group[g] = (struct spgemm_group){kind, s->rows, s->most, s->most_work, s->sparsest};
    }
    SPL__TRY(spl__product_launch(plan, "spgemm_group_rows", structures.rows, &args, sizeof args));
    return spl__product_launch(plan, "spgemm_list_rows", structures.rows, &lists, sizeof lists);
}

/* A group of few rows is merged into the next group that computes rows in the same way, because
 * a launch costs more than the gain. So are merged rows (identical rows) that one kernel
 * computes all at once (`at_once`). */
static void merge_groups(const spl__row_shapes *shapes, int64_t at_once, spl__device_groups *groups)
{
    enum { FEW = 8 };
    for (int g = 0, h; g < shapes->count - 1; g = h) {
        for (h = g + 1; h < shapes->count - 1 && groups->first[h] == groups->first[h + 1]; h++)
            ;
        int64_t rows = groups->first[g + 1] - groups->first[g],
                next_rows = groups->first[h + 1] - groups->first[h];
        const spl__row_shape *from = &shapes->shape[g], *to = &shapes->shape[h];
        bool merges =
            from->kind == SPGEMM_NESTED && from->rows == to->rows && rows + next_rows <= at_once;
        if (from->kind != to->kind || from->team != to->team || from->most > to->most)
            continue;
        if (rows * FEW > next_rows && !merges)
            continue;
        for (int k = g + 1; k <= h; k++)
            groups->first[k] = groups->first[g];
        groups->longest[h] = spl__max_i64(groups->longest[h], groups->longest[g]);
        groups->work[h] += groups->work[g];
        groups->work[g] = 0;
    }
}

static void note_groups(const struct spgemm_group_sums *found, const spl__row_shapes *shapes,
                        spl__device_groups *groups)
{
    groups->first[0] = 0;
    for (int g = 0; g < SPGEMM_MOST_GROUPS; g++) {
        groups->first[g + 1] = groups->first[g] + (g < shapes->count ? found->rows[g] : 0);
        groups->longest[g] = (int64_t)found->longest[g];
        groups->work[g] = (int64_t)found->work[g];
        groups->row_of_b[g] =
            found->entries[g] > 0 ? (double)found->work[g] / (double)found->entries[g] : 0;
    }
}

/* Fills the groups once their sizes have arrived. If one group has all rows, the list is freed:
 * S3's shortcut. */
static void take_groups(spl_plan *plan, const spl__row_shapes *shapes,
                        const struct spgemm_group_sums *found, spl__device_groups *groups)
{
    enum { TEAMS_AT_ONCE = 12 }; /* of a multiprocessor */
    spl__queue *queue = &plan->problem.queue;
    int64_t rows = spl__product_of(plan)->device_c->factors.a.rows;
    note_groups(found, shapes, groups);
    for (int g = 0; g < shapes->count; g++)
        if (found->rows[g] == rows)
            spl__queue_free(queue, &groups->rows);
    merge_groups(shapes, (int64_t)queue->device->properties.units * TEAMS_AT_ONCE, groups);
}

static bool serves_short_rows(const struct spl__device_product *device_c, int kind, bool known)
{
    if (!known)
        return kind == SPGEMM_SORT;
    return kind == SPGEMM_SEARCH || (kind == SPGEMM_KEPT && device_c->kept_starts.data);
}

/* The one group that holds every row, judged by the maximal work of a row; -1: rows must be
 * inspected. */
static int common_group(const spl_plan *plan, const spl__row_shapes *shapes, bool known)
{
    const struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    if (device_c->work.data || device_c->most_work > SPGEMM_FEW_PRODUCTS)
        return -1;
    for (int g = 0; g < shapes->count; g++)
        if (serves_short_rows(device_c, shapes->shape[g].kind, known) &&
            shapes->shape[g].most >= device_c->most_work &&
            shapes->shape[g].most_work >= device_c->most_work)
            return g;
    return -1;
}

static bool same_shape(const spl__row_shape *a, const spl__row_shape *b)
{
    return a->kind == b->kind && a->team == b->team && a->threads == b->threads &&
           a->most == b->most && a->most_work == b->most_work && a->sparsest == b->sparsest &&
           a->rows == b->rows;
}

/* Whether the early groups are the requested ones. */
static bool are_enqueued(const spl__early_groups *early, const spl__row_shapes *shapes,
                         spl__window_bytes bytes, bool known)
{
    bool same = early->shapes.count == shapes->count && early->known == known &&
                early->bytes.word == bytes.word && early->bytes.entry == bytes.entry;
    for (int g = 0; g < shapes->count && same; g++)
        same = same_shape(&early->shapes.shape[g], &shapes->shape[g]);
    return same;
}

static void put_all_in(const spl_plan *plan, int g, spl__device_groups *groups)
{
    const struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    for (int k = 0; k <= SPGEMM_MOST_GROUPS; k++)
        groups->first[k] = k > g ? device_c->factors.a.rows : 0;
    groups->longest[g] = device_c->most_work;
    groups->work[g] = device_c->most_work * device_c->factors.a.rows;
    groups->row_of_b[g] = device_c->factors.b.rows > 0
                              ? (double)device_c->factors.b.nnz / (double)device_c->factors.b.rows
                              : 0;
}

/* Groups rows now, since there are no early groups. */
static spl_status group_now(spl_plan *plan, const spl__row_shapes *shapes, spl__window_bytes bytes,
                            bool known, spl__device_groups *groups)
{
    spl__queue *queue = &plan->problem.queue;
    int64_t rows = spl__product_of(plan)->device_c->factors.a.rows;
    struct spgemm_group_sums found;
    spl__device_array group_of, sums = {NULL, 0};
    spl_status status = spl__queue_alloc(queue, rows, 1, &group_of);
    if (status == SPL_OK)
        status = spl__queue_alloc(queue, 1, sizeof found, &sums);
    if (status == SPL_OK)
        status = spl__queue_alloc(queue, rows, sizeof(uint32_t), &groups->rows);
    if (status == SPL_OK)
        status = spl__queue_fill(queue, sums.data, 0, sums.bytes);
    if (status == SPL_OK)
        status = group_rows(plan, shapes, bytes, known,
                            &(grouping){group_of.data, groups->rows.data, sums.data});
    if (status == SPL_OK)
        status = spl__queue_fetch(queue, &found, sums.data, sizeof found);
    if (status == SPL_OK)
        take_groups(plan, shapes, &found, groups);
    spl__queue_free(queue, &group_of);
    spl__queue_free(queue, &sums);
    return status;
}

spl_status spl__device_groups_make(spl_plan *plan, const spl__row_shapes *shapes,
                                   spl__window_bytes bytes, bool known, spl__device_groups *groups)
{
    struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    if (device_c->factors.a.rows == 0)
        return SPL_OK;
    int common = common_group(plan, shapes, known);
    if (common >= 0) {
        put_all_in(plan, common, groups);
        return SPL_OK;
    }
    SPL__TRY(spl__device_count_work(plan));
    if (are_enqueued(&device_c->early, shapes, bytes, known)) {
        groups->rows = device_c->early.rows;
        device_c->early.rows = (spl__device_array){NULL, 0};
        take_groups(plan, shapes, &device_c->early.found, groups);
        device_c->early.shapes.count = 0;
        return SPL_OK;
    }
    spl__device_early_groups_free(plan);
    return group_now(plan, shapes, bytes, known, groups);
}

/* ---- early groups ---- */

spl_status spl__device_early_groups_begin(spl_plan *plan, spl__phase phase,
                                          struct spgemm_group_sums *sums)
{
    spl__row_set all = spl__all_rows(plan);
    spl__device_early_groups_free(plan);
    spl__product_of(plan)->device_c->early.sums = sums;
    return spl__plan_enqueue_early(plan, phase, &all);
}

spl_status spl__device_groups_enqueue_early(spl_plan *plan, const spl__row_shapes *shapes,
                                            spl__window_bytes bytes, bool known)
{
    spl__queue *queue = &plan->problem.queue;
    struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    spl__early_groups *early = &device_c->early;
    if (device_c->factors.a.rows == 0 || !device_c->work.data ||
        common_group(plan, shapes, known) >= 0)
        return SPL_OK;
    spl_status status = spl__queue_alloc(queue, device_c->factors.a.rows, 1, &early->group_of);
    if (status == SPL_OK)
        status = spl__queue_alloc(queue, device_c->factors.a.rows, sizeof(uint32_t), &early->rows);
    if (status == SPL_OVER_BUDGET || status == SPL_OUT_OF_MEMORY) {
        spl__device_early_groups_free(plan);
        return SPL_OK;
    }
    SPL__TRY(status);
    early->shapes = *shapes;
    early->bytes = bytes;
    early->known = known;
    return group_rows(plan, shapes, bytes, known,
                      &(grouping){early->group_of.data, early->rows.data, early->sums});
}

spl_status spl__device_early_groups_fetch(spl_plan *plan, void *to, const void *from, size_t bytes,
                                          const struct spgemm_group_sums *sums)
{
    spl__queue *queue = &plan->problem.queue;
    spl__early_groups *early = &spl__product_of(plan)->device_c->early;
    bool coming = early->shapes.count > 0;
    SPL__TRY(spl__queue_fetch(queue, to, from, bytes + (coming ? sizeof *sums : 0)));
    if (coming)
        early->found = *sums;
    spl__queue_free(queue, &early->group_of);
    return SPL_OK;
}

void spl__device_early_groups_free(spl_plan *plan)
{
    spl__early_groups *early = &spl__product_of(plan)->device_c->early;
    spl__queue_free(&plan->problem.queue, &early->group_of);
    spl__queue_free(&plan->problem.queue, &early->rows);
    early->shapes.count = 0;
}

const uint32_t *spl__device_group_list(const spl__device_groups *groups, int g)
{
    const uint32_t *rows = groups->rows.data;
    return rows ? rows + groups->first[g] : NULL;
}

void spl__device_groups_explain(const spl__row_shapes *shapes, const spl__device_groups *groups,
                                unsigned joined, spl__text *text)
{
    static const char *const ways[SPGEMM_KINDS] = {[SPGEMM_SORT] = "sorted",
                                                   [SPGEMM_KEPT] = "at kept places",
                                                   [SPGEMM_SEARCH] = "searched",
                                                   [SPGEMM_WINDOW] = "in windows",
                                                   [SPGEMM_NESTED] = "in nested windows",
                                                   [SPGEMM_SPREAD] = "spread",
                                                   [SPGEMM_HASH] = "hashed",
                                                   [SPGEMM_CHAIN] = "in chains",
                                                   [SPGEMM_CHUNK] = "in chunks",
                                                   [SPGEMM_LISTED] = "in windows"};
    const char *before = "  ";
    int listed = 0;
    for (int g = 0; g < shapes->count; g++) {
        listed += joined >> g & 1;
        int64_t rows = groups->first[g + 1] - groups->first[g];
        if (rows == 0)
            continue;
        spl__text_add(text, "%s%s rows %s by %d threads", before, spl__thousands(rows),
                      ways[shapes->shape[g].kind], shapes->shape[g].team);
        before = ", ";
    }
    if (listed > 0)
        spl__text_add(text, "; %d of these groups together", listed);
    spl__text_add(text, "\n");
}

/* Whether `launch` is called for the group: of joined groups only for the last one. */
static bool is_launched(const spl__device_groups *groups, unsigned joined, int g)
{
    return groups->first[g] < groups->first[g + 1] && (!(joined >> g & 1) || joined >> g == 1);
}

spl_status spl__device_groups_each(spl_plan *plan, const spl__device_groups *groups,
                                   unsigned joined, spl__group_fn launch, void *context)
{
    spl__queue *queue = &plan->problem.queue;
    int launches = 0;
    for (int g = 0; g < SPGEMM_MOST_GROUPS; g++)
        launches += is_launched(groups, joined, g);
    bool branches = launches > 1;
    spl_status status = branches ? spl__queue_split(queue) : SPL_OK;
    for (int g = SPGEMM_MOST_GROUPS - 1, branch = 0; g >= 0 && status == SPL_OK; g--) {
        if (!is_launched(groups, joined, g))
            continue;
        if (branches)
            status = spl__queue_branch(queue, branch++);
        if (status == SPL_OK)
            status = launch(context, g);
    }
    spl_status joining = branches ? spl__queue_join(queue) : SPL_OK;
    return status == SPL_OK ? joining : status;
}

int32_t spl__part_width(double row_of_b, int32_t least, int32_t most)
{
    int32_t width = least;
    while (width < most && width < row_of_b)
        width *= 2;
    return width;
}

/* Sum of the products of all groups. */
static double all_work(const spl__device_groups *groups)
{
    double work = 0;
    for (int g = 0; g < SPGEMM_MOST_GROUPS; g++)
        work += (double)groups->work[g];
    return work;
}

void spl__widen_teams(const spl_plan *plan, const spl__device_groups *groups, int g,
                      int32_t threads, spl__row_shape *shape)
{
    enum { LEAST_PRODUCTS = 4, THREADS_OF_ALL = 2048 }; /* of a thread; of a multiprocessor */
    const double units = plan->problem.queue.device->properties.units;
    const double rows = (double)(groups->first[g + 1] - groups->first[g]);
    /* of a long row */
    const double work = fmax((double)groups->work[g] / rows, (double)groups->longest[g]);
    const double share = fmax(LEAST_PRODUCTS, all_work(groups) / (units * THREADS_OF_ALL));
    while (2 * shape->team <= SPGEMM_MOST_THREADS && 2 * shape->team * rows <= units * threads &&
           work > 2 * shape->team * share)
        shape->team *= 2;
    if (shape->team > SPGEMM_WARP || shape->threads < shape->team) /* such teams are blocks */
        shape->threads = shape->team;
}

bool spl__walks_singly(const spl__device_groups *groups, int g)
{
    enum { LEAST_PRODUCTS = 16 };
    const double most = 1.5;
    int64_t rows = groups->first[g + 1] - groups->first[g];
    return groups->row_of_b[g] <= most && groups->work[g] >= LEAST_PRODUCTS * rows;
}

int32_t spl__long_row(const spl_plan *plan, int32_t team, int32_t width)
{
    enum { ROUNDS = 8 };
    const struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    double longest =
        plan->problem.staged ? INT32_MAX : plan->problem.b.survey.longest / device_c->factors.block;
    return width < team && longest > ROUNDS * width ? ROUNDS * width : INT32_MAX;
}

void spl__device_groups_free(spl_plan *plan, spl__device_groups *groups)
{
    spl__queue_free(&plan->problem.queue, &groups->rows);
}
