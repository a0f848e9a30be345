/* SPDX-License-Identifier: Apache-2.0 */
/* driver_gpu.h: the driver for CUDA and HIP, whose runtimes differ in the prefix of their names.
 * The including file defines GPU(name), the driver's KIND and NAME, where runtimes differ in
 * more (BLOCK_SHARED, MULTIPLIES_TILES, PINNED_ALLOC, ...), early launches (can_overlap,
 * function_of, launch_early, report_function, launch_report), its memory pool (pool_open,
 * pool_close, pool_alloc, pool_free, pool_trim, and callbacks for the library's streams:
 * pool_stream, pool_leave) and the primitives scan and sort. */
#ifndef SPL_DEVICE_GPU_DRIVER_GPU_H
#define SPL_DEVICE_GPU_DRIVER_GPU_H

#include "device/dialect.h"

#include <chrono>
#include <deque>
#include <mutex>
#include <new>
#include <stdio.h>
#include <string.h>
#include <string>
#include <unordered_map>

spl__kernel_node *spl__kernel_nodes;

namespace
{

typedef GPU(Stream_t) stream_t;
typedef GPU(Event_t) event_t;

thread_local char last_message[256];

const char *message()
{
    return last_message;
}

spl_status fail(spl_status status, const char *call, const char *why)
{
    snprintf(last_message, sizeof last_message, "%s: %s", call, why);
    return status;
}

/* Converts the runtime's error to a status and stores the message; clears the runtime's error
 * state. */
spl_status check(GPU(Error_t) error, const char *call)
{
    if (error == GPU(Success))
        return SPL_OK;
    (void)GPU(GetLastError)();
    return fail(error == GPU(ErrorMemoryAllocation) ? SPL_OUT_OF_MEMORY : SPL_DEVICE_FAILURE, call,
                GPU(GetErrorString)(error));
}

#define TRY(call)                                                                                  \
    do {                                                                                           \
        spl_status try_status = (call);                                                            \
        if (try_status != SPL_OK)                                                                  \
            return try_status;                                                                     \
    } while (0)

struct device {
    int ordinal;
    size_t block_shared;
    bool overlaps;  /* launches may overlap the ends of those before them */
    void *reporter; /* of report_function */
    pool memory;
};

/* What the entry of a kernel points to: the host's symbol, and what some devices launch instead. */
enum { MOST_LAUNCHABLE = 8 };
struct launchable {
    const void *symbol;
    void *on[MOST_LAUNCHABLE]; /* NULL: the symbol */
};

const launchable *launchable_of(const spl__kernel *k)
{
    return static_cast<const launchable *>(k->entry);
}

/* NULL: the symbol. */
void *function_on(const device *d, const launchable *entry)
{
    return d->ordinal < MOST_LAUNCHABLE ? entry->on[d->ordinal] : nullptr;
}

device *device_of(void *handle)
{
    return static_cast<device *>(handle);
}

/* Switches the current device for the duration of a call. */
struct on_device {
    int previous = -1, wanted;
    explicit on_device(const void *handle) : wanted(static_cast<const device *>(handle)->ordinal)
    {
        (void)GPU(GetDevice)(&previous);
        if (previous != wanted)
            (void)GPU(SetDevice)(wanted);
    }
    ~on_device()
    {
        if (previous != wanted && previous >= 0)
            (void)GPU(SetDevice)(previous);
    }
};

/* ---- devices ---- */

spl_status count(int32_t *number)
{
    int n = 0;
    *number = 0;
    TRY(check(GPU(GetDeviceCount)(&n), "no devices"));
    *number = n;
    return SPL_OK;
}

void close(void *handle)
{
    on_device selected(handle);
    pool_close(&device_of(handle)->memory);
    delete device_of(handle);
}

spl_status open(int32_t ordinal, void **handle)
{
    int shared = 0;
    device *d = new (std::nothrow) device();
    if (!d)
        return fail(SPL_OUT_OF_MEMORY, "open", "no memory");
    d->ordinal = ordinal;
    on_device selected(d);
    spl_status status = check(GPU(DeviceGetAttribute)(&shared, BLOCK_SHARED, ordinal), "open");
    d->block_shared = static_cast<size_t>(shared);
    d->overlaps = can_overlap(ordinal);
    d->reporter = d->overlaps ? report_function() : nullptr;
    if (status == SPL_OK)
        status = pool_open(&d->memory, ordinal);
    if (status != SPL_OK) {
        close(d);
        return status;
    }
    *handle = d;
    return SPL_OK;
}

spl_status properties(void *handle, spl__device_properties *p)
{
    GPU(DeviceProp_t) all;
    on_device selected(handle);
    TRY(check(GPU(GetDeviceProperties)(&all, device_of(handle)->ordinal), "properties"));
    memset(p, 0, sizeof *p);
    memcpy(p->name, all.name, sizeof p->name - 1);
    p->lanes = all.warpSize;
    p->units = all.multiProcessorCount;
    p->unit_threads = all.maxThreadsPerMultiProcessor;
    p->block_shared = device_of(handle)->block_shared;
    p->unit_shared = UNIT_SHARED(all);
    p->cache_bytes = static_cast<size_t>(all.l2CacheSize);
    p->memory_bytes = all.totalGlobalMem;
    p->multiplies_tiles = MULTIPLIES_TILES(all);
    p->tells_host = device_of(handle)->reporter != nullptr;
    if (all.warpSize != LANES)
        return fail(SPL_UNSUPPORTED, p->name,
                    "its warps have another width than this plug-in was compiled for");
    return SPL_OK;
}

/* ---- memory ---- */

spl_status alloc(void *handle, size_t bytes, void *stream, void **memory)
{
    on_device selected(handle);
    return pool_alloc(&device_of(handle)->memory, bytes, static_cast<stream_t>(stream), memory);
}

void free_memory(void *handle, void *memory, void *stream)
{
    on_device selected(handle);
    pool_free(&device_of(handle)->memory, memory, static_cast<stream_t>(stream));
}

spl_status trim(void *handle)
{
    on_device selected(handle);
    return pool_trim(&device_of(handle)->memory);
}

spl_status pinned_alloc(void *handle, size_t bytes, void **memory)
{
    on_device selected(handle);
    return check(PINNED_ALLOC(memory, bytes), "pinned memory");
}

void pinned_free(void *handle, void *memory)
{
    on_device selected(handle);
    (void)PINNED_FREE(memory);
}

int is_pinned(void *handle, const void *pointer)
{
    GPU(PointerAttributes) attributes;
    on_device selected(handle);
    if (GPU(PointerGetAttributes)(&attributes, pointer) == GPU(Success))
        return ON_HOST(attributes);
    (void)GPU(GetLastError)();
    return 0;
}

spl_status copy(void *handle, void *to, const void *from, size_t bytes, void *stream)
{
    on_device selected(handle);
    return check(
        GPU(MemcpyAsync)(to, from, bytes, GPU(MemcpyDefault), static_cast<stream_t>(stream)),
        "copy");
}

spl_status fill(void *handle, void *to, int byte, size_t bytes, void *stream)
{
    on_device selected(handle);
    return check(GPU(MemsetAsync)(to, byte, bytes, static_cast<stream_t>(stream)), "fill");
}

/* ---- streams and events ---- */

spl_status stream_create(void *handle, void **stream)
{
    stream_t s;
    on_device selected(handle);
    TRY(check(GPU(StreamCreateWithFlags)(&s, GPU(StreamNonBlocking)), "stream"));
    *stream = s;
    pool_stream(&device_of(handle)->memory, s);
    return SPL_OK;
}

void stream_destroy(void *handle, void *stream)
{
    on_device selected(handle);
    pool_leave(&device_of(handle)->memory, static_cast<stream_t>(stream));
    (void)GPU(StreamDestroy)(static_cast<stream_t>(stream));
}

spl_status stream_wait(void *handle, void *stream)
{
    on_device selected(handle);
    return check(GPU(StreamSynchronize)(static_cast<stream_t>(stream)), "wait");
}

/* Marks before they are set, and one that will not be: then the stream is waited for. */
constexpr uint64_t COMING = 0, UNMARKED = 2;

spl_status report_later(void *handle, void *to, const void *from, size_t bytes, uint64_t *mark,
                        void *stream)
{
    on_device selected(handle);
    void *const reporter = device_of(handle)->reporter;
    const bool marks =
        reporter && (reinterpret_cast<uintptr_t>(from) | bytes) % sizeof(uint32_t) == 0;
    *mark = marks ? COMING : UNMARKED;
    if (!marks)
        return copy(handle, to, from, bytes, stream);
    return check(launch_report(reporter, to, from, bytes / sizeof(uint32_t), mark,
                               static_cast<stream_t>(stream)),
                 "report");
}

/* Looks for the mark for a while, which the host sees sooner than the runtime tells it; then leaves
 * waiting to the runtime, which also knows of errors. */
spl_status await(void *handle, const uint64_t *mark, void *stream)
{
    const auto longest = std::chrono::microseconds(200);
    if (*mark == UNMARKED)
        return stream_wait(handle, stream);
    const auto begin = std::chrono::steady_clock::now();
    while (__atomic_load_n(mark, __ATOMIC_ACQUIRE) == COMING)
        if (std::chrono::steady_clock::now() - begin > longest)
            return stream_wait(handle, stream);
    return SPL_OK;
}

int stream_captures(void *handle, void *stream)
{
    GPU(StreamCaptureStatus) status = GPU(StreamCaptureStatusNone);
    on_device selected(handle);
    if (GPU(StreamIsCapturing)(static_cast<stream_t>(stream), &status) != GPU(Success))
        (void)GPU(GetLastError)();
    return status != GPU(StreamCaptureStatusNone);
}

spl_status event_create(void *handle, int timed, void **event)
{
    event_t e;
    on_device selected(handle);
    TRY(check(GPU(EventCreateWithFlags)(&e, timed ? GPU(EventDefault) : GPU(EventDisableTiming)),
              "event"));
    *event = e;
    return SPL_OK;
}

void event_destroy(void *handle, void *event)
{
    on_device selected(handle);
    (void)GPU(EventDestroy)(static_cast<event_t>(event));
}

spl_status event_record(void *handle, void *event, void *stream)
{
    on_device selected(handle);
    return check(GPU(EventRecord)(static_cast<event_t>(event), static_cast<stream_t>(stream)),
                 "event");
}

spl_status event_wait(void *handle, void *event, void *stream)
{
    on_device selected(handle);
    return check(
        GPU(StreamWaitEvent)(static_cast<stream_t>(stream), static_cast<event_t>(event), 0),
        "event");
}

spl_status event_seconds(void *handle, void *from, void *to, double *seconds)
{
    float milliseconds = 0;
    on_device selected(handle);
    TRY(check(
        GPU(EventElapsedTime)(&milliseconds, static_cast<event_t>(from), static_cast<event_t>(to)),
        "event"));
    *seconds = milliseconds * 1e-3;
    return SPL_OK;
}

/* ---- kernels ---- */

/* Queries the compiled kernel's attributes, and allows launches the maximal dynamic shared
 * memory of a block. */
spl_status look_at(const device *d, spl__kernel *k)
{
    GPU(FuncAttributes) attributes;
    const void *const symbol = launchable_of(k)->symbol;
    TRY(check(GPU(FuncGetAttributes)(&attributes, symbol), k->name));
    k->registers = attributes.numRegs;
    k->fixed_shared = attributes.sharedSizeBytes;
    return check(GPU(FuncSetAttribute)(symbol, GPU(FuncAttributeMaxDynamicSharedMemorySize),
                                       static_cast<int>(d->block_shared - k->fixed_shared)),
                 k->name);
}

/* Prepares a kernel once per device, because the query costs more than a launch. */
spl_status prepare(const device *d, spl__kernel_node *node)
{
    const uint64_t bit = d->ordinal < 64 ? uint64_t{1} << d->ordinal : 0;
    if (node->known_on & bit)
        return SPL_OK;
    TRY(look_at(d, &node->kernel));
    if (d->overlaps && d->ordinal < MOST_LAUNCHABLE) {
        auto *const l = static_cast<launchable *>(const_cast<void *>(node->kernel.entry));
        l->on[d->ordinal] = function_of(l->symbol);
    }
    node->known_on |= bit;
    return SPL_OK;
}

/* Looks up a kernel by name; the plug-in has hundreds. */
spl__kernel_node *node_of(const char *name)
{
    static std::unordered_map<std::string, spl__kernel_node *> nodes;
    static std::deque<launchable> entries;
    if (nodes.empty())
        for (spl__kernel_node *node = spl__kernel_nodes; node; node = node->next) {
            nodes.emplace(node->kernel.name, node);
            entries.push_back({node->kernel.entry, {}});
            node->kernel.entry = &entries.back();
        }
    const auto found = nodes.find(name);
    return found == nodes.end() ? nullptr : found->second;
}

spl_status kernel(void *handle, const char *name, const spl__kernel **found)
{
    static std::mutex one_at_a_time;
    std::lock_guard<std::mutex> lock(one_at_a_time);
    on_device selected(handle);
    spl__kernel_node *const node = node_of(name);
    if (!node)
        return fail(SPL_INVALID_ARGUMENT, name, "there is no such kernel");
    TRY(prepare(device_of(handle), node));
    *found = &node->kernel;
    return SPL_OK;
}

spl_status launch(void *handle, const spl__launch *l, void *stream)
{
    void *arguments[] = {const_cast<void *>(l->args)};
    if (l->blocks > INT32_MAX)
        return fail(SPL_INVALID_ARGUMENT, l->kernel->name, "more than 2^31-1 blocks");
    if (l->shared + l->kernel->fixed_shared > device_of(handle)->block_shared)
        return fail(SPL_INVALID_ARGUMENT, l->kernel->name,
                    "more shared memory than a block can have");
    on_device selected(handle);
    const device *const d = device_of(handle);
    const launchable *const entry = launchable_of(l->kernel);
    const launch_place place = {dim3(static_cast<unsigned>(l->blocks)),
                                dim3(static_cast<unsigned>(l->threads)), l->shared,
                                static_cast<stream_t>(stream)};
    return check(d->overlaps ? launch_early(entry->symbol, function_on(d, entry), place, arguments)
                             : GPU(LaunchKernel)(entry->symbol, place.blocks, place.threads,
                                                 arguments, place.shared, place.stream),
                 l->kernel->name);
}

/* ---- primitives ---- */

spl_status sort(void *handle, void *temporary, size_t *bytes, const spl__sort_pairs *p,
                void *stream)
{
    on_device selected(handle);
    stream_t s = static_cast<stream_t>(stream);
    if (p->key_bytes == 4 && p->value_bytes == 4)
        return check(sort_of<uint32_t, uint32_t>(temporary, bytes, p, s), "sort");
    if (p->key_bytes == 4)
        return check(sort_of<uint32_t, uint64_t>(temporary, bytes, p, s), "sort");
    if (p->value_bytes == 4)
        return check(sort_of<uint64_t, uint32_t>(temporary, bytes, p, s), "sort");
    return check(sort_of<uint64_t, uint64_t>(temporary, bytes, p, s), "sort");
}

int32_t place_of(const void *pointer, int32_t *ordinal)
{
    GPU(PointerAttributes) attributes;
    *ordinal = 0;
    if (GPU(PointerGetAttributes)(&attributes, pointer) != GPU(Success)) {
        (void)GPU(GetLastError)();
        return SPL_HOST;
    }
    if (!ON_DEVICE(attributes))
        return SPL_HOST;
    *ordinal = attributes.device;
    return KIND;
}

/* clang-format off */
const spl__driver driver = {
    SPL__DRIVER_VERSION, sizeof(spl__driver), KIND,          NAME,           message,
    count,               open,                close,         properties,     place_of,
    alloc,               free_memory,         trim,          pinned_alloc,   pinned_free,
    is_pinned,           copy,                fill,          stream_create,  stream_destroy,
    stream_wait,         report_later,        await,         stream_captures, event_create,
    event_destroy,       event_record,        event_wait,    event_seconds,  kernel,
    launch,              sort,
};
/* clang-format on */

} /* namespace */

extern "C" __attribute__((visibility("default"))) const spl__driver *spl__driver_entry(void);
extern "C" const spl__driver *spl__driver_entry(void)
{
    return &driver;
}

#endif
