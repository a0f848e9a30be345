/* SPDX-License-Identifier: Apache-2.0 */
/* each_columns.h: part of each_type_by_columns.h: reads SELF for one type of values, of the name
 * TYPE, once per width of columns. No guard. */
#define I   int32_t
#define TAG SPL__JOIN(TYPE, 32)
#include SELF
#undef I
#undef TAG
#define I   int64_t
#define TAG SPL__JOIN(TYPE, 64)
#include SELF
#undef I
#undef TAG
#undef T
#undef TYPE
