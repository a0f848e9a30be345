/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: the devices that a context has opened, and queues, through which plans use them.
 *
 * Host code of methods is plain C against this file. Every operation of a queue is enqueued to
 * its stream and returns immediately, except spl__queue_wait and copies from or to pageable host
 * memory. Memory is counted against budgets like host memory (core/memory.h): one account per
 * context and device, with one child per plan. */
#ifndef SPL_DEVICE_DEVICE_H
#define SPL_DEVICE_DEVICE_H

#include "core/context.h"
#include "device/driver.h"
#include "device/scalars.h"
#include "device/tell.h"

/* Additional streams of a plan, and the events that order them. */
enum { SPL__BRANCHES = 4, SPL__BRANCH_SETS = 8 };
typedef struct spl__branches {
    void *streams[SPL__BRANCHES];
    void *begin, *ends[SPL__BRANCHES];
    atomic_flag taken;
} spl__branches;

/* Pinned memory for small copies to the host, which are faster than copies to pageable memory. */
enum { SPL__LANDINGS = 8, SPL__LANDING_BYTES = 1024 };
typedef struct spl__landing {
    unsigned char bytes[SPL__LANDING_BYTES];
    uint64_t mark, unused[7]; /* the driver's; lines of caches of their own */
} spl__landing;
typedef struct spl__landings {
    spl__landing *memory; /* [SPL__LANDINGS] NULL: not available */
    atomic_flag taken[SPL__LANDINGS];
} spl__landings;

/* Pinned buffers for large copies between the device and pageable memory: bounce.c. */
enum { SPL__BOUNCES = 2, SPL__BOUNCE_BYTES = 4 << 20 };
typedef struct spl__bounce {
    unsigned char *memory;
    void *stream, *event;
} spl__bounce;
typedef struct spl__bounces {
    spl__bounce buffers[SPL__BOUNCES];
    void *begin;  /* event */
    bool refused; /* their allocation has failed */
    atomic_flag taken;
} spl__bounces;

/* Zeros for the small arrays of plans whose work is in the device's own stream: zeros.c. Each plan
 * is lent a page; used ones are filled again all at once. */
enum { SPL__ZERO_PAGES = 64, SPL__ZERO_PAGE_BYTES = 8192 };
typedef struct spl__zero_pages {
    char *memory; /* NULL: not allocated */
    int next;     /* those from here on are zeros */
    atomic_int lent;
    atomic_flag busy; /* taken by who changes the others; lent may decrease at any time */
} spl__zero_pages;

/* Kernels that were looked up lately: their names are made and hashed once. */
enum { SPL__KERNELS_FOUND = 256 };

/* A device that a context opened. */
typedef struct spl__device {
    const spl__driver *driver;
    void *handle; /* the driver's */
    spl_place place;
    spl__device_properties properties;
    const spl_allocator *allocator; /* the caller's allocator; NULL: the driver's pool */
    spl__account account;
    void *stream; /* the context's own, for work whose operands are on the host */
    /* the event of spl__queue_follow_default: to make one takes longer than to wait for one */
    void *of_default;
    spl__branches branches[SPL__BRANCH_SETS];
    spl__landings landings;
    spl__bounces bounces;
    spl__zero_pages zeros;
    _Atomic(const spl__kernel *) found[SPL__KERNELS_FOUND];
} spl__device;

/* ---- devices of a context ---- */

/* Opens the listed devices, separated by commas: "cuda", "hip", "emu", "emu64", each with
 * ":ordinal" if not the first; "gpu": the first device of cuda or hip; "auto": the same, if
 * there is any; "cpu": none. `hook` may be NULL. On failure none stays open. SPL_UNSUPPORTED: no
 * such device; the detail says what is missing. */
spl_status spl__devices_open(spl_context *context, const char *names, const spl_allocator *hook,
                             size_t budget);
void spl__devices_close(spl_context *context);
/* The context's device with that place; NULL: none. */
spl__device *spl__device_at(const spl_context *context, spl_place place);

/* Whether the pointer is into the device's memory. */
bool spl__device_holds(const spl__device *device, const void *pointer);

/* Passes on the driver's status, with its message as the detail. */
static inline spl_status spl__device_check(const spl__device *device, spl_status status)
{
    return status == SPL_OK
               ? SPL_OK
               : spl__fail(status, "%s: %s", device->properties.name, device->driver->message());
}
spl_status spl__device_trim(spl__device *device);
/* Waits for a stream of the device. */
spl_status spl__device_wait(spl__device *device, void *stream);

/* ---- queues ---- */

typedef struct spl__device_array {
    void *data;
    size_t bytes;
} spl__device_array;

/* The queue of one plan's work. device == NULL: the plan computes on the host, and no other
 * function may be called. */
