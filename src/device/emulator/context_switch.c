/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "device/emulator/context_switch.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "device/emulator/sanitizers.h"

/* Sanitizers need larger frames, and write their reports on the current stack. */
#if defined(SPL__EMU_ASAN) || defined(SPL__EMU_TSAN)
enum { STACK = 256 * 1024 };
#else
enum { STACK = 64 * 1024 };
#endif
enum { GUARD = 64 * 1024, SPACING = STACK + GUARD }; /* the largest page size in use */

/* ------------------------------------------------------------------------------------ switching */

#ifndef SPL__EMU_PORTABLE
/* spl__emu_switch(save, load): pushes the registers that a call preserves, stores the stack pointer
 * to *save, continues at `load`. */
void spl__emu_switch(void **save, void *load) __attribute__((visibility("hidden")));
#endif

#if defined(SPL__EMU_PORTABLE)
#elif defined(__x86_64__)
/* The jump at the end almost always has the same target and is predicted. A `ret` would be
 * predicted to return to this stack's last caller, wrongly: it took 2.4 times as long. */
__asm__(".text\n"
        ".globl spl__emu_switch\n"
        ".hidden spl__emu_switch\n"
        ".type spl__emu_switch, @function\n"
        "spl__emu_switch:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    popq %rcx\n"
        "    jmp *%rcx\n"
        ".size spl__emu_switch, . - spl__emu_switch\n");
/* Words of the frame, the index of the return address, and words above the frame: at a
 * function's entry rsp is 8 modulo 16. */
enum { FRAME = 7, RETURN = 6, ABOVE = 1 };
#elif defined(__aarch64__)
__asm__(".text\n"
        ".globl spl__emu_switch\n"
        ".hidden spl__emu_switch\n"
        ".type spl__emu_switch, %function\n"
        "spl__emu_switch:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp]\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n"
        "    str x9, [x0]\n"
        "    mov sp, x1\n"
        "    ldp x19, x20, [sp]\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size spl__emu_switch, . - spl__emu_switch\n");
enum { FRAME = 20, RETURN = 11, ABOVE = 2 };
#endif

/* The switch itself; the code after it runs when `from` continues. */
static void jump(spl__emu_context *from, spl__emu_context *to)
{
#ifdef SPL__EMU_PORTABLE
    swapcontext(&from->portable, &to->portable);
#else
    spl__emu_switch(&from->stack_pointer, to->stack_pointer);
#endif
}

void spl__emu_context_arrive(spl__emu_context *context)
{
#ifdef SPL__EMU_ASAN
    const void *stack;
    size_t bytes;
    spl__emu_context *resumer = context->resumed_by;
    if (resumer == NULL)
        return;
    __sanitizer_finish_switch_fiber(context->fake_stack, &stack, &bytes);
    if (resumer->stack == NULL) {
        resumer->stack = stack;
        resumer->stack_bytes = bytes;
    }
#else
    (void)context;
#endif
}

#ifdef SPL__EMU_ASAN
/* Of switches between fibers without fake stacks ASan is told nothing: it would only note the other
 * stack's bounds, by stores that the processor cannot forward to its next load, 40 % of the time.
 * Meanwhile they are those of the fiber that the host thread switched to. */
static bool matters_to_asan(const spl__emu_context *from, const spl__emu_context *to)
{
    return from->is_host || to->is_host || to->fake_stack || __asan_get_current_fake_stack();
}
#endif

void spl__emu_context_switch(spl__emu_context *from, spl__emu_context *to)
{
#ifdef SPL__EMU_ASAN
    to->resumed_by = matters_to_asan(from, to) ? from : NULL;
    if (to->resumed_by)
        __sanitizer_start_switch_fiber(&from->fake_stack, to->stack, to->stack_bytes);
    else
        from->fake_stack = NULL;
#endif
#ifdef SPL__EMU_TSAN
    __tsan_switch_to_fiber(to->tsan, __tsan_switch_to_fiber_no_sync);
#endif
    jump(from, to);
    spl__emu_context_arrive(from);
}

/* ------------------------------------------------------------------------------------ beginning */

void spl__emu_context_here(spl__emu_context *context)
{
    memset(context, 0, sizeof *context);
    context->is_host = true;
#ifdef SPL__EMU_TSAN
    context->tsan = __tsan_get_current_fiber();
#endif
}

/* Makes a first frame on the empty stack, from which spl__emu_switch "returns" into entry. */
static void begin_with(spl__emu_context *context, void (*entry)(void))
{
    const size_t usable = context->stack_bytes - context->offset;
#ifdef SPL__EMU_PORTABLE
    getcontext(&context->portable);
    context->portable.uc_stack.ss_sp = (void *)context->stack;
    context->portable.uc_stack.ss_size = usable;
    context->portable.uc_link = NULL;
    makecontext(&context->portable, entry, 0);
#else
    void **frame = (void **)((char *)context->stack + usable) - ABOVE - FRAME;
    /* this includes a NULL that ends the chain of callers */
    memset(frame, 0, (FRAME + ABOVE) * sizeof *frame);
    frame[RETURN] = (void *)(uintptr_t)entry;
    context->stack_pointer = frame;
#endif
}

void spl__emu_context_reset(spl__emu_context *context, void (*entry)(void))
{
    spl__emu_context_end(context);
#ifdef SPL__EMU_TSAN
    context->tsan = __tsan_create_fiber(0);
#endif
    begin_with(context, entry);
}

void spl__emu_context_end(spl__emu_context *context)
{
    /* frames that are abandoned */
    spl__asan_unpoison((void *)context->stack, context->stack_bytes);
    context->fake_stack = NULL;
#ifdef SPL__EMU_TSAN
    if (context->tsan)
        __tsan_destroy_fiber(context->tsan);
    context->tsan = NULL;
#endif
}

/* --------------------------------------------------------------------------------------- stacks */

bool spl__emu_stacks_make(spl__emu_context *const *contexts, int count)
{
    char *memory = mmap(NULL, (size_t)count * SPACING, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    for (int i = 0; i < count; i++) {
        char *guard = memory + (size_t)i * SPACING;
        mprotect(guard, GUARD, PROT_NONE); /* without it overflows go unnoticed */
        memset(contexts[i], 0, sizeof *contexts[i]);
        contexts[i]->stack = guard + GUARD;
        contexts[i]->stack_bytes = STACK;
        /* tops of stacks must not share one set of the cache */
        contexts[i]->offset = (size_t)i % 26 * 320 / 64 * 64;
    }
    return true;
}

void spl__emu_stacks_free(spl__emu_context *first, int count)
{
    munmap((char *)first->stack - GUARD, (size_t)count * SPACING);
}
