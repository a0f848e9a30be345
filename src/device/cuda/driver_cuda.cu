/* SPDX-License-Identifier: Apache-2.0 */
/* driver_cuda.cu: the parts that differ between CUDA and HIP: memory pools, CUB. The rest is
 * driver_gpu.h. */
#include <cub/device/device_radix_sort.cuh>
#include <cuda.h>
#include <cuda_runtime.h>

#include "device/dialect.h"
#include "device/driver.h"
#include "device/gpu/block_sizes.h"

#include <mutex>
#include <unordered_map>
#include <vector>

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
#define ON_DEVICE(attributes)                                                                      \
    ((attributes).type == cudaMemoryTypeDevice || (attributes).type == cudaMemoryTypeManaged)

namespace
{

spl_status check(cudaError_t error, const char *call);

struct block {
    void *memory;
    size_t bytes;
};

/* A private pool, so that its limits do not affect other users of the device. It keeps freed
 * memory.
 *
 * Blocks that are freed in the context's stream are cached here for the next allocation in that
 * stream: the runtime takes 1 to 3 microseconds for a small one, of which a product needs thirty,
 * and tens for C: with blocks of up to 32 MiB cached products of 0.4 to 0.9 ms took 1.08 to 1.25
 * times as long (H200). The order of that stream is sufficient, and it lives as long as the
 * pool; callers' streams may be destroyed at any time. */
struct pool {
    cudaMemPool_t pool;
    cudaStream_t home;
    std::mutex mutex; /* protects all members below */
    std::vector<block> idle;
    size_t idle_bytes;
    std::unordered_map<void *, size_t> lent; /* sizes of such blocks that are in use */
};

enum : size_t {
    MOST_BLOCK_BYTES = size_t(1) << 30,
    MOST_IDLE_BYTES = size_t(4) << 30,
    MOST_IDLE = 128
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
        status = check(cudaMemPoolSetAttribute(p->pool, cudaMemPoolAttrReleaseThreshold, &keep),
                       "memory pool");
    return status;
}

/* The first stream that the library creates is the context's. */
void pool_stream(pool *p, cudaStream_t stream)
{
    if (!p->home)
        p->home = stream;
}

/* Waits, because the runtime counts freed memory as used until the host has synchronised. */
void free_idle(pool *p)
{
    std::lock_guard<std::mutex> lock(p->mutex);
    if (p->idle.empty())
        return;
    for (const block &b : p->idle)
        (void)cudaFreeAsync(b.memory, p->home);
    (void)cudaStreamSynchronize(p->home);
    p->idle.clear();
    p->idle_bytes = 0;
}

/* Must be called before the context's stream, in whose order blocks are freed, is destroyed. */
void pool_leave(pool *p, cudaStream_t stream)
{
    if (stream != p->home)
        return;
    free_idle(p);
    p->home = nullptr;
}

void pool_close(pool *p)
{
    if (p->pool)
        (void)cudaMemPoolDestroy(p->pool);
}

spl_status pool_trim(pool *p)
{
    free_idle(p);
    return check(cudaMemPoolTrimTo(p->pool, 0), "trim");
}

/* Takes a cached block of that size; false: there is none. */
bool take_idle(pool *p, size_t bytes, void **memory)
{
    std::lock_guard<std::mutex> lock(p->mutex);
    for (size_t i = p->idle.size(); i-- > 0;) {
        if (p->idle[i].bytes != bytes)
            continue;
        *memory = p->idle[i].memory;
        p->idle.erase(p->idle.begin() + static_cast<long>(i));
        p->idle_bytes -= bytes;
        p->lent[*memory] = bytes;
        return true;
    }
    return false;
}

/* Makes room by freeing what has not been used for longest: programs go on to other sizes. */
void drop_oldest(pool *p, size_t bytes)
{
    size_t dropped = 0;
    while (dropped < p->idle.size() &&
           (p->idle.size() - dropped >= MOST_IDLE || p->idle_bytes + bytes > MOST_IDLE_BYTES)) {
        const block &b = p->idle[dropped++];
        p->idle_bytes -= b.bytes;
        (void)cudaFreeAsync(b.memory, p->home);
    }
    p->idle.erase(p->idle.begin(), p->idle.begin() + static_cast<long>(dropped));
}

/* Caches a block that is freed in the context's stream. */
bool keep_idle(pool *p, void *memory, cudaStream_t stream)
{
    std::lock_guard<std::mutex> lock(p->mutex);
    auto found = p->lent.find(memory);
    if (found == p->lent.end())
        return false;
    size_t bytes = found->second;
    p->lent.erase(found);
    if (!p->home || stream != p->home)
        return false;
    drop_oldest(p, bytes);
    p->idle.push_back({memory, bytes});
    p->idle_bytes += bytes;
    return true;
}

spl_status pool_alloc(pool *p, size_t bytes, cudaStream_t stream, void **memory)
{
    bool cached = p->home && stream == p->home && bytes <= MOST_BLOCK_BYTES;
    if (cached) {
        bytes = rounded(bytes);
        if (take_idle(p, bytes, memory))
            return SPL_OK;
    }
    cudaError_t error = cudaMallocFromPoolAsync(memory, bytes, p->pool, stream);
    if (error == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        free_idle(p);
        error = cudaMallocFromPoolAsync(memory, bytes, p->pool, stream);
    }
    spl_status status = check(error, "alloc");
    if (status == SPL_OK && cached) {
        std::lock_guard<std::mutex> lock(p->mutex);
        p->lent[*memory] = bytes;
    }
    return status;
}

void pool_free(pool *p, void *memory, cudaStream_t stream)
{
    if (!keep_idle(p, memory, stream))
        (void)cudaFreeAsync(memory, stream);
}

/* Whether kernels wait for the one before them themselves: spl__follow in dialect_gpu.h. */
bool can_overlap(int ordinal)
{
    int major = 0;
    return cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, ordinal) ==
               cudaSuccess &&
           major >= 9;
}

