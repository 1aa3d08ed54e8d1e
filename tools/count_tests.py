#!/usr/bin/env python3
"""Sums the test cases that `meson test` last ran in some build folders: "N passed, N failed".

Usage: count_tests.py BUILD_DIR...

A doctest program counts its test cases, any other program counts one. A program that failed without
a failed test case (it crashed, timed out, or a sanitizer spoke at its end) counts one failure. A
folder without a log counts nothing.
"""

import json
import os
import re
import sys

SUMMARY = re.compile(r"test cases:\s*\d+\s*\|\s*(\d+) passed\s*\|\s*(\d+) failed")
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
GOOD = {"OK", "EXPECTEDFAIL"}


def count(test: dict) -> tuple[int, int]:
    if test["result"] == "SKIP":
        return 0, 0
    good = test["result"] in GOOD
    summary = SUMMARY.search(ESCAPES.sub("", test.get("stdout") or ""))
    passed, failed = (int(n) for n in summary.groups()) if summary else (int(good), 0)
    if not good and failed == 0:
        failed = 1
    return passed, failed


def main() -> None:
    passed = failed = 0
    for folder in sys.argv[1:]:
        log = os.path.join(folder, "meson-logs", "testlog.json")
        if not os.path.exists(log):
            continue
        with open(log, encoding="utf-8") as lines:
            for line in lines:
                more_passed, more_failed = count(json.loads(line))
                passed += more_passed
                failed += more_failed
    print(f"{passed} passed, {failed} failed")


main()
