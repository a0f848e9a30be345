/* SPDX-License-Identifier: Apache-2.0 */
/* engine.h: runs the grid of one kernel: one fiber per device thread, several blocks at once, all
 * on the calling host thread.
 *
 * Blocks are started as late as possible: the next one begins when nothing else can run, so that
 * stacks and shared memory stay in the cache, or when threads spin on memory that a later block may
 * write. As many blocks are resident as the model says, so look-back and persistent kernels make
 * progress.
 *
 * The schedule (SPARLOOM_EMU_SEED): 0 threads and blocks in order, -1 reversed, n > 0 at random,
 * with switches at every operation that other threads may see.
 *
 * A fault ends the grid: all fibers are abandoned and restarted, and engine->fault describes
 * what happened and where. */
#ifndef SPL_DEVICE_EMULATOR_ENGINE_H
#define SPL_DEVICE_EMULATOR_ENGINE_H

#include <stdbool.h>

#include "device/dialect.h"
#include "device/emulator/context_switch.h"

enum {
    SPL__EMU_UNITS = 4,
    SPL__EMU_UNIT_THREADS = 1024,
    SPL__EMU_BLOCK_THREADS = 1024,
    SPL__EMU_FIBERS = SPL__EMU_UNITS * SPL__EMU_UNIT_THREADS, /* a power of two */
    SPL__EMU_BLOCK_WARPS = SPL__EMU_BLOCK_THREADS / SPL__LANES,
    SPL__EMU_BLOCK_ARRAYS = 64,
    SPL__EMU_FAULT_BYTES = 512
};

/* The limits of the emulated device: see device_model.def. */
typedef struct spl__emu_model {
    int32_t lanes;
    size_t block_shared, kernel_shared;
} spl__emu_model;
const spl__emu_model *spl__emu_model_of_plugin(void);

/* The activity of a fiber: what it does or waits for. */
typedef enum spl__emu_activity {
    SPL__EMU_RUNS,
    SPL__EMU_IN_SYNC,
    SPL__EMU_IN_SYNC_WARP,
    SPL__EMU_IN_SHUFFLE,
    SPL__EMU_IN_BALLOT,
    SPL__EMU_RETURNED
} spl__emu_activity;

struct spl__emu_engine;
struct spl__emu_block;

/* One device thread. */
typedef struct spl__emu_fiber {
    spl__emu_thread self; /* first: spl__emu_self points to it */
    spl__emu_context context;
    struct spl__emu_engine *engine;
    struct spl__emu_block *block;
    spl__emu_activity activity;
    const char *file; /* location of the current operation */
    int32_t line;
    int32_t from;           /* source lane of a shuffle */
    uint64_t mask;          /* of a warp operation */
    uint64_t value, result; /* operand and result of a warp operation */
    /* TSan address for the order that SYNC_WARP establishes */
    char order;
} spl__emu_fiber;

typedef struct spl__emu_warp {
    uint64_t live, waiting; /* lanes that have not returned; lanes in a warp operation */
    char order;
} spl__emu_warp;

typedef struct spl__emu_array {
    const char *name; /* NULL: the array of the launch */
    char *address;
} spl__emu_array;

/* A slot for a resident block. */
typedef struct spl__emu_block {
    spl__emu_fiber *fibers; /* fibers[threads]: always the same ones */
    int64_t index;
    /* threads that have not returned; threads in SYNC; live == 0: the slot is free */
    int32_t live, waiting;
    spl__emu_fiber *first; /* in SYNC */
    spl__emu_warp warps[SPL__EMU_BLOCK_WARPS];
    char *shared; /* poisoned for ASan outside arrays */
    size_t shared_used, shared_counted, declared;
    spl__emu_array arrays[SPL__EMU_BLOCK_ARRAYS];
    int32_t array_count;
    uint32_t syncs; /* number of completed SYNCs */
    /* TSan addresses of SYNC, alternating: a fast thread may reach the next SYNC before a slow
     * one leaves */
    char order[2];
    bool any[2];    /* results of SYNC_OR, alternating likewise */
    uint32_t round; /* number of blocks that have used this slot */
    char end[2];    /* TSan addresses of the ends of this block and the one before, alternating */
} spl__emu_block;

