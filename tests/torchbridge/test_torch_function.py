"""Operators on tensors: values, derivatives to second order, torch.func, torch.compile."""

import copy
import pickle
import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import operax

pytestmark = pytest.mark.bridge
torch = pytest.importorskip("torch")

from torch.autograd import gradcheck, gradgradcheck  # noqa: E402

from operax.torch import as_torch_function  # noqa: E402

RNG = np.random.default_rng(2)
REAL = RNG.standard_normal((4, 3))
COMPLEX = REAL + 1j * RNG.standard_normal((4, 3))
MATRICES = pytest.mark.parametrize("matrix", [REAL, COMPLEX], ids=["real", "complex"])


def tensor(*shape, like=REAL, grad=False):
    values = RNG.standard_normal(shape) + (1j * RNG.standard_normal(shape) if like.dtype.kind == "c" else 0)
    return torch.tensor(values.astype(like.dtype), requires_grad=grad)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("wide", [False, True], ids=["x64 off", "x64 on"])
def test_values_and_dtypes(dtype, wide):
    matrix = (REAL if dtype[0] == "f" else COMPLEX).astype(dtype)
    f = as_torch_function(operax.MatrixMult(matrix))
    x, y = tensor(3, like=matrix), tensor(4, like=matrix)
    with jax.enable_x64(wide):
        torch.testing.assert_close(f(x), torch.tensor(matrix) @ x)
        torch.testing.assert_close(f.adjoint(y), torch.tensor(matrix).mH @ y)
        torch.testing.assert_close(f.H(y), torch.tensor(matrix).mH @ y)
        torch.testing.assert_close(f.H.adjoint(x), torch.tensor(matrix) @ x)


def test_promotion_is_the_operators():
    f = as_torch_function(operax.MatrixMult(REAL))
    with jax.enable_x64(False):
        assert f(torch.ones(3)).dtype is torch.float64
    x = torch.ones(3, requires_grad=True)
    f(x).sum().backward()
    assert x.grad.dtype is torch.float32


def test_shapes():
    op = operax.FirstDerivative((4, 3), axis=0)
    f = as_torch_function(op)
    x = RNG.standard_normal((5, 2, 4, 3))
    expected = torch.tensor(op.batched(x))
    given = torch.tensor(x)
    torch.testing.assert_close(f(given), expected)
    torch.testing.assert_close(f(given.reshape(5, 2, 12)), expected.reshape(5, 2, 12))
    torch.testing.assert_close(f(given[0, 0]), expected[0, 0])
    torch.testing.assert_close(f(given[0, 0].ravel()), expected[0, 0].ravel())
    assert f(torch.zeros(0, 4, 3)).shape == (0, 4, 3)


def test_layouts():
    f, x = as_torch_function(operax.MatrixMult(REAL)), tensor(3, 8)
    torch.testing.assert_close(f(x.T), x.T @ torch.tensor(REAL).T)
    torch.testing.assert_close(f(x.T[::2]), x.T[::2] @ torch.tensor(REAL).T)
    z = tensor(3, like=COMPLEX)
    torch.testing.assert_close(f(z.conj()), torch.tensor(REAL + 0j) @ z.conj())


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        (lambda: torch.ones(5), ValueError, r"tensors of shape \(\*batch, \(3,\)\) or \(\*batch, 3\), got \(5,\)"),
        (lambda: torch.tensor(1.0), ValueError, r"got \(\)"),
        (lambda: np.ones(3), TypeError, "takes a torch.Tensor, got ndarray"),
    ],
)
def test_wrong_inputs(given, error, text):
    with pytest.raises(error, match=text):
        as_torch_function(operax.MatrixMult(REAL))(given())


def test_wrong_parameters():
    f = as_torch_function(operax.MatrixMult(REAL))
    with pytest.raises(ValueError, match=r"has no array named 'B'.* are 'A'"):
        f(torch.ones(3), B=torch.ones(4, 3))
    with pytest.raises(ValueError, match=r"A of .* must be a tensor of shape \(4, 3\), got shape \(3, 4\)"):
        f(torch.ones(3), A=torch.ones(3, 4))
    with pytest.raises(ValueError, match="got ndarray"):
        f(torch.ones(3), A=REAL)


@MATRICES
def test_gradients_in_the_input(matrix):
    f, x = as_torch_function(operax.MatrixMult(matrix)), tensor(3, like=matrix, grad=True)
    assert gradcheck(f, x, check_forward_ad=True)
    assert gradgradcheck(f, x, check_fwd_over_rev=True)


