"""Synthetic events against their travel-time formulae and PyLops."""

import numpy as np
import pytest
from pylops.utils import seismicevents as peer

from operax.utils import seismicevents

T = 0.1 * np.arange(40)
X, Y = 3.0 * np.arange(-4, 5), 2.0 * np.arange(5)
WAV = np.array([0.2, -1.0, 3.0, -1.0, 0.2])

CASES = {
    "linear2d": (X, T, 20.0, (1.0, 1.83), (15.0, -20.0), (1.0, -2.0)),
    "parabolic2d": (X, T, (1.0, 1.5), (0.01, 0.0), (0.003, 0.004), (1.0, 0.5)),
    "hyperbolic2d": (X, T, (0.5, 1.0), (10.0, 14.0), (1.0, 0.5)),
    "linear3d": (X, Y, T, 20.0, (1.0, 1.83), (15.0, 20.0), (0.0, 40.0), (1.0, -2.0)),
    "parabolic3d": (X, Y, T, (1.0, 1.5), (0.01, 0.0), (0.02, 0.01), (0.003, 0.004), (0.001, 0.0), (1.0, 0.5)),
    "hyperbolic3d": (X, Y, T, (0.5, 1.0), (10.0, 14.0), (12.0, 9.0), (1.0, 0.5)),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("wav", [WAV, WAV[:4]], ids=["odd", "even"])
def test_events_equal_pylops(name, wav):
    ours = getattr(seismicevents, name)(*CASES[name], wav)
    theirs = getattr(peer, name)(*CASES[name], wav)
    for a, b in zip(ours, theirs):
        np.testing.assert_allclose(a, b, atol=1e-9)


def test_the_spike_sits_at_its_travel_time():
    """The mean time of a shared-out spike is the travel time, its sum the amplitude."""
    d, _ = seismicevents.hyperbolic2d(X, T, 1.0, 12.0, 2.0, WAV)
    np.testing.assert_allclose(d.sum(axis=1), 2.0)
    np.testing.assert_allclose(d @ T / 2.0, np.sqrt(1.0 + (X / 12.0) ** 2))


def test_spikes_outside_the_time_axis_are_left_out():
    d, _ = seismicevents.linear2d(X[:1], T, 1.0, (-0.05, 4.2), (0.0, 0.0), (1.0, 1.0), WAV)
    assert not d.any()


def test_numbers_stand_for_one_event_and_complex_amplitudes_stay():
    one, _ = seismicevents.linear2d(X, T, 20.0, 1.0, 10.0, 1.0, WAV)
    same, _ = seismicevents.linear2d(X, T, 20.0, (1.0,), (10.0,), (1.0,), WAV)
    np.testing.assert_array_equal(one, same)
    turned, _ = seismicevents.linear2d(X, T, 20.0, 1.0, 10.0, 1j, WAV)
    np.testing.assert_array_equal(turned, 1j * one)


def test_makeaxis():
    par = {"ox": 1, "dx": 2, "nx": 4, "ot": 3, "dt": 4, "nt": 5, "oy": -1, "dy": 0.5, "ny": 3}
    for ours, theirs in zip(seismicevents.makeaxis(par), peer.makeaxis(par)):
        np.testing.assert_array_equal(ours, theirs)
    del par["ny"]
    assert seismicevents.makeaxis(par)[3] is None


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: seismicevents.makeaxis({"ox": 1}), "par lacks ot, dt, nt, dx, nx"),
        (lambda: seismicevents.linear2d(X, T, 1.0, (1.0, 2.0), 0.0, 1.0, WAV), "one value an event.*'t0': 2"),
        (lambda: seismicevents.linear2d(X[None], T, 1.0, 1.0, 0.0, 1.0, WAV), r"x must be a one-dimensional axis"),
        (lambda: seismicevents.linear2d(X, T[:1], 1.0, 1.0, 0.0, 1.0, WAV), "at least two samples, got 1"),
    ],
)
def test_errors_say_what_is_wrong(call, says):
    with pytest.raises(ValueError, match=says):
        call()
