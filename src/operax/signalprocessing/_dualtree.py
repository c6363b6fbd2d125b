"""Filters of the dual-tree complex wavelet transform, and the banks that apply them."""

from __future__ import annotations

import numpy as np

from operax._arrays.polyphase import Bank, Row

# Level 1: biorthogonal pairs of odd length; the first half of the lowpass filters with the centre, analysis and
# synthesis. "legall" and "antonini" are the 5/3 and the 9/7 pair [2, 3], the near-symmetric pairs are from [1].
BIORT: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "legall": ((-1 / 8, 1 / 4, 3 / 4), (1 / 4, 1 / 2)),
    "near_sym_a": ((-1 / 20, 1 / 4, 3 / 5), (-3 / 280, -3 / 56, 73 / 280, 17 / 28)),
    "near_sym_b": (
        (-0.0017578125, 0.0, 0.022265625, -0.046875, -0.0482421875, 0.296875, 0.55546875),
        (
            *(7.062639508928571e-05, 0.0, -0.0013419015066964285, -0.0018833705357142855, 0.007156808035714285),
            *(
                0.023856026785714284,
                -0.05564313616071428,
                -0.05168805803571428,
                0.29975760323660716,
                0.5594308035714286,
            ),
        ),
    ),
    "antonini": (
        (0.02674875741080976, -0.01686411844287495, -0.07822326652898785, 0.2668641184428723, 0.6029490182363579),
        (-0.04563588155712474, -0.028771763114249785, 0.2956358815571242, 0.5575435262285002),
    ),
}

# Further levels: orthogonal lowpass filters with a delay of a quarter sample for the first tree; the second tree has
# them reversed [1].
QSHIFT: dict[str, tuple[float, ...]] = {
    "qshift_06": (
        *(0.03516383657149474, 0.0, -0.08832942445107285, 0.23389032060723564, 0.7602723690661257),
        *(0.5875182977235605, 0.0, -0.11430183714424873, 0.0, 0.0),
    ),
    "qshift_a": (
        *(0.05113040528383166, -0.01397537024688884, -0.10983605166597087, 0.26383956105893763, 0.7666284677930372),
        *(0.5636557101270515, 0.0008736226952171, -0.1002312195074762, -0.00168968127252815, -0.00618188189211644),
    ),
    "qshift_b": (
        *(0.00325314276365318, -0.00388321199915849, 0.03466034684485349, -0.03887280126882779, -0.11720388769911527),
        *(0.27529538466888204, 0.7561456438925225, 0.5688104207121227, 0.011866092033797, -0.1067118046866654),
        *(0.0238253847949203, 0.01702522388155399, -0.00543947593727412, -0.00455689562847549),
    ),
    "qshift_c": (
        *(-0.0047616119384559135, -0.00044602278926228516, -7.144197327965012e-05, 0.03491461230684219),
        *(-0.03727389579989796, -0.11591145742744076, 0.2763686431330317, 0.7563937651990367, 0.567134484100133),
        *(0.014637405964473349, -0.11255888425752203, 0.02228926326692271, 0.018498682724156248),
        *(-0.0072026778782583465, -0.0002276522058977718, 0.0024303499451486751),
    ),
    "qshift_d": (
        *(-0.00228412744027053, 0.00120989416307344, -0.01183479451543079, 0.0012834569993444, 0.044365221606617),
        *(-0.05327610880304726, -0.1133058863621428, 0.2809028632221865, 0.7528160380878561, 0.5658080673964587),
        *(0.02455015243366656, -0.12018854471079482, 0.01815649394554645, 0.03152637712208465),
        *(-0.00662879461243006, -0.00257617430660079, 0.001277558653807, 0.00241186945666628),
    ),
}


def whole(half: tuple[float, ...]) -> np.ndarray:
    """The symmetric filter of which `half` is the first half with the centre."""
    return np.array([*half, *half[-2::-1]])


def alternating(taps: int, centre: int) -> np.ndarray:
    """Signs that make a highpass of a lowpass filter, 1 at the centre."""
    return 1.0 - 2.0 * (np.abs(np.arange(taps) - centre) % 2)


def level_one(taps: int) -> Bank:
    """Convolution with a filter of odd length, centred."""
    return Bank(1, (Row(tuple(range(taps - 1, -1, -1)), -(taps // 2), 1),))


def decimating(taps: int, swapped: bool) -> Bank:
    """Every fourth output of each tree: the first tree reads the even samples, the second the odd ones.

    `swapped`: the two outputs trade places, as for highpass filters.
    """
    reverse = tuple(range(taps - 1, -1, -1))
    rows = Row(reverse, 2 - taps, 2), Row(reverse, 3 - taps, 2)
    return Bank(4, rows[::-1] if swapped else rows)


def interpolating(taps: int, swapped: bool) -> Bank:
    """Two outputs of each tree for every sample of it."""
    half = taps // 2
    odd, even = tuple(range(taps - 1, -1, -2)), tuple(range(taps - 2, -1, -2))
    if half % 2:
        first, second, starts = even, odd, (1 - half, 1 - half)
    else:
        first, second, starts = odd, even, (-half, 2 - half)
    a, b = (1, 0) if swapped else (0, 1)
    return Bank(
        2,
        (
            Row(first, starts[0] + a, 2),
            Row(first, starts[0] + b, 2),
            Row(second, starts[1] + a, 2),
            Row(second, starts[1] + b, 2),
        ),
    )
