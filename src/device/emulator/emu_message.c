/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/emu_message.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char message[640];

spl_status spl__emu_fail(spl_status status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    return status;
}

const char *spl__emu_message(void)
{
    return message;
}
