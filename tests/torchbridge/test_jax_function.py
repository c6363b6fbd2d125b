"""PyTorch functions in JAX: values, both modes, higher orders, batches, structures."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.test_util import check_grads

import operax

pytestmark = pytest.mark.bridge
torch = pytest.importorskip("torch")

from operax.torch import as_jax_function  # noqa: E402

RNG = np.random.default_rng(8)


def array(*shape):
    return jnp.asarray(RNG.standard_normal(shape))


def pair(x, y):
    return torch.sin(x) * y, (x * y).sum()


def pair_in_jax(x, y):
    return jnp.sin(x) * y, (x * y).sum()


def scalar(function):
    return lambda x, y: function(x, y)[0].sum() ** 2 + function(x, y)[1] ** 2


def assert_trees_close(got, expected):
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12), got, expected)


def test_values_inside_and_outside_jit():
    f, x, y = as_jax_function(pair), array(3), array(3)
    assert_trees_close(f(x, y), pair_in_jax(x, y))
    assert_trees_close(jax.jit(f)(x, y), pair_in_jax(x, y))


def test_both_modes_to_second_order():
    f, x, y = as_jax_function(pair), array(3), array(3)
    check_grads(f, (x, y), order=2, modes=["fwd", "rev"])


@pytest.mark.slow
def test_both_modes_to_third_order():
    f, x, y = as_jax_function(pair), array(3), array(3)
    check_grads(jax.jit(f), (x, y), order=3, modes=["fwd", "rev"])


def test_hessian_with_jit_and_vmap():
    ours, theirs = scalar(as_jax_function(pair)), scalar(pair_in_jax)
    X, y = array(4, 3), array(3)
    assert_trees_close(jax.hessian(ours, (0, 1))(X[0], y), jax.hessian(theirs, (0, 1))(X[0], y))
    for transform in (jax.grad, jax.hessian):
        got = jax.jit(jax.vmap(transform(ours), (0, None)))(X, y)
        assert_trees_close(got, jax.vmap(transform(theirs), (0, None))(X, y))


def test_nested_vmap_with_different_axes():
    f = as_jax_function(lambda x, y: x * y.sum())
    x, y = array(2, 4), array(3, 5)
    got = jax.vmap(lambda u: jax.vmap(lambda v: f(u, v), in_axes=1)(y))(x)
    np.testing.assert_allclose(got, x[:, None, :] * y.sum(0)[None, :, None])


@pytest.mark.parametrize(
    "function",
    [lambda z: z * z * z, lambda z: z * z.conj() * 1j, lambda z: z.real * 2.0],
    ids=["holomorphic", "not holomorphic", "real"],
)
def test_complex_numbers_with_jaxs_convention(function):
    f, z, t = as_jax_function(function), array(3) + 1j * array(3), array(3) + 1j * array(3)
    assert_trees_close(jax.jvp(f, (z,), (t,)), jax.jvp(function, (z,), (t,)))
    ct = function(t)
    assert_trees_close(jax.vjp(f, z)[1](ct), jax.vjp(function, z)[1](ct))
    check_grads(f, (z,), order=2)


def test_modules_with_their_parameters_as_arguments():
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1)).double()
    parameters = {name: jnp.asarray(p.detach().numpy()) for name, p in net.named_parameters()}
    f = as_jax_function(lambda p, x: torch.func.functional_call(net, p, (x,)))
    x = array(5, 3)
    gradient = jax.jit(jax.grad(lambda p: f(p, x).sum()))(parameters)
    net(torch.tensor(np.asarray(x))).sum().backward()
    for name, p in net.named_parameters():
        np.testing.assert_allclose(gradient[name], p.grad)
    np.testing.assert_allclose(as_jax_function(net)(x), net(torch.tensor(np.asarray(x))).detach())


def test_code_that_differentiates_by_itself():
    def force(x):
        x = x if x.requires_grad else x.clone().requires_grad_()
        return torch.autograd.grad((x**4).sum(), x, create_graph=True)[0]

    f, x, X, t = as_jax_function(force), array(3), array(4, 3), array(3)
    np.testing.assert_allclose(f(x), 4 * x**3)
    np.testing.assert_allclose(jax.vmap(f)(X), 4 * X**3)
    np.testing.assert_allclose(jax.grad(lambda x: f(x).sum())(x), 12 * x**2)
    np.testing.assert_allclose(jax.jvp(f, (x,), (t,))[1], 12 * x**2 * t)


class Cube(torch.autograd.Function):
    """As many are written: no forward mode, no rule for vmap."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        return 3 * ctx.saved_tensors[0] ** 2 * g


def test_code_without_forward_mode():
    f, x, X, t = as_jax_function(Cube.apply), array(3), array(4, 3), array(3)
    np.testing.assert_allclose(jax.grad(lambda x: f(x).sum())(x), 3 * x**2)
    np.testing.assert_allclose(jax.jvp(f, (x,), (t,))[1], 3 * x**2 * t)
    np.testing.assert_allclose(jax.hessian(lambda x: f(x).sum())(x), np.diag(6 * x), atol=1e-12)
    np.testing.assert_allclose(jax.vmap(jax.grad(lambda x: f(x).sum()))(X), 3 * X**2)


