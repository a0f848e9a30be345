/* SPDX-License-Identifier: Apache-2.0 */
/* typed_array.h: arrays of a type chosen at run time: allocation, reproducible values, poison,
 * norm, checksum. */
#ifndef TOOL_TYPED_ARRAY_H
#define TOOL_TYPED_ARRAY_H

#include <sparloom/sparloom.h>

/* One number; its address is what the library takes as a scalar: float, but double for f64, and
 * integers for their types. */
typedef union tool_scalar {
    float f32;
    double f64;
    int32_t i32;
    int64_t i64;
} tool_scalar;

/* Bytes of one value, and of one index. */
size_t tool_type_bytes(spl_type type);
int tool_type_is_integer(spl_type type);
size_t tool_index_bytes(spl_index index);
/* "f32", "f64", "f16", "bf16", "i32" or "i64". */
const char *tool_type_name(spl_type type);

/* The number as a scalar for operands of the type. */
tool_scalar tool_scalar_of(spl_type type, double value);

/* Room for count elements of `bytes` each, never NULL for count 0; NULL if that much memory cannot
 * be had. Free with free(). */
void *tool_array(int64_t count, size_t bytes);
/* Uniform values in [-1, 1); of integers from -100 to 100. Value i depends on seed, stream and i
 * only: same numbers on every machine. Source: SplitMix64, G. Steele, D. Lea, C. Flood, Fast
 * Splittable Pseudorandom Number Generators, OOPSLA 2014. */
void tool_fill_random(spl_type type, void *array, int64_t count, uint64_t seed, uint64_t stream);
/* Whole numbers from 1 to `distinct`, as random. */
void tool_fill_distinct(spl_type type, void *array, int64_t count, int64_t distinct, uint64_t seed);
/* NaN everywhere, of integers the smallest number: what a product does not write shows. */
void tool_fill_nan(spl_type type, void *array, int64_t count);
/* Square root of the sum of squares, summed in f64. */
double tool_norm(spl_type type, const void *array, int64_t count);
/* Goes on from `hash` (TOOL_HASH_START at first) over the bytes: FNV-1a, 64 bits. Equal bits, equal
 * checksum. */
#define TOOL_HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t tool_hash(uint64_t hash, const void *bytes, size_t count);

#endif
