/* SPDX-License-Identifier: Apache-2.0 */
/* each_offset.h: part of each_kernel.h: reads SELF for one type of values, of the name TYPE, once
 * per width of offsets; SPL__KERNEL_OFFSETS is 32 or 64 where the compiler is tried with one width
 * only. No guard. */
#if !defined(SPL__KERNEL_OFFSETS) || SPL__KERNEL_OFFSETS == 32
#define P   int32_t
#define TAG SPL__JOIN(TYPE, 32)
#include SELF
#undef P
#undef TAG
#endif
#if !defined(SPL__KERNEL_OFFSETS) || SPL__KERNEL_OFFSETS == 64
#define P   int64_t
#define TAG SPL__JOIN(TYPE, 64)
#include SELF
#undef P
#undef TAG
#endif
#undef T
#undef TYPE
