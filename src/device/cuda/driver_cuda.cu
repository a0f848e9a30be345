/* SPDX-License-Identifier: Apache-2.0 */
/* driver_cuda.cu: what CUDA has that HIP does not have in the same shape: memory pools, CUB. The rest is driver_gpu.h. */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda_runtime.h>

#include "device/driver.h"

#define GPU(name)              cuda##name
#define cudaDeviceProp_t       cudaDeviceProp
#define KIND                   SPL_CUDA
#define NAME                   "cuda"
#define BLOCK_SHARED           cudaDevAttrMaxSharedMemoryPerBlockOptin
#define MULTIPLIES_TILES(all)  ((all).major >= 8)
#define UNIT_SHARED(all)       (all).sharedMemPerMultiprocessor
#define PINNED_ALLOC(m, bytes) cudaHostAlloc((m), (bytes), 0)
#define PINNED_FREE(m)         cudaFreeHost(m)
#define ON_HOST(attributes)    ((attributes).type == cudaMemoryTypeHost)
#define ON_DEVICE(attributes)  ((attributes).type == cudaMemoryTypeDevice || (attributes).type == cudaMemoryTypeManaged)

namespace
{

spl_status check(cudaError_t error, const char *what);

/* A pool of our own, so that its limits are nobody else's business. It keeps what is freed. */
struct pool {
    cudaMemPool_t pool;
};

spl_status pool_open(pool *p, int ordinal)
{
    cudaMemPoolProps props = {};
    uint64_t keep = UINT64_MAX;
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    props.location.id = ordinal;
    spl_status status = check(cudaMemPoolCreate(&p->pool, &props), "memory pool");
    if (status == SPL_OK)
        status = check(cudaMemPoolSetAttribute(p->pool, cudaMemPoolAttrReleaseThreshold, &keep), "memory pool");
    return status;
}

void pool_close(pool *p)
{
    if (p->pool)
        (void)cudaMemPoolDestroy(p->pool);
}

spl_status pool_alloc(pool *p, size_t bytes, cudaStream_t stream, void **memory)
{
    return check(cudaMallocFromPoolAsync(memory, bytes, p->pool, stream), "alloc");
}

void pool_free(pool *, void *memory, cudaStream_t stream)
{
    (void)cudaFreeAsync(memory, stream);
}

spl_status pool_trim(pool *p)
{
    return check(cudaMemPoolTrimTo(p->pool, 0), "trim");
}

template <typename E>
cudaError_t scan_of(void *temporary, size_t *bytes, const void *from, void *sums, int64_t count, cudaStream_t stream)
{
    return cub::DeviceScan::ExclusiveSum(temporary, *bytes, static_cast<const E *>(from), static_cast<E *>(sums), count,
                                         stream);
}

template <typename K, typename V>
cudaError_t sort_of(void *temporary, size_t *bytes, const spl__sort_pairs *p, cudaStream_t stream)
{
    return cub::DeviceRadixSort::SortPairs(temporary, *bytes, static_cast<const K *>(p->keys),
                                           static_cast<K *>(p->sorted_keys), static_cast<const V *>(p->values),
                                           static_cast<V *>(p->sorted_values), p->count, 0, p->bits, stream);
}

} /* namespace */

#include "device/gpu/driver_gpu.h"
