/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h: all allocations of the library, counted and limited by budgets (promise 1).
 *
 * An account belongs to a context or to a plan. A plan's account has the context's as its parent:
 * an allocation must fit both budgets. Blocks carry their size and account in a header of 64 bytes,
 * which counts too. */
#ifndef SPL_CORE_MEMORY_H
#define SPL_CORE_MEMORY_H

#include "core/error.h"
#include "core/pool.h"

#include <stdatomic.h>

/* Bytes that are counted for a block in addition to its own. */
enum { SPL__BLOCK_HEADER = 64 };

typedef struct spl__account {
    const spl_allocator *allocator;
    spl__pool *pool;             /* for large blocks; NULL: all blocks are the allocator's */
    struct spl__account *parent; /* NULL for a context */
    size_t budget;               /* SIZE_MAX: none */
    atomic_size_t held; /* part of the budget in use: `live`, plus bytes being allocated or freed */
    atomic_size_t live, peak; /* allocated bytes: never more than allocators have granted */
    atomic_llong allocations;
    /* the final memory of the current call, as far as it is known: spl__account_expect */
    atomic_size_t expected;
    /* of the current call, set by the calling thread (core/watch.h); NULL: see the parent */
    struct spl__watch *watch;
} spl__account;

/* budget 0: unlimited. The pool is the parent's. */
void spl__account_init(spl__account *account, const spl_allocator *allocator, spl__account *parent,
                       size_t budget);

/* *memory = count elements of `size` bytes, aligned to 64, not initialised; NULL if count is 0. On
 * failure *memory is NULL. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET (detail: bytes needed, live, budget);
 * SPL_CANCELLED: the account's watch says so. Thread-safe. */
spl_status spl__alloc(spl__account *account, int64_t count, size_t size, void **memory);
/* The same, set to zero bytes. */
spl_status spl__alloc_zero(spl__account *account, int64_t count, size_t size, void **memory);
/* Frees the memory after the first `bytes` bytes; *memory may move. If a caller's allocator
 * requires a copy that the budget does not allow, the block is unchanged. SPL_OUT_OF_MEMORY:
 * unchanged, too. */
spl_status spl__shrink(void **memory, size_t bytes);
/* NULL is allowed. The block refers to its account, which must not be stored in it. */
void spl__free(void *memory);
/* Moves a block from its account to `to` (an ancestor): the block now outlives the account it came
 * from. NULL is allowed. */
void spl__memory_move(void *memory, spl__account *to);
/* Counts a block against `to`, a child of its account, too. SPL_OVER_BUDGET: the block stays where
 * it was. */
spl_status spl__memory_adopt(void *memory, spl__account *to);

/* For memory without a header (on devices), in an account and its parents. Bytes are reserved
 * before the allocator is called, begin when it has granted them, end before they are freed, and
 * are released afterwards, or if the allocator fails. SPL_OVER_BUDGET: nothing is reserved. */
spl_status spl__account_reserve(spl__account *account, size_t bytes);
void spl__account_begin(spl__account *account, size_t bytes);
void spl__account_end(spl__account *account, size_t bytes);
void spl__account_release(spl__account *account, size_t bytes);
/* Moves live bytes from `from` to `to`, which has the same parent and no budget of its own. */
void spl__account_pass(spl__account *from, spl__account *to, size_t bytes);

/* Sets the bytes that the account's call will hold in the end in addition to those held now.
 * Each call replaces the last value; 0 removes it. A failure then reports this total, not the
 * bytes of one array after another. Only for accounts that belong to a single call. */
void spl__account_expect(spl__account *account, double bytes);
/* Fails with SPL_OVER_BUDGET if `bytes` more would exceed the budget; reserves nothing. */
spl_status spl__account_check(spl__account *account, double bytes);
/* The smallest remaining budget of the account and its parents; SIZE_MAX: no budget. */
size_t spl__account_room(const spl__account *account);
/* The counted size of a block of `count` elements, with its header; a double, so that it cannot
 * overflow. */
double spl__counted_bytes(double count, size_t size);

/* Typed shorthand: SPL__NEW(account, &pointer, count). */
#define SPL__NEW(account, pointer, count)                                                          \
    spl__alloc((account), (count), sizeof **(pointer), (void **)(pointer))
#define SPL__NEW_ZERO(account, pointer, count)                                                     \
    spl__alloc_zero((account), (count), sizeof **(pointer), (void **)(pointer))

/* The library's own allocator: malloc. */
extern const spl_allocator spl__malloc_allocator;

#endif
