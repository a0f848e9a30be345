/* SPDX-License-Identifier: Apache-2.0 */
/* thread_limit.h: whether the system may refuse this process a thread. */
#ifndef SPL_CORE_THREAD_LIMIT_H
#define SPL_CORE_THREAD_LIMIT_H

#include <stdbool.h>

/* Whether a limit is low enough to be met: of the user's processes or of addresses (getrlimit), or
 * of the processes of the control group (Linux). Looked up once per process. */
bool spl__threads_are_limited(void);

#endif
