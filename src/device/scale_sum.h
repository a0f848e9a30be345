/* SPDX-License-Identifier: Apache-2.0 */
/* scale_sum.h: alpha times a sum, for every kernel that stores alpha*sum. Part of the templates
 * of kernel files: read once per combination of types, without a guard. */

/* 0 if the sum is 0, even if alpha is Inf or NaN. Sums of rows with entries that happen to be 0:
 * plan/odd_alpha.h */
DEVICE ACC FN(scale_sum)(ACC alpha, ACC sum)
{
    return sum == 0 ? (ACC)0 : alpha * sum;
}
