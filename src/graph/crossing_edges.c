/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/crossing_edges.h"

#include "core/checked.h"

spl_status spl__crossing_reserve(spl__crossing_list *list, spl__account *account, int64_t more)
{
    enum { LEAST = 4096 };
    spl__crossing_block *last = list->last, *block;
    if (last && last->room - last->count >= more)
        return SPL_OK;
    const int64_t room = spl__max_i64(more, LEAST);
    SPL__TRY(spl__alloc(account, 1, sizeof *block + (size_t)room * sizeof *block->edges,
                        (void **)&block));
    *block = (spl__crossing_block){NULL, room, 0};
    if (last)
        last->next = block;
    else
        list->first = block;
    list->last = block;
    return SPL_OK;
}

void spl__crossing_free(spl__crossing_list *list)
{
    for (spl__crossing_block *block = list->first; block;) {
        spl__crossing_block *const next = block->next;
        spl__free(block);
        block = next;
    }
    *list = (spl__crossing_list){NULL, NULL};
}
