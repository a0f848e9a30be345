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
        if (spl_method(i, &method) == SPL_OK && strlen(method.id) == length &&
            !strncmp(method.id, methods, length))
            return method.processor;
    }
    return NULL;
}

/* Where a product must be computed; NULL: anywhere. Masks and semirings are on the CPU unless a
 * device is named: predictions do not compare them. */
static const char *bound_to(const cli_request *request)
{
    if ((request->mask || request->semiring) && !request->method)
        return "cpu";
    return request->method ? processor_of(request->method) : NULL;
}

/* The list of devices for the library. */
static const char *devices_of(const cli_request *request)
{
    const char *device = request->device                     ? request->device
                         : request->command->bit & CLI_PLANS ? "auto"
                                                             : NULL;
    const char *processor = bound_to(request);
    return device && !strcmp(device, "auto") && processor ? processor : device;
}

/* --processors, unless it contradicts other options. */
static int check_processors(const cli_request *request)
{
    if (request->processors && request->device)
        return cli_fail_usage(
            "--device does not go with --processors, which names all that compute");
    if (request->processors && !*request->processors)
        return cli_fail_usage("--processors: no processor is named");
    return CLI_OK;
}

/* The library's message, without the name of its own option. */
static int fail(const cli_request *request, spl_status status)
{
    static const char library[] = "devices: ";
    const char *detail = spl_error_detail();
    if (!strncmp(detail, library, sizeof library - 1))
        detail += sizeof library - 1;
    const char *option = request->processors ? "--processors"
                         : request->device   ? "--device"
                                             : "--method";
    return cli_fail(status, "%s: %s", option, detail);
}

/* Whether the list has "cpu". */
static int names_cpu(const char *list)
{
    for (const char *cursor = list; *cursor;
         cursor += strcspn(cursor, ","), cursor += *cursor == ',')
        if (strcspn(cursor, ",") == 3 && !strncmp(cursor, "cpu", 3))
            return 1;
    return 0;
}

uint64_t cli_processor_mask(const cli_request *request, const spl_context *context)
{
    if (!request->processors)
        return 0;
    uint64_t devices = ((uint64_t)1 << spl_processor_count(context)) - 2;
    return devices | (uint64_t)names_cpu(request->processors);
}

int cli_device_open(const cli_request *request, spl_context_options *options, spl_context **context)
{
    int code = check_processors(request);
    if (code)
        return code;
    options->devices = request->processors ? request->processors : devices_of(request);
    if (!request->processors && options->devices && strchr(options->devices, ','))
        return cli_fail_usage("--device: \"%s\" is more than one device", options->devices);
    spl_status status = spl_context_create(options, context);
    int about_device =
        options->devices && (status == SPL_INVALID_ARGUMENT || status == SPL_UNSUPPORTED);
    return about_device ? fail(request, status) : cli_check(status);
}
