"""`check_operator` finds faults, and says which check failed and how to go on."""

import sys

import numpy as np
import pytest

import operax
from operax.testing import check_operator


class Scale(operax.LinearOperator):
    def __init__(self, factor, n=4):
        super().__init__(dims=n, dimsd=n)
        self.factor = self._parameter(factor, "factor")

    def _forward(self, x):
        return self.factor * x

    def _adjoint(self, y):
        return self.factor * y


class WrongAdjoint(Scale):
    def _adjoint(self, y):
        return 2 * self.factor * y


class HostOnly(Scale):
    def _adjoint(self, y):
        return self.factor.conj() * y


def test_a_right_operator_passes():
    check_operator(Scale(np.arange(1.0, 5.0)))
    check_operator(Scale(np.arange(1.0, 5.0)), matrix=np.diag(np.arange(1.0, 5.0)))


def test_a_wrong_adjoint_and_a_wrong_matrix_are_found():
    with pytest.raises(AssertionError, match="WrongAdjoint"):
        check_operator(WrongAdjoint(np.ones(4)))
    with pytest.raises(AssertionError, match="Scale"):
        check_operator(Scale(np.ones(4)), matrix=np.diag([1.0, 1, 1, 2]))


def test_an_error_inside_names_the_check_and_the_cure():
    with pytest.raises(AssertionError, match=r"check 'strict' of HostOnly.*AttributeError.*skip=\['strict'\]"):
        check_operator(HostOnly(np.ones(4)))
    check_operator(HostOnly(np.ones(4)), skip=["strict"])


def test_a_missing_package_leaves_its_check_out_with_a_warning(monkeypatch):
    monkeypatch.setitem(sys.modules, "array_api_strict", None)
    with pytest.warns(UserWarning, match="'strict' was left out: install array-api-strict"):
        check_operator(Scale(np.ones(4)))


def test_a_class_that_only_cloudpickle_can_copy(monkeypatch):
    class Local(Scale):
        pass

    check_operator(Local(np.ones(4)))
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    with pytest.warns(UserWarning, match="'pickle' was left out: install cloudpickle"):
        check_operator(Local(np.ones(4)))


def test_unknown_checks_are_named():
    with pytest.raises(ValueError, match=r"unknown checks \['speed'\]"):
        check_operator(Scale(np.ones(4)), skip=["speed"])
