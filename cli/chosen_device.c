/* SPDX-License-Identifier: Apache-2.0 */
#include "chosen_device.h"

#include "failure.h"

#include <string.h>

/* The processor that the first of the listed methods runs on, NULL if there is no such method. */
static const char *processor_of(const char *methods)
{
    size_t length = strcspn(methods, ",");
    for (int32_t i = 0; i < spl_method_count(); i++) {
        spl_method_info method = SPL_METHOD_INFO_INIT;
        if (spl_method(i, &method) == SPL_OK && strlen(method.id) == length && !strncmp(method.id, methods, length))
            return method.processor;
    }
    return NULL;
}

/* What the library is asked for. */
static const char *devices_of(const cli_request *request)
{
    const char *device = request->device ? request->device : request->command->bit & CLI_PLANS ? "auto" : NULL;
    const char *processor = request->method ? processor_of(request->method) : NULL;
    return device && !strcmp(device, "auto") && processor ? processor : device;
}

/* The library's words, without the name of its own option. */
static int fail(const cli_request *request, spl_status status)
{
    static const char library[] = "devices: ";
    const char *detail = spl_error_detail();
    if (!strncmp(detail, library, sizeof library - 1))
        detail += sizeof library - 1;
    return cli_fail(status, "%s: %s", request->device ? "--device" : "--method", detail);
}

int cli_device_open(const cli_request *request, spl_context_options *options, spl_context **context)
{
    options->devices = devices_of(request);
    if (options->devices && strchr(options->devices, ','))
        return cli_fail_usage("--device: \"%s\" is more than one device", options->devices);
    spl_status status = spl_context_create(options, context);
    int about_device = options->devices && (status == SPL_INVALID_ARGUMENT || status == SPL_UNSUPPORTED);
    return about_device ? fail(request, status) : cli_check(status);
}
