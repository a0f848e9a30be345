/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_METHOD_IDS_H
#define CLI_METHOD_IDS_H

/* Whether each id of a comma separated list is a method of this version; a near miss is answered
 * with a suggestion. NULL is fine. Whether the methods suit the operation is the library's
 * judgement. Returns an exit code. */
int cli_check_methods(const char *list);

#endif
