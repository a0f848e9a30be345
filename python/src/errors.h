// SPDX-License-Identifier: Apache-2.0
// errors.h: statuses of the library as Python exceptions.
#ifndef SPARLOOM_PYTHON_ERRORS_H
#define SPARLOOM_PYTHON_ERRORS_H

#include <nanobind/nanobind.h>
#include <sparloom/sparloom.h>

namespace sparloom
{

// Raises the exception of sparloom/_errors.py for the status and this thread's last detail, unless
// it is SPL_OK. Needs the GIL.
void check(spl_status status);

void bind_errors(nanobind::module_ &m);

} // namespace sparloom
#endif
