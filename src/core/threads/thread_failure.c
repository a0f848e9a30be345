/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/thread_failure.h"

#include <sched.h>

enum { NOTING = -1 }; /* the status while the detail is being written */

void spl__failure_note(spl__failure *failure, spl_status status)
{
    int none = SPL_OK;
    if (status == SPL_OK || !atomic_compare_exchange_strong(&failure->status, &none, NOTING))
        return;
    spl__failure_keep(&failure->kept);
    atomic_store(&failure->status, (int)status);
}

bool spl__failed(const spl__failure *failure)
{
    return atomic_load_explicit(&failure->status, memory_order_relaxed) != SPL_OK;
}

spl_status spl__failure_raise(const spl__failure *failure)
{
    int status;
    while ((status = atomic_load(&failure->status)) == NOTING)
        sched_yield();
    return status == SPL_OK ? SPL_OK : spl__failure_restore((spl_status)status, &failure->kept);
}