struct launch_place {
    dim3 blocks, threads;
    size_t shared;
    cudaStream_t stream;
};

/* The kernel as the driver knows it on the current device; NULL: it does not. */
void *function_of(const void *symbol)
{
    cudaFunction_t function = nullptr;
    if (cudaGetFuncBySymbol(&function, symbol) == cudaSuccess)
        return function;
    (void)cudaGetLastError();
    return nullptr;
}

/* The driver's own launch, which takes the host less time than the runtime's; NULL: not found. */
typedef CUresult (*driver_launch_fn)(const CUlaunchConfig *, CUfunction, void **, void **);
driver_launch_fn find_driver_launch()
{
    void *found = nullptr;
    cudaDriverEntryPointQueryResult result;
#if CUDART_VERSION >= 12050
    const cudaError_t error = cudaGetDriverEntryPointByVersion("cuLaunchKernelEx", &found, 12000,
                                                               cudaEnableDefault, &result);
#else
    const cudaError_t error =
        cudaGetDriverEntryPoint("cuLaunchKernelEx", &found, cudaEnableDefault, &result);
#endif
    if (error != cudaSuccess)
        (void)cudaGetLastError();
    return error == cudaSuccess ? reinterpret_cast<driver_launch_fn>(found) : nullptr;
}

/* False: not launched, for example because the thread has not used the device yet. */
bool launch_by_driver(void *function, const launch_place &place, void **arguments)
{
    static const driver_launch_fn driver_launch = find_driver_launch();
    CUlaunchAttribute attribute = {};
    attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    attribute.value.programmaticStreamSerializationAllowed = 1;
    CUlaunchConfig config = {};
    config.gridDimX = place.blocks.x;
    config.blockDimX = place.threads.x;
    config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
    config.sharedMemBytes = static_cast<unsigned>(place.shared);
    config.hStream = place.stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return driver_launch && driver_launch(&config, static_cast<CUfunction>(function), arguments,
                                          nullptr) == CUDA_SUCCESS;
}

cudaError_t launch_early(const void *symbol, void *function, const launch_place &place,
                         void **arguments)
{
    if (function && launch_by_driver(function, place, arguments))
        return cudaSuccess;
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = place.blocks;
    config.blockDim = place.threads;
    config.dynamicSmemBytes = place.shared;
    config.stream = place.stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelExC(&config, symbol, arguments);
}

enum { REPORT_THREADS = 128 };

/* Copies words to memory of the host, and then sets the mark. */
__global__ void report(uint32_t *to, const uint32_t *from, size_t words, uint64_t *mark)
{
    spl__follow();
    for (size_t i = threadIdx.x; i < words; i += REPORT_THREADS)
        to[i] = from[i];
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0)
        *reinterpret_cast<volatile uint64_t *>(mark) = 1;
}

void *report_function()
{
    return function_of(reinterpret_cast<const void *>(report));
}

cudaError_t launch_report(void *function, void *to, const void *from, size_t words, uint64_t *mark,
                          cudaStream_t stream)
{
    void *arguments[] = {&to, &from, &words, &mark};
    const launch_place place = {dim3(1), dim3(REPORT_THREADS), 0, stream};
    return launch_early(reinterpret_cast<const void *>(report), function, place, arguments);
}

template <typename K, typename V>
cudaError_t sort_of(void *temporary, size_t *bytes, const spl__sort_pairs *p, cudaStream_t stream)
{
    return cub::DeviceRadixSort::SortPairs(
        temporary, *bytes, static_cast<const K *>(p->keys), static_cast<K *>(p->sorted_keys),
        static_cast<const V *>(p->values), static_cast<V *>(p->sorted_values), p->count, 0, p->bits,
        stream);
}

} /* namespace */

#include "device/gpu/driver_gpu.h"