def test_code_that_branches_on_values():
    f, X = as_jax_function(lambda x: 2 * x if x.sum() > 0 else -x), array(6, 3)
    expected = np.where((X.sum(1) > 0)[:, None], 2 * X, -X)
    np.testing.assert_allclose(jax.jit(jax.vmap(f))(X), expected)
    gradient = jax.vmap(jax.grad(lambda x: f(x).sum()))(X)
    np.testing.assert_allclose(gradient, np.where(X.sum(1) > 0, 2.0, -1.0)[:, None] * np.ones(3))


def test_code_that_writes_into_its_arguments():
    f, x = as_jax_function(lambda x: x.mul_(2.0) ** 2), array(3)
    before = np.array(x)
    np.testing.assert_allclose(jax.grad(lambda x: f(x).sum())(x), 8 * before)
    np.testing.assert_allclose(jax.jvp(f, (x,), (jnp.ones(3),))[1], 8 * before)
    np.testing.assert_array_equal(x, before)


def test_whole_numbers_have_no_derivative():
    f = as_jax_function(lambda x, i: (x[i] ** 2, i + 1))
    x, i = array(3), jnp.asarray([2, 0])
    values, numbers = f(x, i)
    np.testing.assert_allclose(values, x[i] ** 2)
    np.testing.assert_array_equal(numbers, i + 1)
    np.testing.assert_allclose(jax.grad(lambda x: f(x, i)[0].sum())(x), 2 * x * np.array([1, 0, 1]))
    tangents = jax.jvp(lambda x: f(x, i), (x,), (jnp.ones(3),))[1]
    np.testing.assert_allclose(tangents[0], 2 * x[i])
    assert tangents[1].dtype == jax.dtypes.float0


def test_outputs_that_do_not_depend_on_an_input():
    f = as_jax_function(lambda x, y: (x * 2, torch.ones(2, dtype=torch.float64)))
    gradient = jax.grad(lambda x, y: f(x, y)[1].sum(), (0, 1))(array(3), array(3))
    np.testing.assert_array_equal(gradient, np.zeros((2, 3)))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "bfloat16"])
def test_dtypes_stay(dtype):
    f = as_jax_function(lambda x: 2 * x)
    y = jax.jit(f)(jnp.ones(3, dtype))
    assert y.dtype.name == dtype
    assert jax.vmap(f)(jnp.ones((2, 3), dtype)).dtype.name == dtype
    np.testing.assert_array_equal(np.asarray(y, "complex128"), 2)


def test_precision_that_jax_cannot_hold_is_said():
    f = as_jax_function(lambda x: x.double())
    with jax.enable_x64(False):
        with pytest.warns(UserWarning, match="gives float64, which JAX holds as float32"):
            y = f(jnp.ones(3))
        assert y.dtype == np.float32
        assert f(np.ones(3, "f4")).dtype == np.float64  # NumPy in, NumPy out: nothing is lost


def test_numpy_in_numpy_out():
    y = as_jax_function(lambda x: 2 * x)(np.ones(3))
    assert type(y) is np.ndarray
    np.testing.assert_array_equal(y, 2.0)


def test_everything_else_in_the_arguments_is_static():
    f = as_jax_function(lambda x, power, *, negate=False: -(x**power) if negate else x**power)
    x = array(3)
    np.testing.assert_allclose(jax.jit(lambda x: f(x, 2))(x), x**2)
    np.testing.assert_allclose(f(x, 3, negate=True), -(x**3))
    np.testing.assert_allclose(f(x, 2), x**2)


def test_errors_are_torchs_own():
    with pytest.raises(RuntimeError, match="size"):
        as_jax_function(lambda x: x + torch.ones(7, dtype=torch.float64))(array(3))
    with pytest.raises(TypeError, match="must return tensors, got str"):
        as_jax_function(lambda x: "text")(array(3))
    with pytest.raises(TypeError, match="takes a function of tensors, got int"):
        as_jax_function(3)


def test_as_a_function_operator():
    matrix = RNG.standard_normal((4, 3))
    A = torch.tensor(matrix)
    op = operax.FunctionOperator(as_jax_function(lambda x: A @ x), as_jax_function(lambda y: A.T @ y), 4, 3)
    from operax.testing import check_operator

    x = array(3)
    np.testing.assert_allclose(op @ np.asarray(x), matrix @ x)
    np.testing.assert_allclose(op.H @ (op @ x), matrix.T @ matrix @ x)
    gradient = jax.jit(jax.vmap(jax.grad(lambda x: jnp.sum((op @ x) ** 2))))(x[None])
    np.testing.assert_allclose(gradient[0], 2 * matrix.T @ matrix @ x)
    check_operator(op, skip=["strict", "complex input", "pickle"])


def test_name_and_documentation_stay():
    assert as_jax_function(pair).__name__ == "pair"
    assert as_jax_function(torch.nn.Tanh()).__name__ == "Tanh"
