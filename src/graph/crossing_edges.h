/* SPDX-License-Identifier: Apache-2.0 */
/* crossing_edges.h: edges that a thread keeps for another one, in their order. */
#ifndef SPL_GRAPH_CROSSING_EDGES_H
#define SPL_GRAPH_CROSSING_EDGES_H

#include "core/memory.h"

#include <stdint.h>

typedef struct spl__crossing {
    int32_t from, to;
} spl__crossing;

typedef struct spl__crossing_block {
    struct spl__crossing_block *next;
    int64_t room, count;
    spl__crossing edges[];
} spl__crossing_block;

typedef struct spl__crossing_list {
    spl__crossing_block *first, *last;
} spl__crossing_list;

/* Makes room for so many more in list->last. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_CANCELLED. */
spl_status spl__crossing_reserve(spl__crossing_list *list, spl__account *account, int64_t more);
void spl__crossing_free(spl__crossing_list *list);

#endif
