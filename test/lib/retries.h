/* SPDX-License-Identifier: Apache-2.0 */
/* retries.h: drawn calls under a budget: a caller who retries with spl_error_bytes succeeds after
 * few attempts, with a budget close to what the call needs. */
#ifndef SPARLOOM_TEST_RETRIES_H
#define SPARLOOM_TEST_RETRIES_H

#include "lib/api_calls.h"
#include "lib/hook_allocator.h"

/* Retries until a call succeeds. */
enum { RETRY_MOST = 2 };

typedef struct retry_case {
    uint64_t seed;
    zoo_random dice;
    hook_allocator hook;
    zoo_matrix a, b, d;
    spl_options options;
    char words[256]; /* what is called */
    const char *path;
    int retries; /* at most */
} retry_case;

typedef spl_status (*retry_call)(spl_context *context, retry_case *c);

typedef struct retry_outliers {
    int cases, slow, large;
} retry_outliers;

/* A case with its seed, fresh in every run, and its end, which frees a, b and d. */
void retry_begin(retry_case *c, uint64_t number, const char *call_name);
void retry_end(retry_case *c);
/* How many cases to draw: `plain`, or fewer under tools that slow down. */
int retry_cases(int plain);
int64_t retry_draw_size(retry_case *c);
void retry_draw_matrix(retry_case *c, zoo_matrix *m, int64_t rows, int64_t cols);

/* One attempt under a budget (0: none) of the context, or of the call's options. *peak: bytes at
 * the peak of the call, of the larger place; *asked: what its failure asks for. */
spl_status retry_attempt(retry_case *c, retry_call call, bool of_context, size_t budget,
                         size_t *peak, size_t *asked);
/* Retries, from a budget of 1 on, until the call succeeds. */
void retry_follow(retry_outliers *o, retry_case *c, retry_call call, bool of_context);
/* Fails the test if more than a few were told too little or too much. */
void retry_expect_few(const retry_outliers *o);

#endif
