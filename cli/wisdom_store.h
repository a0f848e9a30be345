/* SPDX-License-Identifier: Apache-2.0 */
/* wisdom_store.h: the file of measured choices: --wisdom FILE. */
#ifndef CLI_WISDOM_STORE_H
#define CLI_WISDOM_STORE_H

#include "session.h"

#include <sparloom/measured.h>

/* Reads the file of --wisdom into the context; a missing file is empty. Returns an exit code. */
int cli_wisdom_load(cli_session *session);
/* Writes the context's wisdom to the file. Returns an exit code. */
int cli_wisdom_save(cli_session *session);

#endif
