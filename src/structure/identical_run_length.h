/* SPDX-License-Identifier: Apache-2.0 */
/* identical_run_length.h: the number of consecutive identical rows of a device's matrix. Part of
 * the templates of kernel files: read once per combination of types, without a guard. */

/* The rows of the run that begins with this row, from the flags of
 * spl__device_identical_rows_mark; 0: the row begins no run. equals_previous NULL: each row is a
 * run. */
DEVICE int FN(identical_run_length)(int64_t row, int64_t rows,
                                    const uint8_t *RESTRICT equals_previous)
{
    int run = 1;
    if (!equals_previous)
        return 1;
    if (READ(&equals_previous[row]))
        return 0;
    while (row + run < rows && READ(&equals_previous[row + run]))
        run++;
    return run;
}
