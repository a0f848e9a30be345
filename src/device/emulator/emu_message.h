/* SPDX-License-Identifier: Apache-2.0 */
/* emu_message.h: the message of this thread's last failed call. */
#ifndef SPL_DEVICE_EMULATOR_EMU_MESSAGE_H
#define SPL_DEVICE_EMULATOR_EMU_MESSAGE_H

#include "sparloom/sparloom.h"

/* Stores the message and returns the status. */
spl_status spl__emu_fail(spl_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
const char *spl__emu_message(void);

#define SPL__EMU_TRY(call)                                                                         \
    do {                                                                                           \
        const spl_status status_of_call = (call);                                                  \
        if (status_of_call != SPL_OK)                                                              \
            return status_of_call;                                                                 \
    } while (0)

#endif
