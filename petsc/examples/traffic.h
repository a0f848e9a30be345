/* SPDX-License-Identifier: Apache-2.0 */
/* traffic.h: what a rank reads and receives in a MatMult: the model of weak scaling.
 *
 * Where a rank's part of the grid keeps its size, all of this but the number of levels stops
 * growing once a rank has all its neighbours. */
#ifndef SPARLOOM_PETSC_TRAFFIC_H
#define SPARLOOM_PETSC_TRAFFIC_H

#include <petscksp.h>

/* Collective: prints the most that a rank has, for each level's matrix and interpolation. The
 * preconditioner has been set up. */
PetscErrorCode PrintTraffic(PC multigrid);

#endif
