/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory: arrays are separated by zones that are poisoned for AddressSanitizer, and
 * initialised with 0xA5 in every byte. */
#include <stdlib.h>

#include "device/emulator/engine.h"
#include "device/emulator/sanitizers.h"

enum { ZONE = 256, ALIGN = 16, TAINT = 0xA5 };

static size_t room(void)
{
    return spl__emu_model_of_plugin()->block_shared + (SPL__EMU_BLOCK_ARRAYS + 1) * (ZONE + ALIGN);
}

/* Fills memory with the byte of uninitialised memory. Not memset: ThreadSanitizer would report
 * races between this write and those of device threads. */
static void taint(void *memory, size_t bytes)
{
    volatile uint64_t *word = memory;
    for (size_t i = 0; i < bytes / sizeof *word; i++)
        word[i] = 0x0101010101010101u * TAINT;
}

/* Adds the block's next array, of `bytes` bytes. */
static void *add_array(spl__emu_block *block, const char *name, size_t bytes)
{
    const size_t rounded = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    char *address = block->shared + block->shared_used + ZONE;
    spl__asan_unpoison(address, rounded);
    taint(address, rounded);
    spl__asan_poison(address + bytes, rounded - bytes);
    block->shared_used += ZONE + rounded;
    block->shared_counted += rounded;
    block->arrays[block->array_count++] = (spl__emu_array){name, address};
    return address;
}

bool spl__emu_block_memory_start(spl__emu_engine *engine, spl__emu_block *block)
{
    if (block->shared == NULL) {
        block->shared = aligned_alloc(64, (room() + 63) / 64 * 64);
        if (block->shared == NULL)
            return false;
        spl__asan_poison(block->shared, room());
    }
    block->shared_used = block->shared_counted = block->declared = 0;
    block->array_count = 0;
    if (engine->launch.shared > 0)
        add_array(block, NULL, engine->launch.shared);
    return true;
}

void spl__emu_block_memory_end(spl__emu_block *block)
{
    spl__asan_poison(block->shared, block->shared_used + ZONE);
}

void spl__emu_block_memory_free(spl__emu_block *block)
{
    if (block->shared)
        spl__asan_unpoison(block->shared, room());
    free(block->shared);
}

static void check_limits(spl__emu_fiber *fiber, size_t bytes)
{
    const spl__emu_model *model = spl__emu_model_of_plugin();
    const spl__emu_block *block = fiber->block;
    if (block->declared + bytes > model->kernel_shared)
        spl__emu_fault(fiber, "the kernel's shared arrays take %zu bytes, at most %zu are allowed",
                       block->declared + bytes, model->kernel_shared);
    if (block->shared_counted + bytes > model->block_shared)
        spl__emu_fault(fiber, "the block has %zu bytes of shared memory, at most %zu are allowed",
                       block->shared_counted + bytes, model->block_shared);
    if (block->array_count == SPL__EMU_BLOCK_ARRAYS)
        spl__emu_fault(fiber, "more than %d shared arrays", (int)SPL__EMU_BLOCK_ARRAYS);
}

void *spl__emu_shared(const char *file, int line, const char *name, size_t bytes)
{
    spl__emu_fiber *fiber = spl__emu_current_fiber();
    spl__emu_block *block = fiber->block;
    for (int32_t i = 0; i < block->array_count; i++)
        if (block->arrays[i].name == name)
            return block->arrays[i].address;
    spl__emu_begins(fiber, SPL__EMU_RUNS, file, line);
    check_limits(fiber, (bytes + ALIGN - 1) / ALIGN * ALIGN);
    block->declared += (bytes + ALIGN - 1) / ALIGN * ALIGN;
    return add_array(block, name, bytes);
}

void *spl__emu_shared_at_launch(void)
{
    const spl__emu_block *block = spl__emu_current_fiber()->block;
    const bool any = block->array_count > 0 && block->arrays[0].name == NULL;
    /* no bytes: an address that is poisoned for ASan */
    return any ? block->arrays[0].address : block->shared;
}
