// SPDX-License-Identifier: Apache-2.0
// products.h: what one-shot products and plans have in common.
#ifndef SPARLOOM_PYTHON_PRODUCTS_H
#define SPARLOOM_PYTHON_PRODUCTS_H

#include "array_view.h"

namespace sparloom
{

// A vector of `length` elements of A's type, where A lives. Raises TypeError and ValueError.
void take_vector(array_view &vector, nanobind::handle array, const char *name, const spl_sparse &a,
                 int64_t length, bool write);

// The text of spl_plan_explain.
nanobind::str explanation_of(const spl_plan *plan);

void bind_products(nanobind::module_ &m);
void bind_plans(nanobind::module_ &m);
void bind_matrices(nanobind::module_ &m);
void bind_frontiers(nanobind::module_ &m);
void bind_graphs(nanobind::module_ &m);
void bind_scipy_products(nanobind::module_ &m);

} // namespace sparloom
#endif
