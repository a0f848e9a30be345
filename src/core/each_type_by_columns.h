/* SPDX-License-Identifier: Apache-2.0 */
/* each_type_by_columns.h: as each_type.h, for templates that read few offsets: of any width, by
 * spl__index_at(). P is not defined. A third less is compiled. Lists are SPL__KERNELS_BY_COLUMNS
 * and SPL__KERNELS_IN_ALL_BY_COLUMNS. */
#define EACH_WIDTH "core/each_columns.h"
#include "core/each_value.h"
