/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPL_GRAPH_SHORT_ROWS_H
#define SPL_GRAPH_SHORT_ROWS_H

#include "core/watch.h"
#include "sparloom/sparloom.h"

#include <stdbool.h>

/* *triangles = their number, in a pattern that spl__pattern_read has accepted. !*counted: its rows
 * are not short, it is directed, not in order or not valid: nothing is known then. SPL_CANCELLED.
 */
spl_status spl__count_in_short_rows(spl__account *account, int threads, const spl_sparse *edges,
                                    bool *counted, int64_t *triangles);

#endif
