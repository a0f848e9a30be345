/* SPDX-License-Identifier: Apache-2.0 */
/* combination.h: the combinations of types that each_type.h instantiates, as numbers. */
#ifndef SPL_CORE_COMBINATION_H
#define SPL_CORE_COMBINATION_H

#include "core/types.h"

enum { SPL__COMBINATIONS = 18 };

/* One instance of `f` per widths of offsets and columns, for the type of values `t`; and of a
 * template that each_type_by_columns.h reads. */
#define SPL__WIDTHS(f, t)            f##_##t##_32_32, f##_##t##_64_32, f##_##t##_64_64
#define SPL__WIDTHS_OF_COLUMNS(f, t) f##_##t##_32, f##_##t##_32, f##_##t##_64

/* Initialiser of a table with one instance of `f` per combination; NULL for values of 16 bits and
 * for integers. */
#define SPL__TABLE(f)                                                                              \
    {                                                                                              \
        SPL__WIDTHS(f, f32), SPL__WIDTHS(f, f64)                                                   \
    }
#define SPL__TABLE_BY_COLUMNS(f)                                                                   \
    {                                                                                              \
        SPL__WIDTHS_OF_COLUMNS(f, f32), SPL__WIDTHS_OF_COLUMNS(f, f64)                             \
    }
/* The same for a template with IN_HALVES. */
#define SPL__TABLE_IN_HALVES(f)                                                                    \
    {                                                                                              \
        SPL__WIDTHS(f, f32), SPL__WIDTHS(f, f64), SPL__WIDTHS(f, f16), SPL__WIDTHS(f, bf16)        \
    }
/* The same for a template with IN_INTEGERS, and for those with both. */
#define SPL__TABLE_IN_INTEGERS(f)                                                                  \
    {                                                                                              \
        SPL__WIDTHS(f, f32), SPL__WIDTHS(f, f64), [12] = SPL__WIDTHS(f, i32), SPL__WIDTHS(f, i64)  \
    }
#define SPL__TABLE_IN_ALL(f)                                                                       \
    {                                                                                              \
        SPL__WIDTHS(f, f32), SPL__WIDTHS(f, f64), SPL__WIDTHS(f, f16), SPL__WIDTHS(f, bf16),       \
            SPL__WIDTHS(f, i32), SPL__WIDTHS(f, i64)                                               \
    }
#define SPL__TABLE_IN_ALL_BY_COLUMNS(f)                                                            \
    {                                                                                              \
        SPL__WIDTHS_OF_COLUMNS(f, f32), SPL__WIDTHS_OF_COLUMNS(f, f64),                            \
            SPL__WIDTHS_OF_COLUMNS(f, f16), SPL__WIDTHS_OF_COLUMNS(f, bf16),                       \
            SPL__WIDTHS_OF_COLUMNS(f, i32), SPL__WIDTHS_OF_COLUMNS(f, i64)                         \
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
