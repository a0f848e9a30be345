#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# lint.sh: formatting, layers, sizes and conventions of the source files, and what documents claim.
# Each line of the output is "file:line: what"; lines that contain "warning:" do not fail.
set -u
cd "$(dirname "$0")/.." || exit 1

failed=0
fault() {
    echo "$1"
    failed=1
}

folders=
for folder in src include toolkit cli tools test bench examples python petsc; do
    [ ! -d "$folder" ] || folders="$folders $folder"
done
# All names of the project are without spaces: the lists below are split into words on purpose.
c_files=$(find $folders -name build -prune -o \( -name '*.[ch]' -o -name '*.cpp' -o \
    -name '*.cu' \) -print | sort)
other_files=$(find $folders cmake .ci -name build -prune -o \( -name '*.def' -o -name '*.py' -o \
    -name '*.sh' -o -name '*.awk' -o -name '*.cmake' -o -name CMakeLists.txt \) -print | sort)

# -------------------------------------------------------------------- formatting, layers, documents

if command -v clang-format >/dev/null; then
    tools/python.sh tools/format.py --check || failed=1
else
    fault "clang-format is not installed"
fi
# Characters, not bytes; what may not be broken (a long string) is a macro or two strings. Tables
# (*.def, the planted faults) have a row per line.
wide=$(LC_ALL=C.UTF-8 grep -nP '^.{101,}$' $c_files .ci/run \
    $(printf '%s\n' $other_files | grep -v '\.def$\|/mutants[a-z_]*\.py$'))
[ -z "$wide" ] || fault "more than 100 columns: $wide"
tools/python.sh tools/layers.py || failed=1
tools/python.sh tools/documents.py || failed=1
tools/python.sh tools/benchmarks.py --check || failed=1

# -------------------------------------------------------------------------------------- conventions

for file in $c_files $other_files; do
    head -n 3 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' ||
        fault "$file:1: no SPDX line"
done
for file in $c_files; do
    grep -Hn '^[ 	]*#[ 	]*if[ 	]*0' "$file" && fault "$file: code is removed, not switched off"
done

# Threads are counted, and known not to outlive fork(), in one place.
regions=$(grep -rn '#pragma omp parallel' src | grep -v 'num_threads(spl__team(')
[ -z "$regions" ] || fault "$regions: asks for threads past spl__team"
# An if clause does not keep a region that runs serially from asking.
regions=$(find src -name '*.[ch]' -exec awk '/^#pragma omp parallel/ { on = 1 }
    on && / if \(/ { print FILENAME ":" FNR } on && !/\\$/ { on = 0 }' {} +)
[ -z "$regions" ] || fault "$regions: a region with an if clause"

# A name says what a file is: no two share one. Python's extension is a program of its own.
same=$(for file in $c_files; do echo "$file"; done | grep -v '^python/' | sed 's,.*/,,' | sort |
    uniq -d)
for name in $same; do
    fault "$name: more than one file has this name: $(find $folders -name "$name" | tr '\n' ' ')"
done

# A planted fault whose place has changed shows nothing.
tools/python.sh test/mutants/run.py --stale || failed=1

# -------------------------------------------------------------------------------------------- sizes

awk -f tools/sizes.awk $c_files || failed=1

# ------------------------------------------------------------------------------- the public headers

for header in include/sparloom/*.h; do
    cc -fsyntax-only -x c -std=c11 -pedantic-errors -Wall -Wextra -Werror -Iinclude "$header" ||
        failed=1
done
if command -v c++ >/dev/null; then
    printf '%s\n' '#include <sparloom/algebra.h>' \
        'int main() { spl_options o = SPL_OPTIONS_INIT; return o.threads; }' |
        c++ -fsyntax-only -x c++ -std=c++11 -pedantic-errors -Wall -Wextra -Werror -Iinclude - ||
        failed=1
fi

[ "$failed" -ne 0 ] || echo "lint: nothing found"
exit "$failed"
