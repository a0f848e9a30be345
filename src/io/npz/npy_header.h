/* SPDX-License-Identifier: Apache-2.0 */
/* npy_header.h: the header of an array in NumPy's .npy format. Source: NumPy Enhancement Proposal
 * 1, A Simple File Format for NumPy Arrays (versions 1 to 3).
 * Source: NumPy Enhancement Proposal 1, A Simple File Format for NumPy Arrays (versions 1 to 3). */
#ifndef SPL_IO_NPZ_NPY_HEADER_H
#define SPL_IO_NPZ_NPY_HEADER_H

#include "io/npz/zip_read.h"

enum { SPL__NPY_MOST_DIMENSIONS = 3 };

typedef struct spl__npy_header {
    char kind;      /* b bool, i signed, u unsigned, f real, S bytes, U Unicode */
    int64_t width;  /* bytes of an element */
    bool fortran;   /* column-major */
    int dimensions; /* 0: a scalar */
    int64_t shape[SPL__NPY_MOST_DIMENSIONS];
    int64_t count; /* elements */
} spl__npy_header;

/* Enters the member and reads its header, which must fit the member's length; elements follow.
 * Leave or finish the member after success only. SPL_FILE_INVALID; SPL_UNSUPPORTED: big-endian,
 * complex, structured types, and pickled objects, which are never read;
 * statuses of spl__zip_enter. */
spl_status spl__npy_enter(spl__zip *zip, const char *member, spl__npy_header *header);

#endif
