// SPDX-License-Identifier: Apache-2.0
// module.cpp: sparloom._core, what the Python files of the package stand on.
#include "context.h"
#include "operand.h"
#include "products.h"

NB_MODULE(_core, m)
{
    // Objects may live until the interpreter ends, for instance in modules' variables.
    nanobind::set_leak_warnings(false);
    sparloom::bind_errors(m);
    sparloom::bind_context(m);
    sparloom::bind_operands();
    sparloom::bind_products(m);
    sparloom::bind_plans(m);
    sparloom::bind_matrices(m);
    sparloom::bind_frontiers(m);
    sparloom::bind_graphs(m);
    sparloom::bind_scipy_products(m);
}
