/* SPDX-License-Identifier: Apache-2.0 */
#include "wisdom_store.h"

#include "failure.h"

#include <unistd.h>

int cli_wisdom_load(cli_session *session)
{
    const char *store = session->request->wisdom;
    if (!store || (access(store, F_OK) != 0))
        return CLI_OK;
    return cli_check(spl_wisdom_import(session->context, store, NULL));
}

int cli_wisdom_save(cli_session *session)
{
    const char *store = session->request->wisdom;
    return store ? cli_check_written(spl_wisdom_export(session->context, store), store) : CLI_OK;
}
