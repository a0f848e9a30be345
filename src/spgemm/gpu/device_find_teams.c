/* SPDX-License-Identifier: Apache-2.0 */
/* device_find_teams.c: the symbolic phase on a device: the teams that find the rows of each bin,
 * their tables, and the launch of all bins. */
#include "spgemm/gpu/device_find_state.h"

#include "core/checked.h"
#include "spgemm/kernels/bins/spgemm_rows.k.h"

/* Keys and positions of a lane that sorts terms. */
enum { SORTED_BYTES = SPGEMM_RUN_KEYS * (SPL__FIND_COLUMN + 1) };

int64_t spl__find_team_bytes(const void *context, const spl__row_shape *s)
{
    (void)context;
    if (spl__shape_has_bytes(s))
        return s->most;
    if (s->kind == SPGEMM_SORT)
        return s->team * SORTED_BYTES;
    if (s->kind == SPGEMM_SUMMED)
        return SPGEMM_SUMMED_BYTES(sizeof(double));
    if (s->kind == SPGEMM_SLOTS)
        return spl__found_slots(s->most) * SPL__FIND_COLUMN;
    return s->kind == SPGEMM_HASH ? spl__table_slots(s->most, s->team) * SPL__FIND_SLOT : 0;
}

int64_t spl__finding_words(const spl__finding *f)
{
    return spl__device_product_of(f->plan)->form.b.cols / SPL__FIND_WORD_COLUMNS + 1;
}

bool spl__finding_attempts(const spl__finding *f, int g)
{
    return f->attempt && g == f->shapes.count - 1;
}

/* Words of the bin's window; 0 for hashed and sorted bins. */
static int32_t words_of(const spl__finding *f, int g)
{
    return (int32_t)spl__min_i64(f->shapes.shape[g].most / SPL__FIND_WORD, spl__finding_words(f));
}

/* Shared memory for a listed window of the bin. */
static int64_t listed_bytes(const spl__finding *f, int g)
{
    enum { PART = 32 };
    return SPGEMM_LISTED_BYTES((int64_t)words_of(f, g), f->shapes.shape[g].team / PART,
                               f->bins.longest[g]);
}

static bool is_listed(const spl__finding *f, int g)
{
    return f->shapes.shape[g].kind == SPGEMM_LISTED && listed_bytes(f, g) <= f->block_bytes;
}

/* Whether the rows of the bin have tables of columns. */
static bool is_in_slots(const spl__row_shape *s)
{
    return s->kind == SPGEMM_SLOTS || s->kind == SPGEMM_SUMMED;
}

static bool is_summed(const spl__finding *f, int g)
{
    return f->sums && f->shapes.shape[g].kind == SPGEMM_SUMMED;
}

static const char *kernel_of(const spl__finding *f, int g)
{
    static const char *const names[SPGEMM_KINDS] = {
        [SPGEMM_SORT] = "spgemm_sort_find",     [SPGEMM_WINDOW] = "spgemm_window_find",
        [SPGEMM_LISTED] = "spgemm_window_find", [SPGEMM_HASH] = "spgemm_hash_find",
        [SPGEMM_SLOTS] = "spgemm_slots_find",   [SPGEMM_SUMMED] = "spgemm_slots_find"};
    if (is_summed(f, g))
        return "spgemm_summed_find";
    if (is_listed(f, g))
        return "spgemm_listed_find";
    return spl__finding_attempts(f, g) ? "spgemm_attempt_find" : names[f->shapes.shape[g].kind];
}

/* Slots of a team's table: enough for the longest row, unless overflow is allowed. */
static int64_t slots_of(const spl__finding *f, int g)
{
    const spl__row_shape *s = &f->shapes.shape[g];
    return is_in_slots(s)
               ? spl__found_slots(f->bins.longest[g])
               : spl__table_slots(spl__finding_attempts(f, g) ? s->most : f->bins.longest[g],
                                  s->team);
}

