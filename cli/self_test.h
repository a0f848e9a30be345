/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_SELF_TEST_H
#define CLI_SELF_TEST_H

#include <sparloom/sparloom.h>

typedef struct cli_self_test {
    const char *name;
    /* Runs a tiny product with values of the type and checks it. SPL_OK, or what went wrong. */
    spl_status (*run)(spl_context *context, const spl_options *options, spl_type type);
    int halves; /* 1: f16 and bf16 too */
} cli_self_test;

/* Ends with a row whose name is NULL. */
extern const cli_self_test cli_self_tests[];

#endif
