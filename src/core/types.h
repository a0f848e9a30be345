/* SPDX-License-Identifier: Apache-2.0 */
/* types.h: the run-time types of arrays, and slow but general access to their elements. */
#ifndef SPL_CORE_TYPES_H
#define SPL_CORE_TYPES_H

#include "core/error.h"

static inline size_t spl__type_size(spl_type type)
{
    return type == SPL_F32 ? sizeof(float) : sizeof(double);
}
static inline size_t spl__index_size(spl_index type)
{
    return type == SPL_I32 ? sizeof(int32_t) : sizeof(int64_t);
}
static inline int64_t spl__index_max(spl_index type)
{
    return type == SPL_I32 ? INT32_MAX : INT64_MAX;
}
static inline const char *spl__type_name(spl_type type)
{
    return type == SPL_F32 ? "f32" : "f64";
}
static inline const char *spl__index_name(spl_index type)
{
    return type == SPL_I32 ? "32" : "64";
}

/* Element i of an array whose type is known at run time. For loops that are not hot, and for the executable specification. */
static inline int64_t spl__index_at(const void *array, spl_index type, int64_t i)
{
    return type == SPL_I32 ? ((const int32_t *)array)[i] : ((const int64_t *)array)[i];
}
static inline void spl__index_set(void *array, spl_index type, int64_t i, int64_t value)
{
    if (type == SPL_I32)
        ((int32_t *)array)[i] = (int32_t)value;
    else
        ((int64_t *)array)[i] = value;
}
static inline double spl__value_at(const void *array, spl_type type, int64_t i)
{
    return type == SPL_F32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}
static inline void spl__value_set(void *array, spl_type type, int64_t i, double value)
{
    if (type == SPL_F32)
        ((float *)array)[i] = (float)value;
    else
        ((double *)array)[i] = value;
}

/* The scalar a pointer stands for: `otherwise` if NULL. */
static inline double spl__scalar(const void *pointer, spl_type type, double otherwise)
{
    return pointer ? spl__value_at(pointer, type, 0) : otherwise;
}

#endif
