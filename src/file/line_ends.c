/* SPDX-License-Identifier: Apache-2.0 */
#include "file/line_ends.h"

#include <stddef.h>

/* Whether a CR has neither CR nor LF after it. Few files have one: all others are only searched. */
static bool has_lone(const char *text, ptrdiff_t count)
{
    unsigned char lone = 0;
#pragma omp simd reduction(| : lone)
    for (ptrdiff_t i = 0; i < count - 1; i++)
        lone |= (unsigned char)((text[i] == '\r') & (text[i + 1] != '\r') & (text[i + 1] != '\n'));
    return lone || (count > 0 && text[count - 1] == '\r');
}

void spl__line_ends_settle(char *begin, char *end, bool last)
{
    while (!last && end > begin && end[-1] == '\r')
        end--;
    if (!has_lone(begin, end - begin))
        return;
    bool before_lf = false;
    for (char *p = end; p-- > begin;)
        if (*p != '\r')
            before_lf = *p == '\n';
        else if (!before_lf)
            *p = '\n';
}
