/* SPDX-License-Identifier: Apache-2.0 */
/* each_offset.h: part of each_kernel.h: reads SELF for one type of values, of the name TYPE, once
 * per width of offsets. No guard. */
#define P   int32_t
#define TAG SPL__JOIN(TYPE, 32)
#include SELF
#undef P
#undef TAG
#define P   int64_t
#define TAG SPL__JOIN(TYPE, 64)
#include SELF
#undef P
#undef TAG
#undef T
#undef TYPE
