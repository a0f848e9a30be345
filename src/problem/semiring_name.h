/* SPDX-License-Identifier: Apache-2.0 */
/* semiring_name.h: semirings in messages and explanations. */
#ifndef SPL_PROBLEM_SEMIRING_NAME_H
#define SPL_PROBLEM_SEMIRING_NAME_H

#include <stdint.h>

/* "min_plus" for SPL_MIN_PLUS. */
const char *spl__semiring_name(int32_t semiring);

#endif
