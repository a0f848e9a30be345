/* SPDX-License-Identifier: Apache-2.0 */
#include "typed_array.h"

#include <math.h>
#include <stdlib.h>

size_t tool_type_bytes(spl_type type)
{
    return type == SPL_F16 || type == SPL_BF16    ? 2
           : type == SPL_F32 || type == SPL_INT32 ? sizeof(float)
                                                  : sizeof(double);
}

int tool_type_is_integer(spl_type type)
{
    return type == SPL_INT32 || type == SPL_INT64;
}

size_t tool_index_bytes(spl_index index)
{
    return index == SPL_I32 ? sizeof(int32_t) : sizeof(int64_t);
}

const char *tool_type_name(spl_type type)
{
    static const char *const names[] = {
        [SPL_F32] = "f32",   [SPL_F64] = "f64",   [SPL_F16] = "f16",
        [SPL_BF16] = "bf16", [SPL_INT32] = "i32", [SPL_INT64] = "i64"};
    return names[type];
}

tool_scalar tool_scalar_of(spl_type type, double value)
{
    tool_scalar scalar = {.f64 = value};
    if (type == SPL_INT32)
        scalar.i32 = (int32_t)value;
    else if (type == SPL_INT64)
        scalar.i64 = (int64_t)value;
    else if (type != SPL_F64)
        scalar.f32 = (float)value;
    return scalar;
}

void *tool_array(int64_t count, size_t bytes)
{
    if (count < 0 || (uint64_t)count > SIZE_MAX / 2 / bytes)
        return NULL;
    return malloc(count ? (size_t)count * bytes : bytes);
}

static void put(spl_type type, void *array, int64_t i, double value)
{
    if (type == SPL_F32)
        ((float *)array)[i] = (float)value;
    else if (type == SPL_F64)
        ((double *)array)[i] = value;
    else
        (void)spl_convert_values(type, (char *)array + (size_t)i * tool_type_bytes(type), SPL_F64,
                                 &value, 1);
}

static double get(spl_type type, const void *array, int64_t i)
{
    double value = 0;
    if (type == SPL_F32)
        return (double)((const float *)array)[i];
    if (type == SPL_F64)
        return ((const double *)array)[i];
    (void)spl_convert_values(SPL_F64, &value, type,
                             (const char *)array + (size_t)i * tool_type_bytes(type), 1);
    return value;
}

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* The first 24 bits are the same in f32 and f64; f64 has 53, so that no shorter type holds its
 * numbers, as it would not hold a user's. */
static double random_value(spl_type type, uint64_t bits)
{
    enum { MOST = 100 };
    if (tool_type_is_integer(type))
        return (double)(bits % (2 * MOST + 1)) - MOST;
    return type == SPL_F64 ? (double)(bits >> 11) * 0x1p-52 - 1.0
                           : (double)(bits >> 40) * 0x1p-23 - 1.0;
}

void tool_fill_random(spl_type type, void *array, int64_t count, uint64_t seed, uint64_t stream)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t state = mix(mix(seed + golden) + stream);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < count; i++) {
        put(type, array, i, random_value(type, mix(state + ((uint64_t)i + 1) * golden)));
    }
}

void tool_fill_distinct(spl_type type, void *array, int64_t count, int64_t distinct, uint64_t seed)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < count; i++)
        put(type, array, i, 1 + (double)(mix(mix(seed) + (uint64_t)i) % (uint64_t)distinct));
}

void tool_fill_nan(spl_type type, void *array, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        put(type, array, i, tool_type_is_integer(type) ? -INFINITY : NAN);
}

double tool_norm(spl_type type, const void *array, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        double value = get(type, array, i);
        sum += value * value;
    }
    return sqrt(sum);
}

uint64_t tool_hash(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}
