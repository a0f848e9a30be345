/* SPDX-License-Identifier: Apache-2.0 */
/* driver.h: what a kind of device can do: the interface between the library and its plug-ins (cuda,
 * hip, emu, emu64).
 *
 * A plug-in is a shared object of its own that exports one function, SPL__DRIVER_ENTRY, and is
 * opened at run time: the library needs no toolkit and no driver to be there. It holds the kernels
 * of all *.k.h files, compiled for its devices; nothing in it calls back into the library.
 *
 * Conventions: every function returns SPL_OK, SPL_OUT_OF_MEMORY, SPL_INVALID_ARGUMENT,
 * SPL_UNSUPPORTED or SPL_DEVICE_FAILURE; message() says what went wrong in this thread's last
 * failure. Any thread may call; the caller's current device is left as it was. Streams are the
 * toolkit's own (cudaStream_t, hipStream_t), NULL is its default stream. What takes a stream is
 * enqueued there and returns; only stream_wait blocks, and copy, if one side is pageable host
 * memory. */
#ifndef SPL_DEVICE_DRIVER_H
#define SPL_DEVICE_DRIVER_H

#include "sparloom/sparloom.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Grows with every change of this file. A plug-in of another version is not used. */
enum { SPL__DRIVER_VERSION = 4, SPL__DEVICE_NAME_BYTES = 96 };

typedef struct spl__device_properties {
    char name[SPL__DEVICE_NAME_BYTES]; /* "NVIDIA H100 80GB HBM3" */
    int32_t lanes;                     /* threads of a warp: 32 or 64 */
    int32_t units;                     /* multiprocessors */
    int32_t unit_threads;              /* threads that can be resident on one */
    int32_t block_threads;             /* most threads of a block */
    size_t block_shared;               /* bytes of shared memory a block may ask for at launch */
    size_t unit_shared, cache_bytes, memory_bytes;
    int32_t multiplies_tiles; /* 1: it has instructions for MULTIPLY_TILES of dialect.h */
} spl__device_properties;

/* A kernel as the driver knows it. */
typedef struct spl__kernel {
    const char *name;    /* "spmv_csr_vector_f64_32_32" */
    const void *entry;   /* the driver's own */
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

/* A stable sort of `count` pairs by the lowest `bits` bits of the keys. Every array is on the
 * device; the sources are spoilt. */
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

    /* Devices there are. SPL_DEVICE_FAILURE with a message if the system has no working driver for
     * them. */
    spl_status (*count)(int32_t *count);
    spl_status (*open)(int32_t ordinal, void **device);
    void (*close)(void *device);
    spl_status (*properties)(void *device, spl__device_properties *properties);
    /* SPL_HOST, or this driver's kind if the pointer is known to be a device's; -1 if unknown;
     * *ordinal: whose. */
    int32_t (*place_of)(const void *pointer, int32_t *ordinal);

    /* Memory from a pool that is kept, in stream order; trim gives what is unused back to the
     * system. */
    spl_status (*alloc)(void *device, size_t bytes, void *stream, void **memory);
    void (*free)(void *device, void *memory, void *stream);
    spl_status (*trim)(void *device);
    /* Host memory that copies go to and from without blocking. */
    spl_status (*pinned_alloc)(void *device, size_t bytes, void **memory);
    void (*pinned_free)(void *device, void *memory);
    /* 1 if copies to and from the pointer, anyone's, do not block. */
    int (*is_pinned)(void *device, const void *pointer);
    spl_status (*copy)(void *device, void *to, const void *from, size_t bytes, void *stream);
    spl_status (*fill)(void *device, void *to, int byte, size_t bytes, void *stream);

    spl_status (*stream_create)(void *device, void **stream);
    void (*stream_destroy)(void *device, void *stream);
    /* Waits until the stream's work is done; reports errors of that work. */
    spl_status (*stream_wait)(void *device, void *stream);
    /* 1 while the stream is recorded into a graph, when nothing may be waited for. */
    int (*stream_captures)(void *device, void *stream);

    /* timed: 1 for event_seconds, which costs whoever records the event more; else 0. */
    spl_status (*event_create)(void *device, int timed, void **event);
    void (*event_destroy)(void *device, void *event);
    spl_status (*event_record)(void *device, void *event, void *stream);
    /* Work enqueued to `stream` from now on waits for the event. */
    spl_status (*event_wait)(void *device, void *event, void *stream);
    /* Seconds between two recorded events, both timed and waited for. */
    spl_status (*event_seconds)(void *device, void *from, void *to, double *seconds);

    /* The kernel of that name, valid as long as the device is open; SPL_INVALID_ARGUMENT if there
     * is none. */
    spl_status (*kernel)(void *device, const char *name, const spl__kernel **kernel);
    spl_status (*launch)(void *device, const spl__launch *launch, void *stream);

    /* Library primitives: with temporary == NULL they write the bytes they need to *bytes and do
     * nothing else. sums[i] = from[0] + ... + from[i-1] for i < count; 4- or 8-byte integers; in
     * place is allowed. */
    spl_status (*scan)(void *device, void *temporary, size_t *bytes, int32_t element_bytes,
                       const void *from, void *sums, int64_t count, void *stream);
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
