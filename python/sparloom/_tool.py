# SPDX-License-Identifier: Apache-2.0
"""The command line tool of the package, and what Python borrows from it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from ._context import Context
from ._matrices import read, write
from ._types import dtype_name


def tool_path() -> str:
    """Where the tool is. FileNotFoundError if the package was built without it."""
    path = Path(__file__).parent / "sparloom"
    if not path.exists():
        raise FileNotFoundError(f"{path}: this build of the package has no command line tool")
    return str(path)


def main() -> None:
    """The command ``sparloom``: becomes the tool."""
    path = tool_path()
    os.execv(path, ["sparloom", *sys.argv[1:]])


def _run(*arguments: str) -> str:
    done = subprocess.run([tool_path(), *arguments], check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise ValueError(done.stderr.strip() or f"sparloom ended with status {done.returncode}")
    return done.stdout


def doctor() -> str:
    """What works on this machine: processors, plug-ins, optional libraries, OpenMP runtimes.

    Examples
    --------
    >>> import sparloom as spl
    >>> "cJSON" in spl.doctor()
    True
    """
    text = _run("doctor")
    try:
        from threadpoolctl import threadpool_info
    except ImportError:
        return text
    pools = [p for p in threadpool_info() if p["user_api"] == "openmp"]
    lines = [f"  {p['filepath']} ({p['num_threads']} threads)" for p in pools]
    return text + "\n".join(["OpenMP runtimes of this process:", *lines, ""])


class Picture:
    """A drawing: shown by notebooks, and written by `save`.

    Examples
    --------
    >>> import os, tempfile, sparloom as spl
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "spy.svg")
    ...     spl.spy(spl.gen("stencil5:5,4")).save(path)
    ...     os.path.getsize(path) > 1000
    True
    """

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the drawing as SVG."""
        Path(path).write_text(self.svg, encoding="utf-8")


def spy(A: Any, *, context: Context | None = None) -> Picture:
    """A picture of where the entries of a matrix are.

    Examples
    --------
    >>> import scipy.sparse, sparloom as spl
    >>> spl.spy(scipy.sparse.eye_array(9, format="csr")).svg.count("<svg")
    1
    """
    with tempfile.TemporaryDirectory() as folder:
        matrix, picture = os.path.join(folder, "matrix.mtx"), os.path.join(folder, "spy.svg")
        write(matrix, A, context=context)
        _run("plot", matrix, "--kind", "spy", "-o", picture)
        return Picture(Path(picture).read_text(encoding="utf-8"))


_TYPES = {
    "float64": "f64",
    "float32": "f32",
    "float16": "f16",
    "int32": "i32",
    "int64": "i64",
}


def gen(
    spec: str, *, dtype: Any = "float64", seed: int = 1, context: Context | None = None
) -> Any:
    """A generated matrix: ``"stencil5:100,100"``, ``"rmat:1000,8000"``, ... (``sparloom gen``).

    Examples
    --------
    >>> import sparloom as spl
    >>> spl.gen("stencil5:4,3").shape
    (12, 12)
    >>> spl.gen("stencil5:4,3", dtype="int32").dtype
    dtype('int32')
    """
    name = dtype_name(dtype)
    if name not in _TYPES:
        raise ValueError(f"dtype {name!r}: not one of {', '.join(_TYPES)}")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "matrix.mtx")
        _run("gen", spec, "--type", _TYPES[name], "--seed", str(seed), "-o", path)
        return read(path, dtype=name, context=context)
