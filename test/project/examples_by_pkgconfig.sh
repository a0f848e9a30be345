#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# examples_by_pkgconfig.sh PREFIX LIBDIR: builds and runs each example with a bare compiler and what
# pkg-config says.
set -eu

command -v pkg-config >/dev/null || exit 77
libdir=$1/$2
export PKG_CONFIG_PATH="$libdir/pkgconfig"
static=
[ -e "$libdir/libsparloom.so" ] || static=--static
build=$SPARLOOM_BUILD/examples-by-pkgconfig
mkdir -p "$build"

# the headers serve C++11 without a warning
if command -v "${CXX:-c++}" >/dev/null; then
    cat >"$build/headers.cpp" <<'END'
#include <sparloom/graph.h>
#include <sparloom/triple.h>
int main()
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_sparse a = SPL_SPARSE_INIT;
    return options.size == sizeof options && a.size == sizeof a && !a.values ? 0 : 1;
}
END
    # shellcheck disable=SC2046 # flags are several words
    "${CXX:-c++}" -std=c++11 -Wall -Wextra -pedantic -Werror -fsyntax-only \
        $(pkg-config --cflags sparloom) "$build/headers.cpp"
fi

for source in "$SPARLOOM_SOURCE"/examples/*.c; do
    program=$build/$(basename "$source" .c)
    echo "== $program"
    # shellcheck disable=SC2046,SC2086 # flags are several words
    "$CC" -std=c11 -Wall -Wextra -Werror $CFLAGS "$source" -o "$program" \
        $(pkg-config $static --cflags --libs sparloom) -lm -Wl,-rpath,"$libdir"
    "$program" "$SPARLOOM_DATA/bcsstk16.mtx.gz"
done
