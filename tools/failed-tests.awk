# SPDX-License-Identifier: Apache-2.0
# failed-tests.awk: reads CTest's JUnit report and prints what each failed test said that names a
# failure or a seed, and its last lines.
BEGIN { most = 12 }

/<testcase / {
    match($0, /name="[^"]*"/)
    name = substr($0, RSTART + 6, RLENGTH - 7)
    failed = !/status="(run|notrun|disabled)"/
    lines = 0
}
/<system-out>/ { inside = failed }
inside {
    line[lines++] = $0
    if (/<\/system-out>/) {
        printf "######## %s failed:\n", name
        for (i = 0; i < lines - 1; i++)
            if (i >= lines - 1 - most || line[i] ~ /ERROR|FAILED|Error|seed|wrong/)
                print line[i]
        inside = 0
    }
}
