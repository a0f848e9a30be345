# SPDX-License-Identifier: Apache-2.0
"""``python -m sparloom`` is the command line tool."""

from ._tool import main

main()
