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
 * HALF is defined. Its list is SPL__TABLE_IN_HALVES(f), its method says SPL__HALVES.
 *
 * A template that defines IN_INTEGERS is read for i32 and i64, too, where INTEGER is defined. It
 * adds and multiplies with SPL__PLUS and SPL__TIMES (core/integer.h), which wrap. Its list is
 * SPL__TABLE_IN_INTEGERS(f), or SPL__TABLE_IN_ALL(f); its method says SPL__INTEGERS. */
#define EACH_WIDTH "core/each_width.h"
#include "core/each_value.h"