typedef struct spl__emu_engine {
    spl__emu_fiber *fibers; /* [SPL__EMU_FIBERS] */
    int32_t fibers_made;
    spl__emu_fiber main, *current;

    int32_t *ready; /* ring buffer [SPL__EMU_FIBERS] of fibers that can run */
    uint32_t ready_head;
    /* Not beside ready_head: compilers would make one load of the two, which has to wait until both
     * stores of the switch before are through, a quarter of the time of warp operations. */
    uint64_t random;
    uint32_t ready_count;
    /* Turns since a thread changed memory that others may see; turns since a thread met others
     * or returned. */
    uint32_t idle, yields;
    bool spinning; /* threads spin for so long that another block should begin */

    int32_t seed;

    spl__launch launch;
    const spl__emu_kernel *kernel;
    spl__emu_block *blocks; /* [SPL__EMU_FIBERS / SPL__LANES] slots */
    int32_t slots, live_blocks, last_slot;
    int64_t begun, ended;
    char start, fence; /* addresses for TSan */
    char fault[SPL__EMU_FAULT_BYTES];
} spl__emu_engine;

/* NULL: no memory. */
spl__emu_engine *spl__emu_engine_new(int32_t seed);
void spl__emu_engine_free(spl__emu_engine *engine);
/* Runs the complete grid. false: see engine->fault. */
bool spl__emu_engine_run(spl__emu_engine *engine, const spl__launch *launch);

/* ----------------------------------------------------------------- schedule.c: whose turn it is */

static inline spl__emu_fiber *spl__emu_current_fiber(void)
{
    return (spl__emu_fiber *)spl__emu_self;
}
static inline bool spl__emu_at_random(const spl__emu_engine *engine)
{
    return engine->seed > 0;
}
void spl__emu_schedule_start(spl__emu_engine *engine);
void spl__emu_make_ready(spl__emu_engine *engine, const spl__emu_fiber *fiber);
/* Puts the fiber first in the ring: a warp continues while the stacks of its lanes are in the
 * cache. */
void spl__emu_make_next(spl__emu_engine *engine, const spl__emu_fiber *fiber);
/* Runs another ready fiber, or main if there is none; returns when the caller's turn comes. */
void spl__emu_next(spl__emu_engine *engine);
void spl__emu_switch_to(spl__emu_engine *engine, spl__emu_fiber *fiber);
/* Called after an operation that made fibers ready: the current one continues if it is among
 * them, or, in random order, when drawn. */
void spl__emu_go_on(spl__emu_fiber *fiber);

/* --------------------------------------------------------------- barrier.c, warp.c: collectives */

static inline void spl__emu_begins(spl__emu_fiber *fiber, spl__emu_activity activity,
                                   const char *file, int32_t line)
{
    fiber->activity = activity;
    fiber->file = file;
    fiber->line = line;
}
/* The fiber has returned: completes barriers that waited only for it. */
void spl__emu_barrier_leave(spl__emu_fiber *fiber);
void spl__emu_warp_leave(spl__emu_fiber *fiber);

/* ------------------------------------------------------------------------------- block_memory.c */

/* Resets the block's shared memory to the array of the launch. false: no memory. */
bool spl__emu_block_memory_start(spl__emu_engine *engine, spl__emu_block *block);
void spl__emu_block_memory_end(spl__emu_block *block);
void spl__emu_block_memory_free(spl__emu_block *block);

/* -------------------------------------------------------------------------------------- fault.c */

/* Ends the grid from a fiber with a message: "kernel NAME, block B, thread T: what (file:line)". */
_Noreturn void spl__emu_fault(spl__emu_fiber *fiber, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same from the engine's context, for faults of no particular thread. */
void spl__emu_fault_of_grid(spl__emu_engine *engine, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Deadlock: the message lists which threads wait where. */
void spl__emu_fault_deadlock(spl__emu_engine *engine);

#endif
