/* SPDX-License-Identifier: Apache-2.0 */
/* chosen_device.h: --device becomes the context's device. */
#ifndef CLI_CHOSEN_DEVICE_H
#define CLI_CHOSEN_DEVICE_H

#include "request.h"

/* Creates the context with the device that the request means, if its command computes products:
 * "auto", the default, is what the methods asked for run on, else a GPU if there is one. doctor
 * opens a device only if one is named. Returns an exit code. */
int cli_device_open(const cli_request *request, spl_context_options *options,
                    spl_context **context);

/* For spl_options.processors: what --processors names, which are all devices of the context; 0 if
 * it was not given. */
uint64_t cli_processor_mask(const cli_request *request, const spl_context *context);

#endif
