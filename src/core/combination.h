/* SPDX-License-Identifier: Apache-2.0 */
/* combination.h: the combinations of types that each_type.h instantiates, as numbers. */
#ifndef SPL_CORE_COMBINATION_H
#define SPL_CORE_COMBINATION_H

#include "core/types.h"

enum { SPL__COMBINATIONS = 18 };

/* Initialiser of a table with one instance of `f` per combination; NULL for values of 16 bits and
 * for integers. */
#define SPL__TABLE(f)                                                                              \
    {                                                                                              \
        f##_f32_32_32, f##_f32_64_32, f##_f32_64_64, f##_f64_32_32, f##_f64_64_32, f##_f64_64_64   \
    }
/* The same for a template with IN_HALVES. */
#define SPL__TABLE_IN_HALVES(f)                                                                    \
    {                                                                                              \
        f##_f32_32_32, f##_f32_64_32, f##_f32_64_64, f##_f64_32_32, f##_f64_64_32, f##_f64_64_64,  \
            f##_f16_32_32, f##_f16_64_32, f##_f16_64_64, f##_bf16_32_32, f##_bf16_64_32,           \
            f##_bf16_64_64                                                                         \
    }

/* The same for a template with IN_INTEGERS, and for one with both. */
#define SPL__TABLE_IN_INTEGERS(f)                                                                  \
    {                                                                                              \
        f##_f32_32_32, f##_f32_64_32, f##_f32_64_64, f##_f64_32_32, f##_f64_64_32,                 \
            f##_f64_64_64, [12] = f##_i32_32_32, f##_i32_64_32, f##_i32_64_64, f##_i64_32_32,      \
                           f##_i64_64_32, f##_i64_64_64                                            \
    }
#define SPL__TABLE_IN_ALL(f)                                                                       \
    {                                                                                              \
        f##_f32_32_32, f##_f32_64_32, f##_f32_64_64, f##_f64_32_32, f##_f64_64_32, f##_f64_64_64,  \
            f##_f16_32_32, f##_f16_64_32, f##_f16_64_64, f##_bf16_32_32, f##_bf16_64_32,           \
            f##_bf16_64_64, f##_i32_32_32, f##_i32_64_32, f##_i32_64_64, f##_i64_32_32,            \
            f##_i64_64_32, f##_i64_64_64                                                           \
    }

/* 32/32, 64/32 and 64/64 only (offset/index); callers widen other mixes first. */
static inline int spl__combination(spl_type type, spl_index offset_type, spl_index index_type)
{
    const int number = spl__type_is_integer(type) ? 4 + type - SPL_INT32 : type - SPL_F32;
    return 3 * number + (offset_type == SPL_I64) + (index_type == SPL_I64);
}

/* For functions that read no values: an instance exists for all types of values. */
static inline int spl__combination_of_structure(const spl_sparse *csr)
{
    return spl__combination(SPL_F64, csr->offset_type, csr->index_type);
}

#endif
