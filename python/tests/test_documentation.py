# SPDX-License-Identifier: Apache-2.0
"""The examples of docstrings and of doc/python.md run; what is public has a docstring."""

import doctest
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import numpy as np
import pytest

import sparloom as spl

# The folder has shared objects that are no modules, too.
MODULES = [
    m.name
    for m in pkgutil.iter_modules(spl.__path__)
    if m.name.isidentifier() and m.name not in ("_core", "__main__")
]
PAGE = Path(__file__).parents[2] / "doc" / "python.md"


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    module = importlib.import_module(f"sparloom.{name}")
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failed, _ = doctest.testmod(module, optionflags=flags)
    assert failed == 0


def test_functions_have_examples():
    functions = {name: getattr(spl, name) for name in spl.__all__}
    functions = {name: f for name, f in functions.items() if inspect.isfunction(f)}
    assert len(functions) > 10
    functions |= {name: getattr(spl.graph, name) for name in spl.graph.__all__}
    assert [name for name, f in functions.items() if ">>>" not in (f.__doc__ or "")] == []


def test_classes_have_examples():
    classes = [spl.Context, spl.Plan, spl.Picture, spl.BudgetError, spl.scipy.accelerate]
    methods = [
        spl.SparseOperator.update_values,
        *(getattr(spl.Plan, name) for name in ("explain", "update_values")),
        *(
            getattr(spl.Context, name)
            for name in ("export_wisdom", "machine_set", "memory", "processor_mask", "trim")
        ),
    ]
    for documented in (*classes, *methods):
        assert ">>>" in documented.__doc__, documented


def test_tour():
    page = PAGE.read_text(encoding="utf-8")
    tour = re.search(r"## A tour\s+```python\n(.*?)```", page, re.DOTALL)
    assert tour
    names: dict[str, object] = {}
    exec(tour[1], names)  # noqa: S102
    A, x = names["A"], names["x"]
    for product in (names["C"], names["C2"]):
        np.testing.assert_allclose(product @ x, A @ (A @ x), rtol=0, atol=1e-9)
