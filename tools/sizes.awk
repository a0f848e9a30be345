# SPDX-License-Identifier: Apache-2.0
# sizes.awk FILE...: long files and functions of C sources. Warns at 400 lines a file and 40 lines a
# function (120 in a kernel template, whose name is FN(...) or KERNEL(...)). A file or function of
# 800 lines fails, and a function with more than 8 parameters; in C++ that warns, because Python's
# functions have as many as their callers name. The brace style makes this simple: a function's body
# is what stands between "{" and "}" in the first column.

function judge(file, line, what, length_, limit) {
    if (length_ >= 800) {
        printf "%s:%d: error: %s has %d lines\n", file, line, what, length_
        failed = 1
    } else if (length_ > limit)
        printf "%s:%d: warning: %s has %d lines, more than %d\n", file, line, what, length_, limit
}

function file_ends() {
    if (lines > 0 && name !~ /sparloom\.h$/) # whose limit documents.py knows
        judge(name, 1, "the file", lines, 400)
}

FNR == 1 {
    file_ends()
    name = FILENAME
    inside = heads = 0
}
{ lines = FNR }

# Parameters of a function, whose text up to its body is given: commas outside inner parentheses,
# and one.
function count_parameters(text, i, c, depth, count) {
    sub(/^[^(]*(FN|RUN|WALK|NODE_NAME|KERNEL)\([^)]*\)/, "", text)
    count = 1
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        depth += (c == "(") - (c == ")")
        count += c == "," && depth == 1
    }
    return count
}

/^[a-zA-Z].*\(/ && !inside {
    first = FNR
    heads = 1
    heading = ""
    kernel = /(FN|KERNEL)\(/
    match($0, /[A-Za-z_0-9]+(\([a-z_0-9]+\))?\(/)
    function_name = substr($0, RSTART, RLENGTH - 1)
}
heads { heading = heading $0 }
/^{/ && !inside {
    inside = 1
    of_function = heads # not of a class
    parameters = heads ? count_parameters(heading) : 0
    heads = 0
    if (parameters > 8) {
        printf "%s:%d: %s: %s has %d parameters, more than 8\n", name, first,
            name ~ /\.cpp$/ ? "warning" : "error", function_name, parameters
        failed = failed || name !~ /\.cpp$/
    }
}
/^}/ && inside {
    inside = 0
    if (of_function)
        judge(name, first, function_name, FNR - first + 1, kernel ? 120 : 40)
}

END {
    file_ends()
    exit failed
}
