# SPDX-License-Identifier: Apache-2.0
"""Memory of contexts from elsewhere: the pools of torch and CuPy, or the caller's functions."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, Literal

Alloc = Callable[[int, int, str, int], int | None]
Free = Callable[[int, int, str, int], object]
Allocator = Literal["torch", "cupy"] | tuple[Alloc, Free] | None


def _ordinal(place: str) -> int:
    return int(place.partition(":")[2])


def _torch_pool() -> tuple[Alloc, Free]:
    torch: Any = importlib.import_module("torch")

    def alloc(size: int, align: int, place: str, stream: int) -> int | None:
        try:
            return int(torch.cuda.caching_allocator_alloc(size, _ordinal(place), stream))
        except torch.OutOfMemoryError:
            return None

    def free(address: int, size: int, place: str, stream: int) -> None:
        torch.cuda.caching_allocator_delete(address)

    return alloc, free


def _cupy_pool() -> tuple[Alloc, Free]:
    cupy: Any = importlib.import_module("cupy")

    held: dict[int, Any] = {}  # what CuPy frees when nobody refers to it

    def alloc(size: int, align: int, place: str, stream: int) -> int:
        with cupy.cuda.Device(_ordinal(place)), cupy.cuda.ExternalStream(stream):
            memory = cupy.cuda.alloc(size)  # MemoryError if there is none
        held[memory.ptr] = memory
        return int(memory.ptr)

    def free(address: int, size: int, place: str, stream: int) -> None:
        del held[address]

    return alloc, free


_POOLS = {"torch": _torch_pool, "cupy": _cupy_pool}


def allocator_of(allocator: Allocator) -> tuple[Alloc, Free, bool] | None:
    """As the extension takes it: functions, and whether they have memory of the host, too.

    Examples
    --------
    >>> allocator_of((print, print))[2]
    True
    """
    if allocator is None:
        return None
    if isinstance(allocator, str):
        if allocator not in _POOLS:
            raise ValueError(f"allocator {allocator!r}: not one of {', '.join(_POOLS)}")
        return (*_POOLS[allocator](), False)
    if len(allocator) != 2 or not all(map(callable, allocator)):
        raise TypeError("an allocator is 'torch', 'cupy', or two functions: alloc and free")
    return (*allocator, True)
