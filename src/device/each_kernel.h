/* SPDX-License-Identifier: Apache-2.0 */
/* each_kernel.h: reads the kernel file SELF once per combination of types that device kernels
 * are built for: T float or double, P (offsets) 32 or 64 bits, I (columns) 32 bits: a device's
 * plan narrows 64-bit columns, and refuses matrices that have more than 2^31 of them. FN(name)
 * is the name for the combination: sum_rows_f64_32. A template that defines IN_HALVES is read
 * for values of 16 bits too, as in core/each_type.h: ACC is float there, WIDEN(x) and NARROW(x)
 * convert, HALF is defined. A template that defines NOT_IN_F64 is not read for double. */
#define I          int32_t
#define EACH_WIDTH "device/each_offset.h"
#include "core/each_value.h"
#undef I
