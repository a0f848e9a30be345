/* SPDX-License-Identifier: Apache-2.0 */
/* scale_sum.h: alpha times what was summed, for every kernel that stores alpha*sum. Part of the
 * templates of kernel files: read once per combination of types, without a guard. */

/* Nothing where nothing was summed, though alpha be Inf or NaN. Sums that are 0 otherwise:
 * plan/odd_alpha.h */
DEVICE ACC FN(scale_sum)(ACC alpha, ACC sum)
{
    return sum == 0 ? (ACC)0 : alpha * sum;
}
