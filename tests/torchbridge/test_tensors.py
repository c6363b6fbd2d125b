"""Tensors and JAX arrays on one memory."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import operax

pytestmark = pytest.mark.bridge
torch = pytest.importorskip("torch")

from operax.torch import as_torch_function, to_jax, to_torch  # noqa: E402

DTYPES = ["float16", "bfloat16", "float32", "float64", "complex64", "complex128", "int32", "int64", "bool"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_no_copy_into_jax(dtype):
    tensor = torch.ones(3, 4).to(getattr(torch, dtype))
    array = to_jax(tensor)
    assert array.dtype.name == dtype
    assert array.shape == (3, 4)
    assert array.unsafe_buffer_pointer() == tensor.data_ptr()


@pytest.mark.parametrize("dtype", DTYPES)
def test_no_copy_into_torch(dtype):
    array = jnp.ones((3, 4), dtype)
    tensor = to_torch(array)
    assert tensor.dtype is getattr(torch, dtype)
    assert tensor.data_ptr() == array.unsafe_buffer_pointer()


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.arange(12.0)[1:],
        lambda: torch.arange(12.0)[::3],
        lambda: torch.arange(12.0).reshape(3, 4).T,
        lambda: torch.arange(4.0).expand(3, 4),
        lambda: torch.arange(4.0).requires_grad_(),
        lambda: torch.tensor(2.0),
        lambda: torch.zeros(0, 3),
        lambda: (torch.arange(3.0) * 1j).conj(),
        lambda: (torch.arange(3.0) * 1j).conj().imag,
    ],
    ids=["unaligned", "strided", "transposed", "expanded", "grad", "0-d", "empty", "conjugate", "negative"],
)
def test_any_layout_keeps_its_values(make):
    tensor = make()
    array = to_jax(tensor)
    np.testing.assert_array_equal(np.asarray(array), tensor.detach().resolve_conj().resolve_neg().numpy())


def test_sparse_tensors_are_refused():
    with pytest.raises(TypeError, match="dense tensors"):
        to_jax(torch.eye(3).to_sparse())


def test_devices_that_jax_lacks_are_named():
    tensor = torch.ones(3, device="meta")
    with pytest.raises(ValueError, match="the tensor is on meta, but JAX has no such device"):
        to_jax(tensor)


def test_a_large_call_moves_no_data():
    seen = []

    class Seen(operax.LinearOperator):
        def _forward(self, x):
            seen.append(x)
            return x[..., ::-1]

        _adjoint = _forward

    n = 1 << 16
    f = as_torch_function(Seen(dims=n, dimsd=n))
    x = torch.randn(n)
    given = []
    call = f.call(False, ())
    jitted = call.jitted
    call.jitted = lambda *arrays: given.extend(arrays) or (given.append(jitted(*arrays)[0]) or (given[-1],))
    y = f(x)
    assert given[0].unsafe_buffer_pointer() == x.data_ptr()
    assert given[1].unsafe_buffer_pointer() == y.data_ptr()
    torch.testing.assert_close(y, x.flip(0))


@pytest.mark.parametrize("n", [8, 1 << 16], ids=["small", "large"])
def test_results_share_memory_with_nothing_in_use(n):
    x = torch.arange(float(n))
    same = as_torch_function(lambda x: x)(x)
    same += 1
    assert x[1] == 1.0
    one, two = as_torch_function(lambda x: (x + 1, x + 1))(x)
    one.zero_()
    assert two[0] == 1.0

    class Gives(operax.LinearOperator):
        def __init__(self, weights):
            super().__init__(dims=(), dimsd=weights.shape)
            self.weights = weights

        def _forward(self, x):
            return self.weights

    op = Gives(jnp.arange(float(n)))
    as_torch_function(op)(torch.tensor(1.0)).zero_()
    assert op.weights[1] == 1.0


def test_inputs_may_change_after_the_call():
    n = 1 << 18
    f = as_torch_function(operax.Flip(n))
    x = torch.ones(n)
    results = []
    for k in range(20):
        x.fill_(float(k))
        results.append(f(x))
    assert [float(r.min()) for r in results] == [float(r.max()) for r in results] == list(range(20))


def test_switches_are_left_as_found():
    f = as_torch_function(operax.FirstDerivative(5))
    for switch in (False, True):
        with jax.enable_x64(switch):
            assert f(torch.ones(5, dtype=torch.float64)).dtype is torch.float64
            assert f(torch.ones(5)).dtype is torch.float32
            assert jax.config.jax_enable_x64 == switch
