/* SPDX-License-Identifier: Apache-2.0 */
#include "partition/aside.h"

static void *begin(void *context)
{
    spl__aside *aside = context;
    spl__failure_note(&aside->failure, aside->run(aside->work));
    return NULL;
}

void spl__aside_begin(spl__aside *aside, spl__aside_fn run, void *work)
{
    *aside = (spl__aside){.run = run, .work = work};
    aside->apart = pthread_create(&aside->thread, NULL, begin, aside) == 0;
    if (!aside->apart)
        begin(aside);
}

spl_status spl__aside_end(spl__aside *aside)
{
    if (aside->apart)
        pthread_join(aside->thread, NULL);
    return spl__failure_raise(&aside->failure);
}
