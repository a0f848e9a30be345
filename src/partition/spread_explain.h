/* SPDX-License-Identifier: Apache-2.0 */
/* spread_explain.h: the work of each processor of a plan, predicted and measured: functions of
 * spl__operation. */
#ifndef SPL_PARTITION_SPREAD_EXPLAIN_H
#define SPL_PARTITION_SPREAD_EXPLAIN_H

#include "plan/plan.h"

int32_t spl__spread_part_count(const spl_plan *plan);
spl_status spl__spread_part_info(spl_plan *plan, int32_t number, spl_part_info *info);
void spl__spread_explain(const spl_plan *plan, spl__text *text);
void spl__spread_count(const spl_plan *plan, spl_counters *counters);
const spl_plan *spl__spread_inner(const spl_plan *plan, int32_t k);

#endif
