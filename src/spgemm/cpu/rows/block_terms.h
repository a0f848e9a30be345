/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPL_SPGEMM_CPU_ROWS_BLOCK_TERMS_H
#define SPL_SPGEMM_CPU_ROWS_BLOCK_TERMS_H

/* The most rows of B in a term. */
enum { SPL__MOST_TERMS = 6 };

#endif
