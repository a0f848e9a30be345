/* SPDX-License-Identifier: Apache-2.0 */
#include "thread_count.h"

#include <omp.h>

void tool_use_threads(int threads)
{
    if (threads > 0)
        omp_set_num_threads(threads);
}
