/* SPDX-License-Identifier: Apache-2.0 */
/* progress_bar.h: one line on stderr for stages that take longer than a second on a terminal, and
 * SIGINT seen by the library. */
#ifndef CLI_PROGRESS_BAR_H
#define CLI_PROGRESS_BAR_H

#include <sparloom/sparloom.h>

typedef struct cli_progress_bar {
    int enabled; /* stderr is a terminal, and quiet was not requested */
    int drawn;   /* a bar is on the current line */
    char stage[32];
    double started, last; /* times of the stage's begin and of the last drawing */
} cli_progress_bar;

void cli_progress_open(cli_progress_bar *bar, int quiet);
/* A spl_progress_fn; user is the bar. Draws at most ten times a second. Non-zero after SIGINT or
 * SIGTERM. */
int cli_progress_show(void *user, const char *stage, int64_t done, int64_t total);
/* Takes the bar away, so that something else can be printed. */
void cli_progress_clear(cli_progress_bar *bar);

/* From now on the first SIGINT or SIGTERM requests an orderly end, the second kills. */
void cli_catch_interrupts(void);
/* CLI_OK, or the failure of an interrupted run. */
int cli_check_interrupt(void);

#endif
