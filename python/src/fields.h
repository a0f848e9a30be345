// SPDX-License-Identifier: Apache-2.0
// fields.h: structs of the library as dicts of Python, by tables of their members.
#ifndef SPARLOOM_PYTHON_FIELDS_H
#define SPARLOOM_PYTHON_FIELDS_H

#include "errors.h"

#include <nanobind/nanobind.h>

namespace sparloom
{

template <class record> struct field {
    const char *name;
    nanobind::object (*read)(const record &);
};

inline nanobind::object value_of(const char *text)
{
    return nanobind::cast(text);
}
template <class number> nanobind::object value_of(number n)
{
    return nanobind::cast(n);
}

// Rows of a table of fields: members as they are, and numbers that mean yes or no.
#define FIELD(record, member)                                                                      \
    {                                                                                              \
#member, [](const record &r) { return value_of(r.member); }                                \
    }
#define FLAG(record, member)                                                                       \
    {                                                                                              \
#member, [](const record &r) { return value_of(r.member != 0); }                           \
    }

template <class record, size_t count>
nanobind::dict dict_of(const record &r, const field<record> (&fields)[count])
{
    nanobind::dict d;
    for (const field<record> &f : fields)
        d[f.name] = f.read(r);
    return d;
}

// Records 0 to n - 1 as dicts: get(i, &record) fills in one.
template <class number, class record, class getter, size_t count>
nanobind::list dicts_of(number n, const record &initial, const getter &get,
                        const field<record> (&fields)[count])
{
    nanobind::list all;
    for (number i = 0; i < n; i++) {
        record r = initial;
        check(get(i, &r));
        all.append(dict_of(r, fields));
    }
    return all;
}

} // namespace sparloom
#endif