@MATRICES
def test_gradients_in_input_and_parameters(matrix):
    f = as_torch_function(operax.MatrixMult(matrix))
    x, A = tensor(2, 3, like=matrix, grad=True), torch.tensor(matrix, requires_grad=True)

    def g(x, A):
        return f(x, A=A)

    assert gradcheck(g, (x, A), check_forward_ad=True)
    assert gradgradcheck(g, (x, A), check_fwd_over_rev=True)


def test_real_input_of_a_complex_operator():
    f, x = as_torch_function(operax.MatrixMult(COMPLEX)), tensor(3, grad=True)
    assert gradcheck(f, x, check_forward_ad=True)
    assert gradgradcheck(f, x)
    y = f(x)
    y.backward(torch.ones_like(y))
    assert x.grad.dtype is torch.float64


def test_operators_that_are_linear_over_the_reals_only():
    f = as_torch_function(operax.signalprocessing.FFT(6, real=True))
    assert gradcheck(f, tensor(6, grad=True), check_forward_ad=True)
    assert gradcheck(f.adjoint, tensor(4, like=COMPLEX, grad=True))


def test_parameters_of_composites_have_their_path_as_name():
    op = operax.Diagonal(np.arange(1.0, 5.0)) @ operax.MatrixMult(REAL)
    f = as_torch_function(op)
    name = next(n for n in f.parameters() if n.endswith("diag"))
    x, d = tensor(3), torch.arange(2.0, 6.0, dtype=torch.float64, requires_grad=True)
    torch.testing.assert_close(f(x, **{name: d}), d * (torch.tensor(REAL) @ x))
    f(x, **{name: d}).sum().backward()
    torch.testing.assert_close(d.grad, torch.tensor(REAL) @ x)


def test_foreign_code_has_gradients_in_torch():
    op = operax.aslinearoperator(lambda x: REAL @ x, lambda y: REAL.T @ y, dims=3, dimsd=4)
    f = as_torch_function(op)
    x = tensor(2, 3, grad=True)
    assert gradcheck(f, x)
    assert gradgradcheck(f, x)


def test_a_map_that_is_linear_keeps_no_input():
    f, x = as_torch_function(operax.MatrixMult(REAL)), tensor(3, grad=True)
    doubled = 2 * x
    gone = weakref.ref(doubled)
    y = f(doubled)
    del doubled
    assert gone() is None
    assert y.requires_grad


# ---- torch.func


@MATRICES
@pytest.mark.parametrize("axis", [0, 1])
def test_vmap(matrix, axis):
    f, A = as_torch_function(operax.MatrixMult(matrix)), torch.tensor(matrix)
    X = tensor(5, 3, like=matrix)
    given = X if axis == 0 else X.T
    torch.testing.assert_close(torch.func.vmap(f, in_dims=axis)(given), X @ A.T)


def test_vmap_over_parameters_and_nested():
    f = as_torch_function(operax.MatrixMult(REAL))
    As, X = tensor(5, 4, 3), tensor(5, 2, 3)
    many = torch.func.vmap(torch.func.vmap(lambda A, x: f(x, A=A), in_dims=(None, 0)))
    torch.testing.assert_close(many(As, X), torch.einsum("bij,bkj->bki", As, X))
    shared = torch.func.vmap(lambda A: f(X[0, 0], A=A))(As)
    torch.testing.assert_close(shared, As @ X[0, 0])


def test_functional_derivatives():
    f, A, x, t = as_torch_function(operax.MatrixMult(REAL)), torch.tensor(REAL), tensor(3), tensor(3)

    def loss(x):
        return (torch.sin(f(x)) * f(x)).sum()

    def reference(x):
        return (torch.sin(A @ x) * (A @ x)).sum()

    torch.testing.assert_close(torch.func.grad(loss)(x), torch.func.grad(reference)(x))
    for first, second in ((torch.func.jacfwd, torch.func.jacrev), (torch.func.jacrev, torch.func.jacrev)):
        torch.testing.assert_close(first(second(loss))(x), first(second(reference))(x))
    torch.testing.assert_close(torch.func.hessian(loss)(x), torch.func.hessian(reference)(x))
    for transform in (torch.func.jacfwd, torch.func.jacrev):
        torch.testing.assert_close(transform(f)(x), A)
    torch.testing.assert_close(torch.func.jvp(f, (x,), (t,))[1], A @ t)
    torch.testing.assert_close(torch.func.vjp(f, x)[1](f(t))[0], A.T @ (A @ t))


def test_gradients_for_each_sample():
    f, A, X = as_torch_function(operax.MatrixMult(REAL)), torch.tensor(REAL), tensor(5, 3)
    each = torch.func.vmap(torch.func.grad(lambda A, x: (f(x, A=A) ** 2).sum()), in_dims=(None, 0))(A, X)
    torch.testing.assert_close(each, torch.stack([2 * torch.outer(A @ x, x) for x in X]))


