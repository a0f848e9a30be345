/* SPDX-License-Identifier: Apache-2.0 */
/* form_kinds.h: the forms, and what form_*.c share. */
#ifndef SPL_SPGEMM_GPU_FORMS_FORM_KINDS_H
#define SPL_SPGEMM_GPU_FORMS_FORM_KINDS_H

#include "spgemm/gpu/device_product.h"
#include "structure/block_size.h"

/* form_survey.c: fills the survey, unless the options exclude all compact forms. Waits at most
 * twice. */
spl_status spl__survey_forms(spl_plan *plan);
const spl__form_survey *spl__form_survey_of(const spl_plan *plan);
/* Whether the options force the form, or the numeric method that needs it. */
bool spl__form_is_forced(const spl_plan *plan, const spl__form_kind *kind);
/* Why the options exclude a compact form; NULL: they do not. */
const char *spl__form_excluded(const spl_plan *plan, const spl__form_kind *kind);
/* Predicts a numeric phase that takes a warp so many steps per product. */
void spl__form_estimate(const spl__task *task, double steps, spl__estimate *estimate);
/* Makes the plan's form the operands as they are. */
void spl__form_begin(spl_plan *plan, const spl__form_kind *kind, spl__form *form);
void spl__form_destroy(spl__step *step);
extern const char spl__known_by_blocks[], spl__known_by_rows[];
extern const spl__form_kind spl__form_entries, spl__form_node_blocks, spl__form_holed_blocks,
    spl__form_identical_rows;
/* Predicted steps of a warp per product with identical rows merged; INFINITY: they are not. */
double spl__identical_rows_steps(const spl_plan *plan);
/* Samples the fills of blocks, if such blocks may pay. Waits once. */
spl_status spl__holed_blocks_look(spl_plan *plan, spl__holed_guess *guess);

#endif
