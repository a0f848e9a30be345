/* SPDX-License-Identifier: Apache-2.0 */
/* aside.h: work for devices beside the calling thread's: where a plan is made for a device while
 * the CPU computes (calls that make a plan for themselves), or while results come home
 * (product_blocks.c). The work starts no threads of OpenMP, whose pool is the caller's. */
#ifndef SPL_PARTITION_ASIDE_H
#define SPL_PARTITION_ASIDE_H

#include "core/parallel.h"

#include <pthread.h>

typedef spl_status (*spl__aside_fn)(void *work);

typedef struct spl__aside {
    spl__aside_fn run;
    void *work;
    pthread_t thread;
    bool apart; /* there is a thread */
    spl__failure failure;
} spl__aside;

/* Begins run(work); where no thread can be had, it is done when this returns. */
void spl__aside_begin(spl__aside *aside, spl__aside_fn run, void *work);
/* Waits for it; its status and detail. Must be called. */
spl_status spl__aside_end(spl__aside *aside);

#endif
