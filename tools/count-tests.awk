# SPDX-License-Identifier: Apache-2.0
# count-tests.awk: reads CTest's JUnit report and prints "N passed, N failed, N skipped". Exit status 1 if any failed.
# A program that prints cmocka's summary counts as its test cases, any other as one test.

/<testcase / {
    skipped_run = cases_passed = cases_failed = cases_skipped = 0
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
