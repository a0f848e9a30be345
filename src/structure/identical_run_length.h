/* SPDX-License-Identifier: Apache-2.0 */
/* identical_run_length.h: how many rows of a device's matrix have the same columns, one behind the
 * other. Part of the templates of kernel files: read once per combination of types, without a
 * guard. */

/* Rows of the run that begins with this row, by what spl__device_identical_rows_mark found; 0 if
 * none does. `repeats` NULL: each row is a run. */
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
