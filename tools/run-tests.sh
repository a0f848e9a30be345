#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run-tests.sh BUILD [CTEST-OPTION...]: runs the tests of a build folder, repeats what the failed
# ones said last, and closes with "N passed, N failed, N skipped".
set -eu

build=$1
shift
report=$(cd "$build" && pwd)/tests.xml
status=0
ctest --test-dir "$build" --parallel "${SPARLOOM_JOBS:-2}" --output-on-failure --no-tests=error \
    --output-junit "$report" --test-output-size-passed 1000000 --test-output-size-failed 1000000 \
        "$@" || status=$?
[ "$status" = 0 ] || awk -f "$(dirname "$0")/failed-tests.awk" "$report"
awk -f "$(dirname "$0")/count-tests.awk" "$report" || status=1
exit "$status"
