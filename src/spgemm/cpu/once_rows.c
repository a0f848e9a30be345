/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
#include "spgemm/cpu/once_rows.h"

#include "core/checked.h"
#include "core/threads/team.h"
#include "core/variant.h"
#include "machine/machine.h"
#include "matrix/matrix.h"
#include "spgemm/cpu/once_blocks.h"
#include "spgemm/cpu/rows/shifted_rows.h"
#include "spgemm/cpu/rows/sum_space.h"

#include <string.h>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#define SELF "spgemm/cpu/once_rows.c"
#include "core/each_type.h"

SPL__KERNELS(spgemm_once, spl__once_pass, pass, SPL__V4)

#ifndef SPL__VARIANT

spl__once_pass spl__once_pass_of(const spl_sparse *a)
{
    return kernel(spl__combination(a->type, a->offset_type, a->index_type));
}

#endif
#else

#include "spgemm/cpu/rows/sum_row.h"

/* Within a loop that mostly has few turns: keeps compilers from making registers of them, which are
 * longer prepared than the loop takes. */
#ifndef IN_TURN
#define IN_TURN(number) __asm__("" : "+r"(number))
#endif

#include "spgemm/cpu/rows/order_row.h"
#include "spgemm/cpu/rows/place_row.h"
#ifdef __AVX512VL__
#include "spgemm/cpu/rows/repeat_row.h"
#else
#include "spgemm/cpu/rows/forget_rows.h"
#endif
#include "spgemm/cpu/rows/flat_row.h"
#include "spgemm/cpu/rows/scan_row.h"
#include "spgemm/cpu/rows/single_entries.h"

#include "spgemm/cpu/rows/sample_columns.h" /* after scan_row.h */

#include "spgemm/cpu/once/once_copy.h"
#include "spgemm/cpu/once/once_cut.h"
#include "spgemm/cpu/once/once_long_row.h"
#include "spgemm/cpu/once/once_look.h"
#include "spgemm/cpu/once/once_place.h"

#include "spgemm/cpu/once/once_find.h"
#include "spgemm/cpu/once/once_order.h"

static void FN(pass)(spl__once_product *c, spl__once_stage next, spl__once_worker *w)
{
    if (next == SPL__ONCE_SAMPLE)
        FN(sample)(c);
    else if (next == SPL__ONCE_LOOK)
        FN(look)(c);
    else if (next == SPL__ONCE_COUNT)
        FN(count)(c, w);
    else if (next == SPL__ONCE_CUT)
        FN(cut)(c);
    else if (next == SPL__ONCE_FIND)
        FN(start_and_find)(c, w);
    else
        FN(order)(c, w);
}

#endif
