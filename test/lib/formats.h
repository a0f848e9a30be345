/* SPDX-License-Identifier: Apache-2.0 */
/* formats.h: an account that counts what tests of formats allocate, and a small example. */
#ifndef TEST_LIB_FORMATS_H
#define TEST_LIB_FORMATS_H

#include "core/memory.h"

extern spl__account test_formats_account;

/* Setup of a test: the account is empty. */
int test_formats_start(void **state);
size_t test_formats_live(void);
/* [S2], example 1: rows (1 7 0 0), (0 2 8 0), (5 0 3 9), (0 6 4 0). */
spl_sparse test_formats_example(void);
/* The check holds of every tiny matrix of the zoo in every CSR form, or of large ones with rows of
 * very different and of very long length, and keeps nothing allocated. */
void test_formats_of_tiny(void (*check)(const spl_sparse *a));
void test_formats_of_large(void (*check)(const spl_sparse *a));

#endif
