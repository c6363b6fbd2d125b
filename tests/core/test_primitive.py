"""The JAX primitive: which rules run, and that they compose."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from operax import LinearOperator


class Matrix(LinearOperator):
    """A dense matrix, and a record of which of its functions were traced."""

    def __init__(self, A, log=None):
        super().__init__(dims=A.shape[1], dimsd=A.shape[0])
        self.A = A
        self.log = log

    def _forward(self, x):
        if self.log is not None:
            self.log("forward")
        return x @ self.A.T

    def _adjoint(self, y):
        if self.log is not None:
            self.log("adjoint")
        return y @ self.A.conj()


class Scale(LinearOperator):
    def __init__(self, d, dims):
        super().__init__(dims=dims, dimsd=dims)
        self.d = d

    def _forward(self, x):
        return self.d * x

    def _adjoint(self, y):
        return self.d.conj() * y


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_gradient_runs_the_handwritten_adjoint(rng):
    A = rng.standard_normal((4, 3))
    calls = []
    op = Matrix(A, calls.append)
    x = rng.standard_normal(3)
    jax.grad(lambda v: jnp.sum((op @ v) ** 2))(jnp.asarray(x))
    assert "adjoint" in calls
    program = str(jax.make_jaxpr(jax.grad(lambda v: jnp.sum((op @ v) ** 2)))(x))
    assert program.count("apply_linear_operator") == 2
    assert "Adjoint" in program


def test_complex_gradient_follows_jax_convention(rng):
    A = rng.standard_normal((4, 3)) + 1j * rng.standard_normal((4, 3))
    z = rng.standard_normal(3) + 1j * rng.standard_normal(3)
    ours = jax.grad(lambda v: jnp.sum(jnp.abs(Matrix(A) @ v) ** 2))(jnp.asarray(z))
    plain = jax.grad(lambda v: jnp.sum(jnp.abs(jnp.asarray(A) @ v) ** 2))(jnp.asarray(z))
    np.testing.assert_allclose(ours, plain, rtol=1e-12)


def test_jacobians_and_hessian_are_the_matrix(rng):
    A = rng.standard_normal((4, 3))
    x = jnp.asarray(rng.standard_normal(3))
    op = Matrix(A)
    np.testing.assert_allclose(jax.jacfwd(lambda v: op @ v)(x), A, rtol=1e-12)
    np.testing.assert_allclose(jax.jacrev(lambda v: op @ v)(x), A, rtol=1e-12)
    np.testing.assert_allclose(jax.hessian(lambda v: 0.5 * jnp.sum((op @ v) ** 2))(x), A.T @ A, rtol=1e-12)


def test_gradient_in_an_operator_that_stands_before_another(rng):
    A, d, x = rng.standard_normal((4, 3)), rng.standard_normal(3), rng.standard_normal(3)
    product = (Matrix(A) @ Scale(d, 3)).to("jax")
    gradient = jax.grad(lambda op: jnp.sum((op @ jnp.asarray(x)) ** 2))(product)
    r = A @ (d * x)
    np.testing.assert_allclose(gradient.ops[0].A, 2 * np.outer(r, d * x), rtol=1e-12)
    np.testing.assert_allclose(gradient.ops[1].d, 2 * x * (A.T @ r), rtol=1e-12)


def test_vmap_over_operators_inside_vmap_over_inputs(rng):
    A, ds, xs = rng.standard_normal((4, 3)), rng.standard_normal((5, 3)), rng.standard_normal((2, 3))
    ops = jax.vmap(lambda d: Matrix(A) @ Scale(d, 3))(jnp.asarray(ds))
    both = jax.vmap(jax.vmap(lambda op, x: op @ x, (None, 0)), (0, None))(ops, jnp.asarray(xs))
    np.testing.assert_allclose(both, np.einsum("ij,kj,lj->kli", A, ds, xs), rtol=1e-12)
    other = jax.vmap(jax.vmap(lambda op, x: op @ x, (0, None)), (None, 0))(ops, jnp.asarray(xs))
    np.testing.assert_allclose(other, np.einsum("ij,kj,lj->lki", A, ds, xs), rtol=1e-12)


def test_gradient_through_vmap_over_operators(rng):
    A, ds, x = rng.standard_normal((4, 3)), rng.standard_normal((5, 3)), rng.standard_normal(3)

    def loss(ds, x):
        ops = jax.vmap(lambda d: Matrix(jnp.asarray(A)) @ Scale(d, 3))(ds)
        return jnp.sum(jax.vmap(lambda op: op @ x)(ops) ** 2)

    by_d, by_x = jax.grad(loss, (0, 1))(jnp.asarray(ds), jnp.asarray(x))
    r = np.einsum("ij,kj,j->ki", A, ds, x)
    np.testing.assert_allclose(by_d, 2 * np.einsum("ki,ij,j->kj", r, A, x), rtol=1e-12)
    np.testing.assert_allclose(by_x, 2 * np.einsum("ki,ij,kj->j", r, A, ds), rtol=1e-12)


def test_linear_transpose_in_the_data_and_in_a_parameter(rng):
    A, x, y = rng.standard_normal((4, 3)), rng.standard_normal(3), rng.standard_normal(4)
    op = Matrix(A)
    (back,) = jax.linear_transpose(lambda v: op @ v, jnp.asarray(x))(jnp.asarray(y))
    np.testing.assert_allclose(back, A.T @ y, rtol=1e-12)
    (outer,) = jax.linear_transpose(lambda M: Matrix(M) @ jnp.asarray(x), jnp.asarray(A))(jnp.asarray(y))
    np.testing.assert_allclose(outer, np.outer(y, x), rtol=1e-12)


def test_mixed_second_derivative_in_parameter_and_data(rng):
    d, x = rng.standard_normal(3), rng.standard_normal(3)

    def loss(d, x):
        return jnp.sum((Scale(d, 3) @ x) ** 2)

    mixed = jax.jacfwd(jax.grad(loss, 0), 1)(jnp.asarray(d), jnp.asarray(x))
    np.testing.assert_allclose(mixed, np.diag(4 * d * x), rtol=1e-12)


def test_operator_is_a_jit_argument_without_retracing(rng):
    traces = []

    @jax.jit
    def apply(op, x):
        traces.append(1)
        return op @ x

    x = jnp.asarray(rng.standard_normal(3))
    for _ in range(3):
        A = rng.standard_normal((4, 3))
        np.testing.assert_allclose(apply(Matrix(A), x), A @ np.asarray(x), rtol=1e-12)
    assert len(traces) == 1


def test_parameters_are_arguments_not_constants(rng):
    d = rng.standard_normal(1000)
    program = jax.jit(lambda op, x: op @ x).lower(Scale(d, 1000), jnp.ones(1000)).as_text()
    assert "dense<" not in program or len(program) < 5000


def test_scan_and_while_loop_carry_operators(rng):
    A = rng.standard_normal((3, 3)) / 3
    op, x = Matrix(A), rng.standard_normal(3)

    def step(carry, _):
        return op @ carry, None

    last, _ = jax.lax.scan(step, jnp.asarray(x), None, length=4)
    np.testing.assert_allclose(last, np.linalg.matrix_power(A, 4) @ x, rtol=1e-12)

    def body(state):
        o, v, k = state
        return o, o @ v, k + 1

    _, last, _ = jax.lax.while_loop(lambda s: s[2] < 4, body, (op.to("jax"), jnp.asarray(x), 0))
    np.testing.assert_allclose(last, np.linalg.matrix_power(A, 4) @ x, rtol=1e-12)


def test_sixty_four_bit_switch_does_not_stick_to_an_operator(rng):
    d, x = rng.standard_normal(6), rng.standard_normal(6)
    op = Scale(d, 6)
    with jax.enable_x64(False):
        assert (op @ jnp.asarray(x)).dtype == np.float32
    with jax.enable_x64(True):
        y = op @ jnp.asarray(x)
        assert y.dtype == np.float64
        np.testing.assert_array_equal(y, d * x)


def test_a_64_bit_operator_says_when_jax_computes_in_32(rng):
    class Wide(Scale):
        def __init__(self, d, dims):
            super().__init__(d, dims)
            self.dtype = "float64"

    op = Wide(rng.standard_normal(3), 3)
    with jax.enable_x64(False), pytest.warns(UserWarning, match="jax_enable_x64"):
        op @ jnp.ones(3)


def test_changed_part_is_seen_by_a_composite(rng):
    A, d, x = rng.standard_normal((4, 3)), rng.standard_normal(3), rng.standard_normal(3)
    scale = Scale(d, 3)
    product = Matrix(A) @ scale
    np.testing.assert_allclose(product @ jnp.asarray(x), A @ (d * x), rtol=1e-12)
    np.testing.assert_allclose(product.H @ jnp.asarray(A @ x), d * (A.T @ (A @ x)), rtol=1e-12)
    scale.d = 2 * d
    np.testing.assert_allclose(product @ jnp.asarray(x), A @ (2 * d * x), rtol=1e-12)
    np.testing.assert_allclose(product.H @ jnp.asarray(A @ x), 2 * d * (A.T @ (A @ x)), rtol=1e-12)
    np.testing.assert_allclose(product @ x, A @ (2 * d * x), rtol=1e-12)


def test_collectives_of_a_sharded_batch_are_none(rng):
    mesh = jax.make_mesh((2,), ("b",), axis_types=(jax.sharding.AxisType.Auto,), devices=jax.devices()[:2])
    x = jax.device_put(rng.standard_normal((4, 3)), jax.sharding.NamedSharding(mesh, jax.P("b")))
    text = jax.jit(lambda op, v: op.batched(v)).lower(Matrix(rng.standard_normal((5, 3))), x).compile().as_text()
    assert not any(word in text for word in ("all-gather", "all-reduce", "all-to-all", "collective-permute"))
