/* SPDX-License-Identifier: Apache-2.0 */
#include "core/memory.h"

#include "core/checked.h"
#include "core/processor.h"
#include "core/watch.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = SPL__BLOCK_HEADER };

typedef struct header {
    size_t bytes; /* with the header */
    spl__account *account;
    spl__shelf *shelf; /* NULL: the block is the allocator's, not the pool's */
} header;
_Static_assert(_Alignof(max_align_t) >= sizeof(size_t), "malloc leaves room before a block");
_Static_assert(sizeof(header) <= ALIGN, "the header must fit in front of an aligned block");

/* Blocks up to so many bytes stand in blocks of malloc's own alignment, and before them how far
 * behind the beginning: aligned ones glibc cuts out of larger ones, and joins what is left with its
 * neighbours again, which takes as long as a product of 100 entries. Address sanitizers see the
 * ends of blocks only if these are malloc's. */
#if defined(__SANITIZE_ADDRESS__)
enum { SMALL = 0 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { SMALL = 0 };
#else
enum { SMALL = 32768 };
#endif
#else
enum { SMALL = 32768 };
#endif

static void *malloc_small(size_t bytes)
{
    char *memory = malloc(bytes + ALIGN);
    if (!memory)
        return NULL;
    const size_t shift = ALIGN - (uintptr_t)memory % ALIGN;
    memory += shift;
    memcpy(memory - sizeof shift, &shift, sizeof shift);
    return memory;
}

static void free_small(char *memory)
{
    size_t shift;
    memcpy(&shift, memory - sizeof shift, sizeof shift);
    free(memory - shift);
}

static void *malloc_alloc(void *user, size_t bytes, size_t align, spl_place place,
                          const spl_stream *stream)
{
    (void)user, (void)place, (void)stream;
    void *memory = NULL;
    if (bytes <= SMALL)
        return malloc_small(bytes);
    return !spl__machine_holds(bytes) || posix_memalign(&memory, align, bytes) != 0 ? NULL : memory;
}

static void malloc_free(void *user, void *memory, size_t bytes, spl_place place,
                        const spl_stream *stream)
{
    (void)user, (void)place, (void)stream;
    if (bytes <= SMALL)
        free_small(memory);
    else
        free(memory);
}

const spl_allocator spl__malloc_allocator = {NULL, malloc_alloc, malloc_free};

void spl__account_init(spl__account *account, const spl_allocator *allocator, spl__account *parent,
                       size_t budget)
{
    memset(account, 0, sizeof *account);
    account->allocator = allocator;
    account->pool = parent ? parent->pool : NULL;
    account->parent = parent;
    account->budget = budget ? budget : SIZE_MAX;
}

static void raise_peak(spl__account *account, size_t live)
{
    size_t peak = atomic_load(&account->peak);
    while (live > peak && !atomic_compare_exchange_weak(&account->peak, &peak, live))
        ;
}

/* Reserves `bytes` in this account only; *held: the bytes held afterwards. */
static bool reserve(spl__account *account, size_t bytes, size_t *held)
{
    *held = atomic_load(&account->held);
    do {
        if (bytes > account->budget - *held)
            return false;
    } while (!atomic_compare_exchange_weak(&account->held, held, *held + bytes));
    return true;
}

/* Like their namesakes in the header, for the accounts from `first` up to, not including,
 * `last`. */

static void release(spl__account *first, const spl__account *last, size_t bytes)
{
    for (spl__account *a = first; a != last; a = a->parent)
        atomic_fetch_sub(&a->held, bytes);
}

static size_t clamp(double bytes)
{
    const double most = (double)(SIZE_MAX / 4);
    return bytes > 0 ? (size_t)fmin(bytes, most) : 0;
}

/* What accounts from `first` up to `last` expect to be lacking yet, `bytes` at least. */
static size_t lacking(const spl__account *first, const spl__account *last, size_t bytes)
{
    for (const spl__account *a = first;; a = a->parent) {
        size_t expected = atomic_load(&a->expected), held = atomic_load(&a->held);
        if (expected > held && expected - held > bytes)
            bytes = expected - held;
        if (a == last)
            return bytes;
    }
}

static spl_status fail_over_budget(const spl__account *first, const spl__account *full, size_t held,
                                   size_t bytes)
{
    size_t more = lacking(first, full, bytes), needed = held + more;
    return spl__fail_memory(SPL_OVER_BUDGET, needed,
                            "needs %s bytes (%s more with %s live), budget %s",
                            spl__thousands((int64_t)needed), spl__thousands((int64_t)more),
                            spl__thousands((int64_t)held), spl__thousands((int64_t)full->budget));
}

static spl_status reserve_all(spl__account *first, const spl__account *last, size_t bytes)
{
    size_t held;
    for (spl__account *a = first; a != last; a = a->parent) {
        if (reserve(a, bytes, &held))
            continue;
        release(first, a, bytes);
        return fail_over_budget(first, a, held, bytes);
    }
    return SPL_OK;
}

static void begin(spl__account *first, const spl__account *last, size_t bytes)
{
    for (spl__account *a = first; a != last; a = a->parent) {
        raise_peak(a, atomic_fetch_add(&a->live, bytes) + bytes);
        atomic_fetch_add(&a->allocations, 1);
    }
}

static void end(spl__account *first, const spl__account *last, size_t bytes)
{
    for (spl__account *a = first; a != last; a = a->parent)
        atomic_fetch_sub(&a->live, bytes);
}

spl_status spl__account_reserve(spl__account *account, size_t bytes)
{
    return reserve_all(account, NULL, bytes);
}

void spl__account_begin(spl__account *account, size_t bytes)
{
    begin(account, NULL, bytes);
}

void spl__account_end(spl__account *account, size_t bytes)
{
    end(account, NULL, bytes);
}

void spl__account_release(spl__account *account, size_t bytes)
{
    release(account, NULL, bytes);
}

void spl__account_expect(spl__account *account, double bytes)
{
    size_t more = clamp(bytes);
    atomic_store(&account->expected, more ? atomic_load(&account->held) + more : 0);
}

spl_status spl__account_check(spl__account *account, double bytes)
{
    SPL__TRY(reserve_all(account, NULL, clamp(bytes)));
    release(account, NULL, clamp(bytes));
    return SPL_OK;
}

size_t spl__account_room(const spl__account *account)
{
    size_t room = SIZE_MAX;
    for (const spl__account *a = account; a; a = a->parent) {
        size_t held = atomic_load(&a->held);
        if (a->budget != SIZE_MAX && a->budget - held < room)
            room = a->budget - held;
    }
    return room;
}

double spl__counted_bytes(double count, size_t size)
{
    return count > 0 ? count * (double)size + ALIGN : 0;
}

void spl__account_pass(spl__account *from, spl__account *to, size_t bytes)
{
    size_t held;
    end(from, from->parent, bytes);
    release(from, from->parent, bytes);
    (void)reserve(to, bytes, &held);
    begin(to, to->parent, bytes);
}

/* Fails with the total that the context would need: all its held bytes and what the call lacks. */
static spl_status fail_refused(const spl__account *account, size_t bytes)
{
    const spl__account *top = account;
    while (top->parent)
        top = top->parent;
    size_t needed = atomic_load(&top->held) + lacking(account, top, bytes);
    return spl__fail_memory(SPL_OUT_OF_MEMORY, needed,
                            "the allocator refused %s bytes, of %s that the context needs",
                            spl__thousands((int64_t)bytes), spl__thousands((int64_t)needed));
}

/* What a pool may keep in view of the context's budget, with `bytes` of what is held given back. */
static size_t room_to_keep(const spl__account *account, size_t bytes)
{
    while (account->parent)
        account = account->parent;
    size_t room = spl__account_room(account);
    return room > SIZE_MAX - bytes ? SIZE_MAX : room + bytes;
}

/* A block with its header's account and size; NULL: there is no memory. */
static header *obtain(spl__account *account, size_t bytes)
{
    const spl_allocator *a = account->allocator;
    spl__shelf *shelf = NULL;
    header *block = account->pool && bytes >= SPL__POOLED
                        ? spl__pool_take(account->pool, bytes, room_to_keep(account, 0), &shelf)
                        : a->alloc(a->user, bytes, ALIGN, (spl_place){SPL_HOST, 0}, NULL);
    if (block)
        *block = (header){bytes, account, shelf};
    return block;
}

spl_status spl__alloc(spl__account *account, int64_t count, size_t size, void **memory)
{
    size_t bytes;
    *memory = NULL;
    if (count == 0 || size == 0)
        return SPL_OK;
    if (count < 0 || !spl__mul_size((size_t)count, size, &bytes) || bytes > PTRDIFF_MAX - ALIGN)
        return spl__fail(SPL_OUT_OF_MEMORY,
                         "%s elements of %zu bytes are more than can be addressed",
                         spl__thousands(count), size);
    bytes += ALIGN;
    SPL__TRY(spl__watch_check(spl__account_watch(account)));
    SPL__TRY(spl__account_reserve(account, bytes));
    header *block = obtain(account, bytes);
    if (!block) {
        spl__account_release(account, bytes);
        return fail_refused(account, bytes);
    }
    spl__account_begin(account, bytes);
    *memory = (char *)block + ALIGN;
    return SPL_OK;
}

spl_status spl__alloc_zero(spl__account *account, int64_t count, size_t size, void **memory)
{
    SPL__TRY(spl__alloc(account, count, size, memory));
    if (*memory)
        memset(*memory, 0, (size_t)count * size);
    return SPL_OK;
}

void spl__free(void *memory)
{
    if (!memory)
        return;
    char *block = (char *)memory - ALIGN;
    header h = *(header *)block;
    const spl_allocator *a = h.account->allocator;
    spl__account_end(h.account, h.bytes);
    if (h.shelf)
        spl__pool_return(h.account->pool, h.shelf, block, h.bytes,
                         room_to_keep(h.account, h.bytes));
    else
        a->free(a->user, block, h.bytes, (spl_place){SPL_HOST, 0}, NULL);
    spl__account_release(h.account, h.bytes);
}

/* The block is `bytes` long now. */
static void count_shrunk(header *block, size_t bytes)
{
    size_t less = block->bytes - bytes;
    block->bytes = bytes;
    spl__account_end(block->account, less);
    spl__account_release(block->account, less);
}

static void shrink_pages(header *block, size_t bytes)
{
    size_t pages = spl__pool_pages(bytes), before = spl__pool_pages(block->bytes);
    if (pages < before)
        spl__pool_return(block->account->pool, block->shelf, (char *)block + pages, before - pages,
                         room_to_keep(block->account, before - pages));
    count_shrunk(block, bytes);
}

static void shrink_malloc(void **memory, size_t bytes)
{
    header *block = (header *)((char *)*memory - ALIGN), *moved;
    if (bytes > SMALL)
        moved = realloc(block, bytes);
    else if ((moved = malloc_small(bytes)) != NULL) {
        memcpy(moved, block, bytes);
        malloc_free(NULL, block, block->bytes, (spl_place){SPL_HOST, 0}, NULL);
    }
    if (!moved)
        return;
    count_shrunk(moved, bytes);
    *memory = (char *)moved + ALIGN;
}

spl_status spl__shrink(void **memory, size_t bytes)
{
    header *h = *memory ? (header *)((char *)*memory - ALIGN) : NULL;
    void *copy;
    if (!h || bytes + ALIGN >= h->bytes)
        return SPL_OK;
    if (h->shelf) {
        shrink_pages(h, bytes + ALIGN);
        return SPL_OK;
    }
    if (h->account->allocator->alloc == malloc_alloc) {
        shrink_malloc(memory, bytes + ALIGN);
        return SPL_OK;
    }
    spl_status status = spl__alloc(h->account, 1, bytes, &copy);
    if (status != SPL_OK)
        return status == SPL_OVER_BUDGET ? SPL_OK : status;
    if (bytes > 0)
        memcpy(copy, *memory, bytes);
    spl__free(*memory);
    *memory = copy;
    return SPL_OK;
}

void spl__memory_move(void *memory, spl__account *to)
{
    if (!memory)
        return;
    header *h = (header *)((char *)memory - ALIGN);
    end(h->account, to, h->bytes);
    release(h->account, to, h->bytes);
    h->account = to;
}

spl_status spl__memory_adopt(void *memory, spl__account *to)
{
    header *h = (header *)((char *)memory - ALIGN);
    SPL__TRY(reserve_all(to, h->account, h->bytes));
    begin(to, h->account, h->bytes);
    h->account = to;
    return SPL_OK;
}
