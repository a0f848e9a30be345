/* SPDX-License-Identifier: Apache-2.0 */
/* full_node.h: SpMV of nodes of NODE unknowns, in full blocks in place. A template inside a
 * template: T, I, P, FN come from core/each_type.h, the includer defines NODE and NODE_LANES, the
 * next power of two; both are undefined at the end. */
#include "spmv/cpu/node_blocks.h"

#define NODE_NAME(name)         NODE_NAME_(name, NODE)
#define NODE_NAME_(name, size)  NODE_NAME__(name, size)
#define NODE_NAME__(name, size) FN(name##_##size)

static void NODE_NAME(multiply)(const FN(operands) *o, int64_t begin, int64_t end)
{
    const P *offsets = o->a->offsets;
    for (int64_t node = begin; node < end; node++) {
        if (!o->s->full[node]) {
            FN(multiply_by_rows)(o, node);
            continue;
        }
        const P first = offsets[node * NODE], line = offsets[node * NODE + 1] - first;
        T sum[NODE], *y = o->x.y + node * NODE;
        NODE_NAME(sum_blocks)(&o->x, (const I *)o->s->columns + first / (NODE * NODE), line / NODE,
                              (const T *)o->a->values + first, line, NODE, sum);
        for (int l = 0; l < NODE; l++)
            y[l] = o->x.alpha * sum[l] + FN(scaled)(o->x.beta, &y[l]);
    }
}

#undef NODE
#undef NODE_LANES
#undef NODE_NAME
#undef NODE_NAME_
#undef NODE_NAME__
