/* SPDX-License-Identifier: Apache-2.0 */
/* driver.h: the interface between the library and its plug-ins for kinds of devices (cuda, hip,
 * emu, emu64).
 *
 * A plug-in is a shared object that exports one function, SPL__DRIVER_ENTRY, and is opened at run
 * time, so that the library itself requires no toolkit or driver. It contains the kernels of all
 * *.k.h files, compiled for its devices; it never calls back into the library.
 *
 * Conventions: every function returns SPL_OK, SPL_OUT_OF_MEMORY, SPL_INVALID_ARGUMENT,
 * SPL_UNSUPPORTED or SPL_DEVICE_FAILURE; message() describes this thread's last failure. Any
 * thread may call; the caller's current device is preserved. Streams are the toolkit's
 * (cudaStream_t, hipStream_t), NULL is its default stream. Functions with a stream enqueue and
 * return; only stream_wait blocks, and copy if one side is pageable host memory. */
#ifndef SPL_DEVICE_DRIVER_H
#define SPL_DEVICE_DRIVER_H

#include "sparloom/sparloom.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Incremented with every change of this file. Plug-ins of other versions are not used. */
enum { SPL__DRIVER_VERSION = 8, SPL__DEVICE_NAME_BYTES = 96 };

typedef struct spl__device_properties {
    char name[SPL__DEVICE_NAME_BYTES]; /* "NVIDIA H100 80GB HBM3" */
    int32_t lanes;                     /* threads of a warp: 32 or 64 */
    int32_t units;                     /* multiprocessors */
    int32_t unit_threads;              /* threads that can be resident on one */
    size_t block_shared;               /* the most dynamic shared memory of a block, in bytes */
    size_t unit_shared, cache_bytes, memory_bytes;
    int32_t multiplies_tiles; /* 1: it has instructions for MULTIPLY_TILES of dialect.h */
    /* 1: kernels may write to pinned memory, and await waits for a mark that one sets there */
    int32_t tells_host;
} spl__device_properties;

/* A kernel of a driver. */
typedef struct spl__kernel {
    const char *name;    /* "spmv_csr_vector_f64_32_32" */
    const void *entry;   /* owned by the driver */
    size_t args_bytes;   /* size of the struct it takes */
    int32_t registers;   /* per thread; 0: not known */
    size_t fixed_shared; /* bytes of shared memory in the kernel itself */
} spl__kernel;

/* One launch: `blocks` blocks of `threads` threads. */
typedef struct spl__launch {
    const spl__kernel *kernel;
    int64_t blocks;
    int32_t threads;
    size_t shared;    /* bytes of SHARED_AT_LAUNCH */
    const void *args; /* copied before the call returns */
} spl__launch;

/* A stable sort of `count` pairs by the lowest `bits` bits of the keys. All arrays are on the
 * device; the sources are overwritten. */
typedef struct spl__sort_pairs {
    int64_t count;
    int32_t key_bytes, value_bytes; /* 4 or 8 */
    int32_t bits;
    void *keys, *values;               /* sources */
    void *sorted_keys, *sorted_values; /* results */
} spl__sort_pairs;

typedef struct spl__driver {
    uint32_t version; /* SPL__DRIVER_VERSION */
    uint32_t size;    /* of this struct */
    int32_t kind;     /* spl_place_kind of its arrays */
    const char *name; /* "cuda" */
    const char *(*message)(void);

    /* The number of devices. SPL_DEVICE_FAILURE with a message if the system has no working
     * driver for them. */
    spl_status (*count)(int32_t *count);
    spl_status (*open)(int32_t ordinal, void **device);
    void (*close)(void *device);
    spl_status (*properties)(void *device, spl__device_properties *properties);
    /* SPL_HOST, or this driver's kind if the pointer is in a device's memory (*ordinal: which
     * one), or -1: unknown. */
    int32_t (*place_of)(const void *pointer, int32_t *ordinal);

    /* Stream-ordered memory from a pool that keeps freed memory; trim returns unused memory to
     * the system. */
    spl_status (*alloc)(void *device, size_t bytes, void *stream, void **memory);
    void (*free)(void *device, void *memory, void *stream);
    spl_status (*trim)(void *device);
    /* Pinned host memory, for copies that do not block. */
    spl_status (*pinned_alloc)(void *device, size_t bytes, void **memory);
    void (*pinned_free)(void *device, void *memory);
    /* 1 if the memory is pinned, by any allocator, so that copies do not block. */
    int (*is_pinned)(void *device, const void *pointer);
    spl_status (*copy)(void *device, void *to, const void *from, size_t bytes, void *stream);
    spl_status (*fill)(void *device, void *to, int byte, size_t bytes, void *stream);

    spl_status (*stream_create)(void *device, void **stream);
    void (*stream_destroy)(void *device, void *stream);
    /* Waits until the stream's work is done; reports errors of that work. */
    spl_status (*stream_wait)(void *device, void *stream);
    /* Enqueues a copy of a few bytes to pinned memory. *mark, pinned too, becomes 1 once they have
     * arrived; the driver may leave other values where the device cannot do that. */
    spl_status (*report)(void *device, void *to, const void *from, size_t bytes, uint64_t *mark,
                         void *stream);
    /* Waits for the mark, or for all of the stream's work; reports errors of that. The mark was
     * given to `report`, or was 0 before a kernel that sets it was launched. */
    spl_status (*await)(void *device, const uint64_t *mark, void *stream);
    /* 1 while the stream is being captured into a graph, when waiting is not possible. */
    int (*stream_captures)(void *device, void *stream);

    /* timed: 1 if event_seconds will be called, which makes recording more expensive; else 0. */
    spl_status (*event_create)(void *device, int timed, void **event);
    void (*event_destroy)(void *device, void *event);
    spl_status (*event_record)(void *device, void *event, void *stream);
    /* Makes work that is enqueued to `stream` from now on wait for the event. */
    spl_status (*event_wait)(void *device, void *event, void *stream);
    /* Seconds between two recorded events, both timed and waited for. */
    spl_status (*event_seconds)(void *device, void *from, void *to, double *seconds);

    /* The named kernel, valid as long as the device is open; SPL_INVALID_ARGUMENT: no such
     * kernel. */
    spl_status (*kernel)(void *device, const char *name, const spl__kernel **kernel);
    spl_status (*launch)(void *device, const spl__launch *launch, void *stream);

    /* Of a library: with temporary == NULL it writes the bytes that it needs to *bytes and does
     * nothing else. */
    spl_status (*sort)(void *device, void *temporary, size_t *bytes, const spl__sort_pairs *pairs,
                       void *stream);
} spl__driver;

/* The function that a plug-in exports: const spl__driver *spl__driver_entry(void). */
#define SPL__DRIVER_ENTRY "spl__driver_entry"
typedef const spl__driver *(*spl__driver_entry_fn)(void);

#ifdef __cplusplus
}
#endif
#endif
