// SPDX-License-Identifier: Apache-2.0
#include "context.h"

#include "fields.h"

#include <nanobind/stl/string.h>
#include <sparloom/measured.h>

namespace nb = nanobind;

namespace sparloom
{
namespace
{

PyObject *log_message; // a function of sparloom/_context.py, never released

void log(void *, spl_log_level level, const char *message)
{
    if (!log_message || !Py_IsInitialized())
        return;
    nb::gil_scoped_acquire locked;
    PyObject *answer = PyObject_CallFunction(log_message, "is", static_cast<int>(level), message);
    if (!answer)
        PyErr_Clear();
    Py_XDECREF(answer);
}

} // namespace

thread_local running_call *running_call::current;

// The first report comes when the work begins, the others every 10 ms: calls that are shorter never
// wait for the GIL.
int running_call::report(void *, const char *stage, int64_t done, int64_t total)
{
    if (!current || (current->reports++ == 0 && current->progress.is_none()))
        return 0;
    nb::gil_scoped_acquire locked;
    return current->call(stage, done, total) ? 0 : 1;
}

bool running_call::call(const char *stage, int64_t done, int64_t total)
{
    if (PyErr_Occurred() || PyErr_CheckSignals() != 0)
        return false;
    if (progress.is_none())
        return true;
    PyObject *answer = PyObject_CallFunction(
        progress.ptr(), "sLL", stage, static_cast<long long>(done), static_cast<long long>(total));
    Py_XDECREF(answer);
    return answer != nullptr;
}

claim::claim(std::atomic<bool> &busy, const char *object) : busy(busy)
{
    if (busy.exchange(true, std::memory_order_acquire)) {
        PyErr_Format(PyExc_RuntimeError, "%s is in use by another thread", object);
        throw nb::python_error();
    }
}

context::context(int threads, nb::handle devices, size_t memory_budget, bool logs,
                 nb::handle allocator, size_t kept_memory)
    : owner(std::make_shared<context_owner>())
{
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    const std::string names = devices.is_none() ? std::string() : nb::cast<std::string>(devices);
    options.threads = threads;
    options.memory_budget = memory_budget;
    options.kept_memory = kept_memory;
    options.devices = devices.is_none() ? nullptr : names.c_str();
    options.progress = running_call::report;
    options.log = logs ? log : nullptr;
    if (!allocator.is_none()) {
        owner->allocator = std::make_unique<python_allocator>(
            nb::object(allocator[0]), nb::object(allocator[1]), nb::cast<bool>(allocator[2]));
        options.allocator = owner->allocator->hook();
    }
    call(nb::none(), [&] { return spl_context_create(&options, &owner->context); });
}

namespace
{

const field<spl_memory_info> MEMORY[] = {
    FIELD(spl_memory_info, live),
    FIELD(spl_memory_info, peak),
    FIELD(spl_memory_info, allocations),
    FIELD(spl_memory_info, kept),
};

const field<spl_processor_info> PROCESSOR[] = {
    FIELD(spl_processor_info, name),
    FIELD(spl_processor_info, threads),
    {"kind", [](const spl_processor_info &p) { return value_of(p.place.kind); }},
    {"ordinal", [](const spl_processor_info &p) { return value_of(p.place.ordinal); }},
};

const field<spl_wisdom> WISDOM[] = {
    FLAG(spl_wisdom, measured_here), FIELD(spl_wisdom, machine), FIELD(spl_wisdom, problem),
    FIELD(spl_wisdom, method),       FIELD(spl_wisdom, seconds),
};

const field<spl_import> IMPORT[] = {
    FIELD(spl_import, taken),
    FIELD(spl_import, foreign),
    FIELD(spl_import, unknown),
};

nb::dict memory(const context &c, int kind, int ordinal)
{
    spl_memory_info info = SPL_MEMORY_INFO_INIT;
    const spl_place place = {kind, ordinal};
    check(spl_memory(c.owner->context, place, &info));
    return dict_of(info, MEMORY);
}

nb::list processors(const context &c)
{
    spl_context *context = c.owner->context;
    return dicts_of(
        spl_processor_count(context), SPL_PROCESSOR_INFO_INIT,
        [&](int32_t i, spl_processor_info *p) { return spl_processor(context, i, p); }, PROCESSOR);
}

nb::list wisdom(const context &c)
{
    spl_context *context = c.owner->context;
    return dicts_of(
        spl_wisdom_count(context), SPL_WISDOM_INIT,
        [&](int64_t i, spl_wisdom *w) { return spl_wisdom_get(context, i, w); }, WISDOM);
}

using import_function = spl_status (*)(spl_context *, const char *, spl_import *);

template <import_function function> nb::dict import_file(const context &c, const std::string &path)
{
    spl_import report = SPL_IMPORT_INIT;
    call(nb::none(), [&] { return function(c.owner->context, path.c_str(), &report); });
    return dict_of(report, IMPORT);
}

using export_function = spl_status (*)(spl_context *, const char *);

template <export_function function> void export_file(const context &c, const std::string &path)
{
    call(nb::none(), [&] { return function(c.owner->context, path.c_str()); });
}

double machine_get(const context &c, const std::string &name)
{
    double value = 0;
    check(spl_machine_get(c.owner->context, name.c_str(), &value));
    return value;
}

} // namespace

void bind_context(nb::module_ &m)
{
    m.def("set_log_function", [](nb::object function) { log_message = function.release().ptr(); });
    nb::class_<context>(m, "Context")
        .def(nb::init<int, nb::handle, size_t, bool, nb::handle, size_t>(), nb::arg("threads"),
             nb::arg("devices").none(), nb::arg("memory_budget"), nb::arg("log"),
             nb::arg("allocator").none(), nb::arg("kept_memory"))
        .def("memory", &memory)
        .def("processors", &processors)
        .def("trim",
             [](const context &c) { call(nb::none(), [&] { return spl_trim(c.owner->context); }); })
        .def("synchronize",
             [](const context &c) {
                 call(nb::none(), [&] { return spl_sync(c.owner->context, nullptr); });
             })
        .def("wisdom", &wisdom)
        .def("forget_wisdom", [](const context &c) { check(spl_wisdom_forget(c.owner->context)); })
        .def("export_wisdom", &export_file<spl_wisdom_export>)
        .def("import_wisdom", &import_file<spl_wisdom_import>)
        .def("machine_get", &machine_get)
        .def("machine_set",
             [](const context &c, const std::string &name, double value) {
                 check(spl_machine_set(c.owner->context, name.c_str(), value));
             })
        .def("machine_measure",
             [](const context &c, double seconds) {
                 call(nb::none(), [&] { return spl_machine_measure(c.owner->context, seconds); });
             })
        .def("export_machine", &export_file<spl_machine_export>)
        .def("import_machine", &import_file<spl_machine_import>);
}

} // namespace sparloom
