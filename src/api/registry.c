/* SPDX-License-Identifier: Apache-2.0 */
/* registry.c: expands the lines of all methods.def to prototypes and one table. */
#include "api/registry.h"

#include "core/sized.h"

#define METHOD(operation, phase, processor, name)                                                  \
    extern const spl__method spl__##operation##_##phase##_##processor##_##name;
#include "spgemm/methods.def"
#include "spmm/methods.def"
#include "spmv/methods.def"
#undef METHOD

static const spl__registry_entry entries[] = {
#define METHOD(operation, phase, processor, name)                                                  \
    {#operation "/" #phase "/" #processor "/" #name, SPL__KIND_##operation, SPL__PHASE_##phase,    \
     SPL__PROCESSOR_##processor, &spl__##operation##_##phase##_##processor##_##name},
#include "spgemm/methods.def"
#include "spmm/methods.def"
#include "spmv/methods.def"
#undef METHOD
};

extern const spl__traits spl__spmv_traits, spl__spmm_traits, spl__spgemm_traits, spl__triple_traits,
    spl__frontier_traits;
extern const spl__operation spl__spmv_operation, spl__spmm_operation, spl__spgemm_cpu,
    spl__spgemm_gpu, spl__triple_cpu, spl__triple_gpu, spl__frontier_cpu, spl__frontier_gpu,
    spl__spread_dense, spl__spread_product;

const struct spl__registry spl__registry = {
    .entries = entries,
    .count = sizeof entries / sizeof *entries,
    .traits = {&spl__spmv_traits, &spl__spmm_traits, &spl__spgemm_traits, &spl__triple_traits,
               &spl__frontier_traits},
    .operations = {{&spl__spmv_operation, &spl__spmv_operation, &spl__spread_dense},
                   {&spl__spmm_operation, &spl__spmm_operation, &spl__spread_dense},
                   {&spl__spgemm_cpu, &spl__spgemm_gpu, &spl__spread_product},
                   {&spl__triple_cpu, &spl__triple_gpu},
                   {&spl__frontier_cpu, &spl__frontier_gpu}},
};

int32_t spl_method_count(void)
{
    return spl__registry.count;
}

spl_status spl_method(int32_t number, spl_method_info *info)
{
    if (number < 0 || number >= spl__registry.count)
        return spl__fail(SPL_INVALID_ARGUMENT, "method %d of %d", number, spl__registry.count);
    const spl__method *m = entries[number].method;
    spl_method_info i = {.id = entries[number].id,
                         .summary = m->summary,
                         .source = m->source,
                         .revision = m->revision};
    i.deterministic = (m->attributes & SPL__DETERMINISTIC) != 0;
    i.processor = entries[number].processor == SPL__PROCESSOR_gpu ? "gpu" : "cpu";
    i.in_place = (m->attributes & SPL__IN_PLACE) != 0;
    return spl__sized_write(info, &i, sizeof i, "info");
}
