"""What an operator is."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any, ClassVar

import jax
import numpy as np

from operax._arrays.dtypes import as_dtype, astype, dtype_of, promote
from operax._arrays.namespace import Array, as_numpy, is_array, library_of, namespace_of
from operax._core import pytree, settling
from operax._core.algebra import Algebra
from operax._core.apply import apply, apply_nd
from operax._core.conversions import Conversions
from operax._core.parameters import as_numbers, owned
from operax._core.products import Products
from operax._core.spectral import Spectral


class LinearOperator(Products, Algebra, Conversions, Spectral):
    r"""A linear map from arrays of shape `dims` to arrays of shape `dimsd`.

    Parameters
    ----------
    Op : LinearOperator, optional
        Operator to take shapes, dtype and action from.
    dtype : dtype-like, optional
        Precision that takes part in promotion: the result of ``Op @ x`` has dtype ``result_type(Op.dtype, x.dtype)``.
        The default None follows the operator's parameters and the input.
    shape : tuple of int, optional
        ``(M, N)``, where `dims` and `dimsd` are not given.
    dims, dimsd : int or tuple of int, optional
        Shapes of the model (input) and of the data (output).
    clinear : bool, optional
        Whether the map is linear over the complex numbers (default True); False for maps such as the real part.
    explicit : bool, optional
        Whether the operator holds its matrix in an attribute `A`.
    forceflat : bool, optional
        Give flat results for one-dimensional inputs also where the result has several dimensions.
    name : str, optional
        Symbol in `describe` and in error texts.

    Attributes
    ----------
    shape : tuple of int
        ``(M, N) = (prod(dimsd), prod(dims))``.
    H, T : LinearOperator
        Adjoint and transpose.

    Notes
    -----
    **To write an operator**, define ``_forward(x)`` and ``_adjoint(y)`` on arrays of shape ``(*batch, *dims)`` and
    ``(*batch, *dimsd)``: work on the trailing axes, let leading axes pass, and call functions of
    ``namespace_of(x)``. The operator then runs on NumPy, CuPy and JAX, under ``jax.jit``, ``jax.vmap`` and every
    kind of differentiation: reverse mode calls ``_adjoint``. The adjoint is the one of the real inner product
    :math:`\mathrm{Re} \langle u, v \rangle = \mathrm{Re} \sum \bar u v`, so that
    :math:`\langle A x, y \rangle = \langle x, A^H y \rangle` for linear maps.

    Operators written for flat vectors (``_matvec(x)`` and ``_rmatvec(y)``) work as well.

    Array attributes and child operators are leaves of the operator as a JAX pytree. Treat arrays that were given to
    an operator as its own: set the attribute anew instead of writing into the array.

    Examples
    --------
    >>> import numpy as np, jax, jax.numpy as jnp, operax
    >>> class Scale(operax.LinearOperator):
    ...     def __init__(self, factor, n):
    ...         super().__init__(dims=n, dimsd=n)
    ...         self.factor = np.asarray(factor)
    ...     def _forward(self, x):
    ...         return self.factor * x
    ...     def _adjoint(self, y):
    ...         return self.factor.conj() * y
    >>> Op = Scale(3.0, 2)
    >>> Op @ np.array([1.0, 2.0])
    array([3., 6.])
    >>> jax.grad(lambda op: jnp.sum(op @ jnp.ones(2)))(Op.to("jax")).factor
    Array(2., dtype=float32, weak_type=True)
    """

    __array_ufunc__ = None  # NumPy arrays leave `array * Op` and `array @ Op` to the operator
    __array_priority__ = 1000.0

    dims: tuple[int, ...]
    dimsd: tuple[int, ...]
    clinear: bool = True
    explicit: bool = False
    _reads_neighbours: ClassVar[bool] = False
    """Whether a value of the input is read for several of the output in one fused pass: see `_arrays.keep.store`."""
    forceflat: bool | None = None
    name: str | None = None
    _dtype: np.dtype | None = None
    _model_dtype: np.dtype | None = None
    _data_dtype: np.dtype | None = None
    _memo: dict[str, Any]
    _counts: list[int]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        pytree.register(cls)
        settling.watch(cls)

    def __getattr__(self, key: str) -> Any:
        # made on first use and not in __init__: subclasses may set attributes before calling it, or never call it
        if key == "_memo":
            return self.__dict__.setdefault("_memo", {})
        if key == "_counts":
            return self.__dict__.setdefault("_counts", [0, 0, 0, 0])
        if key in ("dims", "dimsd", "shape", "size"):
            raise AttributeError(
                f"{type(self).__name__} has no {key} yet: call super().__init__(dims=..., dimsd=...) in its initialiser"
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {key!r}")

    def __init__(
        self,
        Op: Any = None,
        dtype: Any = None,
        shape: tuple[int, int] | None = None,
        dims: Any = None,
        dimsd: Any = None,
        clinear: bool | None = None,
        explicit: bool | None = None,
        forceflat: bool | None = None,
        name: str | None = None,
    ) -> None:
        if Op is not None:
            self.Op = Op
            dims = Op.dims if dims is None and shape is None else dims
            dimsd = Op.dimsd if dimsd is None and shape is None else dimsd
            dtype = Op._dtype if dtype is None else dtype
            clinear = Op.clinear if clinear is None else clinear
            explicit = Op.explicit if explicit is None else explicit
            forceflat = Op.forceflat if forceflat is None else forceflat
            name = Op.name if name is None else name
            if explicit and "A" not in vars(self) and hasattr(Op, "A"):
                self.A = Op.A
        if shape is not None:
            rows, columns = shape
            dims = (columns,) if dims is None else dims
            dimsd = (rows,) if dimsd is None else dimsd
        if dims is not None:
            self.dims = dims
        if dimsd is not None:
            self.dimsd = dimsd
        if shape is not None and self.shape != tuple(shape):
            raise ValueError(
                f"shape={tuple(shape)} contradicts dims={self.dims} and dimsd={self.dimsd}, whose shape is {self.shape}"
            )
        if dtype is not None:
            self._set_dtype(dtype)
        for key, value in (("clinear", clinear), ("explicit", explicit), ("forceflat", forceflat), ("name", name)):
            if value is not None:
                setattr(self, key, value)

    def __setattr__(self, key: str, value: Any) -> None:
        if key in ("dims", "dimsd"):
            value = _as_dims(key, value)
        elif key == "shape":
            self._set_shape(value)
            return
        elif key == "dtype":
            self._set_dtype(value)
            return
        attributes = self.__dict__
        if "_settled" in attributes:
            value = settling.checked(self, key, value)
        attributes[key] = value
        attributes["_memo"] = {}

    def __delattr__(self, key: str) -> None:
        object.__delattr__(self, key)
        self.__dict__["_memo"] = {}

    # ---- shapes and dtype

    @property
    def shape(self) -> tuple[int, int]:
        """``(M, N)``: the lengths of the flattened data and model."""
        found = self._memo.get("shape")
        if found is None:
            found = self._memo["shape"] = (math.prod(self.dimsd), math.prod(self.dims))
        return found

    def _set_shape(self, value: tuple[int, int]) -> None:
        rows, columns = value
        if math.prod(vars(self).get("dims", (-1,))) != columns:
            self.dims = (columns,)
        if math.prod(vars(self).get("dimsd", (-1,))) != rows:
            self.dimsd = (rows,)

    @property
    def ndim(self) -> int:
        """2, as for a matrix."""
        return 2

    @property
    def size(self) -> int:
        """Number of entries of the matrix."""
        return math.prod(self.shape)

    @property
    def dtype(self) -> np.dtype:
        """The dtype given, or the one of the parameters, or float64."""
        if self._dtype is not None:
            return self._dtype
        found = self._memo.get("dtype")
        if found is None:
            found = self._memo["dtype"] = self._followed_dtype() or np.dtype(np.float64)
        return found

    def _set_dtype(self, value: Any) -> None:
        dtype = None if value is None else as_dtype(value)
        self.__dict__.update(_dtype=dtype, _model_dtype=dtype, _data_dtype=dtype, _memo={})

    def _followed_dtype(self) -> np.dtype | None:
        """The promotion of all that says something of its dtype: parameters and parts; None if nothing does."""
        if self._dtype is not None:
            return self._dtype
        found = None
        for leaf in pytree.flatten(self)[0]:
            if isinstance(leaf, LinearOperator):
                dtype = leaf._followed_dtype()
            else:
                dtype = dtype_of(leaf) if is_array(leaf) and dtype_of(leaf).kind in "fcV" else None
            if dtype is not None:
                found = dtype if found is None else promote(found, dtype)
        return found

    def _parameter(self, value: Any, name: str) -> Array:
        """An array given by the user, in the operator's explicit precision where one was given (complex stays complex).

        NumPy arrays come back as read-only copies (a read-only array that owns its memory is taken as it is): an
        operator's parameters may have been moved to a device, where a later write into the host array would go unseen.
        Set the attribute anew instead.
        """
        value = as_numbers(value, f"{name} of {type(self).__name__}")
        if self._dtype is not None:
            have, want = dtype_of(value), self._dtype
            if have.kind == "c" and want.kind != "c":
                want = promote(np.dtype(np.complex64), want)
                self._set_dtype(want)
            if have.kind in "iubfcV" and want.kind in "fcV":
                value = astype(value, want)
        return owned(value)

    # ---- what an author defines

    def _forward(self, x: Array) -> Array:
        """Apply the operator to `x` of shape ``(*batch, *dims)``."""
        if self._written_flat("_matvec", "_forward"):
            return self._by_vectors(self._matvec, x, self.dims, self.dimsd)
        return apply_nd(self.Op, x)

    def _adjoint(self, y: Array) -> Array:
        """Apply the adjoint to `y` of shape ``(*batch, *dimsd)``."""
        if self._written_flat("_rmatvec", "_adjoint"):
            return self._by_vectors(self._rmatvec, y, self.dimsd, self.dims)
        return apply_nd(self.Op.H, y)

    def _written_flat(self, flat: str, nd: str) -> bool:
        """Whether the author wrote the flat-vector method; False where the operator only wraps another one."""
        if flat in vars(self) or getattr(type(self), flat) is not getattr(LinearOperator, flat):
            return True
        if isinstance(vars(self).get("Op"), LinearOperator):
            return False
        raise TypeError(f"{type(self).__name__} defines neither {nd} (n-dimensional) nor {flat} (flat vectors)")

    def _matvec(self, x: Array) -> Array:
        """Forward on a flat vector."""
        y = apply(self, x)
        return namespace_of(y).reshape(y, (-1,))

    def _rmatvec(self, y: Array) -> Array:
        """Adjoint on a flat vector."""
        x = apply(self.H, y)
        return namespace_of(x).reshape(x, (-1,))

    def _by_vectors(self, one: Any, x: Array, dims: tuple[int, ...], dimsd: tuple[int, ...]) -> Array:
        """Apply a function of flat vectors along the leading axes."""
        xp = namespace_of(x)
        batch = tuple(x.shape[: x.ndim - len(dims)])
        if not batch:
            return xp.reshape(one(xp.reshape(x, (-1,))), dimsd)
        rows = xp.reshape(x, (math.prod(batch), math.prod(dims)))
        if library_of(x) == "jax":
            y = jax.vmap(lambda v: one(v).reshape(-1))(rows)
        else:
            size = math.prod(dimsd)
            y = xp.stack([xp.reshape(one(rows[i, :]), (size,)) for i in range(rows.shape[0])])
        return xp.reshape(y, (*batch, *dimsd))

    # ---- from there to the array functions, with the dtype rule

    def _run(self, x: Array) -> Array:
        """Forward on ``(*batch, *dims)`` with promotion to the explicit dtype; the shape of the result is checked."""
        dtype = self._model_dtype
        if dtype is None:
            if getattr(x.dtype, "kind", "f") in "biu":
                x = _as_float(x)
        elif x.dtype != dtype:
            x = self._promoted(x, dtype)
        y = self._forward(x) if x.size else _of_none(self._forward, x, len(self.dims))
        n = len(self.dimsd)
        if y.shape[y.ndim - n :] != self.dimsd:
            self._broken("forward", y.shape, self.dimsd)
        return y

    def _run_adjoint(self, y: Array) -> Array:
        """Adjoint on ``(*batch, *dimsd)`` with promotion to the explicit dtype."""
        dtype = self._data_dtype
        if dtype is None:
            if getattr(y.dtype, "kind", "f") in "biu":
                y = _as_float(y)
        elif y.dtype != dtype:
            y = self._promoted(y, dtype)
        x = self._adjoint(y) if y.size else _of_none(self._adjoint, y, len(self.dimsd))
        n = len(self.dims)
        if x.shape[x.ndim - n :] != self.dims:
            self._broken("adjoint", x.shape, self.dims)
        return x

    def _promoted(self, x: Array, dtype: np.dtype) -> Array:
        want = promote(dtype_of(x), dtype)
        if library_of(x) == "jax":
            have = jax.dtypes.canonicalize_dtype(want)
            if have != want:
                # the same text from the same line for all operators: Python shows it once
                warnings.warn(
                    f"an operator of dtype {dtype} computes in {have} on JAX while its 64-bit mode is off; "
                    'set jax.config.update("jax_enable_x64", True), or build operators in 32 bit',
                    UserWarning,
                    stacklevel=1,
                )
                want = have
        return astype(x, want)

    def _broken(self, which: str, got: tuple[int, ...], expected: tuple[int, ...]) -> None:
        raise ValueError(f"the {which} of {self._label()} gave shape {tuple(got)}, its result should end in {expected}")

    # ---- being an object

    def _label(self) -> str:
        return f"{type(self).__name__} {self.dims} -> {self.dimsd}"

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"<{rows}x{columns} {type(self).__name__} with dtype={self.dtype}>"

    def _repr_html_(self) -> str:
        from operax.utils.describe import describe

        return describe(self, show=False)._repr_html_()

    def __eq__(self, other: object) -> bool:
        """Equality by value: the same structure and the same arrays."""
        if self is other:
            return True
        if not isinstance(other, LinearOperator):
            return NotImplemented
        if pytree.structure_of(self) != pytree.structure_of(other):
            return False
        ours, theirs = jax.tree_util.tree_leaves(self), jax.tree_util.tree_leaves(other)
        tree_of: Any = jax.tree_util.tree_structure
        if tree_of(self) != tree_of(other):
            return False
        return all(
            a is b
            or (
                tuple(a.shape) == tuple(b.shape)
                and a.dtype == b.dtype
                and bool(np.array_equal(as_numpy(a), as_numpy(b), equal_nan=dtype_of(a).kind in "fc"))
            )
            for a, b in zip(ours, theirs)
        )

    def __hash__(self) -> int:
        return hash(pytree.structure_of(self))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in pytree.HIDDEN}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _memo={}, _counts=[0, 0, 0, 0])
        settling.settle(self)


pytree.register(LinearOperator)


def _as_dims(name: str, value: Any) -> tuple[int, ...]:
    if isinstance(value, int | np.integer):
        value = (value,)
    try:
        dims = tuple(int(v) for v in value)
    except TypeError:
        raise TypeError(f"{name}={value!r} must be an integer or a sequence of integers") from None
    if any(v < 0 for v in dims) or any(int(v) != v for v in value):
        raise ValueError(f"{name}={value!r} must hold whole numbers that are not negative")
    return dims


def _as_float(x: Array) -> Array:
    """Integers as floats, in each library's default precision: sums of small integers would wrap around."""
    return astype(x, np.dtype(np.float64))


def _of_none(function: Callable[[Array], Array], x: Array, ndim: int) -> Array:
    """What `function` gives for batches without members, so that no operator need think of them."""
    batch = x.shape[: x.ndim - ndim]
    if 0 not in batch:
        return function(x)
    xp = namespace_of(x)
    one = function(xp.zeros((1, *x.shape[x.ndim - ndim :]), dtype=x.dtype))
    return xp.zeros((*batch, *one.shape[1:]), dtype=one.dtype)
