#!/usr/bin/env python3
"""tools/count_tests.py on made-up logs. Usage: count_tests_test.py COUNT_TESTS.PY"""

import json
import pathlib
import subprocess
import sys
import tempfile


def counted(*tests: tuple[str, str]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        logs = pathlib.Path(folder, "meson-logs")
        logs.mkdir()
        lines = (json.dumps({"name": "t", "result": r, "stdout": out}) for r, out in tests)
        (logs / "testlog.json").write_text("\n".join(lines))
        command = [sys.executable, sys.argv[1], folder, folder + "-absent"]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def summary(passed: int, failed: int) -> str:
    return f"[doctest] test cases: {passed + failed} | {passed} passed | {failed} failed | 0 skipped"


def expect(actual: str, expected: str) -> None:
    if actual != expected:
        sys.exit(f"expected '{expected}', got '{actual}'")


expect(counted(("OK", summary(7, 0)), ("OK", "no doctest")), "8 passed, 0 failed")
expect(counted(("FAIL", summary(5, 2))), "5 passed, 2 failed")
expect(counted(("FAIL", summary(5, 0))), "5 passed, 1 failed")  # a leak, found at the end
expect(counted(("FAIL", ""), ("TIMEOUT", "")), "0 passed, 2 failed")  # crashed, hung
expect(counted(("SKIP", "")), "0 passed, 0 failed")
expect(counted(("OK", "test cases:  3 | \x1b[32m 3 passed\x1b[0m | 0 failed")), "3 passed, 0 failed")
