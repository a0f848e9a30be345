/* SPDX-License-Identifier: Apache-2.0 */
/* variant.h: kernels compiled for more than one instruction set.
 *
 * A method file that is listed with sparloom_variants() in CMakeLists.txt is compiled three times:
 * without options, and with -march=x86-64-v3 -DSPL__VARIANT=v3 and -march=x86-64-v4
 * -DSPL__VARIANT=v4. Only the template is needed in the other compilations: the file puts
 * everything after it, the method itself, under #ifndef SPL__VARIANT. Between the two is
 *
 *     SPL__KERNELS(spmv_sliced_ell, kernel_fn, multiply, SPL__V4)
 *
 * which defines the table of this compilation's instances, and, in the first one, the function
 * `kernel(combination)`: the instance of the widest instruction set that this processor has, and
 * that is no wider than the last argument. That argument is chosen by measurement: wider is not
 * always faster. `kernel_up_to` is told it in each call. SPL__KERNELS_IN_HALVES is the same for a
 * template with IN_HALVES, SPL__KERNELS_IN_ALL for one with IN_INTEGERS as well.
 *
 * Results of different variants may differ in the last bits (fused multiply-add); of one variant
 * they never do. The choice depends only on the processor's model and on the environment
 * variable SPARLOOM_VARIANT, which is read once. */
#ifndef SPL_CORE_VARIANT_H
#define SPL_CORE_VARIANT_H

#include "core/combination.h"

/* Instruction sets by the names of the x86-64 psABI: v3 has AVX2 and FMA, v4 AVX-512. */
typedef enum spl__variant { SPL__BASE, SPL__V3, SPL__V4, SPL__VARIANT_COUNT } spl__variant;

/* The widest one that the processor has, that this library was built with, and that
 * SPARLOOM_VARIANT (base, v3, v4) allows. */
spl__variant spl__variant_of_cpu(void);
/* "base", "x86-64-v3", "x86-64-v4" */
const char *spl__variant_name(spl__variant variant);

static inline spl__variant spl__variant_up_to(spl__variant widest)
{
    spl__variant available = spl__variant_of_cpu();
    return available < widest ? available : widest;
}

/* A method calls one of the two functions; clang warns of the other. */
#define SPL__UNUSED __attribute__((unused))

#define SPL__KERNELS_NAME_(name, variant) spl__##name##_##variant
#define SPL__KERNELS_NAME(name, variant)  SPL__KERNELS_NAME_(name, variant)

#if defined(SPL__VARIANT) /* one of the further compilations */
#define SPL__KERNELS_OF(table, name, type, f, widest)                                              \
    extern const type SPL__KERNELS_NAME(name, SPL__VARIANT)[SPL__COMBINATIONS];                    \
    const type SPL__KERNELS_NAME(name, SPL__VARIANT)[SPL__COMBINATIONS] = table(f);
#elif defined(SPL__VARIANTS) /* the first compilation, others exist */
#define SPL__KERNELS_OF(table, name, type, f, widest)                                              \
    extern const type spl__##name##_v3[SPL__COMBINATIONS], spl__##name##_v4[SPL__COMBINATIONS];    \
    static const type spl__##name##_base[SPL__COMBINATIONS] = table(f);                            \
    static inline SPL__UNUSED type kernel_up_to(spl__variant most, int combination)                \
    {                                                                                              \
        static const type *const tables[SPL__VARIANT_COUNT] = {                                    \
            spl__##name##_base, spl__##name##_v3, spl__##name##_v4};                               \
        return tables[spl__variant_up_to(most)][combination];                                      \
    }                                                                                              \
    static inline SPL__UNUSED type kernel(int combination)                                         \
    {                                                                                              \
        return kernel_up_to(widest, combination);                                                  \
    }
#else /* the only compilation */
#define SPL__KERNELS_OF(table, name, type, f, widest)                                              \
    static const type spl__##name##_base[SPL__COMBINATIONS] = table(f);                            \
    static inline SPL__UNUSED type kernel_up_to(spl__variant most, int combination)                \
    {                                                                                              \
        (void)most;                                                                                \
        return spl__##name##_base[combination];                                                    \
    }                                                                                              \
    static inline SPL__UNUSED type kernel(int combination)                                         \
    {                                                                                              \
        return kernel_up_to(widest, combination);                                                  \
    }
#endif

#define SPL__KERNELS(name, type, f, widest) SPL__KERNELS_OF(SPL__TABLE, name, type, f, widest)
#define SPL__KERNELS_IN_HALVES(name, type, f, widest)                                              \
    SPL__KERNELS_OF(SPL__TABLE_IN_HALVES, name, type, f, widest)
#define SPL__KERNELS_IN_ALL(name, type, f, widest)                                                 \
    SPL__KERNELS_OF(SPL__TABLE_IN_ALL, name, type, f, widest)

#endif
