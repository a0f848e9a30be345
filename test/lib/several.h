/* SPDX-License-Identifier: Apache-2.0 */
/* several.h: contexts with the CPU and three emulated devices, for matrices that live on one of
 * them, and the processors and shares of a plan. */
#ifndef SPARLOOM_TEST_SEVERAL_H
#define SPARLOOM_TEST_SEVERAL_H

#include "lib/on_device.h"
#include "sparloom/measured.h"

#include <string.h>

enum { PROCESSORS = 4, MIXES = 10, SHARES = 4 };
/* The CPU alone, all but the first device, ... all */
static const uint64_t mixes[MIXES] = {1, 3, 5, 6, 7, 8, 10, 13, 14, 15};
static const double shares[SHARES][PROCESSORS] = {
    {1, 1, 1, 1}, {1, 0.5, 2, 3}, {3, 1, 1e-9, 1}, {1, 5, 1e-9, 1e-9}};

/* Matrices live on processor number `owner`: 1, 2 and 3 have 32, 64 and 32 lanes. */
static inline on_device several_start(int owner)
{
    on_device s;
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    spl_processor_info info = SPL_PROCESSOR_INFO_INIT;
    options.threads = 3;
    options.devices = "cpu,emu,emu64,emu:1";
    EXPECT_OK(spl_context_create(&options, &s.context));
    EXPECT(spl_processor_count(s.context) == PROCESSORS);
    EXPECT_OK(spl_processor(s.context, owner, &info));
    s.place = info.place;
    return s;
}

static inline spl_options several_options(uint64_t processors, spl_partition_kind kind,
                                          const double *capabilities)
{
    spl_options options = SPL_OPTIONS_INIT;
    options.processors = processors;
    options.partition = kind;
    options.capabilities = capabilities;
    return options;
}

/* Multiplies the predictions of methods whose ids have this beginning. */
static inline void several_slow_down(const on_device *s, const char *methods, double factor)
{
    for (int32_t i = 0; i < spl_method_count(); i++) {
        spl_method_info info = SPL_METHOD_INFO_INIT;
        EXPECT_OK(spl_method(i, &info));
        if (strncmp(info.id, methods, strlen(methods)) == 0)
            EXPECT_OK(spl_machine_set(s->context, info.id, factor));
    }
}

static inline spl_part_info several_part(spl_plan *plan, int32_t number)
{
    spl_part_info info = SPL_PART_INFO_INIT;
    EXPECT_OK(spl_plan_part(plan, number, &info));
    return info;
}

#endif
