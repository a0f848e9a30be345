/* SPDX-License-Identifier: Apache-2.0 */
/* line_ends.h: lines may end in LF, CR LF or CR alone; parsers know LF, and take CR for a blank. */
#ifndef SPL_FILE_LINE_ENDS_H
#define SPL_FILE_LINE_ENDS_H

#include <stdbool.h>

/* Makes LF of each CR in [begin, end) that ends a line: of runs of them that no LF follows. A run
 * in front of `end` waits for what follows, unless it is the `last` of the text: hand it over
 * again. */
void spl__line_ends_settle(char *begin, char *end, bool last);

#endif
