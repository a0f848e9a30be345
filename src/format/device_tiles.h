/* SPDX-License-Identifier: Apache-2.0 */
/* device_tiles.h: the structure of a CSR matrix on a device in tiles of 16 or 8 rows and 8 columns,
 * for MULTIPLY_TILES (dialect.h).
 *
 * Rows are divided into windows of that height. The distinct columns of a window are numbered in
 * ascending order; eight consecutive ones form a tile, so tiles are full where rows share columns,
 * wherever these are. One bit per slot marks entries. The values of a row in a tile are consecutive
 * in the matrix and follow those in the previous tile.
 *
 * Columns of every row must ascend. Memory: 48 bytes a tile.
 * Source: Y. Wang, B. Feng, Z. Wang, G. Huang, Y. Ding, TC-GNN, USENIX ATC 2023 (columns of a
 * window of rows are gathered). Differs: bits instead of values or of positions for each entry;
 * made on the device with bitmaps of stretches of columns. */
#ifndef SPL_FORMAT_DEVICE_TILES_H
#define SPL_FORMAT_DEVICE_TILES_H

#include "device/device.h"
#include "format/device_tiles.k.h"

/* Tile i of a window: columns[8*i..], in the order 0 4 1 5 2 6 3 7; bit r%2*16 + r/8*8 + k of
 * bits[4*i + r%8/2] for row r and column k. */
typedef struct spl__device_tiles {
    int32_t height;
    int64_t windows, count;
    spl__device_array first;   /* int64_t[windows+1] */
    spl__device_array columns; /* int32_t[8*count] */
    spl__device_array bits;    /* uint32_t[4*count] */
} spl__device_tiles;

/* Waits once. On failure spl__device_tiles_free cleans up. */
spl_status spl__device_tiles_make(spl__queue *queue, const spl_sparse *csr, int32_t height,
                                  spl__device_tiles *tiles);
void spl__device_tiles_free(spl__queue *queue, spl__device_tiles *tiles);

/* Entries per slot of tiles of 16 and of 8 rows in a sample of windows; 1 if there are no entries.
 * Waits once. */
spl_status spl__device_tiles_sample(spl__queue *queue, const spl_sparse *csr, double fill[2]);

#endif
