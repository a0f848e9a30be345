# SPDX-License-Identifier: Apache-2.0
# count-tests.awk: reads CTest's JUnit report and prints "N passed, N failed, N skipped". Exit
# status 1 if any failed. A program that prints the summary of cmocka or of Python's unittest counts
# as its test cases, any other as one test.

# number("skipped", "OK (failures=1, skipped=2)") is 2
function number(name, text) {
    if (!match(text, name "=[0-9]+"))
        return 0
    return substr(text, RSTART + length(name) + 1, RLENGTH - length(name) - 1)
}

/<testcase / {
    skipped_run = cases = cases_passed = cases_failed = cases_skipped = 0
    ran = /status="run"/
}
/<skipped message="SKIP_RETURN_CODE/ { skipped_run = 1 }

# cmocka's summary, for example "[  PASSED  ] 12 test(s)."
match($0, /\[  (PASSED|FAILED|SKIPPED) +\] [0-9]+ test\(s\)/) {
    split(substr($0, RSTART, RLENGTH), word, /[][ ]+/)
    if (word[2] == "PASSED")
        cases_passed += word[3]
    else if (word[2] == "FAILED")
        cases_failed += word[3]
    else
        cases_skipped += word[3]
}

# unittest's summary: "Ran 20 tests in 1.0s", "FAILED (failures=1, errors=1, skipped=2)" or "OK"
/^Ran [0-9]+ tests? in/ { cases = $2 }
/^(OK|FAILED)( \(.*\))?$/ && cases > 0 {
    faults = number("failures", $0) + number("errors", $0)
    cases_failed += faults
    cases_skipped += number("skipped", $0)
    cases_passed += cases - faults - number("skipped", $0)
    cases = 0
}

/<\/testcase>/ {
    if (cases_passed + cases_failed + cases_skipped == 0) {
        cases_passed = ran
        cases_skipped = skipped_run
    }
    # Leaks, crashes, time-outs and programs that could not be started show in the exit status only.
    if (!ran && !skipped_run && cases_failed == 0)
        cases_failed = 1
    passed += cases_passed
    failed += cases_failed
    skipped += cases_skipped
}

END {
    printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
    exit failed > 0
}
