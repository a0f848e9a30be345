/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: GPUs as the library sees them: devices that a context opened, and queues, through which
 * plans use them.
 *
 * Host code of methods is plain C against this file. Everything that a queue is asked for is
 * enqueued to its stream and returns at once, except spl__queue_wait, and copies that have pageable
 * host memory on one side. Memory is counted against budgets like the host's (core/memory.h): an
 * account per context and device, below it one per plan. */
#ifndef SPL_DEVICE_DEVICE_H
#define SPL_DEVICE_DEVICE_H

#include "core/context.h"
#include "device/driver.h"
#include "device/scalars.h"

/* Streams beside that of a plan, and the events that order them. */
enum { SPL__BRANCHES = 4, SPL__BRANCH_SETS = 8 };
typedef struct spl__branches {
    void *streams[SPL__BRANCHES];
    void *begin, *ends[SPL__BRANCHES];
    atomic_flag taken;
} spl__branches;

/* Where small copies to the host arrive: pinned memory, which they reach without a detour. */
enum { SPL__LANDINGS = 8, SPL__LANDING_BYTES = 1024 };
typedef struct spl__landings {
    unsigned char *memory; /* SPL__LANDINGS places; NULL: there are none */
    atomic_flag taken[SPL__LANDINGS];
} spl__landings;

/* Pinned buffers by way of which large arrays that are not pinned go to and from the device:
 * bounce.c. */
enum { SPL__BOUNCES = 2, SPL__BOUNCE_BYTES = 4 << 20 };
typedef struct spl__bounce {
    unsigned char *memory;
    void *stream, *event;
} spl__bounce;
typedef struct spl__bounces {
    spl__bounce buffers[SPL__BOUNCES];
    void *begin;  /* event */
    bool refused; /* there is no memory for them */
    atomic_flag taken;
} spl__bounces;

/* A device that a context opened. */
typedef struct spl__device {
    const spl__driver *driver;
    void *handle; /* the driver's */
    spl_place place;
    spl__device_properties properties;
    const spl_allocator *allocator; /* the caller's hook; NULL: the driver's pool */
    spl__account account;
    void *stream; /* the context's own, for work whose operands are on the host */
    spl__branches branches[SPL__BRANCH_SETS];
    spl__landings landings;
    spl__bounces bounces;
} spl__device;

/* ---- devices of a context ---- */

/* Opens what the list names, separated by commas: "cuda", "hip", "emu", "emu64", each with
 * ":ordinal" if not the first; "gpu": the first device of cuda or hip; "auto": the same, if there
 * is any; "cpu": nothing. `hook` may be NULL. On failure nothing stays open. SPL_UNSUPPORTED: there
 * is no such device, the detail says what is missing. */
spl_status spl__devices_open(spl_context *context, const char *names, const spl_allocator *hook,
                             size_t budget);
void spl__devices_close(spl_context *context);
/* The context's device at a place, NULL if it has none there. */
spl__device *spl__device_at(const spl_context *context, spl_place place);

/* Whether the pointer is into the device's memory. */
bool spl__device_holds(const spl__device *device, const void *pointer);

/* What the driver returned, with its message as the detail. */
spl_status spl__device_check(const spl__device *device, spl_status status);
spl_status spl__device_trim(spl__device *device);
/* Waits for a stream of the device. */
spl_status spl__device_wait(spl__device *device, void *stream);

/* ---- queues ---- */

/* Where the work of one plan goes. device == NULL: the plan computes on the host, and no other
 * function may be called. */
typedef struct spl__queue {
    spl__device *device;
    spl__account account;                             /* of the plan, on the device */
    void *stream;                                     /* where work is enqueued now */
    atomic_llong launches, synchronisations, fetched; /* fetched: bytes that went to the host */
    /* from the first split on; NULL: none is to be had */
    spl__branches *branches;
    /* while it is split: the stream that branches leave and join */
    void *trunk;
    unsigned branched; /* a bit for each branch in use */
    /* of the host, which copy what is not pinned */
    int threads;
} spl__queue;

typedef struct spl__device_array {
    void *data;
    size_t bytes;
} spl__device_array;

/* budget 0: none. threads: of the host, for copies of large arrays that are not pinned. */
void spl__queue_init(spl__queue *queue, spl__device *device, size_t budget, int threads);

/* Whether the plan's memory there, or the context's, is limited by a budget. */
bool spl__queue_has_budget(const spl__queue *queue);
/* count elements of `size` bytes, not initialised; data is NULL if that is none. SPL_OUT_OF_MEMORY,
 * SPL_OVER_BUDGET. */
spl_status spl__queue_alloc(spl__queue *queue, int64_t count, size_t size,
                            spl__device_array *array);
/* Empty arrays are allowed; the array is empty afterwards. */
void spl__queue_free(spl__queue *queue, spl__device_array *array);
/* The array, which is empty afterwards, for another queue of the same device, one
 * without a budget. */
