/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/late_threads.h"

#include <stdatomic.h>

/* Loops that are yet to do without other threads, and how many did so last. */
static atomic_int rest, length;

int spl__threads_unless_late(int wanted)
{
    if (wanted <= 1 || atomic_load(&rest) <= 0)
        return wanted;
    atomic_fetch_sub(&rest, 1);
    return 1;
}

void spl__threads_came(double seconds, double worked, int64_t own, int64_t pieces)
{
    enum { FIRST = 4, MOST = 256 };
    const int before = atomic_load(&length);
    if (own == 0)
        return;
    if (seconds <= worked * (double)pieces / (double)own) { /* what one thread would have taken */
        atomic_store(&length, 0);
        return;
    }
    const int next = before == 0 ? FIRST : before < MOST ? 2 * before : MOST;
    atomic_store(&length, next);
    atomic_store(&rest, next);
}
