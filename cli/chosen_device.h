/* SPDX-License-Identifier: Apache-2.0 */
/* chosen_device.h: --device becomes the context's device. */
#ifndef CLI_CHOSEN_DEVICE_H
#define CLI_CHOSEN_DEVICE_H

#include "request.h"

/* Creates the context with the requested device, if the command computes products. "auto", the
 * default, is the processor of the forced methods, the CPU for masks and semirings, else a GPU if
 * available. doctor opens a device only if one is named. Returns an exit code. */
int cli_device_open(const cli_request *request, spl_context_options *options,
                    spl_context **context);

/* For spl_options.processors: the processors of --processors, which includes all devices of the
 * context; 0 if not given. */
uint64_t cli_processor_mask(const cli_request *request, const spl_context *context);

#endif
