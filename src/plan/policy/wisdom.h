/* SPDX-License-Identifier: Apache-2.0 */
/* wisdom.h: measured choices of a context, and files of them.
 *
 * An entry says which method was best for problems of one signature on one processor. Entries of
 * older revisions of a method are ignored. Measured entries take precedence over imported ones,
 * later imports over earlier ones. */
#ifndef SPL_PLAN_POLICY_WISDOM_H
#define SPL_PLAN_POLICY_WISDOM_H

#include "file/text_file.h"
#include "plan/signature.h"
#include "sparloom/measured.h"

typedef struct spl__wisdom_entry {
    char machine[SPL__MACHINE_BYTES], problem[SPL__SIGNATURE_BYTES];
    const spl__registry_entry *method;
    double seconds;     /* of one execution */
    bool measured_here; /* measured here */
} spl__wisdom_entry;

/* Makes an entry for the task, without a method. */
void spl__wisdom_about(const spl__task *task, spl__wisdom_entry *entry);
/* Completes an entry from wisdom; false: unknown. */
bool spl__wisdom_recall(spl_context *context, spl__wisdom_entry *entry);
/* Stores all entries, or on failure none; replaces older ones. SPL_OUT_OF_MEMORY,
 * SPL_OVER_BUDGET. */
spl_status spl__wisdom_remember(spl_context *context, const spl__wisdom_entry *entries,
                                int64_t count);

int64_t spl__wisdom_count(spl_context *context);
/* Gets entry `number`; false: there are fewer. */
bool spl__wisdom_get(spl_context *context, int64_t number, spl__wisdom_entry *entry);
void spl__wisdom_forget(spl_context *context);

/* Files: lines "MACHINE PROBLEM METHOD REVISION SECONDS" of a sealed text. Import takes over the
 * opened file; it is read completely before any entry is stored. Entries of other machines are
 * kept, so that several can share a file; entries of unknown methods or revisions are skipped.
 * SPL_FILE_INVALID, ... */
spl_status spl__wisdom_read(spl_context *context, const spl__text_file *file, spl_import *report);
spl_status spl__wisdom_write(spl_context *context, const char *path);

#endif
