/* SPDX-License-Identifier: Apache-2.0 */
/* row_choice.h: which rows a device computes, as kernels read it: by a mask, and where long rows
 * stand. */
#ifndef SPL_PROBLEM_ROW_CHOICE_H
#define SPL_PROBLEM_ROW_CHOICE_H

#include <stdint.h>

/* The arrays of spl_row_mask; both NULL: all rows. */
struct row_choice {
    const uint64_t *bits;
    const uint8_t *bytes;
    int32_t complement, clear;
};

/* Rows of more than `limit` entries, by a block each; the other blocks leave them out. */
struct row_list {
    int64_t limit, count;
    const uint32_t *list; /* [count] */
};

/* In kernels. */
#define ROW_IS_CHOSEN(choice, row)                                                                 \
    ((choice).bits                                                                                 \
         ? (READ(&(choice).bits[(row) >> 6]) >> ((row)&63) & 1) != (uint64_t)(choice).complement   \
     : (choice).bytes ? (READ(&(choice).bytes[row]) == 0) == (choice).complement                   \
                      : 1)

#endif
