# SPDX-License-Identifier: Apache-2.0
"""The notebook python/tour.ipynb runs, and its cells show what they are to show."""

from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[1] / "tour.ipynb"


def test_the_notebook_runs(tmp_path):
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    codes = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not any(cell.outputs for cell in codes), "outputs are not for the repository"
    nbclient.NotebookClient(
        notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    kinds, text = set(), ""
    for output in (output for cell in codes for output in cell.outputs):
        kinds |= set(output.get("data", {}))
        text += output.get("text", "") + str(output.get("data", {}).get("text/plain", ""))
    assert {"image/svg+xml", "text/html"} <= kinds
    for word in ("chosen spmv/compute/cpu/", "budget", "Counters(", "21 computed", "118 levels"):
        assert word in text
