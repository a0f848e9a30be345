/* SPDX-License-Identifier: Apache-2.0 */
/* origin.h: the origin of measured times, for results files. */
#ifndef CLI_ORIGIN_H
#define CLI_ORIGIN_H

#include "session.h"

/* Adds "date", "cpu" and "arguments" to the session's object. */
void cli_origin_json(const cli_session *session);

#endif
