"""Each error names what is wrong and the cure."""

import traceback

import jax
import jax.numpy as jnp
import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest

from operax.pytensor import as_jax_op

pytestmark = pytest.mark.bridge

x = pt.tensor("x", shape=(3,))
v = pt.dvector("v")


def broken_function(values, table):
    return jnp.sum(values @ table["w"])  # the line to be shown


def test_an_error_while_tracing_shows_the_users_line_and_the_shapes():
    with pytest.raises(TypeError) as caught:
        as_jax_op(broken_function)(x, {"w": pt.tensor("w", shape=(4, 2))})
    text = "".join(traceback.format_exception(caught.value))
    assert "the line to be shown" in text
    assert "While tracing 'broken_function' for PyTensor with values: float64[3], table['w']: float64[4, 2]" in text


def test_an_error_of_the_function_itself_is_not_hidden_by_unknown_sizes():
    def fails(x):
        raise ArithmeticError("of its own")

    with pytest.raises(ArithmeticError, match="of its own"):
        as_jax_op(fails)(v)


def test_a_variable_where_a_number_is_needed():
    with pytest.raises(Exception, match=r"pass it as a plain Python or NumPy value, which makes it static"):
        as_jax_op(lambda x, n: jnp.zeros(int(n)) + x[0])(x, pt.constant(2))


def test_wrong_number_of_arguments():
    f = as_jax_op(lambda a, b, *, c=1: a + b, name="add")
    with pytest.raises(TypeError, match=r"add: missing a required argument: 'b'.*add\(a, b, \*, c=1\)"):
        f(x)
    with pytest.raises(TypeError, match=r"add: got an unexpected keyword argument 'd'"):
        f(x, x, d=1)
    declared = as_jax_op(lambda a, b: a + b, itypes=[pt.dvector, pt.dvector], otypes=[pt.dvector])
    with pytest.raises(TypeError, match=r"declared with 2 input types.*give one positional argument for each"):
        declared(x, b=x)


def test_an_output_that_is_no_array():
    with pytest.raises(TypeError, match=r"returned 'text', which holds no array.*Return an array"):
        as_jax_op(lambda x: "text")(x)
    with pytest.raises(TypeError, match=r"typed random key .*return jax.random.key_data"):
        as_jax_op(lambda x: jax.random.key(0))(x)
    with pytest.raises(TypeError, match=r"dtype bfloat16, which PyTensor cannot hold: convert it"):
        as_jax_op(lambda x: x.astype("bfloat16"))(x)


def test_a_structure_that_changes_between_calls():
    state = []

    def impure(x):
        state.append(1)
        return x if len(state) == 1 else (x, x)

    y = as_jax_op(impure)(x)
    jax.clear_caches()  # as happens when memory is short: the function is traced again
    f = pytensor.function([x], y)
    with pytest.raises(TypeError, match=r"must return the same structure on every call.*arguments only"):
        f(np.ones(3))


def test_a_shape_that_changes_between_calls():
    state = []

    def impure(x):
        state.append(1)
        return x if len(state) == 1 else x[:2]

    y = as_jax_op(impure)(x)
    jax.clear_caches()
    f = pytensor.function([x], y)
    with pytest.raises(ValueError, match=r"shape \(2,\) and dtype float64 as output 0, where the graph holds .*\(3,\)"):
        f(np.ones(3))


def test_unknown_sizes_name_the_argument_and_the_declaration():
    def only_fifty(a, b):
        if not isinstance(b.shape[0], int) or b.shape[0] != 50:
            raise ValueError("fifty values are needed")
        return jnp.reshape(b, (5, 10)) * a[0]

    with pytest.raises(
        ValueError, match=r"'only_fifty'.*b of type .*axes \[0\] unknown.*specify_shape.*as_jax_op\(itypes="
    ):
        as_jax_op(only_fifty)(x, v)


def test_reverse_mode_through_a_while_loop():
    loop = as_jax_op(lambda x: jax.lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * 2), (0, x))[1].sum())
    for variable in (x, v):
        with pytest.raises(ValueError, match=r"Reverse-mode differentiation does not work.*scan(.|\n)*forward"):
            pytensor.grad(loop(variable), variable)


def test_declarations_that_do_not_fit():
    with pytest.raises(TypeError, match="given together"):
        as_jax_op(jnp.sin, itypes=[pt.dvector])
    with pytest.raises(TypeError, match="infer_shape goes with"):
        as_jax_op(jnp.sin, infer_shape=lambda *a: [()])
    with pytest.raises(TypeError, match="must be PyTensor tensor types"):
        as_jax_op(jnp.sin, itypes=["dvector"], otypes=[pt.dvector])
    f = as_jax_op(jnp.sin, itypes=[pt.dvector], otypes=[pt.dmatrix])
    with pytest.raises(TypeError, match=r"argument 0 of 'sin' has type .*itypes says .*\.astype\('float64'\)"):
        f(pt.fvector("x"))
    with pytest.raises(ValueError, match=r"as output 0, where the graph holds .*Declare the type"):
        pytensor.function([v], f(v))(np.ones(2))
    two = as_jax_op(lambda x: (x, x), itypes=[pt.dvector], otypes=[pt.dvector], name="two")
    with pytest.raises(ValueError, match=r"two returned 2 arrays where 1 were declared"):
        pytensor.function([v], two(v))(np.ones(2))


def test_variables_that_hold_no_dense_array():
    import pytensor.sparse

    with pytest.raises(TypeError, match=r"matrix is .*Make it dense"):
        as_jax_op(lambda matrix: matrix)(pytensor.sparse.csr_matrix("s"))
    rng = pytensor.shared(np.random.default_rng(0))
    with pytest.raises(TypeError, match="rng is "):
        as_jax_op(lambda rng: rng)(rng)


def test_variables_and_traced_values_at_once():
    with pytest.raises(TypeError, match=r"Pass the PyTensor variables to the outermost wrapped function"):
        jax.jit(lambda a: as_jax_op(lambda a, b: a + b)(a, x))(np.ones(3))


def test_what_is_not_callable():
    with pytest.raises(TypeError, match="a function is expected, got 3"):
        as_jax_op(3)


@pytest.mark.parametrize("argument", [x, v], ids=["known size", "unknown size"])
def test_a_function_of_numpy_is_told_from_unknown_sizes(argument):
    with pytest.raises(jax.errors.TracerArrayConversionError) as caught:
        as_jax_op(np.sin)(argument)
    text = "".join(traceback.format_exception(caught.value))
    assert "write it with jax.numpy" in text and "While tracing 'sin'" in text
