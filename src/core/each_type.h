/* SPDX-License-Identifier: Apache-2.0 */
/* each_type.h: reads the file SELF once per combination of types that kernels are built for.
 *
 * Inside SELF: T stored value, ACC accumulator (also of alpha and beta), P offset, I column,
 * FN(name) the name for this combination. A method file includes itself: without T it is the table
 * and includes this file, with T it is the template. SPL__TABLE(f) is the list of all f's, indexed
 * by spl__combination(type, offset_type, index_type).
 *
 * A template that defines IN_HALVES is read for 16-bit floats, too (core/half.h), where ACC is
 * float: it reads values as WIDEN(x) and stores NARROW(sum), which do nothing where T is ACC;
 * HALF is defined. Its list is SPL__TABLE_IN_HALVES(f), its method says SPL__HALVES. */
#define SPL__JOIN_(a, b) a##_##b
#define SPL__JOIN(a, b)  SPL__JOIN_(a, b)
#define FN(name)         SPL__JOIN(name, TAG)

#define ACC       T
#define WIDEN(x)  (x)
#define NARROW(x) (x)

#define T    float
#define TYPE f32
#include "core/each_width.h"

#define T    double
#define TYPE f64
#include "core/each_width.h"

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
#include "core/each_width.h"
#undef WIDEN
#undef NARROW

#define T      spl__bf16
#define TYPE   bf16
#define WIDEN  spl__bf16_widen
#define NARROW spl__bf16_narrow
#include "core/each_width.h"
#undef WIDEN
#undef NARROW

#undef ACC
#undef HALF
#undef IN_HALVES
#endif

#undef FN
#undef SELF
