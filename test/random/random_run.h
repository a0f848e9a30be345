/* SPDX-License-Identifier: Apache-2.0 */
/* random_run.h: a case while it runs: its context, its operands where they live, and what went
 * wrong. */
#ifndef SPARLOOM_TEST_RANDOM_RUN_H
#define SPARLOOM_TEST_RANDOM_RUN_H

#include "lib/closed_pages.h"
#include "lib/hook_allocator.h"
#include "random_case.h"

typedef struct random_run {
    const random_case *c;
    hook_allocator hook;
    spl_context *context;
    spl_place place; /* of operands */
    spl_options options;
    spl_place places[RANDOM_MOST_PROCESSORS]; /* of the context's processors */
    int place_count;
    /* when the operands were ready */
    size_t live[RANDOM_MOST_PROCESSORS], peak[RANDOM_MOST_PROCESSORS];
    /* of the bits of all results */
    int64_t placed, most_placed; /* bytes that the test itself has put where operands live since */
    uint64_t digest;
    random_verdict verdict;
} random_run;

/* Keeps the first. */
void run_fault(random_run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool run_is_faulty(const random_run *r);
/* For the test's own calls of the library, which must succeed. */
void run_expect_ok(random_run *r, spl_status status, const char *call_name);
/* For the calls that are tested: whether the call succeeded. Keeps the status; a status without
 * a reason in the case is a fault. */
bool run_answered(random_run *r, spl_status status, const char *call_name);

/* Which methods the plan has. */
void run_note_methods(random_run *r, const spl_plan *plan);

/* False: the context was refused; nothing is to be ended. */
bool run_start(random_run *r, const random_case *c);
/* From now on memory is counted, and refused as the case says. */
void run_operands_are_ready(random_run *r);
/* All that the calls allocated is gone again, and was within the budget. */
void run_expect_memory(random_run *r);
void run_stop(random_run *r);
/* Allocations of the context at all places so far, and whether there were others since. */
int64_t run_allocations(random_run *r);
void run_expect_none_allocated(random_run *r, int64_t since, const char *call_name);
void run_add_to_digest(random_run *r, const void *bytes, size_t count);

/* ---- arrays where operands live ---- */

void run_fetch(random_run *r, void *to, const void *device_data, size_t bytes);

/* Read-only to the library: on the host, a write or a read beyond the end ends the process by a
 * signal. */
typedef struct run_input {
    closed_pages host;
    void *device_data; /* on a device, a copy */
    const void *data;  /* for the library */
    size_t bytes;
} run_input;
run_input run_input_new(random_run *r, const void *source, size_t bytes);
void run_input_renew(random_run *r, run_input *input, const void *source);
/* Fails the run if it was written on the device. */
void run_input_free(random_run *r, run_input *input);

/* Written by the library: filled with ones at first (NaN, -1), between zones that must stay
 * unchanged. */
typedef struct run_output {
    unsigned char *block, *before; /* on the host: the current bytes, and those that were sent */
    void *device_data, *data;
    size_t bytes;
} run_output;
run_output run_output_new(size_t bytes);
/* The first byte at home, now and as it was sent. */
void *run_output_host(const run_output *output);
void *run_output_before(const run_output *output);
void run_output_send(random_run *r, run_output *output);
void run_output_fetch(random_run *r, run_output *output);
bool run_output_untouched(const run_output *output);
bool run_output_intact(const run_output *output);
void run_output_free(random_run *r, run_output *output);

/* A sparse operand. */
typedef struct run_sparse {
    random_matrix recipe;
    zoo_matrix host; /* values as they are now */
    run_input offsets, indices, values;
    spl_sparse view;
} run_sparse;
run_sparse run_sparse_new(random_run *r, const random_matrix *recipe);
/* Arrays that an operand had before. */
typedef struct run_old {
    run_input arrays[3];
} run_old;
/* New values, in the array or in another one, or all arrays are others; the old ones may go once
 * this is announced. */
run_old run_sparse_renew(random_run *r, run_sparse *m, random_update update);
void run_old_free(random_run *r, run_old *old);
void run_sparse_free(random_run *r, run_sparse *m);

/* alpha or beta where the options say. */
typedef struct run_scalar {
    double storage;
    run_input input; /* on a device */
} run_scalar;
run_scalar run_scalar_new(random_run *r, random_scalar scalar);
/* For a call; NULL if the case says so. */
const void *run_scalar_pointer(const run_scalar *s, random_scalar scalar);
const void *run_scalar_at_home(const run_scalar *s, random_scalar scalar);
void run_scalar_free(random_run *r, run_scalar *scalar);
double run_alpha(const random_case *c, int round);
double run_beta(const random_case *c, int round);

/* ---- the operations ---- */

void run_dense_case(random_run *r);
void run_sparse_case(random_run *r);

#endif
