# SPDX-License-Identifier: Apache-2.0
"""Progress of calls that take long."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Report = Callable[[str, int, int], object]


def progress_of(progress: Any) -> Report | None:
    """The function that a call reports to: None, the caller's, or a bar of tqdm's for True."""
    if progress is None or progress is False:
        return None
    return _Bar() if progress is True else progress


class _Bar:
    """One bar that follows the stages of a call."""

    def __init__(self) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            raise ImportError("progress=True needs the package tqdm") from None
        self._bar = tqdm(leave=False, delay=0.3)

    def __call__(self, stage: str, done: int, total: int) -> None:
        bar = self._bar
        if bar.desc != f"{stage}: ":
            bar.set_description(stage, refresh=False)
        bar.total = total or None
        bar.update(done - bar.n)

    def __del__(self) -> None:
        self._bar.close()
