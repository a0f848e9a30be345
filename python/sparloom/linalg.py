# SPDX-License-Identifier: Apache-2.0
"""Linear operators for the solvers of scipy.sparse.linalg."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator

from ._context import Context
from ._plan import Plan


class SparseOperator(LinearOperator):  # type: ignore[misc]
    """A sparse matrix whose products are planned; made by `aslinearoperator`.

    Plans are made at the first product of each kind: with a vector, with K columns, and the same of
    the adjoint.
    """

    def __init__(self, A: Any, context: Context | None, options: dict[str, Any]) -> None:
        super().__init__(A.dtype, A.shape)
        self._matrix, self._context, self._options = A, context, options
        self._plans: dict[tuple[str, int], Plan] = {}

    def _product(self, op: str, x: Any) -> Any:
        columns = 0 if x.ndim == 1 else x.shape[1]
        key = (op, columns)
        if key not in self._plans:
            self._plans[key] = Plan(
                self._matrix,
                columns or None,
                None,
                True,
                None,
                self._context,
                None,
                {**self._options, "op_a": op},
            )
        return self._plans[key](x)

    def _matvec(self, x: Any) -> Any:
        return self._product("N", np.ravel(x))

    def _rmatvec(self, x: Any) -> Any:
        return self._product("H", np.ravel(x))

    def _matmat(self, X: Any) -> Any:
        return self._product("N", X) if X.shape[1] else np.empty((self.shape[0], 0), self.dtype)

    def _rmatmat(self, X: Any) -> Any:
        return self._product("H", X) if X.shape[1] else np.empty((self.shape[1], 0), self.dtype)

    def update_values(self, A: Any) -> None:
        """Takes new values; the structure must be the same.

        Examples
        --------
        >>> import numpy as np, sparloom as spl
        >>> A = spl.gen("stencil5:3,3")
        >>> L = spl.aslinearoperator(A)
        >>> before = L @ np.ones(9)
        >>> A.data *= 2
        >>> L.update_values(A)
        >>> bool(np.allclose(L @ np.ones(9), 2 * before))
        True
        """
        for plan in self._plans.values():
            plan.update_values(a=A)
        self._matrix = A


def aslinearoperator(A: Any, *, context: Context | None = None, **options: Any) -> SparseOperator:
    """A ``scipy.sparse.linalg.LinearOperator`` that multiplies by planned products.

    Parameters
    ----------
    A : sparse matrix
        Its arrays are read in every product; changed values are announced by `update_values`.
    **options
        As for `plan`.

    Examples
    --------
    >>> import numpy as np, scipy.sparse, scipy.sparse.linalg, sparloom as spl
    >>> A = scipy.sparse.diags_array([[-1.0] * 9, [2.0] * 10, [-1.0] * 9], offsets=[-1, 0, 1])
    >>> x, info = scipy.sparse.linalg.cg(spl.aslinearoperator(A.tocsr()), np.ones(10))
    >>> bool(np.allclose(A @ x, 1))
    True
    """
    return SparseOperator(A, context, options)
