/* SPDX-License-Identifier: Apache-2.0 */
/* line_ends.h: lines may end in LF, CR LF or CR alone; parsers know LF, and take CR for a blank. */
#ifndef SPL_FILE_LINE_ENDS_H
#define SPL_FILE_LINE_ENDS_H

#include <stdbool.h>

/* Replaces by LF each CR in [begin, end) that ends a line: runs of CR without a following LF. A
 * run right before `end` is left for the next call, which must include it, unless this is the
 * `last` part of the text. */
void spl__line_ends_settle(char *begin, char *end, bool last);

#endif
