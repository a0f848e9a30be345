/* SPDX-License-Identifier: Apache-2.0 */
#include "driver_survey.h"

#include <stdio.h>
#include <string.h>

const char *const cli_driver_names[CLI_DRIVERS] = {"cuda", "hip", "emu", "emu64"};

/* The detail of the library's last failure; it begins with the driver's name, which the reader has
 * already. */
static void note_problem(const char *name, cli_driver *driver)
{
    const char *detail = spl_error_detail();
    size_t length = strlen(name);
    if (!strncmp(detail, name, length) && !strncmp(detail + length, ": ", 2))
        detail += length + 2;
    snprintf(driver->problem, sizeof driver->problem, "%s", detail);
}

/* Opens one device and takes its name. */
static spl_status open_device(const char *name, int32_t ordinal, cli_driver *driver)
{
    char device[32];
    spl_context *context = NULL;
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    spl_processor_info info = SPL_PROCESSOR_INFO_INIT;
    snprintf(device, sizeof device, "%s:%d", name, (int)ordinal);
    options.devices = device;
    spl_status status = spl_context_create(&options, &context);
    if (status == SPL_OK)
        status = spl_processor(context, 1, &info);
    if (status == SPL_OK)
        snprintf(driver->devices[driver->count++], sizeof driver->devices[0], "%s", info.name);
    spl_context_destroy(context);
    return status;
}

void cli_driver_survey(const char *name, cli_driver *driver)
{
    int32_t found = 0;
    *driver = (cli_driver){0};
    spl_status status = spl_driver_devices(name, &found);
    for (int32_t i = 0; status == SPL_OK && i < found && i < CLI_MOST_DEVICES; i++)
        status = open_device(name, i, driver);
    if (status != SPL_OK)
        note_problem(name, driver);
}

/* How many devices from the first on have its name. */
static int equal_names(const cli_driver *driver, int first)
{
    int count = 1;
    while (first + count < driver->count &&
           !strcmp(driver->devices[first], driver->devices[first + count]))
        count++;
    return count;
}

void cli_driver_text(const cli_driver *driver, char *text, size_t capacity)
{
    size_t used = (size_t)snprintf(text, capacity, "%d %s", driver->count,
                                   driver->count == 1 ? "device" : "devices");
    for (int i = 0, equal; i < driver->count && used < capacity; i += equal) {
        equal = equal_names(driver, i);
        used += (size_t)snprintf(text + used, capacity - used, "%s %d x %s", i ? ";" : ":", equal,
                                 driver->devices[i]);
    }
    if (*driver->problem && used < capacity)
        snprintf(text + used, capacity - used, ": %s", driver->problem);
}
