/* SPDX-License-Identifier: Apache-2.0 */
/* thread_failure.h: failures inside parallel regions. */
#ifndef SPL_CORE_THREAD_FAILURE_H
#define SPL_CORE_THREAD_FAILURE_H

#include "core/error.h"

#include <stdatomic.h>
#include <stdbool.h>

/* The first failure among the threads of a region, with its detail (which is thread-local). */
typedef struct spl__failure {
    atomic_int status;
    spl__kept_failure kept;
} spl__failure;

/* Remembers `status` if it is a failure and the first one; call it in the thread
 * where it happened. */
void spl__failure_note(spl__failure *failure, spl_status status);
bool spl__failed(const spl__failure *failure);
/* Returns the remembered status in the calling thread, with its detail; SPL_OK if none. */
spl_status spl__failure_raise(const spl__failure *failure);

#endif
