/* SPDX-License-Identifier: Apache-2.0 */
/* error.h: reporting of failures: `return spl__fail(SPL_..., "what, with numbers")`. */
#ifndef SPL_CORE_ERROR_H
#define SPL_CORE_ERROR_H

#include "sparloom/sparloom.h"

enum { SPL__DETAIL_BYTES = 512 };

/* Stores the formatted sentence as this thread's error detail and returns `status`. Control
 * characters are escaped; texts of more than 511 bytes are shortened in the middle. */
spl_status spl__fail(spl_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for lack of memory: spl_error_bytes becomes `needed` (0: unknown), which the sentence
 * states. All other failures set it to 0. */
spl_status spl__fail_memory(spl_status status, size_t needed, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A failure that is kept over later failures of its thread, or passed to another thread. */
typedef struct spl__kept_failure {
    size_t needed; /* spl_error_bytes */
    char detail[SPL__DETAIL_BYTES];
} spl__kept_failure;
/* Copies the state of this thread's last failure. */
void spl__failure_keep(spl__kept_failure *kept);
/* Makes it this thread's last failure. Returns `status`. */
spl_status spl__failure_restore(spl_status status, const spl__kept_failure *kept);

/* Prepends "name: " to the detail of SPL_OUT_OF_MEMORY and SPL_OVER_BUDGET, since an allocation
 * does not know its file or operand. spl_error_bytes is unchanged. Returns `status`. */
spl_status spl__memory_for(spl_status status, const char *name);

/* `bytes` with thousands separators ("9,120,000,000") in one of a few thread-local buffers. */
const char *spl__thousands(int64_t number);

/* Evaluates an expression of type spl_status and returns it from the current function unless
 * SPL_OK. */
#define SPL__TRY(expression)                                                                       \
    do {                                                                                           \
        spl_status status_ = (expression);                                                         \
        if (status_ != SPL_OK)                                                                     \
            return status_;                                                                        \
    } while (0)

#endif
