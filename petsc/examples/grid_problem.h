/* SPDX-License-Identifier: Apache-2.0 */
/* grid_problem.h: the two problems of the examples, on a grid of n*n*n nodes.
 *
 *   poisson      -div(c grad u) = 1, seven points, one unknown a node
 *   elasticity   a cube of trilinear elements, held at one side, three unknowns a node
 *
 * `contrast` scales the material of one half, so that another value gives new values in the same
 * structure. */
#ifndef SPARLOOM_PETSC_GRID_PROBLEM_H
#define SPARLOOM_PETSC_GRID_PROBLEM_H

#include <petscdmda.h>
#include <petscksp.h>

/* Makes the grid and, of PETSc's option -mat_type or `type`, the matrix, without values. */
PetscErrorCode MakeProblem(PetscBool elasticity, PetscInt n, MatType type, DM *grid, Mat *matrix);
/* Fills the matrix; also sets what GAMG needs to know of elasticity. */
PetscErrorCode FillProblem(PetscBool elasticity, DM grid, Mat matrix, PetscReal contrast);

#endif
