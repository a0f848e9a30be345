#!python
# SPDX-License-Identifier: Apache-2.0
# The command `sparloom`: becomes the program in the package. Importing the package to find it would
# take longer than most commands do.
import importlib.util
import os
import sys

folder = importlib.util.find_spec("sparloom").submodule_search_locations[0]
os.execv(os.path.join(folder, "sparloom"), ["sparloom", *sys.argv[1:]])
