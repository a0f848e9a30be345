# SPDX-License-Identifier: Apache-2.0
# sizes.awk FILE...: long files and functions of C sources. Warns at 400 lines a file and 40 lines a function (120 in a kernel
# template, whose name is FN(...) or KERNEL(...)); a file or function of 800 lines fails.
# The brace style makes this simple: a function's body is what stands between "{" and "}" in the first column.

function judge(file, line, what, length_, limit) {
    if (length_ >= 800) {
        printf "%s:%d: error: %s has %d lines\n", file, line, what, length_
        failed = 1
    } else if (length_ > limit)
        printf "%s:%d: warning: %s has %d lines, more than %d\n", file, line, what, length_, limit
}

function file_ends() {
    if (lines > 0)
        judge(name, 1, "the file", lines, 400)
}

FNR == 1 {
    file_ends()
    name = FILENAME
    inside = 0
}
{ lines = FNR }

/^[a-zA-Z].*\(/ && !inside {
    first = FNR
    kernel = /(FN|KERNEL)\(/
    match($0, /[A-Za-z_0-9]+(\([a-z_0-9]+\))?\(/)
    function_name = substr($0, RSTART, RLENGTH - 1)
}
/^{/ { inside = 1 }
/^}/ && inside {
    inside = 0
    judge(name, first, function_name, FNR - first + 1, kernel ? 120 : 40)
}

END {
    file_ends()
    exit failed
}
