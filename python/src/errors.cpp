// SPDX-License-Identifier: Apache-2.0
#include "errors.h"

namespace nb = nanobind;

namespace sparloom
{
namespace
{

PyObject *make_exception; // a function of sparloom/_errors.py, never released

} // namespace

void check(spl_status status)
{
    if (status == SPL_OK)
        return;
    // A cancel by Ctrl-C or by a progress function left its own exception.
    if (status == SPL_CANCELLED && PyErr_Occurred())
        throw nb::python_error();
    const char *detail = spl_error_detail();
    nb::object exception = nb::handle(make_exception)(
        static_cast<int>(status), spl_status_name(status),
        detail[0] ? detail : spl_status_message(status), spl_error_bytes());
    PyErr_SetObject(exception.type().ptr(), exception.ptr());
    throw nb::python_error();
}

void bind_errors(nb::module_ &m)
{
    m.def("set_exception_maker", [](nb::object maker) { make_exception = maker.release().ptr(); });
}

} // namespace sparloom
