/* SPDX-License-Identifier: Apache-2.0 */
/* side_thread.h: work for devices beside the calling thread's: where a plan is made for a device
 * while the CPU computes (calls that make a plan for themselves), or while results come home
 * (product_blocks.c). The work starts no threads of OpenMP, whose pool is the caller's. */
#ifndef SPL_PARTITION_SIDE_THREAD_H
#define SPL_PARTITION_SIDE_THREAD_H

#include "core/parallel.h"

#include <pthread.h>

typedef spl_status (*spl__side_thread_fn)(void *work);

typedef struct spl__side_thread {
    spl__side_thread_fn run;
    void *work;
    pthread_t thread;
    bool started; /* there is a thread */
    spl__failure failure;
} spl__side_thread;

/* Begins run(work); where no thread can be had, it is done when this returns. */
void spl__side_thread_begin(spl__side_thread *side, spl__side_thread_fn run, void *work);
/* Waits for it; its status and detail. Must be called. */
spl_status spl__side_thread_end(spl__side_thread *side);

#endif
