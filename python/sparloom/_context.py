# SPDX-License-Identifier: Apache-2.0
"""Contexts: processors, threads, memory, wisdom and the machine's coefficients."""

from __future__ import annotations

import logging
import os
import re
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

from . import _core, _errors  # noqa: F401  (_errors tells _core about its exceptions)
from ._allocators import Allocator, allocator_of

_logger = logging.getLogger("sparloom")
_LEVELS = {1: logging.ERROR, 2: logging.INFO, 3: logging.DEBUG}
PLACES = {"host": 0, "cpu": 0, "cuda": 1, "hip": 2, "emu": 3}
_UNITS = {"": 1, "b": 1}
_UNITS |= {f"{c}b": 1000**i for i, c in enumerate("kmgt", 1)}
_UNITS |= {f"{c}ib": 1024**i for i, c in enumerate("kmgt", 1)}


def _log(level: int, message: str) -> None:
    _logger.log(_LEVELS.get(level, logging.DEBUG), message)


_core.set_log_function(_log)


def parse_bytes(size: int | str | None) -> int:
    """Bytes of a number or of a text like ``"2 GiB"`` or ``"500 MB"``; 0 for None.

    Examples
    --------
    >>> parse_bytes("1.5 kiB")
    1536
    """
    if size is None:
        return 0
    if isinstance(size, str):
        found = re.fullmatch(r"\s*([0-9.]+)\s*([a-zA-Z]*)\s*", size)
        unit = _UNITS.get(found[2].lower()) if found else None
        if not found or unit is None:
            raise ValueError(f"bytes {size!r}: not a size such as '500 MB' or '2 GiB'")
        size = int(float(found[1]) * unit)
    if size < 0:
        raise ValueError(f"bytes {size}: below 0")
    return int(size)


@dataclass(frozen=True)
class Memory:
    """Bytes allocated through a context at one place; `kept`: freed, and kept for later calls."""

    live: int
    peak: int
    allocations: int
    kept: int


@dataclass(frozen=True)
class Processor:
    """A processor of a context. `kind` is "cpu", "cuda", "hip" or "emu"."""

    name: str
    kind: str
    ordinal: int
    threads: int


@dataclass(frozen=True)
class Wisdom:
    """A choice that policy "measure" has found."""

    measured_here: bool
    machine: str
    problem: str
    method: str
    seconds: float


@dataclass(frozen=True)
class Import:
    """What became of the lines of an imported file."""

    taken: int
    foreign: int
    unknown: int


