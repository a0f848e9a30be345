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

for source in "$SPARLOOM_SOURCE"/examples/*.c; do
    program=$build/$(basename "$source" .c)
    echo "== $program"
    # shellcheck disable=SC2046,SC2086 # flags are several words
    "$CC" -std=c11 -Wall -Wextra -Werror $CFLAGS "$source" -o "$program" \
        $(pkg-config $static --cflags --libs sparloom) -lm -Wl,-rpath,"$libdir"
    "$program" "$SPARLOOM_DATA/bcsstk16.mtx.gz"
done
