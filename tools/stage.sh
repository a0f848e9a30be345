# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# stage.sh, to be sourced: counts what a check has found, and runs the stages of a long check one
# after the other and adds up what they counted.

passed=0
failed=0
skipped=0
broken_stages=
stage_ends= # of those that are broken
stage_times=
stage_log=$(mktemp)
trap 'rm -f "$stage_log"' EXIT

# stage NAME COMMAND...: runs the command under a heading. The last line "N passed, N failed, N
# skipped" that it prints is added to the sum; without one, or if it failed without counting a
# failure, it counts as one.
stage() {
    local name=$1 start=$SECONDS status
    shift
    printf '\n######## %s\n' "$name"
    # The status of the command, not of tee.
    "$@" 2>&1 | tee "$stage_log"
    status=${PIPESTATUS[0]}

    count_stage "$name" "$status"
    printf '######## %s: status %d after %d s\n' "$name" "$status" $((SECONDS - start))
    stage_times+=$(printf '%6d s  %s' $((SECONDS - start)) "$name")$'\n'
}

# count_stage NAME STATUS: adds what stage_log says to the sum.
count_stage() {
    local name=$1 status=$2 counted_failures=0 closing
    closing=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$stage_log" | tail -n 1)
    if [[ $closing =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+) ]]; then
        passed=$((passed + BASH_REMATCH[1]))
        counted_failures=${BASH_REMATCH[2]}
        skipped=$((skipped + BASH_REMATCH[3]))
    elif ((status == 0)); then
        passed=$((passed + 1))
    fi
    if ((status != 0 && counted_failures == 0)); then
        counted_failures=1
    fi
    failed=$((failed + counted_failures))
    if ((counted_failures > 0)); then
        broken_stages+=" [$name]"
        stage_ends+=$(printf '######## the end of %s\n' "$name" && tail -n 60 "$stage_log")$'\n'
    fi
}

# aside FOLDER NAME COMMAND...: runs a stage that is shown later, by `shown FOLDER NAME` in another
# process: stages that use one processor fill what others leave idle.
aside() {
    local file=$1/$2 start=$SECONDS
    shift 2
    "$@" >"$file.log" 2>&1
    echo "$? $((SECONDS - start))" >"$file.end"
}

# shown FOLDER NAME: shows and counts what has been run aside; without an end it counts as failed.
shown() {
    local file=$1/$2 name=$2 status=1 seconds=0
    printf '\n######## %s\n' "$name"
    [[ ! -f $file.log ]] || tee "$stage_log" <"$file.log"
    [[ ! -f $file.end ]] || read -r status seconds <"$file.end"
    count_stage "$name" "$status"
    printf '######## %s: status %d after %d s beside others\n' "$name" "$status" "$seconds"
    stage_times+=$(printf '(%4d s) %s' "$seconds" "$name")$'\n'
}

# verdict STATUS NAME: counts one result.
verdict() {
    if (($1 == 0)); then
        passed=$((passed + 1))
        echo "ok   $2"
    else
        failed=$((failed + 1))
        echo "FAIL $2"
    fi
}

# check NAME COMMAND...: counts the command as one result, and shows what it said only if it failed.
check() {
    local name=$1 status
    shift
    ("$@") >"$stage_log" 2>&1
    status=$?
    ((status == 0)) || tail -n 40 "$stage_log"
    verdict $status "$name"
    return $status
}

# skip NAME
skip() {
    skipped=$((skipped + 1))
    echo "skip $1"
}

# close: the closing line; the exit status is 1 if anything failed.
close() {
    echo "$passed passed, $failed failed, $skipped skipped"
    exit $((failed > 0))
}

# suite PRESET [CTEST-OPTION...]: configures, builds and tests a preset of CMakePresets.json.
suite() {
    local preset=$1
    shift
    cmake --preset "$preset" && cmake --build --preset "$preset" &&
        tools/run-tests.sh "build/$preset" "$@"
}

# finish: how broken stages ended, each stage's time, and what close says.
finish() {
    [[ -z $stage_ends ]] || printf '\n%s' "$stage_ends"
    printf '\n%s%6d s  all\n\n' "$stage_times" "$SECONDS"
    if [[ -n $broken_stages ]]; then
        echo "failed stages:$broken_stages"
    fi
    close
}
