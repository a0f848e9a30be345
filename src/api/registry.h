/* SPDX-License-Identifier: Apache-2.0 */
/* registry.h: all methods and operations of the library. */
#ifndef SPL_API_REGISTRY_H
#define SPL_API_REGISTRY_H

#include "plan/plan.h"

extern const struct spl__registry spl__registry;

#endif
