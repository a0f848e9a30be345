/* SPDX-License-Identifier: Apache-2.0 */
#include "core/variant.h"

#include "core/lanes.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const char *spl__variant_name(spl__variant variant)
{
    static const char *const names[] = {"base", "x86-64-v3", "x86-64-v4"};
    return names[variant];
}

/* Other features of x86-64-v3 and v4 came with the same processors as the tested ones. */
static spl__variant of_processor(void)
{
#ifdef SPL__VARIANTS
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
        !__builtin_cpu_supports("bmi2"))
        return SPL__BASE;
    bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512vl");
    return wide ? SPL__V4 : SPL__V3;
#elif defined(__AVX512VL__) /* the only compilation, for such processors */
    return SPL__V4;
#elif defined(__AVX2__) && defined(__FMA__)
    return SPL__V3;
#else
    return SPL__BASE;
#endif
}

static spl__variant allowed(void)
{
    const char *name = getenv("SPARLOOM_VARIANT");
    if (name && strcmp(name, "base") == 0)
        return SPL__BASE;
    return name && strcmp(name, "v3") == 0 ? SPL__V3 : SPL__V4;
}

bool spl__gathers_pay;

__attribute__((constructor)) static void look_at_gathers(void)
{
#ifdef SPL__VARIANTS
    const char *name = getenv("SPARLOOM_VARIANT");
    __builtin_cpu_init();
    spl__gathers_pay = __builtin_cpu_is("intel");
    if (name && (strcmp(name, "gathers") == 0 || strcmp(name, "loads") == 0))
        spl__gathers_pay = strcmp(name, "gathers") == 0;
#endif
}

spl__variant spl__variant_of_cpu(void)
{
    static atomic_int known = -1; /* concurrent threads compute the same value */
    int variant = atomic_load_explicit(&known, memory_order_relaxed);
    if (variant < 0) {
        spl__variant available = of_processor(), most = allowed();
        variant = (int)(available < most ? available : most);
        atomic_store_explicit(&known, variant, memory_order_relaxed);
    }
    return (spl__variant)variant;
}