spl__device_array spl__queue_pass(spl__queue *from, spl__device_array *array, spl__queue *to);
spl_status spl__queue_copy(spl__queue *queue, void *to, const void *from, size_t bytes);
spl_status spl__queue_fill(spl__queue *queue, void *to, int byte, size_t bytes);
/* How a copy goes: up to the device or home by way of the pinned buffers, which are then taken
 * until it has been carried; NONE: as the driver copies. */
typedef enum spl__bounce_way { SPL__BOUNCE_NONE, SPL__BOUNCE_UP, SPL__BOUNCE_HOME } spl__bounce_way;
spl__bounce_way spl__bounce_take(spl__queue *queue, const void *to, const void *from, size_t bytes);
/* Up: the source has been read, home: all has arrived, when this returns. */
spl_status spl__bounce_carry(spl__queue *queue, spl__bounce_way way, void *to, const void *from,
                             size_t bytes);
/* When the device is closed. */
void spl__bounces_free(spl__device *device);
/* Whether the host's memory is pinned: copies of it do not block. */
bool spl__queue_pins(const spl__queue *queue, const void *pointer);
/* Waits for everything enqueued so far and reports its errors. */
spl_status spl__queue_wait(spl__queue *queue);
/* The same for queues without a device, too. */
spl_status spl__queue_settle(spl__queue *queue);
/* Adds what the queue counted. */
void spl__queue_count(const spl__queue *queue, spl_counters *counters);
/* A copy to the host, that has arrived after a wait ... */
spl_status spl__queue_bring(spl__queue *queue, void *to, const void *from, size_t bytes);
/* ... and one that has arrived when this returns. */
spl_status spl__queue_fetch(spl__queue *queue, void *to, const void *from, size_t bytes);

/* The instance of a kernel for these types: see each_kernel.h. */
spl_status spl__queue_kernel(const spl__queue *queue, const char *name, spl_type type,
                             spl_index offset_type, const spl__kernel **kernel);
/* Blocks of `threads` threads for `items` items: one thread each, but no more than fill the device,
 * threads go on from there. */
int64_t spl__blocks_for(const spl__queue *queue, int64_t items, int threads);
/* The same for kernels whose blocks add up in one place, where they wait for each other: no more
 * than run at once. */
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

/* A stream of the queue's own, for work beside that of others. */
spl_status spl__queue_stream(spl__queue *queue, void **stream);
void spl__queue_stream_free(spl__queue *queue, void *stream);
/* An event for order alone, and one whose time counts, too, and which costs the device more. */
spl_status spl__queue_event(spl__queue *queue, void **event);
spl_status spl__queue_timed_event(spl__queue *queue, void **event);
void spl__queue_event_free(spl__queue *queue, void *event);
/* Whether the stream is recorded into a graph, when nothing can be waited for. */
bool spl__queue_captures(const spl__queue *queue);
/* Notes in `event` what was enqueued so far; not while the stream is recorded into a graph, whose
 * order is the graph's own. */
void spl__queue_mark(spl__queue *queue, void *event);
/* Lets what is enqueued from now on wait for `event`. */
spl_status spl__queue_after(spl__queue *queue, void *event);
/* Seconds between two timed events that were marked and waited for; 0 if they were not. */
double spl__queue_seconds(spl__queue *queue, void *from, void *to);
/* Enqueues to `stream` from now on, behind what `event`, unless NULL, notes if that was another
 * stream. */
spl_status spl__queue_turn(spl__queue *queue, void *stream, void *event);

/* Launches that need not wait for each other: between split and join, branch sends what follows to
 * one of a few streams, which wait for what was enqueued before the split; what follows the join
 * waits for all of them. Join after a failure, too. The streams stay with the
 * queue until release. */
spl_status spl__queue_split(spl__queue *queue);
spl_status spl__queue_branch(spl__queue *queue, int number);
spl_status spl__queue_join(spl__queue *queue);
void spl__queue_release(spl__queue *queue);
/* When the device is closed. */
void spl__branches_free(spl__device *device);

/* ---- primitives ---- */

/* Offsets from lengths, in place: numbers[i] becomes the sum of those before it, i <= count;
 * numbers[count] need not be set before. The sum of all comes to *total, too, on the device, unless
 * NULL. Temporaries are the queue's own, for the time of the call. */
spl_status spl__queue_offsets(spl__queue *queue, spl_index type, void *numbers, int64_t count,
                              void *total);
spl_status spl__queue_sort(spl__queue *queue, const spl__sort_pairs *pairs);

/* alpha and beta for a kernel from pointers to numbers of `type` on the host. */
spl__device_scalars spl__device_scalars_of(spl_type type, const void *alpha, const void *beta);

/* ---- drivers ---- */

/* How many devices the driver of that name finds; none is SPL_UNSUPPORTED, the detail says why. */
spl_status spl__driver_devices(const char *name, const spl__driver **driver, int32_t *count);
/* The driver of that name, opened from the folder of plug-ins. SPL_UNSUPPORTED, detail: why it
 * cannot be used. */
spl_status spl__driver_find(const char *name, const spl__driver **driver);

#endif
