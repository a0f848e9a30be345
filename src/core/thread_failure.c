/* SPDX-License-Identifier: Apache-2.0 */
#include "core/thread_failure.h"

void spl__failure_note(spl__failure *failure, spl_status status)
{
    int none = SPL_OK;
    if (status != SPL_OK && atomic_compare_exchange_strong(&failure->status, &none, (int)status))
        spl__failure_keep(&failure->kept);
}

bool spl__failed(const spl__failure *failure)
{
    return atomic_load_explicit(&failure->status, memory_order_relaxed) != SPL_OK;
}

spl_status spl__failure_raise(const spl__failure *failure)
{
    spl_status status = (spl_status)atomic_load(&failure->status);
    return status == SPL_OK ? SPL_OK : spl__failure_restore(status, &failure->kept);
}
