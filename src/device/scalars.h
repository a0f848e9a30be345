/* SPDX-License-Identifier: Apache-2.0 */
/* scalars.h: alpha and beta as kernel arguments: numbers, or their addresses on the device. */
#ifndef SPL_DEVICE_SCALARS_H
#define SPL_DEVICE_SCALARS_H

#include <stdint.h>

typedef struct spl__device_scalar {
    double value;        /* also for f32, exactly */
    const void *address; /* NULL, or the device address of a T that is read instead */
    int64_t whole;       /* the value of integers */
} spl__device_scalar;

typedef struct spl__device_scalars {
    spl__device_scalar alpha, beta;
} spl__device_scalars;

/* In kernels. */
#define SCALAR(type, scalar)                                                                       \
    ((scalar).address ? *(const type *)(scalar).address : (type)(scalar).value)
/* Also of integers: with core/integer.h. */
#define SCALAR_OF_ANY(type, scalar)                                                                \
    ((scalar).address                                                                              \
         ? *(const type *)(scalar).address                                                         \
         : (type)SPL__BY_TYPE((type)0, (scalar).whole, (scalar).whole, (scalar).value))

#endif
