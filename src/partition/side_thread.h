/* SPDX-License-Identifier: Apache-2.0 */
/* side_thread.h: runs work for devices concurrently with the calling thread: planning for a
 * device while the CPU computes (one-shot calls), or while results are copied
 * (product_blocks.c). The work starts no OpenMP threads, whose pool belongs to the caller. */
#ifndef SPL_PARTITION_SIDE_THREAD_H
#define SPL_PARTITION_SIDE_THREAD_H

#include "core/threads/parallel.h"

#include <pthread.h>

typedef spl_status (*spl__side_thread_fn)(void *work);

typedef struct spl__side_thread {
    spl__side_thread_fn run;
    void *work;
    pthread_t thread;
    bool started; /* the thread has been started */
    spl__failure failure;
} spl__side_thread;

/* Starts run(work); if no thread can be created, runs it before returning. */
void spl__side_thread_begin(spl__side_thread *side, spl__side_thread_fn run, void *work);
/* Waits for the work; returns its status and detail. Must be called. */
spl_status spl__side_thread_end(spl__side_thread *side);

#endif