def test_tangents_of_parameters():
    f, A, x, t = as_torch_function(operax.MatrixMult(REAL)), torch.tensor(REAL), tensor(3), tensor(4, 3)
    got = torch.func.jvp(lambda A: f(x, A=A), (A,), (t,))[1]
    torch.testing.assert_close(got, t @ x)


# ---- torch.compile


@MATRICES
def test_compiled_without_graph_break(matrix):
    f, A = as_torch_function(operax.MatrixMult(matrix)), torch.tensor(matrix, requires_grad=True)
    x = tensor(2, 3, like=matrix, grad=True)

    def loss(function):
        return lambda x, A: (function(torch.sin(x), A).abs() ** 2).sum()

    torch.compiler.reset()
    ours = torch.compile(loss(lambda x, A: f(x, A=A)), fullgraph=True, backend="aot_eager")
    theirs = loss(lambda x, A: x @ A.T)
    torch.testing.assert_close(ours(x, A), theirs(x, A))
    for got, expected in zip(torch.autograd.grad(ours(x, A), (x, A)), torch.autograd.grad(theirs(x, A), (x, A))):
        torch.testing.assert_close(got, expected)
    only_x = torch.compile(lambda x: (f(x).abs() ** 2).sum(), fullgraph=True, backend="aot_eager")
    (got,) = torch.autograd.grad(only_x(x), x)
    (expected,) = torch.autograd.grad(((x @ A.T).abs() ** 2).sum(), x)
    torch.testing.assert_close(got, expected)


def test_compiled_for_several_batch_sizes():
    f, A = as_torch_function(operax.MatrixMult(REAL)), torch.tensor(REAL)
    torch.compiler.reset()
    compiled = torch.compile(lambda x: f.adjoint(f(x)) * 2, fullgraph=True, backend="aot_eager")
    for size in (2, 5, 9):
        x = tensor(size, 3)
        torch.testing.assert_close(compiled(x), 2 * x @ A.T @ A)


def test_the_custom_operator_keeps_torchs_rules():
    from operax.torch._autograd import run_call

    f = as_torch_function(operax.MatrixMult(REAL))
    call = f.call(False, ("A",))
    torch.library.opcheck(
        run_call,
        (call.handle, [tensor(2, 3, grad=True), torch.tensor(REAL, requires_grad=True)]),
        test_utils=("test_schema", "test_autograd_registration", "test_faketensor"),
    )


def test_compiled_code_whose_operator_is_gone():
    from operax.torch._call import Call

    handle = as_torch_function(operax.MatrixMult(REAL)).call(False, ()).handle
    with pytest.raises(RuntimeError, match="was deleted"):
        Call.at(handle)


# ---- copies


def test_copies_and_pickles():
    f, x = as_torch_function(operax.MatrixMult(REAL)), tensor(3)
    f(x)
    for again in (copy.deepcopy(f), pickle.loads(pickle.dumps(f)), pickle.loads(pickle.dumps(f.H)).H):
        torch.testing.assert_close(again(x), f(x))


# ---- JAX functions


def test_jax_functions_of_trees():
    f = as_torch_function(
        lambda tree, scale: {"y": jnp.sin(tree["a"]) * tree["b"][0] * scale, "i": jnp.argmax(tree["a"])}
    )
    a, b = tensor(3, grad=True), tensor(3, grad=True)
    found = f({"a": a, "b": [b]}, 2.0)
    assert found["i"] == a.argmax()
    torch.testing.assert_close(found["y"], a.sin() * b * 2)
    assert gradcheck(lambda a, b: f({"a": a, "b": [b]}, 2.0)["y"], (a, b), check_forward_ad=True)
    assert gradgradcheck(lambda a, b: f({"a": a, "b": [b]}, 2.0)["y"], (a, b), check_fwd_over_rev=True)
    X = tensor(4, 3)
    many = torch.func.vmap(lambda a: f({"a": a, "b": [b.detach()]}, 2.0)["y"])(X)
    torch.testing.assert_close(many, X.sin() * b.detach() * 2)


def test_holomorphic_and_other_complex_functions():
    for function in (lambda z: z**3, lambda z: jnp.conj(z) * z * 1j, lambda z: jnp.abs(z)):
        z = tensor(3, like=COMPLEX, grad=True)
        assert gradcheck(as_torch_function(function), z, check_forward_ad=True)


def test_anything_that_is_an_operator_elsewhere():
    torch.testing.assert_close(as_torch_function(REAL)(torch.ones(3, dtype=torch.float64)), torch.tensor(REAL.sum(1)))
    with pytest.raises(TypeError, match="cannot make a linear operator of int"):
        as_torch_function(3)
