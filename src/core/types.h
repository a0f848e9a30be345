/* SPDX-License-Identifier: Apache-2.0 */
/* types.h: the run-time types of arrays, and slow but general access to their elements. */
#ifndef SPL_CORE_TYPES_H
#define SPL_CORE_TYPES_H

#include "core/error.h"
#include "core/half.h"

#include <stdbool.h>

/* Whether the type is supported; the others are reserved or invalid. */
static inline bool spl__type_is_built(spl_type type)
{
    return (type >= SPL_F32 && type <= SPL_BF16) || type == SPL_INT32 || type == SPL_INT64;
}
static inline bool spl__type_is_integer(spl_type type)
{
    return type == SPL_INT32 || type == SPL_INT64;
}
/* f32 and f64, which methods serve that do not say more. */
static inline bool spl__type_is_usual(spl_type type)
{
    return type == SPL_F32 || type == SPL_F64;
}
/* 16-bit types are for storage only: sums and scalars are f32. */
static inline bool spl__type_is_half(spl_type type)
{
    return type == SPL_F16 || type == SPL_BF16;
}
/* The type of sums, of alpha and of beta, for arrays of `type`. */
static inline spl_type spl__type_of_sums(spl_type type)
{
    return spl__type_is_half(type) ? SPL_F32 : type;
}
static inline size_t spl__type_size(spl_type type)
{
    return spl__type_is_half(type)                ? sizeof(uint16_t)
           : type == SPL_F32 || type == SPL_INT32 ? sizeof(float)
                                                  : sizeof(double);
}
static inline size_t spl__index_size(spl_index type)
{
    return type == SPL_I32 ? sizeof(int32_t) : sizeof(int64_t);
}
static inline int64_t spl__integer_max(spl_type type)
{
    return type == SPL_INT32 ? INT32_MAX : INT64_MAX;
}
static inline int64_t spl__index_max(spl_index type)
{
    return type == SPL_I32 ? INT32_MAX : INT64_MAX;
}
static inline const char *spl__type_name(spl_type type)
{
    switch (type) {
    case SPL_F16:
        return "f16";
    case SPL_BF16:
        return "bf16";
    case SPL_F32:
        return "f32";
    case SPL_INT32:
        return "i32";
    case SPL_INT64:
        return "i64";
    default:
        return "f64";
    }
}
static inline const char *spl__index_name(spl_index type)
{
    return type == SPL_I32 ? "32" : "64";
}

/* Element i of an array whose type is known at run time. For loops that are not hot, and for the
 * executable specification. */
static inline int64_t spl__index_at(const void *array, spl_index type, int64_t i)
{
    return type == SPL_I32 ? ((const int32_t *)array)[i] : ((const int64_t *)array)[i];
}
static inline int64_t spl__offset_at(const spl_sparse *m, int64_t i)
{
    return spl__index_at(m->offsets, m->offset_type, i);
}
static inline int64_t spl__entry_index(const spl_sparse *m, int64_t p)
{
    return spl__index_at(m->indices, m->index_type, p);
}
static inline void spl__index_set(void *array, spl_index type, int64_t i, int64_t value)
{
    if (type == SPL_I32)
        ((int32_t *)array)[i] = (int32_t)value;
    else
        ((int64_t *)array)[i] = value;
}
/* An element of an array of integers. */
static inline int64_t spl__integer_at(const void *array, spl_type type, int64_t i)
{
    return type == SPL_INT32 ? ((const int32_t *)array)[i] : ((const int64_t *)array)[i];
}
/* Modulo 2^32 in i32. */
static inline void spl__integer_set(void *array, spl_type type, int64_t i, int64_t value)
{
    if (type == SPL_INT32)
        ((int32_t *)array)[i] = (int32_t)(uint32_t)value;
    else
        ((int64_t *)array)[i] = value;
}
static inline int64_t spl__integer_min(spl_type type)
{
    return -spl__integer_max(type) - 1;
}
/* The value, or the limit of the type beyond it. */
static inline int64_t spl__integer_within(spl_type type, int64_t value)
{
    const int64_t largest = spl__integer_max(type);
    return value > largest ? largest : value < -largest - 1 ? -largest - 1 : value;
}
/* The nearest integer of the type, or its limit; 0 for NaN. */
static inline int64_t spl__integer_of(spl_type type, double value)
{
    const double limit = type == SPL_INT32 ? 0x1p31 : 0x1p63;
    if (value != value)
        return 0;
    value = __builtin_rint(value);
    if (value >= limit)
        return spl__integer_max(type);
    return value < -limit ? -spl__integer_max(type) - 1 : (int64_t)value;
}
/* The nearest double: i64 beyond 2^53 is rounded. */
static inline double spl__value_at(const void *array, spl_type type, int64_t i)
{
    switch (type) {
    case SPL_F16:
        return spl__f16_widen(((const spl__f16 *)array)[i]);
    case SPL_BF16:
        return spl__bf16_widen(((const spl__bf16 *)array)[i]);
    case SPL_F32:
        return ((const float *)array)[i];
    case SPL_INT32:
        return ((const int32_t *)array)[i];
    case SPL_INT64:
        return (double)((const int64_t *)array)[i];
    default:
        return ((const double *)array)[i];
    }
}
/* Whether elements i of two arrays are the same number. */
static inline bool spl__values_equal(const void *a, const void *b, spl_type type, int64_t i)
{
    return spl__type_is_integer(type) ? spl__integer_at(a, type, i) == spl__integer_at(b, type, i)
                                      : spl__value_at(a, type, i) == spl__value_at(b, type, i);
}
/* Rounds to nearest, once; of integers see spl__integer_of. */
static inline void spl__value_set(void *array, spl_type type, int64_t i, double value)
{
    switch (type) {
    case SPL_F16:
        ((spl__f16 *)array)[i] = spl__f16_narrow(spl__f32_to_odd(value));
        break;
    case SPL_BF16:
        ((spl__bf16 *)array)[i] = spl__bf16_narrow(spl__f32_to_odd(value));
        break;
    case SPL_F32:
        ((float *)array)[i] = (float)value;
        break;
    case SPL_INT32:
    case SPL_INT64:
        spl__integer_set(array, type, i, spl__integer_of(type, value));
        break;
    default:
        ((double *)array)[i] = value;
    }
}

/* The scalar that a pointer stands for in an operation on arrays of `type`: `otherwise` if NULL. */
static inline double spl__scalar(const void *pointer, spl_type type, double otherwise)
{
    return pointer ? spl__value_at(pointer, spl__type_of_sums(type), 0) : otherwise;
}

#endif
