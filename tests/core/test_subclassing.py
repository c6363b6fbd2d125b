"""Users' own operators: the n-dimensional way and the flat-vector way."""

import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import operax
from operax import LinearOperator
from operax.testing import check_operator


class Flat(LinearOperator):
    """Written for flat vectors, attributes set freely, before and after the base's initialiser."""

    def __init__(self, h, n):
        self.h = h
        super().__init__(dtype="float64", shape=(n - 1, n))
        self.note = {"made": "by a user"}

    def _matvec(self, x):
        return self.h * (x[1:] - x[:-1])

    def _rmatvec(self, y):
        from operax._arrays.namespace import namespace_of

        xp = namespace_of(y)
        zero = xp.zeros(1, dtype=y.dtype)
        y = y * self.h
        return xp.concat([zero, y]) - xp.concat([y, zero])


class FlatOnGrid(LinearOperator):
    def __init__(self, dims):
        super().__init__(dtype=np.float64, dims=dims, dimsd=dims)

    def _matvec(self, x):
        return (2 * x.reshape(self.dims)).ravel()

    def _rmatvec(self, y):
        return (2 * y.reshape(self.dimsd)).ravel()


class Switching(LinearOperator):
    """Chooses its method at construction and stores it on the instance."""

    def __init__(self, d):
        super().__init__(dims=len(d), dimsd=len(d), dtype="float64")
        self.d = d
        self._matvec = self._fast

    def _fast(self, x):
        return self.d * x

    def _rmatvec(self, y):
        return self.d * y


def difference(h, n):
    return h * (np.eye(n)[1:] - np.eye(n)[:-1])


def test_flat_vector_operator_passes_every_check():
    check_operator(Flat(np.asarray(0.5), 6), difference(0.5, 6))


def test_flat_vector_operator_on_a_grid_passes_every_check():
    check_operator(FlatOnGrid((2, 3)), 2 * np.eye(6), skip=["strict"])  # written with array methods


def test_method_stored_on_the_instance_uses_the_leaves_it_is_given():
    op = Switching(np.arange(3.0))
    check_operator(op, np.diag(np.arange(3.0)))
    gradient = jax.grad(lambda o: jnp.sum(o @ jnp.ones(3)))(op.to("jax"))
    np.testing.assert_array_equal(gradient.d, np.ones(3))


def test_an_operator_without_a_forward_says_so():
    class Empty(LinearOperator):
        def __init__(self):
            super().__init__(shape=(3, 3))

    with pytest.raises(TypeError, match=r"_forward.*_matvec"):
        Empty() @ np.ones(3)


def test_a_forward_of_the_wrong_shape_is_caught():
    class Wrong(LinearOperator):
        def __init__(self):
            super().__init__(dims=(2, 3), dimsd=4)

        def _forward(self, x):
            return x

    with pytest.raises(ValueError, match=r"forward of Wrong .* gave shape \(2, 3\)"):
        Wrong() @ np.ones((2, 3))


@pytest.mark.parametrize(
    ("x", "error", "words"),
    [
        (np.ones(5), ValueError, r"\(2, 3\) or \(6,\).*got \(5,\)"),
        (np.ones((3, 2)), ValueError, r"got \(3, 2\)"),
        (np.ones((4, 2, 3)), ValueError, "batched"),
        ([1.0] * 6, TypeError, "numpy.asarray"),
        (2.0, TypeError, r"Op \* scalar"),
        (None, TypeError, "NoneType"),
    ],
)
def test_wrong_inputs_name_the_value_and_the_cure(x, error, words):
    with pytest.raises(error, match=words):
        FlatOnGrid((2, 3)) @ x


def test_wrong_shape_on_jax_reads_the_same():
    with pytest.raises(ValueError, match=r"takes an input of shape \(2, 3\) or \(6,\).*got \(5,\)"):
        FlatOnGrid((2, 3)) @ jnp.ones(5)


def test_bad_dims_and_dtypes_are_named():
    with pytest.raises(ValueError, match=r"dims=\(2, -1\)"):
        FlatOnGrid((2, -1))
    with pytest.raises(TypeError, match="dims="):
        LinearOperator(dims=object(), dimsd=3)
    with pytest.raises(TypeError, match="no-such"):
        LinearOperator(dims=3, dimsd=3, dtype="no-such")
    with pytest.raises(ValueError, match="contradicts"):
        LinearOperator(shape=(3, 3), dims=4)


def test_wrapping_an_operator_takes_its_shapes_and_action():
    inner = FlatOnGrid((2, 3))
    outer = LinearOperator(inner)
    assert (outer.dims, outer.dimsd, outer.dtype) == (inner.dims, inner.dimsd, inner.dtype)
    check_operator(outer, 2 * np.eye(6), skip=["strict"])


def test_counters_count_host_calls():
    op = FlatOnGrid((2, 3))
    op @ np.ones(6)
    op.matvec(np.ones(6))
    op.H @ np.ones(6)
    op.matmat(np.ones((6, 2)))
    assert (op.matvec_count, op.rmatvec_count, op.matmat_count) == (2, 1, 1)
    op.reset_count()
    assert (op.matvec_count, op.rmatvec_count, op.matmat_count) == (0, 0, 0)


def test_equality_is_by_value_and_survives_pickling():
    a, b = Flat(np.asarray(0.5), 6), Flat(np.asarray(0.5), 6)
    assert a == b and hash(a) == hash(b)
    assert a != Flat(np.asarray(0.6), 6)
    assert a != Flat(np.asarray(0.5), 7)
    assert pickle.loads(pickle.dumps(FlatOnGrid((2, 3)))) == FlatOnGrid((2, 3))
    assert a != 3


def test_matvec_forms():
    op = FlatOnGrid((2, 3))
    assert op.matvec(np.ones((2, 3))).shape == (6,)
    assert op.matvec(np.ones((6, 1))).shape == (6, 1)
    assert op.rmatvec(np.ones(6)).shape == (6,)
    assert op.matmat(np.ones((6, 4))).shape == (6, 4)
    assert op.rmatmat(np.ones((6, 4))).shape == (6, 4)
    with pytest.raises(ValueError, match="matrix of shape"):
        op.matmat(np.ones(6))
    with pytest.raises(ValueError, match="vector of shape"):
        op.matvec(np.ones(7))


def test_version_is_public():
    assert operax.__version__.count(".") == 2


def test_an_operator_without_shapes_says_what_its_initialiser_misses():
    class Shapeless(LinearOperator):
        def __init__(self):
            self.h = 3.0

        def _forward(self, x):
            return x

    with pytest.raises(AttributeError, match=r"super\(\).__init__\(dims="):
        Shapeless() @ np.ones(3)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = FlatOnGrid((2, 3)).nonsense


def test_signatures_are_those_of_the_initialisers():
    import inspect

    assert list(inspect.signature(operax.FirstDerivative).parameters)[:3] == ["dims", "axis", "sampling"]
    assert next(iter(inspect.signature(LinearOperator).parameters)) == "Op"
