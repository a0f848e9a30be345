/* SPDX-License-Identifier: Apache-2.0 */
/* regret_contenders.h: the methods that take part in a case, and their predicted times. */
#ifndef TOOL_REGRET_CONTENDERS_H
#define TOOL_REGRET_CONTENDERS_H

#include "regret_case.h"

enum { REGRET_PREDICTIONS = 64 };

typedef struct regret_prediction {
    const char *method; /* the library's */
    double seconds;     /* over all steps of a plan */
    int can;            /* it could serve all of them */
} regret_prediction;

typedef struct regret_predictions {
    int count; /* all zero at first */
    regret_prediction list[REGRET_PREDICTIONS];
} regret_predictions;

/* Takes in the candidates of a plan whose ids begin with `prefix`. */
void regret_predict(regret_predictions *predictions, const spl_plan *plan, const char *prefix);
/* Replaces predictions of methods that cannot serve by those of `source`, if they can serve
 * there. */
void regret_predict_others(regret_predictions *predictions, const regret_predictions *source);
/* A method whose id begins with `prefix` and that cannot serve; NULL: there is none. */
const char *regret_misfit(const regret_predictions *predictions, const char *prefix);
/* The method with the least predicted seconds of those; NULL: there is none. */
const char *regret_centre(const regret_predictions *predictions, const char *prefix);

/* Keeps of each phase of which `methods`, ids with commas between them, names some only those. */
void regret_keep(regret_predictions *predictions, const char *methods);
/* Whether it names one of the operation, on a `processor`, "cpu" or "gpu". */
int regret_names(const char *methods, bench_operation operation, const char *processor);

/* Adds the policies, then the methods to be forced. `processor` is "cpu" or "gpu". */
void regret_add_contenders(regret_case *item, const regret_predictions *predictions,
                           const char *processor);
/* After the first turns, spgemm: pairs of methods that came close to the best, each with the
 * centre's other one. */
void regret_add_crossed(regret_case *item, const regret_predictions *predictions);

#endif
