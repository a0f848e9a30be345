/* SPDX-License-Identifier: Apache-2.0 */
/* each_value.h: part of each_type.h and device/each_kernel.h: the list of the types of values.
 * Reads EACH_WIDTH, a file that reads SELF for the widths of offsets and columns, once per type of
 * values, of the name TYPE. No guard. */
#define SPL__JOIN_(a, b) a##_##b
#define SPL__JOIN(a, b)  SPL__JOIN_(a, b)
#define FN(name)         SPL__JOIN(name, TAG)

#define ACC       T
#define WIDEN(x)  (x)
#define NARROW(x) (x)

#define T    float
#define TYPE f32
#include EACH_WIDTH

#ifndef NOT_IN_F64
#define T    double
#define TYPE f64
#include EACH_WIDTH
#else
#undef NOT_IN_F64
#endif

#undef ACC
#undef WIDEN
#undef NARROW

#ifdef IN_HALVES
#define HALF
#define ACC float

#define T      spl__f16
#define TYPE   f16
#define WIDEN  spl__f16_widen
#define NARROW spl__f16_narrow
#include EACH_WIDTH
#undef WIDEN
#undef NARROW

#define T      spl__bf16
#define TYPE   bf16
#define WIDEN  spl__bf16_widen
#define NARROW spl__bf16_narrow
#include EACH_WIDTH
#undef WIDEN
#undef NARROW

#undef ACC
#undef HALF
#undef IN_HALVES
#endif

#ifdef IN_INTEGERS
#define INTEGER
#define ACC       T
#define WIDEN(x)  (x)
#define NARROW(x) (x)

#define T    int32_t
#define TYPE i32
#include EACH_WIDTH

#define T    int64_t
#define TYPE i64
#include EACH_WIDTH

#undef ACC
#undef WIDEN
#undef NARROW
#undef INTEGER
#undef IN_INTEGERS
#endif

#undef FN
#undef SPL__JOIN
#undef SPL__JOIN_
#undef EACH_WIDTH
#undef SELF
