/* SPDX-License-Identifier: Apache-2.0 */
/* each_width.h: part of each_type.h: reads SELF for one type of values, of the name TYPE, once per
 * widths of offsets and columns. No guard. */
#define P   int32_t
#define I   int32_t
#define TAG SPL__JOIN(TYPE, 32_32)
#include SELF
#undef P
#undef TAG
#define P   int64_t
#define TAG SPL__JOIN(TYPE, 64_32)
#include SELF
#undef I
#undef TAG
#define I   int64_t
#define TAG SPL__JOIN(TYPE, 64_64)
#include SELF
#undef P
#undef I
#undef TAG
#undef T
#undef TYPE
