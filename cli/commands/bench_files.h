/* SPDX-License-Identifier: Apache-2.0 */
/* bench_files.h: output of `sparloom bench` from results: pictures, a page, a comparison. */
#ifndef CLI_BENCH_FILES_H
#define CLI_BENCH_FILES_H

#include "session.h"

#include <bench_results.h>

/* bench page RESULTS... -o FILE, and bench compare BEFORE AFTER. Each returns an exit code. */
int cli_bench_page(cli_session *session);
int cli_bench_compare(cli_session *session);

/* An error if an option was given that belongs neither to all of these commands nor to this one
 * (given by the name of its option): options of measurements are meaningless here. */
int cli_bench_only(const cli_request *request, const char *allowed);
/* Reads a file written by --json; must be freed also after failure. */
int cli_bench_read(const char *path, bench_results *results);

/* Checks that a picture can be drawn and written to `path`, before anything is measured. */
int cli_bench_plot_check(const char *path);
/* Draws the results in an object of `sparloom bench --json`. */
int cli_bench_plot(const cJSON *object, const char *path);

#endif