/* Shared memory of a team. */
static int64_t bytes_of_team(const spl__finding *f, int g, const struct spgemm_teams *layout)
{
    const spl__row_shape *s = &f->shapes.shape[g];
    if (is_summed(f, g)) /* its slots need less */
        return SPGEMM_SUMMED_BYTES((int64_t)spl__type_size(f->plan->problem.a.csr.type));
    if (s->kind == SPGEMM_HASH || is_in_slots(s))
        return layout->slots * (s->kind == SPGEMM_HASH ? SPL__FIND_SLOT : SPL__FIND_COLUMN);
    return s->kind == SPGEMM_SORT ? spl__find_team_bytes(NULL, s) : layout->words * SPL__FIND_WORD;
}

/* Each block clears a listed window once; so blocks get several rows where there are enough rows
 * for all blocks. */
static int64_t blocks_of(const spl__finding *f, int g, int64_t rows)
{
    enum { LISTED_ROWS = 4 };
    const spl__row_shape *s = &f->shapes.shape[g];
    int64_t units = f->plan->problem.queue.device->properties.units;
    int64_t listed = spl__min_i64(LISTED_ROWS, spl__max_i64(1, rows / units));
    int64_t each = is_listed(f, g) ? listed : s->threads / s->team;
    return (rows + each - 1) / each;
}

/* The layout of the teams that compute the bin's rows. */
static struct spgemm_teams teams_of(const spl__finding *f, int g)
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
                                 .kind = s->kind == SPGEMM_LISTED   ? SPGEMM_WINDOW
                                         : s->kind == SPGEMM_SUMMED ? SPGEMM_SLOTS
                                                                    : s->kind,
                                 .team = s->team,
                                 .width = width,
                                 .long_row = spl__long_row(f->plan, s->team, singly ? 1 : width),
                                 .singly = singly,
                                 .shift = spl__table_shift(slots),
                                 .slots = slots,
                                 .words = words_of(f, g),
                                 .most = f->bins.longest[g]};
}

/* Rows of several runs in slots take one warp long. Where they are few, all others wait for them:
 * then larger teams hash them, as long as the device holds all. */
static void widen_few(spl__finding *f, int g)
{
    enum { ONE_RUN = SPGEMM_RUN_KEYS * SPGEMM_WARP, TERMS = 4, MOST_TEAM = 256, THREADS = 1024 };
    spl__row_shape *s = &f->shapes.shape[g];
    const int64_t rows = f->bins.first[g + 1] - f->bins.first[g], longest = f->bins.longest[g],
                  threads = (int64_t)THREADS * f->plan->problem.queue.device->properties.units;
    int32_t team = s->team;
    if (s->kind != SPGEMM_SLOTS || longest <= ONE_RUN)
        return;
    while (team < MOST_TEAM && 2 * team * rows <= threads && longest > TERMS * team)
        team *= 2;
    if (team == s->team)
        return;
    s->kind = SPGEMM_HASH;
    s->team = s->threads = team;
}

static spl_status lay_out_bin(const spl__finding *f, int g, spl__team_launch *l)
{
    const spl__row_shape *s = &f->shapes.shape[g];
    l->layout = teams_of(f, g);
    l->teams = l->layout.list_count;
    l->team_bytes = bytes_of_team(f, g, &l->layout);
    l->layout.team_bytes = (int32_t)l->team_bytes;
    l->shared = is_listed(f, g) ? listed_bytes(f, g) : l->team_bytes * (s->threads / s->team);
    l->threads = s->threads;
    l->joins = !is_listed(f, g) && !is_summed(f, g) && !spl__finding_attempts(f, g);
    return spl__product_kernel(f->plan, kernel_of(f, g), &l->kernel);
}

spl_status spl__finding_lay_out(spl__finding *f)
{
    for (int g = 0; g < f->shapes.count; g++)
        if (f->bins.first[g] < f->bins.first[g + 1]) {
            widen_few(f, g);
            SPL__TRY(lay_out_bin(f, g, &f->launches.bin[g]));
        }
    return spl__team_launches_join(f->plan, &f->bins, "spgemm_several_find", &f->launches);
}
