/* SPDX-License-Identifier: Apache-2.0 */
/* hook_allocator.h: an allocator for the library's hook that counts, limits, fails on demand and
 * notices misuse. Memory of the devices that the test runs on comes from their drivers, not from
 * the library, as with any caller's pool. */
#ifndef SPARLOOM_TEST_HOOK_ALLOCATOR_H
#define SPARLOOM_TEST_HOOK_ALLOCATOR_H

#include "device/driver.h"
#include "zoo/zoo.h"

#include <pthread.h>

enum { HOOK_DEVICE_BLOCKS = 256, HOOK_DEVICES = 4 };

typedef struct hook_allocator {
    pthread_mutex_t mutex;
    long long allocations, frees;    /* successful calls so far, at all places */
    size_t live, peak;               /* bytes on the host; reset `peak` at will */
    size_t device_live, device_peak; /* on all devices */
    /* the allocation with this number (from 0) and all later ones fail; -1: none */
    long long fail_at;
    bool once;           /* the later ones do not */
    const char *what;    /* is called when they fail, for messages; NULL: no name */
    int refused;         /* of a hundred allocations, drawn by `dice` */
    zoo_random dice;     /* seeded by the test where `refused` is not 0 */
    size_t device_limit; /* as `limit`, on devices alone */
    /* allocations that would bring `live` of their place above it fail */
    size_t limit;
    /* a bad alignment, place or size, a foreign pointer, or a write beyond the end of a block */
    bool misused;
    struct hook_device {
        const spl__driver *driver;
        void *handle;
        spl_place place;
    } devices[HOOK_DEVICES]; /* those of the test */
    int device_count;
    struct hook_device_block {
        void *memory;
        size_t bytes;
        const struct hook_device *device;
    } blocks[HOOK_DEVICE_BLOCKS]; /* what is live on devices */
} hook_allocator;

void hook_start(hook_allocator *hook);
/* Everything was freed and nothing misused. */
bool hook_clean(const hook_allocator *hook);
void hook_stop(hook_allocator *hook);

/* A context that allocates through the hook. budget 0: none. */
spl_status hook_context(hook_allocator *hook, int threads, size_t budget, spl_context **context);
spl_allocator hook_as_allocator(hook_allocator *hook);

/* Calls `call(data)` again and again; in the n-th call its allocation number first + n * step fails
 * (0: the first one), and if not hook->once all later ones, until in one call none fails. Each has
 * to say SPL_OK or SPL_OUT_OF_MEMORY and to leave as much memory as there was. Returns how many
 * said what. */
typedef struct hook_calls {
    int made, refused;
} hook_calls;
typedef spl_status (*hook_call)(void *data);
hook_calls hook_fail_some(hook_allocator *hook, long long first, long long step, hook_call call,
                          void *data);
/* Every allocation. */
hook_calls hook_fail_each(hook_allocator *hook, hook_call call, void *data);

/* For tests that draw: a context of two threads on such an allocator, which may have `room` bytes
 * more than it begins with. */
typedef struct hooked {
    hook_allocator hook;
    spl_context *context;
    zoo_random random;
} hooked;
void hooked_start(hooked *h, size_t room);
/* Fails the test unless everything was freed and nothing misused. */
void hooked_stop(hooked *h);

#endif
