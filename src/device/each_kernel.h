/* SPDX-License-Identifier: Apache-2.0 */
/* each_kernel.h: reads the kernel file SELF once per combination of types that device kernels are built for: T float or double, P (offsets)
 * 32 or 64 bits, I (columns) 32 bits: a device's plan narrows 64-bit columns, and refuses matrices that have more than 2^31 of them.
 * FN(name) is the name for the combination: sum_rows_f64_32. */
#define SPL__JOIN_(a, b) a##_##b
#define SPL__JOIN(a, b)  SPL__JOIN_(a, b)
#define FN(name)         SPL__JOIN(name, TAG)

#define I   int32_t
#define ACC T

#define T   float
#define P   int32_t
#define TAG f32_32
#include SELF
#undef P
#undef TAG
#define P   int64_t
#define TAG f32_64
#include SELF
#undef P
#undef TAG
#undef T

#define T   double
#define P   int32_t
#define TAG f64_32
#include SELF
#undef P
#undef TAG
#define P   int64_t
#define TAG f64_64
#include SELF
#undef P
#undef TAG
#undef T

#undef I
#undef ACC
#undef FN
#undef SPL__JOIN
#undef SPL__JOIN_
#undef SELF
