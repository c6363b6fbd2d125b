"""Values and derivatives of every order and direction against closed forms."""

import jax
import jax.numpy as jnp
import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest
from pytensor.gradient import DisconnectedInputError, NullTypeGradError, grad, hessian, jacobian, verify_grad

from operax.pytensor import as_jax_op

pytestmark = pytest.mark.bridge

MODES = [None, "CVM", "FAST_COMPILE", "NUMBA", "JAX"]
RNG = np.random.default_rng(0)


def forward_mode(outputs, inputs, tangents, own):
    """Forward mode under its name before and since PyTensor 3; `own` asks for the Op's own rule."""
    new = getattr(pytensor.gradient, "pushforward", None)
    if new is not None:
        return new(outputs, inputs, tangents, use_op_pushforward=own)
    return pytensor.gradient.Rop(outputs, inputs, tangents, use_op_rop_implementation=own)


@as_jax_op
def weighted_power(x, params, *, order=2):
    return {"sum": jnp.sum(params["w"] * x**order), "sin": jnp.sin(x)}


@pytest.mark.parametrize("mode", MODES)
def test_value_and_gradient_in_every_mode(mode):
    x, w = pt.tensor("x", shape=(3,), dtype="float64"), pt.dscalar("w")
    y = weighted_power(x, {"w": w, "b": 1.0}, order=3)
    cost = y["sum"] + y["sin"].sum()
    f = pytensor.function([x, w], [cost, *grad(cost, [x, w])], mode=mode)
    a = np.array([0.5, -1.0, 2.0])
    value, gx, gw = f(a, 1.7)
    np.testing.assert_allclose(value, 1.7 * np.sum(a**3) + np.sin(a).sum(), rtol=1e-14)
    np.testing.assert_allclose(gx, 5.1 * a**2 + np.cos(a), rtol=1e-14)
    np.testing.assert_allclose(gw, np.sum(a**3), rtol=1e-14)
    assert [np.asarray(r).dtype for r in (value, gx, gw)] == ["float64"] * 3


