/* SPDX-License-Identifier: Apache-2.0 */
#include "core/processor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void spl__processor_name(char name[SPL__NAME_BYTES])
{
    static const char key[] = "model name";
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(name, SPL__NAME_BYTES, "CPU");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strncmp(line, key, sizeof key - 1) == 0 ? strchr(line, ':') : NULL;
        if (!colon)
            continue;
        line[strcspn(line, "\n")] = 0;
        snprintf(name, SPL__NAME_BYTES, "%.*s", SPL__NAME_BYTES - 1,
                 colon + 1 + strspn(colon + 1, " "));
        break;
    }
    if (file)
        fclose(file);
}

double spl__machine_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && bytes > 0 ? (double)pages * (double)bytes : INFINITY;
}

bool spl__machine_holds(size_t bytes)
{
    enum { LITTLE = 4 << 20, MEMORIES = 4 };
    return bytes < LITTLE || (double)bytes <= MEMORIES * spl__machine_memory();
}
