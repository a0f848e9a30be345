/* SPDX-License-Identifier: Apache-2.0 */
/* driver_survey.h: the devices of each driver, for "sparloom doctor". */
#ifndef CLI_DRIVER_SURVEY_H
#define CLI_DRIVER_SURVEY_H

#include <sparloom/sparloom.h>
#include <stddef.h>

enum { CLI_DRIVERS = 4, CLI_MOST_DEVICES = 16 };
extern const char *const cli_driver_names[CLI_DRIVERS];

typedef struct cli_driver {
    /* of devices that could be opened, at most CLI_MOST_DEVICES */
    int count;
    char devices[CLI_MOST_DEVICES][96]; /* their names */
    /* why a device is missing or could not be opened; "": no problem */
    char problem[512];
} cli_driver;

/* Opens every device of the driver once. */
void cli_driver_survey(const char *name, cli_driver *driver);
/* "2 devices: 2 x NAME", and the problem if there is one. */
void cli_driver_text(const cli_driver *driver, char *text, size_t capacity);

#endif