typedef struct spl__queue {
    spl__device *device;
    spl__account account;                             /* the plan's memory on the device */
    void *stream;                                     /* the current stream */
    atomic_llong launches, synchronisations, fetched; /* fetched: bytes copied to the host */
    /* since the first split; NULL: none, or not available */
    spl__branches *branches;
    /* during a split: the stream from which branches fork and to which they join */
    void *trunk;
    unsigned branched; /* one bit per branch in use */
    /* of the host, for copies of pageable memory */
    int threads;
    spl__device_array zeros; /* spl__queue_share_zeros; data NULL: not called */
    size_t zeros_lent;
    bool zeros_kept; /* they are a page of the device */
} spl__queue;

/* budget 0: unlimited. threads: of the host, for large copies of pageable memory. */
void spl__queue_init(spl__queue *queue, spl__device *device, size_t budget, int threads);

/* Whether the device memory of the plan or of the context is limited by a budget. */
bool spl__queue_has_budget(const spl__queue *queue);
/* Allocates `count` uninitialised elements of `size` bytes; data is NULL if count is 0.
 * SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
spl_status spl__queue_alloc(spl__queue *queue, int64_t count, size_t size,
                            spl__device_array *array);
/* The same, of zeros. A few small ones share what spl__queue_share_zeros has taken, as far as that
 * suffices: each fill costs the host 4 us (H200). */
spl_status spl__queue_alloc_zeros(spl__queue *queue, int64_t count, size_t size,
                                  spl__device_array *array);
/* Until release: a page of the device that is filled already, if all work of the queue will be in
 * the device's own stream. Does nothing where memory is limited. */
spl_status spl__queue_share_zeros(spl__queue *queue);
/* For the queue: takes zeros from those that are shared; false: there are too few. */
bool spl__zeros_borrow(spl__queue *queue, size_t bytes, spl__device_array *array);
bool spl__zeros_are_borrowed(const spl__queue *queue, const spl__device_array *array);
/* After all work of the queue has been enqueued. */
void spl__zeros_return(spl__queue *queue);
/* Frees the device's pages, unless some are lent: for trim, and when the device is closed. */
void spl__zeros_free(spl__device *device);
/* Empty arrays are allowed; the array is empty afterwards. */
void spl__queue_free(spl__queue *queue, spl__device_array *array);
/* Moves the array, which is empty afterwards, to another queue of the same device, which must
 * have no budget. */
spl__device_array spl__queue_pass(spl__queue *from, spl__device_array *array, spl__queue *to);
spl_status spl__queue_copy(spl__queue *queue, void *to, const void *from, size_t bytes);
spl_status spl__queue_fill(spl__queue *queue, void *to, int byte, size_t bytes);
/* The path of a copy: UP to the device or HOME to the host through the pinned buffers, which are
 * reserved until it has been carried; NONE: left to the driver. */
typedef enum spl__bounce_way {
    SPL__BOUNCE_NONE,
    SPL__BOUNCE_TO_DEVICE,
    SPL__BOUNCE_TO_HOST
} spl__bounce_way;
spl__bounce_way spl__bounce_take(spl__queue *queue, const void *to, const void *from, size_t bytes);
/* Returns when the source has been read (UP), or when all data have arrived (HOME). */
spl_status spl__bounce_carry(spl__queue *queue, spl__bounce_way way, void *to, const void *from,
                             size_t bytes);
/* When the device is closed. */
void spl__bounces_free(spl__device *device);
/* Whether the host memory is pinned, so that copies do not block. */
bool spl__queue_pins(const spl__queue *queue, const void *pointer);
/* Waits for everything enqueued so far and reports its errors. */
spl_status spl__queue_wait(spl__queue *queue);
/* The same; does nothing for queues without a device. */
spl_status spl__queue_settle(spl__queue *queue);
/* Adds the queue's counts to the counters. */
void spl__queue_count(const spl__queue *queue, spl_counters *counters);
/* A copy to the host, complete after the next wait ... */
spl_status spl__queue_bring(spl__queue *queue, void *to, const void *from, size_t bytes);
/* ... and one that is complete when this returns. */
spl_status spl__queue_fetch(spl__queue *queue, void *to, const void *from, size_t bytes);
/* The same in two steps, for a few bytes that must not change between them: what is enqueued in
 * between need not be done when they arrive. Each report must be collected, before the stream ends;
 * to NULL: they are dropped. A report of zeros, and one that failed, have nothing to collect. */
typedef struct spl__report {
    const void *from;
    size_t bytes;
    spl__landing *landing; /* NULL: none was free; they are copied when they are collected */
} spl__report;
spl_status spl__queue_report(spl__queue *queue, const void *from, size_t bytes,
                             spl__report *report);
spl_status spl__queue_collect(spl__queue *queue, spl__report *report, void *to);
/* A report that a kernel makes at its end (tell_host.h): what that is given. `arrived` is zero, on
 * the device. Once it has been launched, with at least one block, spl__queue_told must be called:
 * it enqueues the report where kernels cannot make it. */
