"""OperatorModule in networks; TorchOperator with batches and devices."""

import copy

import numpy as np
import pytest

import operax

pytestmark = pytest.mark.bridge
torch = pytest.importorskip("torch")

from operax.torch import OperatorModule  # noqa: E402

RNG = np.random.default_rng(6)
MATRIX = RNG.standard_normal((4, 3))


# ---- OperatorModule


def test_parameters_are_trainable_copies():
    matrix = MATRIX.astype("f4")
    layer = OperatorModule(operax.MatrixMult(matrix))
    assert {name: (tuple(p.shape), p.dtype) for name, p in layer.named_parameters()} == {"A": ((4, 3), torch.float32)}
    target = torch.tensor(RNG.standard_normal((4, 3)).astype("f4"))
    optimizer = torch.optim.Adam(layer.parameters(), lr=0.1)
    x = torch.eye(3)
    for _ in range(200):
        optimizer.zero_grad()
        loss = ((layer(x) - target.T) ** 2).sum()
        loss.backward()
        optimizer.step()
    torch.testing.assert_close(layer.A.detach(), target, rtol=1e-2, atol=1e-2)
    np.testing.assert_array_equal(layer.function.Op.A, matrix)


def test_an_unrolled_network():
    class Unrolled(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.operator = OperatorModule(operax.MatrixMult(MATRIX), parameters=())
            self.prior = OperatorModule(operax.Diagonal(np.full(3, 0.1)))
            self.step = torch.nn.Parameter(torch.tensor(0.1, dtype=torch.float64))

        def forward(self, y):
            x = self.operator.adjoint(y)
            for _ in range(3):
                x = x - self.step * (self.operator.adjoint(self.operator(x) - y) + self.prior(x))
            return x

    network = Unrolled()
    assert [name for name, _ in network.named_parameters()] == ["step", "prior.diag"]
    y = torch.tensor(RNG.standard_normal((5, 4)))
    network(y).pow(2).sum().backward()
    A = torch.tensor(MATRIX)
    step, diag = (p.detach().clone().requires_grad_() for p in (network.step, network.prior.diag))
    x = y @ A
    for _ in range(3):
        x = x - step * ((x @ A.T - y) @ A + diag * x)
    x.pow(2).sum().backward()
    torch.testing.assert_close(network.step.grad, step.grad)
    torch.testing.assert_close(network.prior.diag.grad, diag.grad)


def test_names_of_nested_arrays():
    op = operax.Diagonal(np.ones(4)) @ operax.MatrixMult(MATRIX)
    layer = OperatorModule(op)
    assert len(list(layer.parameters())) == 2
    assert all(name.isidentifier() for name, _ in layer.named_parameters())
    again = OperatorModule(op)
    again.load_state_dict(layer.state_dict())


def test_trained_parameters_are_saved_and_restored(tmp_path):
    op = operax.Diagonal(np.ones(4)) @ operax.MatrixMult(MATRIX)
    layer, x = OperatorModule(op, parameters=True), torch.ones(3, dtype=torch.float64)
    before = layer(x).detach().clone()
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    (layer(x) ** 2).sum().backward()
    optimizer.step()
    after = layer(x).detach()
    assert (after**2).sum() < (before**2).sum()
    torch.save(layer.state_dict(), tmp_path / "layer.pt")
    again = OperatorModule(op, parameters=True)
    torch.testing.assert_close(again(x).detach(), before)
    again.load_state_dict(torch.load(tmp_path / "layer.pt", weights_only=True))
    torch.testing.assert_close(again(x).detach(), after)
    narrow = again.to(torch.float32)
    assert {p.dtype for p in narrow.parameters()} == {torch.float32}
    torch.testing.assert_close(narrow(x.float()).double(), after, rtol=1e-5, atol=1e-5)


def test_precision_follows_the_module():
    layer = OperatorModule(operax.MatrixMult(MATRIX)).float()
    assert layer(torch.ones(3)).dtype is torch.float32
    assert layer.double()(torch.ones(3, dtype=torch.float64)).dtype is torch.float64


def test_copies_are_independent():
    layer = OperatorModule(operax.MatrixMult(MATRIX))
    other = copy.deepcopy(layer)
    with torch.no_grad():
        other.A.zero_()
    x = torch.ones(3, dtype=torch.float64)
    torch.testing.assert_close(layer(x), torch.tensor(MATRIX.sum(1)))
    assert not other(x).any()


def test_compiled_layer():
    torch.compiler.reset()
    layer = OperatorModule(operax.MatrixMult(MATRIX))
    compiled = torch.compile(layer, fullgraph=True, backend="aot_eager")
    x = torch.ones(2, 3, dtype=torch.float64)
    compiled(x).sum().backward()
    torch.testing.assert_close(layer.A.grad, torch.full((4, 3), 2.0, dtype=torch.float64))


def test_what_is_wrong_is_named():
    with pytest.raises(ValueError, match=r"parameters has 'B', but the arrays .* are 'A'"):
        OperatorModule(operax.MatrixMult(MATRIX), parameters=["B"])
    with pytest.raises(TypeError, match="must be a sequence of names"):
        OperatorModule(operax.MatrixMult(MATRIX), parameters="A")
    with pytest.raises(TypeError, match="takes a linear operator, got function"):
        OperatorModule(lambda x: x)


# ---- TorchOperator

OP = operax.FirstDerivative((4, 3), axis=0)
CASES = {
    "flat": ({}, (12,)),
    "nd": ({}, (4, 3)),
    "nd, not flatten": ({"flatten": False}, (4, 3)),
    "batch flat": ({"batch": True}, (5, 12)),
    "batch nd": ({"batch": True, "flatten": False}, (5, 4, 3)),
}


@pytest.mark.parametrize("case", CASES)
def test_shapes_in_and_out(case):
    options, shape = CASES[case]
    Top = operax.TorchOperator(OP, **options)
    x = RNG.standard_normal(shape)
    batch = x.reshape(-1, 4, 3)
    given = torch.tensor(x, requires_grad=True)
    torch.testing.assert_close(Top.apply(given).detach(), torch.tensor(OP.batched(batch).reshape(shape)))
    torch.testing.assert_close(Top.adjoint(given).detach(), torch.tensor(OP.H.batched(batch).reshape(shape)))
    Top.apply(given).backward(torch.tensor(x))
    torch.testing.assert_close(given.grad, torch.tensor(OP.H.batched(batch).reshape(shape)))


@pytest.mark.parametrize(
    ("options", "shape"),
    [
        ({}, (5, 12)),
        ({}, (11,)),
        ({"batch": True}, (12,)),
        ({"batch": True}, (5, 4, 3)),
        ({"batch": True, "flatten": False}, (5, 12)),
        ({"batch": True}, ()),
    ],
)
def test_other_shapes_are_refused(options, shape):
    with pytest.raises(ValueError, match="takes tensors of shape"):
        operax.TorchOperator(OP, **options).apply(torch.ones(shape))


def test_what_the_reference_gives():
    pylops = pytest.importorskip("pylops")
    theirs = pylops.FirstDerivative((4, 3), axis=0)
    for case, (options, shape) in CASES.items():
        x = torch.tensor(RNG.standard_normal(shape))
        expected = pylops.TorchOperator(theirs, **options).apply(x)
        torch.testing.assert_close(operax.TorchOperator(OP, **options).apply(x), expected, msg=case)


def test_one_operator_under_all_its_names():
    Top = operax.TorchOperator(operax.MatrixMult(MATRIX))
    x, y = torch.ones(3, dtype=torch.float64), torch.ones(4, dtype=torch.float64)
    for got in (Top(x), Top @ x, Top * x, Top.forward(x), Top.matvec(x)):
        torch.testing.assert_close(got, torch.tensor(MATRIX.sum(1)))
    for got in (Top.rmatvec(y), Top.H @ y, Top.T(y), Top.H.H.adjoint(y)):
        torch.testing.assert_close(got, torch.tensor(MATRIX.sum(0)))
    assert repr(Top) == "<4x3 TorchOperator with dtype=float64>"
    assert (Top.shape, Top.dims, Top.dimsd) == ((4, 3), (3,), (4,))


def test_second_derivatives_and_transforms():
    Top = operax.TorchOperator(operax.MatrixMult(MATRIX), batch=True)
    x = torch.tensor(RNG.standard_normal((2, 3)), requires_grad=True)
    assert torch.autograd.gradcheck(Top.apply, x)
    assert torch.autograd.gradgradcheck(Top.apply, x)
    many = torch.func.vmap(Top.apply)(torch.ones(5, 2, 3, dtype=torch.float64))
    torch.testing.assert_close(many, torch.tensor(MATRIX.sum(1)).expand(5, 2, 4))


def test_devices():
    Top = operax.TorchOperator(OP, device="cpu", devicetorch="meta")
    assert Top.apply(torch.ones(12)).device.type == "meta"
    assert operax.TorchOperator(OP, device="gpu").device.type == "cuda"
    with pytest.raises(ValueError, match="device='nowhere' is not a device"):
        operax.TorchOperator(OP, device="nowhere")


def test_algebra_comes_before_wrapping():
    Top = operax.TorchOperator(operax.MatrixMult(MATRIX))
    for product in (lambda: Top @ Top, lambda: Top @ Top.Op):
        with pytest.raises(TypeError, match=r"combine operators first and wrap the result.*TorchOperator\(A @ B\)"):
            product()
    for other in (lambda: 2 * Top, lambda: Top + Top, lambda: -Top, lambda: Top - Top):
        with pytest.raises(TypeError, match=r"before they are wrapped, operax\.TorchOperator\(2 \* A \+ B\)"):
            other()
    with pytest.raises(TypeError, match=r"takes a torch\.Tensor, got ndarray: torch\.as_tensor\(x\)"):
        Top @ np.ones(3)
    with pytest.raises(ValueError, match=r"batch=True takes one leading batch axis"):
        Top @ torch.ones(5, 3)


def test_operators_of_other_libraries():
    Top = operax.TorchOperator(MATRIX)
    torch.testing.assert_close(Top.apply(torch.ones(3, dtype=torch.float64)), torch.tensor(MATRIX.sum(1)))
    with pytest.raises(TypeError, match=r"takes a torch\.Tensor, got ndarray"):
        Top.apply(np.ones(3))


def test_parameters_true_trains_all_and_false_none():
    op = operax.Diagonal(np.arange(1.0, 5.0, dtype="float32"))
    every, none = OperatorModule(op, parameters=True), OperatorModule(op, parameters=False)
    assert list(every.state_dict()) == ["diag"] and not list(none.state_dict())
    x = torch.ones(4)
    (every(x) ** 2).sum().backward()
    torch.optim.SGD(every.parameters(), lr=0.1).step()
    torch.testing.assert_close(every(x).detach(), 0.8 * torch.arange(1.0, 5.0))  # d - 0.1 * 2 d
    torch.testing.assert_close(none(x), torch.arange(1.0, 5.0))