@pytest.mark.parametrize("mode", [None, "NUMBA", "JAX"])
def test_hessian_vector_product_jacobian_and_third_order(mode):
    f = as_jax_op(lambda x: jnp.sum(x**4) + x[0] ** 2 * x[1])
    x, v = pt.tensor("x", shape=(3,)), pt.tensor("v", shape=(3,))
    cost = f(x)
    g = grad(cost, x)
    hvp = grad((g * v).sum(), x)
    third = grad((hvp * v).sum(), x)
    outputs = [hessian(cost, x), jacobian(g, x, vectorize=True), hvp, third]
    a, d = np.array([0.3, -0.7, 1.1]), np.array([1.0, 2.0, -1.0])
    H = np.diag(12 * a**2)
    H[0, 0] += 2 * a[1]
    H[0, 1] = H[1, 0] = 2 * a[0]
    T = 24 * a * d**2 + np.array([4 * d[0] * d[1], 2 * d[0] ** 2, 0])
    h1, h2, hv, t = pytensor.function([x, v], outputs, mode=mode, on_unused_input="ignore")(a, d)
    np.testing.assert_allclose(h1, H, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(h2, H, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(hv, H @ d, rtol=1e-13)
    np.testing.assert_allclose(t, T, rtol=1e-13)


def test_verify_grad_by_finite_differences():
    f = as_jax_op(lambda x, y: jnp.tanh(x @ y) * jnp.sum(x))
    verify_grad(lambda x, y: f(x, y), [RNG.normal(size=(2, 3)), RNG.normal(size=(3, 2))], rng=np.random.default_rng(1))


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("mode", [None, "NUMBA", "JAX"])
def test_forward_mode(mode, own):
    x, t = pt.tensor("x", shape=(3,)), pt.tensor("t", shape=(3,))
    (moved,) = forward_mode([as_jax_op(jnp.cumsum)(x**2)], [x], [t], own)
    a, d = RNG.normal(size=(2, 3))
    got = pytensor.function([x, t], moved, mode=mode)(a, d)
    np.testing.assert_allclose(got, np.cumsum(2 * a * d), rtol=1e-13)


def test_forward_mode_of_a_loop_that_has_no_reverse_mode():
    @as_jax_op
    def power_ten(x):
        return jax.lax.while_loop(lambda c: c[0] < 10, lambda c: (c[0] + 1, c[1] * x), (0, jnp.ones_like(x)))[1]

    x, t = pt.dscalar("x"), pt.dscalar("t")
    (moved,) = forward_mode([power_ten(x)], [x], [t], True)
    np.testing.assert_allclose(pytensor.function([x, t], moved)(1.1, 2.0), 20 * 1.1**9, rtol=1e-13)


def test_forward_over_reverse():
    x, t = pt.tensor("x", shape=(3,)), pt.tensor("t", shape=(3,))
    g = grad(as_jax_op(lambda x: jnp.sum(jnp.sin(x) ** 2))(x), x)
    (moved,) = forward_mode([g], [x], [t], True)
    a, d = RNG.normal(size=(2, 3))
    np.testing.assert_allclose(pytensor.function([x, t], moved)(a, d), 2 * np.cos(2 * a) * d, rtol=1e-13)


@pytest.mark.parametrize("mode", MODES)
def test_integer_and_boolean_inputs_are_disconnected(mode):
    @as_jax_op
    def pick(x, index, flag):
        return jnp.sum(jnp.where(flag, x[index] ** 2, 0.0))

    x, i, b = pt.dvector("x"), pt.lvector("i"), pt.vector("b", dtype="bool")
    y = pick(x, i, b)
    a = np.array([1.0, 2.0, 3.0])
    got = pytensor.function([x, i, b], [y, grad(y, x)], mode=mode)(a, [0, 2, 2], [True, True, False])
    np.testing.assert_allclose(got[0], 10.0)
    np.testing.assert_allclose(got[1], [2.0, 0.0, 6.0])
    with pytest.raises(DisconnectedInputError):
        grad(y, i)


def test_shared_and_constant_indices():
    pick = as_jax_op(lambda x, i: jnp.sum(x[i] ** 2))
    x = pt.dvector("x")
    for index in (pytensor.shared(np.array([0, 2])), pt.constant(np.array([0, 2]))):
        y = pick(x, index)
        g = pytensor.function([x], grad(y, x))([1.0, 2.0, 3.0])
        np.testing.assert_allclose(g, [2.0, 0.0, 6.0])


@pytest.mark.parametrize("mode", [None, "NUMBA", "JAX"])
def test_integer_output_in_the_cost(mode):
    @as_jax_op
    def both(x):
        return jnp.argmax(x), jnp.sum(x**2), jnp.any(x > 2)

    x = pt.tensor("x", shape=(3,))
    k, s, _ = both(x)
    cost = k * s
    value, g = pytensor.function([x], [cost, grad(cost, x)], mode=mode)([1.0, 2.0, 3.0])
    np.testing.assert_allclose(value, 28.0)
    np.testing.assert_allclose(g, [4.0, 8.0, 12.0])


def test_unused_output_and_unused_input():
    @as_jax_op
    def f(x, unused):
        return jnp.sum(x**3), jnp.exp(x)

    x, u = pt.dvector("x"), pt.dvector("u")
    cost, _ = f(x, u)
    gx, gu = pytensor.function([x, u], grad(cost, [x, u]))([1.0, 2.0], [5.0])
    np.testing.assert_allclose(gx, [3.0, 12.0])
    np.testing.assert_array_equal(gu, [0.0])  # an input that the function ignores has a gradient of zero


def test_output_that_does_not_depend_on_the_input():
    x = pt.dvector("x")
    constant, cost = as_jax_op(lambda x: (jnp.arange(4.0), jnp.sum(x)))(x)
    value, g = pytensor.function([x], [constant, grad(cost + constant.sum(), x)])([1.0, 2.0])
    np.testing.assert_array_equal(value, np.arange(4.0))
    np.testing.assert_array_equal(g, [1.0, 1.0])


@pytest.mark.parametrize("mode", [None, "NUMBA"])
def test_custom_derivative_is_used(mode):
    @jax.custom_vjp
    def double(x):
        return 2 * x

    double.defvjp(lambda x: (2 * x, None), lambda _, g: (100 * g,))
    x = pt.dvector("x")
    y = as_jax_op(lambda x: jnp.sum(double(x)))(x)
    value, g = pytensor.function([x], [y, grad(y, x)], mode=mode)([1.0, 2.0])
    np.testing.assert_allclose(value, 6.0)
    np.testing.assert_allclose(g, [100.0, 100.0])


@pytest.mark.parametrize("mode", [None, "NUMBA", "JAX"])
def test_complex_values_between_real_inputs_and_real_outputs(mode):
    x, d = pt.tensor("x", shape=(8,)), pt.tensor("d", shape=(5,), dtype="complex128")
    cost = as_jax_op(lambda x, d: jnp.sum(jnp.abs(jnp.fft.rfft(x) - d) ** 2))(x, d)
    a, data = RNG.normal(size=8), RNG.normal(size=5) + 1j * RNG.normal(size=5)
    value, g = pytensor.function([x, d], [cost, grad(cost, x)], mode=mode)(a, data)
    F = np.fft.rfft(np.eye(8), axis=0)
    np.testing.assert_allclose(value, np.sum(np.abs(F @ a - data) ** 2), rtol=1e-13)
    np.testing.assert_allclose(g, 2 * (F.conj().T @ (F @ a - data)).real, rtol=1e-12)


@pytest.mark.parametrize("mode", [None, "NUMBA", "JAX"])
def test_complex_forward_and_forward_mode(mode):
    z, t = pt.tensor("z", shape=(3,), dtype="complex128"), pt.tensor("t", shape=(3,), dtype="complex128")
    y = as_jax_op(lambda z: z**2 * (1 + 2j))(z)
    (moved,) = forward_mode([y], [z], [t], True)
    a, d = RNG.normal(size=(2, 3)) + 1j * RNG.normal(size=(2, 3))
    value, tangent = pytensor.function([z, t], [y, moved], mode=mode)(a, d)
    np.testing.assert_allclose(value, a**2 * (1 + 2j), rtol=1e-13)
    np.testing.assert_allclose(tangent, 2 * a * d * (1 + 2j), rtol=1e-13)


def test_complex_cotangent_follows_the_rule_of_pytensor():
    # for a real cost C the cotangent of w = u + iv is dC/du + i dC/dv; here w = (2 + 3i) x and C = Re(w) + 4 Im(w)
    x = pt.dscalar("x")
    w = as_jax_op(lambda x: (2 + 3j) * x)(x)
    (g,) = w.owner.op.pullback([x], [w], [pt.constant(1 + 4j)])
    np.testing.assert_allclose(pytensor.function([x], g, on_unused_input="ignore")(0.7), 2 + 4 * 3)


def test_gradient_in_a_complex_variable_says_why_not():
    z = pt.tensor("z", shape=(3,), dtype="complex128")
    with pytest.raises(NullTypeGradError, match="Keep the complex values inside one wrapped function"):
        grad(as_jax_op(lambda z: jnp.sum(jnp.abs(z) ** 2))(z), z)


@pytest.mark.parametrize("mode", [None, "NUMBA", "JAX"])
def test_arrays_of_size_zero(mode):
    x = pt.dvector("x")
    y = as_jax_op(lambda x: (jnp.sum(x**2), jnp.outer(x, x)))(x)
    value, outer, g = pytensor.function([x], [*y, grad(y[0], x)], mode=mode)(np.zeros(0))
    assert value == 0.0 and outer.shape == (0, 0) and g.shape == (0,)


def test_two_costs_share_one_function():
    x = pt.dvector("x")
    a, b = as_jax_op(lambda x: (jnp.sum(x**2), jnp.sum(x**3)))(x)
    ga, gb = pytensor.function([x], [grad(a, x), grad(b, x)])([2.0])
    np.testing.assert_allclose([ga[0], gb[0]], [4.0, 12.0])
