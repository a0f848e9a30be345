/* SPDX-License-Identifier: Apache-2.0 */
#include "progress_bar.h"

#include "failure.h"

#include <readable.h>
#include <signal.h>
#include <stdio.h>
#include <stopwatch.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

void cli_catch_interrupts(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

int cli_check_interrupt(void)
{
    return interrupted ? cli_fail(SPL_CANCELLED, "interrupted") : CLI_OK;
}

void cli_progress_open(cli_progress_bar *bar, int quiet)
{
    *bar = (cli_progress_bar){.enabled = !quiet && isatty(STDERR_FILENO)};
}

static void draw(cli_progress_bar *bar, int64_t done, int64_t total)
{
    static const char full[] = "########################################";
    enum { WIDTH = sizeof full - 1 };
    double share = total > 0 ? (double)done / (double)total : 0;
    int filled = (int)(share * WIDTH);
    if (total > 0)
        fprintf(stderr, "\r%-10s [%-*.*s] %3.0f %%\033[K", bar->stage, (int)WIDTH, filled, full,
                100 * share);
    else
        fprintf(stderr, "\r%-10s %s\033[K", bar->stage, tool_thousands(done).text);
    bar->drawn = 1;
}

static void begin_stage(cli_progress_bar *bar, const char *stage, double now)
{
    cli_progress_clear(bar);
    snprintf(bar->stage, sizeof bar->stage, "%s", stage);
    bar->started = now;
    bar->last = now;
}

int cli_progress_show(void *user, const char *stage, int64_t done, int64_t total)
{
    cli_progress_bar *bar = user;
    if (bar->enabled) {
        double now = tool_now();
        if (strncmp(bar->stage, stage, sizeof bar->stage - 1) != 0)
            begin_stage(bar, stage, now);
        if (now - bar->started > 1 && now - bar->last > 0.1) {
            draw(bar, done, total);
            bar->last = now;
        }
    }
    return interrupted;
}

void cli_progress_clear(cli_progress_bar *bar)
{
    if (bar->drawn)
        fputs("\r\033[K", stderr);
    bar->drawn = 0;
    bar->stage[0] = 0;
}
