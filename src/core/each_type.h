/* SPDX-License-Identifier: Apache-2.0 */
/* each_type.h: reads the file SELF once per combination of types that kernels are built for.
 *
 * Inside SELF: T stored value, ACC accumulator, P offset, I column, FN(name) the name for this combination. A method file includes
 * itself: without T it is the table and includes this file, with T it is the template.
 * SPL__TABLE(f) is the list of all f's, indexed by spl__combination(type, offset_type, index_type). */
#define SPL__JOIN_(a, b) a##_##b
#define SPL__JOIN(a, b)  SPL__JOIN_(a, b)
#define FN(name)         SPL__JOIN(name, TAG)

#define ACC T

#define T float

#define P   int32_t
#define I   int32_t
#define TAG f32_32_32
#include SELF
#undef P
#undef TAG
#define P   int64_t
#define TAG f32_64_32
#include SELF
#undef I
#undef TAG
#define I   int64_t
#define TAG f32_64_64
#include SELF
#undef P
#undef I
#undef TAG

#undef T
#define T double

#define P   int32_t
#define I   int32_t
#define TAG f64_32_32
#include SELF
#undef P
#undef TAG
#define P   int64_t
#define TAG f64_64_32
#include SELF
#undef I
#undef TAG
#define I   int64_t
#define TAG f64_64_64
#include SELF
#undef P
#undef I
#undef TAG

#undef T
#undef ACC
#undef FN
#undef SELF
