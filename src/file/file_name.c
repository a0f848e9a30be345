/* SPDX-License-Identifier: Apache-2.0 */
#include "file/file_name.h"

#include <string.h>

static const struct {
    const char *ending;
    spl__named format;
} endings[] = {
#define ENDING(ending, format) {ending, SPL__NAMED_##format},
#include "file/file_endings.def"
#undef ENDING
};
enum { ENDINGS = sizeof endings / sizeof *endings };

static const char gz[] = ".gz";

bool spl__named_gzip(const char *name)
{
    size_t length = strlen(name), wanted = sizeof gz - 1;
    return length >= wanted && strcmp(name + length - wanted, gz) == 0;
}

/* Whether the name's last part has a dot after its first character. */
static bool has_ending(const char *name, size_t length)
{
    size_t first = length;
    while (first > 0 && name[first - 1] != '/')
        first--;
    return length > first + 1 && memchr(name + first + 1, '.', length - first - 1) != NULL;
}

spl__named spl__named_format(const char *name)
{
    bool packed = spl__named_gzip(name);
    size_t length = strlen(name) - (packed ? sizeof gz - 1 : 0);
    for (int i = 0; i < ENDINGS; i++) {
        size_t wanted = strlen(endings[i].ending);
        if (length > wanted && memcmp(name + length - wanted, endings[i].ending, wanted) == 0)
            return packed && endings[i].format == SPL__NAMED_NPZ ? SPL__NAMED_OTHER
                                                                 : endings[i].format;
    }
    return has_ending(name, length) ? SPL__NAMED_OTHER : SPL__NAMED_NOTHING;
}

void spl__named_endings(spl__text *text, spl__named format)
{
    const char *separator = "";
    for (int i = 0; i < ENDINGS; i++) {
        if (endings[i].format == SPL__NAMED_CSV ||
            (format != SPL__NAMED_OTHER && endings[i].format != format))
            continue;
        spl__text_add(text, "%s%s", separator, endings[i].ending);
        separator = ", ";
    }
}
