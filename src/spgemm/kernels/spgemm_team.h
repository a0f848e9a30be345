/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_team.h: teams of threads that share a row of C.
 *
 * A team is a part of a warp, or a whole block. Its threads form parts of a few lanes. Parts
 * take entries of A in turn, and the lanes of a part walk the corresponding row of B: a part
 * should have about as many lanes as that row has entries. */
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_TEAM_H
#define SPL_SPGEMM_KERNELS_SPGEMM_TEAM_H

#include "device/dialect.h"
#include "spgemm/kernels/spgemm_structures.h"

typedef struct spgemm_team {
    /* number of threads; index of this thread in the team; index of the team in the block */
    int size, rank, number;
    int width, lane, part, parts;
    int32_t long_row;    /* longer rows of B are left to the whole team */
    int base;            /* the part's first lane in its warp */
    lane_mask mask;      /* of the part */
    lane_mask team_mask; /* the lanes of the team, if it is within a warp */
} spgemm_team;

DEVICE spgemm_team spgemm_team_of(int size, int width)
{
    spgemm_team t;
    t.long_row = INT32_MAX;
    t.size = size;
    t.rank = THREAD % size;
    t.number = THREAD / size;
    t.width = width;
    t.lane = t.rank % width;
    t.part = t.rank / width;
    t.parts = size / width;
    t.base = LANE - t.lane;
    t.mask = GROUP_MASK(width);
    t.team_mask = GROUP_MASK(size < SPGEMM_WARP ? size : SPGEMM_WARP);
    return t;
}

/* Synchronises the team. A team wider than the widest part is a block. */
DEVICE void spgemm_team_sync(const spgemm_team *t)
{
    if (t->size > SPGEMM_WARP)
        SYNC();
    else
        SYNC_WARP(t->team_mask);
}

/* Row k of a list; NULL: all rows. */
DEVICE int64_t spgemm_row_at(const uint32_t *RESTRICT list, int64_t k)
{
    return list ? READ(&list[k]) : k;
}

/* The team's first row of a bin; the next one is teams_of rows further. */
DEVICE int64_t spgemm_first_of_team(const struct spgemm_teams *layout, const spgemm_team *t)
{
    return (BLOCK - layout->first_block) * (THREADS / t->size) + t->number;
}

DEVICE int64_t spgemm_teams_of(const struct spgemm_teams *layout, const spgemm_team *t)
{
    return layout->blocks * (THREADS / t->size);
}

/* The team as one part of maximal width, to find long rows of B: each warp of the team looks at
 * all entries of A. */
DEVICE spgemm_team spgemm_widest_part(const spgemm_team *t)
{
    spgemm_team wide = *t;
    wide.width = t->size < SPGEMM_WARP ? t->size : SPGEMM_WARP;
    wide.lane =
        t->rank &
        (wide.width -
         1); /* sizes are powers of two: a division per row would cost more than the search */
    wide.part = t->size > SPGEMM_WARP ? t->rank / SPGEMM_WARP : 0;
    wide.parts = 1;
    wide.base = LANE - wide.lane;
    wide.mask = t->team_mask;
    return wide;
}

/* The number of rows of B that a part walks at once, so that their loads overlap; and the length of
 * rows of B that all warps of a team share. */
enum { SPGEMM_AT_ONCE = 4, SPGEMM_LONGEST_OF_WARP = 512 };

/* How the warps of a team share the long rows of B that they find.
 * IN_TURN: all warps look at the same entries of A and take their long rows in turn, so that each
 * warp has one under way.
 * The others serve long rows of A, in rounds of one entry per thread:
 * OWN: a warp looks at its own part of a round and walks what it finds there. The longest rows are
 * left to a second pass, which all warps share:
 * SCOUT: the warps look whether the round has any of those.
 * SHARED: the round has some: all warps look at all of it. */
enum { SPGEMM_IN_TURN, SPGEMM_OWN, SPGEMM_SCOUT, SPGEMM_SHARED };

#endif
