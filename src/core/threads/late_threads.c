/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/late_threads.h"

#include <math.h>
#include <stdatomic.h>

/* Loops that are yet to do without other threads, and how many did so last. */
static atomic_int rest, length;
/* Seconds that threads gained lately. Loops of several threads of the process may lose a gain of
 * one another, which does no harm. */
static _Atomic double credit;

int spl__threads_unless_late(int wanted)
{
    if (wanted <= 1 || atomic_load(&rest) <= 0)
        return wanted;
    atomic_fetch_sub(&rest, 1);
    return 1;
}

void spl__threads_came(double seconds, double worked, int64_t own, int64_t pieces)
{
    enum { MOST = 256 };
    static const double kept = 7.0 / 8; /* of what earlier loops gained: about that of eight */
    const int before = atomic_load(&length);
    if (own == 0)
        return;
    const double alone = worked * (double)pieces / (double)own, gain = alone - seconds,
                 left = atomic_load(&credit) * kept + gain;
    atomic_store(&credit, fmax(left, 0));
    if (left >= 0) {
        atomic_store(&length, gain >= 0 ? before / 2 : before);
        return;
    }
    const int next = before == 0 ? 1 : before < MOST ? 2 * before : MOST;
    atomic_store(&length, next);
    atomic_store(&rest, next);
}
