#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# exports.sh LIBRARY: the shared library must export exactly the functions that the public
# headers declare.
set -eu

command -v nm >/dev/null || exit 77
headers=$SPARLOOM_SOURCE/include/sparloom
declared=$SPARLOOM_BUILD/exports-declared.txt
exported=$SPARLOOM_BUILD/exports-found.txt

sed -n 's/^SPARLOOM_API .*\(spl_[a-z0-9_]*\)(.*/\1/p' "$headers"/*.h | LC_ALL=C sort >"$declared"
# Names that begin with a dot or two underscores are the compiler's own.
nm -D --defined-only "$1" | awk '$3 !~ /^(\.|__)/ { print $3 }' | LC_ALL=C sort >"$exported"
echo "declared (-) and exported (+):"
diff -u "$declared" "$exported"
