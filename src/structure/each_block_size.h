/* SPDX-License-Identifier: Apache-2.0 */
/* each_block_size.h: the sizes (rows and columns) of node blocks and holed blocks for which kernels
 * are made: EACH_BLOCK_SIZE(X) is X(size) for each. */
#ifndef SPL_STRUCTURE_EACH_BLOCK_SIZE_H
#define SPL_STRUCTURE_EACH_BLOCK_SIZE_H

#define EACH_BLOCK_SIZE(X) X(2) X(3) X(4) X(5) X(6)

#endif
