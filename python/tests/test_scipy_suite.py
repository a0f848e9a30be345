# SPDX-License-Identifier: Apache-2.0
"""SciPy's own tests under accelerate(), in short. The whole: python scipy_suite.py."""

import os
import subprocess
import sys

import pytest
from scipy import sparse

SCRIPT = os.path.join(os.path.dirname(__file__), "scipy_suite.py")
SCIPYS_TESTS = os.path.join(os.path.dirname(sparse.__file__), "tests", "test_base.py")


@pytest.mark.skipif(not os.path.exists(SCIPYS_TESTS), reason="SciPy is installed without its tests")
def test_scipys_tests_have_the_same_outcomes():
    run = subprocess.run([sys.executable, SCRIPT, "--short"], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.endswith("0 outcomes differ\n")