spl__tell spl__queue_tell(spl__queue *queue, const void *from, size_t bytes, int32_t *arrived,
                          spl__report *report);
spl_status spl__queue_told(spl__queue *queue, spl__report *report);

/* Looks up the instance of a kernel for these types: see each_kernel.h. */
spl_status spl__queue_kernel(const spl__queue *queue, const char *name, spl_type type,
                             spl_index offset_type, const spl__kernel **kernel);
/* The number of blocks of `threads` threads for `items` items: one thread per item, but no more
 * than fill the device; then threads loop. */
int64_t spl__blocks_for(const spl__queue *queue, int64_t items, int threads);
/* The same for kernels whose blocks contend for one sum: no more blocks than run at once. */
int64_t spl__blocks_at_once(const spl__queue *queue, int64_t items, int threads);
/* Launches with `bytes` bytes of arguments, the kernel's struct. blocks == 0 does nothing. */
spl_status spl__queue_launch(spl__queue *queue, const spl__launch *launch, size_t bytes);
#define SPL__LAUNCH(queue, args_, kernel_, blocks_, threads_)                                      \
    SPL__LAUNCH_SHARED(queue, args_, kernel_, blocks_, threads_, 0)
#define SPL__LAUNCH_SHARED(queue, args_, kernel_, blocks_, threads_, shared_)                      \
    spl__queue_launch((queue),                                                                     \
                      &(spl__launch){.kernel = (kernel_),                                          \
                                     .blocks = (blocks_),                                          \
                                     .threads = (threads_),                                        \
                                     .shared = (shared_),                                          \
                                     .args = (args_)},                                             \
                      sizeof *(args_))

/* ---- order among streams ---- */

/* Creates a stream for work that runs concurrently with other streams. */
spl_status spl__queue_stream(spl__queue *queue, void **stream);
void spl__queue_stream_free(spl__queue *queue, void *stream);
/* Creates an event for ordering only, and one with a time, which costs the device more. */
spl_status spl__queue_event(spl__queue *queue, void **event);
spl_status spl__queue_timed_event(spl__queue *queue, void **event);
void spl__queue_event_free(spl__queue *queue, void *event);
/* Whether the stream is being captured into a graph; then waiting is not possible. */
static inline bool spl__queue_captures(const spl__queue *queue)
{
    return queue->device->driver->stream_captures(queue->device->handle, queue->stream);
}
/* Records `event` after the work enqueued so far; does nothing during graph capture, since the
 * graph has its own order. */
void spl__queue_mark(spl__queue *queue, void *event);
/* Makes work that is enqueued from now on wait for `event`. */
spl_status spl__queue_after(spl__queue *queue, void *event);
/* The same for all work that the default stream has so far. */
spl_status spl__queue_follow_default(spl__queue *queue);
/* Seconds between two timed events that were marked and waited for; 0 if they were not. */
double spl__queue_seconds(spl__queue *queue, void *from, void *to);
/* Switches to `stream`, after the work recorded in `event` (unless NULL) if that was in another
 * stream. */
spl_status spl__queue_turn(spl__queue *queue, void *stream, void *event);

/* Concurrent launches: between split and join, branch directs further work to one of a few
 * streams, which wait for the work before the split; work after the join waits for all of them.
 * Join must be called after a failure, too. The queue keeps the streams until release. */
spl_status spl__queue_split(spl__queue *queue);
spl_status spl__queue_branch(spl__queue *queue, int number);
spl_status spl__queue_join(spl__queue *queue);
/* Also frees zeros that are shared. */
void spl__queue_release(spl__queue *queue);
/* When the device is closed. */
void spl__branches_free(spl__device *device);

/* ---- primitives ---- */

/* In-place exclusive prefix sum: turns lengths into offsets. numbers[i] becomes the sum of those
 * before it, for i <= count; numbers[count] need not be set before. The total is also written to
 * *total, on the device, unless NULL. Temporary memory is allocated for the duration of the
 * call. */
spl_status spl__queue_offsets(spl__queue *queue, spl_index type, void *numbers, int64_t count,
                              void *total);
spl_status spl__queue_sort(spl__queue *queue, const spl__sort_pairs *pairs);

/* Makes kernel arguments alpha and beta from pointers to numbers of `type` on the host. */
spl__device_scalars spl__device_scalars_of(spl_type type, const void *alpha, const void *beta);

/* ---- drivers ---- */

/* The number of devices of the named driver; 0 gives SPL_UNSUPPORTED, and the detail says why. */
spl_status spl__driver_devices(const char *name, const spl__driver **driver, int32_t *count);
/* Opens the named driver from the folder of plug-ins. SPL_UNSUPPORTED: not usable; the detail
 * says why. */
spl_status spl__driver_find(const char *name, const spl__driver **driver);

#endif
