/* SPDX-License-Identifier: Apache-2.0 */
#include "partition/side_thread.h"

static void *begin(void *context)
{
    spl__side_thread *side = context;
    spl__failure_note(&side->failure, side->run(side->work));
    return NULL;
}

void spl__side_thread_begin(spl__side_thread *side, spl__side_thread_fn run, void *work)
{
    *side = (spl__side_thread){.run = run, .work = work};
    side->started = pthread_create(&side->thread, NULL, begin, side) == 0;
    if (!side->started)
        begin(side);
}

spl_status spl__side_thread_end(spl__side_thread *side)
{
    if (side->started)
        pthread_join(side->thread, NULL);
    return spl__failure_raise(&side->failure);
}
