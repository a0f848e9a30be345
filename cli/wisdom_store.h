/* SPDX-License-Identifier: Apache-2.0 */
/* wisdom_store.h: the file in which the user lets measured choices be kept: --wisdom FILE. */
#ifndef CLI_WISDOM_STORE_H
#define CLI_WISDOM_STORE_H

#include "session.h"

/* What --wisdom names is read into the context; if there is no such file yet, nothing is. Returns
 * an exit code. */
int cli_wisdom_load(cli_session *session);
/* It is written anew with what the context knows now. Returns an exit code. */
int cli_wisdom_save(cli_session *session);

#endif
