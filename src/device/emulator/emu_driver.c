/* SPDX-License-Identifier: Apache-2.0 */
/* emu_driver.c: the only symbol that the plug-in exports. */
#include "device/emulator/emu_device.h"
#include "device/emulator/emu_message.h"

static const spl__driver driver = {
    .version = SPL__DRIVER_VERSION,
    .size = sizeof(spl__driver),
    .kind = SPL_EMULATOR,
    .name = SPL__LANES == 32 ? "emu" : "emu64",
    .message = spl__emu_message,
    .count = spl__emu_count,
    .open = spl__emu_open,
    .close = spl__emu_close,
    .properties = spl__emu_properties,
    .place_of = spl__emu_place_of,
    .alloc = spl__emu_alloc,
    .free = spl__emu_free,
    .trim = spl__emu_trim,
    .pinned_alloc = spl__emu_pinned_alloc,
    .pinned_free = spl__emu_pinned_free,
    .is_pinned = spl__emu_knows_pinned,
    .copy = spl__emu_copy,
    .fill = spl__emu_fill,
    .stream_create = spl__emu_stream_create,
    .stream_destroy = spl__emu_stream_destroy,
    .stream_wait = spl__emu_stream_wait,
    .report = spl__emu_report,
    .await = spl__emu_await,
    .stream_captures = spl__emu_stream_captures,
    .event_create = spl__emu_event_create,
    .event_destroy = spl__emu_event_destroy,
    .event_record = spl__emu_event_record_in,
    .event_wait = spl__emu_event_wait_in,
    .event_seconds = spl__emu_event_seconds,
    .kernel = spl__emu_kernel_named,
    .launch = spl__emu_launch,
    .sort = spl__emu_sort,
};

SPARLOOM_API const spl__driver *spl__driver_entry(void);

const spl__driver *spl__driver_entry(void)
{
    return &driver;
}
