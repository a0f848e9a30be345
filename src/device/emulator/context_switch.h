/* SPDX-License-Identifier: Apache-2.0 */
/* context_switch.h: coroutines on one host thread: each has a stack and runs until it switches
 * to another. Switches are a few instructions; the portable ucontext, which also saves the
 * signal mask by a system call, takes 30 times as long. */
#ifndef SPL_DEVICE_EMULATOR_CONTEXT_SWITCH_H
#define SPL_DEVICE_EMULATOR_CONTEXT_SWITCH_H

#include <stdbool.h>
#include <stddef.h>

#if defined(SPL__EMU_UCONTEXT) || !(defined(__x86_64__) || defined(__aarch64__))
#define SPL__EMU_PORTABLE 1
#include <ucontext.h>
#endif

typedef struct spl__emu_context {
    void *stack_pointer;
    const void *stack; /* lowest address; NULL: a host thread whose stack is not known yet */
    size_t stack_bytes, offset;
    bool is_host; /* made by spl__emu_context_here */
    /* For the sanitizers; resumed_by: NULL if AddressSanitizer has not been told. */
    struct spl__emu_context *resumed_by;
    void *fake_stack, *tsan;
#ifdef SPL__EMU_PORTABLE
    ucontext_t portable;
#endif
} spl__emu_context;

/* Allocates stacks of `count` contexts, each with a guard page below. false: no memory. */
bool spl__emu_stacks_make(spl__emu_context *const *contexts, int count);
/* Frees the stacks of one such call; the first context's is the lowest. */
void spl__emu_stacks_free(spl__emu_context *first, int count);

/* Prepares the context to (re)start with `entry`, which must call spl__emu_context_arrive first
 * and must not return. The content of its stack is discarded. */
void spl__emu_context_reset(spl__emu_context *context, void (*entry)(void));
/* The context is not used any more. */
void spl__emu_context_end(spl__emu_context *context);
/* Makes a context of the host thread itself, to switch back to. */
void spl__emu_context_here(spl__emu_context *context);
void spl__emu_context_arrive(spl__emu_context *context);
void spl__emu_context_switch(spl__emu_context *from, spl__emu_context *to);

#endif
