/* SPDX-License-Identifier: Apache-2.0 */
/* sanitizers.h: annotations for AddressSanitizer and ThreadSanitizer; empty without them.
 *
 * The engine's own files are compiled without their instrumentation
 * (cmake/SparloomKernels.cmake): its fibers access its data in turns, which would be reported as
 * races. SPL__EMU_ASAN and SPL__EMU_TSAN are set if the rest of the plug-in is instrumented. */
#ifndef SPL_DEVICE_EMULATOR_SANITIZERS_H
#define SPL_DEVICE_EMULATOR_SANITIZERS_H

#include <stddef.h>

#ifdef SPL__EMU_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define spl__asan_poison(memory, bytes)   __asan_poison_memory_region((memory), (bytes))
#define spl__asan_unpoison(memory, bytes) __asan_unpoison_memory_region((memory), (bytes))
#else
#define spl__asan_poison(memory, bytes)   ((void)(memory), (void)(bytes))
#define spl__asan_unpoison(memory, bytes) ((void)(memory), (void)(bytes))
#endif

#ifdef SPL__EMU_TSAN
#include <sanitizer/tsan_interface.h>
/* A release happens before an acquire of the same address. */
#define spl__tsan_release(address) __tsan_release(address)
#define spl__tsan_acquire(address) __tsan_acquire(address)
enum { SPL__EMU_IS_WATCHED = 1 };
#else
#define spl__tsan_release(address) ((void)(address))
#define spl__tsan_acquire(address) ((void)(address))
enum { SPL__EMU_IS_WATCHED = 0 };
#endif

#endif
