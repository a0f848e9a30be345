/* SPDX-License-Identifier: Apache-2.0 */
/* each_kernel.h: reads the kernel file SELF once per combination of types that device kernels
 * are built for: T float or double, P (offsets) 32 or 64 bits, I (columns) 32 bits: a device's
 * plan narrows 64-bit columns, and refuses matrices that have more than 2^31 of them. FN(name)
 * is the name for the combination: sum_rows_f64_32. A template that defines IN_HALVES is read
 * for values of 16 bits too, as in core/each_type.h: ACC is float there, WIDEN(x) and NARROW(x)
 * convert, HALF is defined. A template that defines NOT_IN_F64 is not read for double. */
#define SPL__JOIN_(a, b) a##_##b
#define SPL__JOIN(a, b)  SPL__JOIN_(a, b)
#define FN(name)         SPL__JOIN(name, TAG)

#define I         int32_t
#define ACC       T
#define WIDEN(x)  (x)
#define NARROW(x) (x)

#define T    float
#define TYPE f32
#include "device/each_offset.h"

#ifndef NOT_IN_F64
#define T    double
#define TYPE f64
#include "device/each_offset.h"
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
#include "device/each_offset.h"
#undef WIDEN
#undef NARROW

#define T      spl__bf16
#define TYPE   bf16
#define WIDEN  spl__bf16_widen
#define NARROW spl__bf16_narrow
#include "device/each_offset.h"
#undef WIDEN
#undef NARROW

#undef ACC
#undef HALF
#undef IN_HALVES
#endif

#undef I
#undef FN
#undef SPL__JOIN
#undef SPL__JOIN_
#undef SELF
