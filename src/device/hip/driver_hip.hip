/* SPDX-License-Identifier: Apache-2.0 */
/* driver_hip.hip: what HIP (AMD, Hygon DCU) has in another shape than CUDA: its memory pools are
 * too young for the DCU's toolkit, so freed blocks are kept here; rocPRIM. The rest is
 * driver_gpu.h. */
#include <hip/hip_runtime.h>
#include <rocprim/rocprim.hpp>

#include "device/driver.h"
#include "device/gpu/block_sizes.h"

#include <mutex>
#include <vector>

#define GPU(name)              hip##name
#define hipPointerAttributes   hipPointerAttribute_t
#define KIND                   SPL_HIP
#define NAME                   "hip"
#define BLOCK_SHARED           hipDeviceAttributeMaxSharedMemoryPerBlock
#define MULTIPLIES_TILES(all)  0 /* matrix instructions of AMD have other layouts */
#define UNIT_SHARED(all)       (all).maxSharedMemoryPerMultiProcessor
#define PINNED_ALLOC(m, bytes) hipHostMalloc((m), (bytes), 0)
#define PINNED_FREE(m)         hipHostFree(m)
#define ON_HOST(attributes)    ((attributes).memoryType == hipMemoryTypeHost)
#define ON_DEVICE(attributes)  ((attributes).memoryType == hipMemoryTypeDevice)

namespace
{

spl_status check(hipError_t error, const char *what);

/* A block and the stream in whose order it was freed. */
struct block {
    void *memory;
    size_t bytes;
    hipStream_t stream;
};

/* hipMalloc and hipFree wait for the device: blocks are kept, and given again to the stream that
 * freed them; to another stream after a wait. */
struct pool {
    std::mutex mutex;
    std::vector<block> idle, busy;
};

spl_status pool_open(pool *, int)
{
    return SPL_OK;
}

void pool_stream(pool *, hipStream_t)
{
}

void pool_leave(pool *, hipStream_t)
{
}

spl_status pool_trim(pool *p)
{
    std::lock_guard<std::mutex> lock(p->mutex);
    for (const block &b : p->idle)
        (void)hipFree(b.memory);
    p->idle.clear();
    return SPL_OK;
}

void pool_close(pool *p)
{
    (void)pool_trim(p);
}

/* An idle block of that size, of the same stream if there is one; its index, -1 if
 * there is none. */
int find_idle(const pool *p, size_t bytes, hipStream_t stream)
{
    int found = -1;
    for (size_t i = 0; i < p->idle.size(); i++)
        if (p->idle[i].bytes == bytes && (found < 0 || p->idle[i].stream == stream))
            found = static_cast<int>(i);
    return found;
}

spl_status reuse(pool *p, int index, hipStream_t stream, void **memory)
{
    block b = p->idle[static_cast<size_t>(index)];
    spl_status status = b.stream == stream ? SPL_OK : check(hipDeviceSynchronize(), "alloc");
    if (status != SPL_OK)
        return status;
    p->idle.erase(p->idle.begin() + index);
    p->busy.push_back(b);
    *memory = b.memory;
    return SPL_OK;
}

spl_status pool_alloc(pool *p, size_t bytes, hipStream_t stream, void **memory)
{
    std::lock_guard<std::mutex> lock(p->mutex);
    bytes = rounded(bytes);
    int index = find_idle(p, bytes, stream);
    if (index >= 0)
        return reuse(p, index, stream, memory);
    spl_status status = check(hipMalloc(memory, bytes), "alloc");
    if (status == SPL_OK)
        p->busy.push_back({*memory, bytes, stream});
    return status;
}

void pool_free(pool *p, void *memory, hipStream_t stream)
{
    std::lock_guard<std::mutex> lock(p->mutex);
    for (size_t i = 0; i < p->busy.size(); i++) {
        if (p->busy[i].memory != memory)
            continue;
        p->idle.push_back({memory, p->busy[i].bytes, stream});
        p->busy.erase(p->busy.begin() + static_cast<long>(i));
        return;
    }
}

struct launch_place {
    dim3 blocks, threads;
    size_t shared;
    hipStream_t stream;
};

/* There are no early launches. */
bool can_overlap(int)
{
    return false;
}

void *function_of(const void *)
{
    return nullptr;
}

hipError_t launch_early(const void *symbol, void *, const launch_place &place, void **arguments)
{
    return hipLaunchKernel(symbol, place.blocks, place.threads, arguments, place.shared,
                           place.stream);
}

/* Small results are copied. */
void *report_function()
{
    return nullptr;
}

hipError_t launch_report(void *, void *, const void *, size_t, uint64_t *, hipStream_t)
{
    return hipErrorNotSupported;
}

template <typename K, typename V>
hipError_t sort_of(void *temporary, size_t *bytes, const spl__sort_pairs *p, hipStream_t stream)
{
    return rocprim::radix_sort_pairs(
        temporary, *bytes, static_cast<const K *>(p->keys), static_cast<K *>(p->sorted_keys),
        static_cast<const V *>(p->values), static_cast<V *>(p->sorted_values),
        static_cast<size_t>(p->count), 0, static_cast<unsigned>(p->bits), stream);
}

} /* namespace */

#include "device/gpu/driver_gpu.h"