class Context:
    """Processors, threads and memory that products use. Contexts are independent.

    Parameters
    ----------
    threads : int
        CPU threads; 0: ``OMP_NUM_THREADS``, or all processors that this process may use.
    devices : str or None
        Devices to open, comma separated: ``"cuda"``, ``"hip"``, ``"cuda:1"``, ``"emu"``, ``"gpu"``
        (the first of cuda and hip), ``"auto"`` (as gpu, or none). If "cpu" is not among them, the
        first device computes for operands on the host.
    memory_budget : int, str or None
        Bytes live at once per place, also as ``"2 GiB"``. None: no limit.
    log : bool or None
        Pass messages of the library to ``logging.getLogger("sparloom")``. None: if that logger is
        enabled for INFO now.
    allocator : "torch", "cupy", (alloc, free) or None
        Where memory comes from. "torch", "cupy": memory of devices from the pool of that library,
        so that both share it. Two functions, which several threads may call at once:
        ``alloc(bytes, align, place, stream)`` answers an address, or None if there is no memory;
        ``free(address, bytes, place, stream)``. `place` is "host" or as "cuda:0". They must not
        call this package.
    kept_memory : int, str or None
        The most bytes of freed host memory that the library's own allocator keeps for later calls,
        which need not wait for new pages then; see `trim`. None: a quarter of the machine's memory;
        0: none.

    Examples
    --------
    >>> import sparloom as spl
    >>> with spl.Context(threads=1, memory_budget="1 GiB") as context:
    ...     context.processors[0].threads
    1
    """

    def __init__(
        self,
        threads: int = 0,
        devices: str | None = None,
        memory_budget: int | str | None = None,
        log: bool | None = None,
        allocator: Allocator = None,
        kept_memory: int | str | None = None,
    ) -> None:
        if log is None:
            log = _logger.isEnabledFor(logging.INFO)
        # The library takes 0 for its default, and a byte holds no page.
        kept = 0 if kept_memory is None else max(parse_bytes(kept_memory), 1)
        self._core = _core.Context(
            threads, devices, parse_bytes(memory_budget), log, allocator_of(allocator), kept
        )

    def __enter__(self) -> Self:
        """Makes this the default context for the block; see `default_context`."""
        _push(self)
        return self

    def __exit__(self, *exception: object) -> None:
        _pop()

    def __repr__(self) -> str:
        return f"<Context: {', '.join(p.name for p in self.processors)}>"

    def memory(self, place: str = "host") -> Memory:
        """Memory accounting at a place: "host", "cuda", "cuda:1", ...

        Examples
        --------
        >>> import sparloom as spl
        >>> context, A = spl.Context(threads=1, kept_memory="1 MiB"), spl.gen("stencil5:100,100")
        >>> C = spl.matmul(A, A, context=context)
        >>> memory = context.memory()
        >>> memory.live >= C.data.nbytes and memory.kept <= 2**20
        True
        """
        kind, _, ordinal = place.partition(":")
        return Memory(**self._core.memory(PLACES[kind], int(ordinal or 0)))

    @property
    def processors(self) -> list[Processor]:
        """The context's processors. The CPU is the first."""
        kinds = ["cpu", "cuda", "hip", "emu"]
        return [
            Processor(p["name"], kinds[p["kind"]], p["ordinal"], p["threads"])
            for p in self._core.processors()
        ]

    def processor_mask(self, names: str | Iterable[str] | None) -> int:
        """Bits of processors by name: ``"cpu,cuda:1"``. 0 for None.

        Examples
        --------
        >>> import sparloom as spl
        >>> spl.Context(threads=1, devices="emu").processor_mask("cpu,emu")
        3
        """
        if names is None:
            return 0
        if isinstance(names, str):
            names = names.split(",")
        mask = 0
        processors = self.processors
        for name in names:
            kind, _, ordinal = name.strip().partition(":")
            found = [
                i
                for i, p in enumerate(processors)
                if p.kind == kind and (not ordinal or p.ordinal == int(ordinal))
            ]
            if not found:
                have = ", ".join(f"{p.kind}:{p.ordinal}" for p in processors)
                raise ValueError(f"processor {name!r}: the context has {have}")
            mask |= 1 << found[0]
        return mask

    def trim(self) -> None:
        """Gives memory that is kept for later calls back to the system.

        Examples
        --------
        >>> import sparloom as spl
        >>> context = spl.Context(threads=1)
        >>> context.trim()
        >>> context.memory().kept
        0
        """
        self._core.trim()

    def synchronize(self) -> None:
        """Waits for the default streams of all devices."""
        self._core.synchronize()

    @property
    def wisdom(self) -> list[Wisdom]:
        """What policy "measure" has found out."""
        return [Wisdom(**w) for w in self._core.wisdom()]

    def forget_wisdom(self) -> None:
        """Forgets all wisdom."""
        self._core.forget_wisdom()

    def export_wisdom(self, path: str | os.PathLike[str]) -> None:
        """Writes all wisdom as a text.

        Examples
        --------
        >>> import os, tempfile, sparloom as spl
        >>> context = spl.Context(threads=1)
        >>> plan = spl.plan(spl.gen("stencil5:30,30"), policy="measure", context=context)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "wisdom")
        ...     context.export_wisdom(path)
        ...     report = spl.Context(threads=1).import_wisdom(path)
        >>> report.taken == len(context.wisdom)
        True
        """
        self._core.export_wisdom(os.fspath(path))

    def import_wisdom(self, path: str | os.PathLike[str]) -> Import:
        """Adds what a file says to the wisdom."""
        return Import(**self._core.import_wisdom(os.fspath(path)))

    def machine_get(self, name: str) -> float:
        """A coefficient of the cost model, for instance "cpu/bandwidth"."""
        return float(self._core.machine_get(name))

    def machine_set(self, name: str, value: float) -> None:
        """Sets a coefficient, or the factor of a method's predicted time.

        Examples
        --------
        >>> import sparloom as spl
        >>> context = spl.Context(threads=1)
        >>> context.machine_set("cpu/bandwidth", 2e10)
        >>> context.machine_get("cpu/bandwidth")
        20000000000.0
        """
        self._core.machine_set(name, value)

    def machine_measure(self, seconds: float = 1.0) -> None:
        """Measures bandwidths, launches and links of this machine."""
        self._core.machine_measure(seconds)

    def export_machine(self, path: str | os.PathLike[str]) -> None:
        """Writes the coefficients that differ from the defaults."""
        self._core.export_machine(os.fspath(path))

    def import_machine(self, path: str | os.PathLike[str]) -> Import:
        """Adds the coefficients of a file."""
        return Import(**self._core.import_machine(os.fspath(path)))


_lock = threading.Lock()
_defaults: dict[str | None, Context] = {}
_blocks = threading.local()


def _push(context: Context) -> None:
    if not hasattr(_blocks, "stack"):
        _blocks.stack = []
    _blocks.stack.append(context)


def _pop() -> None:
    _blocks.stack.pop()


def in_block() -> bool:
    """Whether the default context is that of a ``with`` block of this thread."""
    return bool(getattr(_blocks, "stack", None))


def default_context(devices: str | None = None) -> Context:
    """The context of products that name none.

    It is the one of the innermost ``with Context(...)`` block of this thread; else one that is made
    at first use, with all threads, and `devices` if operands live on one.

    Examples
    --------
    >>> import sparloom as spl
    >>> spl.default_context() is spl.default_context()
    True
    """
    stack: list[Context] | None = getattr(_blocks, "stack", None)
    if stack:
        return stack[-1]
    context = _defaults.get(devices)
    if context is None:
        with _lock:
            context = _defaults.setdefault(devices, _defaults.get(devices) or Context(0, devices))
    return context


def core_of(context: Context | None, devices: str | None = None) -> Any:
    """The extension's object of a context, or of the default one."""
    return (context or default_context(devices))._core
