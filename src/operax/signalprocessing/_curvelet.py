"""Windows of the uniform discrete curvelet transform, and where each of their values goes.

A window lives on the frequencies of one wedge. Its coefficients are decimated: frequencies fold onto a small grid, on
which no two of one wedge meet. So a transform is one gather from the spectrum, a multiplication, and small inverse
transforms, and everything that depends on the geometry is a list of positions and weights, made here once.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np


class Group(NamedTuple):
    """Wedges that follow one another and have coefficients of one shape.

    Parameters
    ----------
    scale
        0 for the lowpass image, growing with the frequency.
    direction
        Main axis; the directions of negative frequencies follow those of the positive ones.
    wedges
        How many.
    shape
        Shape of the coefficients of one wedge.
    """

    scale: int
    direction: int
    wedges: int
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """Number of coefficients."""
        return self.wedges * math.prod(self.shape)


class Geometry(NamedTuple):
    """Coefficients in their order: from which frequency each comes, and with which weight.

    Parameters
    ----------
    groups
        The order of the coefficients.
    source
        Position in the flattened spectrum for each coefficient before the inverse transforms.
    window
        Weight of that frequency; 0 where a grid has room to spare.
    """

    groups: tuple[Group, ...]
    source: np.ndarray
    window: np.ndarray


class Entries(NamedTuple):
    """Values of a window that are not zero: positions in the flattened spectrum, and frequencies by axis."""

    position: np.ndarray
    frequency: tuple[np.ndarray, ...]
    value: np.ndarray


def step(x: np.ndarray) -> np.ndarray:
    """Meyer's polynomial, from 0 at 0 to 1 at 1, with ``step(x) + step(1 - x) = 1``."""
    x = np.clip(x, 0.0, 1.0)
    return x**4 * (35 + x * (-84 + x * (70 - 20 * x)))


def overlap_of(wedges: int) -> float:
    r"""A tenth of the largest overlap, the solution of :math:`2^{1/w} (1 + 2 a) (1 + a) = w`."""
    return 0.1 * (math.sqrt(1 + 8 * wedges * 2 ** (-1 / wedges)) - 3) / 4


def decimation(scale: int, scales: int, wedges: int) -> tuple[int, int]:
    """Steps of the coefficient grid along the main axis and along the others."""
    fine = 2 ** (scales - 1 - scale)
    return 2 * fine, fine * 2 * wedges // 3


def geometry(
    dims: tuple[int, ...],
    scales: int,
    wedges: int,
    overlap: float,
    radial: tuple[float, ...],
    threshold: float,
    ring: bool,
    both: bool,
) -> Geometry:
    """All windows of a transform.

    Parameters
    ----------
    dims
        Shape of the image.
    scales
        Number of scales with the lowpass image.
    wedges
        Number of wedges a direction at the coarsest scale; it doubles with each scale.
    overlap
        Half the width of the transition between wedges, in wedges.
    radial
        Where the band of the finest scale begins, is whole, begins to fall, and ends.
    threshold
        Smallest value that is kept.
    ring
        Whether the finest scale is one window in all directions.
    both
        Whether negative frequencies have wedges of their own.
    """
    groups: list[Group] = []
    windows: list[tuple[Group, Entries, tuple[int, ...]]] = []
    coarse = tuple(2 ** (scales - 2) for _ in dims)
    lowpass = Group(0, 0, 1, tuple(n // d for n, d in zip(dims, coarse)))
    groups.append(lowpass)
    windows.append((lowpass, _lowpass(dims, _edge(radial, scales - 2), threshold), coarse))
    for scale in range(1, scales):
        if ring and scale == scales - 1:
            group = Group(scale, 0, 1, dims)
            groups.append(group)
            windows.append((group, _ring(dims, radial, threshold), tuple(1 for _ in dims)))
            continue
        count = wedges * 2 ** (scale - 1)
        main, side = decimation(scale, scales, count)
        for sign in (1, -1) if both else (1,):
            for axis in range(len(dims)):
                steps = tuple(main if a == axis else side for a in range(len(dims)))
                shape = tuple(n // s for n, s in zip(dims, steps))
                group = Group(scale, axis + (len(dims) if sign < 0 else 0), count ** (len(dims) - 1), shape)
                groups.append(group)
                band = _band(dims, _edge(radial, scales - 1 - scale), _edge(radial, scales - 2 - scale), axis)
                for entries in _wedges(dims, band, axis, count, overlap, threshold):
                    # as published, frequencies that are negative along the main axis come first
                    windows.append((group, _mirrored(dims, entries) if sign > 0 else entries, steps))
    placed = [_placed(dims, group, entries, steps) for group, entries, steps in windows]
    energy = _energy(dims, windows, placed, both)
    if not (energy > 0).all():
        empty = tuple(int(i) for i in np.unravel_index(np.argmin(energy), dims))
        raise ValueError(
            f"radial_frequency_params={radial} with window_overlap={overlap} and window_threshold={threshold} leave "
            f"the frequency {empty} of dims={dims} in no window: end the last band further beyond pi, or lower the "
            "threshold"
        )
    sources, weights = [], []
    for (group, entries, _), (cell, kept) in zip(windows, placed):
        doubled = not both and group.scale > 0 and not (ring and group.scale == scales - 1)
        source, weight = np.zeros(math.prod(group.shape), np.int64), np.zeros(math.prod(group.shape))
        position = entries.position[kept]
        source[cell] = position
        weight[cell] = entries.value[kept] / np.sqrt(energy[position]) * (math.sqrt(2.0) if doubled else 1.0)
        sources.append(source)
        weights.append(weight)
    return Geometry(tuple(groups), np.concatenate(sources).astype(np.int32), np.concatenate(weights))


def _edge(radial: tuple[float, ...], finer: int) -> tuple[float, float]:
    """Where a band begins that has `finer` ones above it: the end of the one below. The last one's end for -1."""
    return (radial[2], radial[3]) if finer < 0 else (radial[0] / 2.0**finer, radial[1] / 2.0**finer)


def _falling(w: np.ndarray, start: float, stop: float) -> np.ndarray:
    """Squared lowpass window: 1 up to `start`, 0 from `stop`."""
    return step((stop - np.abs(w)) / (stop - start))


def _frequencies(n: int) -> np.ndarray:
    return 2 * np.pi * np.arange(n) / n


def _centred(n: int) -> np.ndarray:
    return 2 * np.pi * np.fft.fftfreq(n)


def _outer(factors: list[np.ndarray]) -> np.ndarray:
    out = np.ones(())
    for f in factors:
        out = np.multiply.outer(out, f)
    return out


def _kept(dims: tuple[int, ...], squared: np.ndarray, threshold: float) -> Entries:
    position = np.flatnonzero(squared > threshold**2)
    index = np.unravel_index(position, dims)
    frequency = tuple(_centred(n)[i] for n, i in zip(dims, index))
    return Entries(position, frequency, np.sqrt(squared.ravel()[position]))


def _lowpass(dims: tuple[int, ...], edge: tuple[float, float], threshold: float) -> Entries:
    return _kept(dims, _outer([_falling(_centred(n), *edge) for n in dims]), threshold)


def _ring(dims: tuple[int, ...], radial: tuple[float, ...], threshold: float) -> Entries:
    """All frequencies above the last lowpass: what bands in all directions would have together."""
    inner = _outer([_falling(_centred(n), *_edge(radial, 0)) for n in dims])
    return _kept(dims, 1 - inner, threshold)


def _band(
    dims: tuple[int, ...], inner: tuple[float, float], outer: tuple[float, float], axis: int
) -> Iterator[Entries]:
    """Squared radial window on positive frequencies of `axis`: what two lowpass windows differ by.

    The band ends beyond pi; frequencies there are those below minus pi of the grid, so the other axes are looked at
    in both readings.
    """
    readings = []
    for a, n in enumerate(dims):
        w = _frequencies(n)
        # the main axis is read as 0 to 2 pi; others as they are, and a turn away
        readings.append([w] if a == axis else [w, w - 2 * np.pi])
    for chosen in itertools.product(*readings):
        # nothing of the band lies beyond its end: cut the box before anything is computed
        boxes = [np.flatnonzero(np.abs(w) < outer[1]) for w in chosen]
        if any(len(box) == 0 for box in boxes):
            continue
        parts = [w[box] for w, box in zip(chosen, boxes)]
        squared = _outer([_falling(p, *outer) for p in parts]) - _outer([_falling(p, *inner) for p in parts])
        inside = np.nonzero(squared > 0)
        frequency = tuple(w[box][i] for w, box, i in zip(chosen, boxes, inside))
        position = np.ravel_multi_index(tuple(box[i] for box, i in zip(boxes, inside)), dims)
        yield Entries(position, frequency, squared[inside])


def _angle(side: np.ndarray, main: np.ndarray) -> np.ndarray:
    """Slope of a direction: its tangent up to 45 degrees, beyond that 2 minus the cotangent."""
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.nan_to_num(side / main, nan=0.0)
        return np.where(np.abs(slope) <= 1, slope, np.sign(slope) * (2 - 1 / np.abs(slope)))


def _wedges(
    dims: tuple[int, ...], band: Iterator[Entries], axis: int, count: int, overlap: float, threshold: float
) -> list[Entries]:
    """The band cut into wedges, those of positive slopes first."""
    others = [a for a in range(len(dims)) if a != axis]
    found: dict[int, list[Entries]] = {number: [] for number in range(count ** len(others))}
    for entries in band:
        main = entries.frequency[axis]
        # clipped far outside: directions at a right angle to the main axis have no finite slope
        places = [np.clip((1 - _angle(entries.frequency[a], main)) * count / 2, -2, count + 2) for a in others]
        for offsets in itertools.product((-1, 0, 1), repeat=len(others)):
            number, squared = np.zeros(len(main), np.int64), entries.value
            inside = np.ones(len(main), bool)
            for place, offset in zip(places, offsets):
                wedge = np.floor(place).astype(np.int64) + offset
                distance = np.abs(place - wedge - 0.5)
                squared = squared * step((0.5 + overlap - distance) / (2 * overlap))
                inside &= (wedge >= 0) & (wedge < count)
                number = number * count + wedge
            inside &= squared > threshold**2
            if not inside.any():
                continue
            order = np.flatnonzero(inside)
            order = order[np.argsort(number[order], kind="stable")]
            cuts = np.searchsorted(number[order], np.arange(count ** len(others) + 1))
            for wedge in np.unique(number[order]):
                rows = order[cuts[wedge] : cuts[wedge + 1]]
                frequency = tuple(f[rows] for f in entries.frequency)
                found[wedge].append(Entries(entries.position[rows], frequency, np.sqrt(squared[rows])))
    return [_joined(parts, len(dims)) for parts in found.values()]


def _joined(parts: list[Entries], ndim: int) -> Entries:
    if not parts:
        nothing = np.zeros(0)
        return Entries(np.zeros(0, np.int64), (nothing,) * ndim, nothing)
    frequency = tuple(np.concatenate([p.frequency[a] for p in parts]) for a in range(ndim))
    return Entries(np.concatenate([p.position for p in parts]), frequency, np.concatenate([p.value for p in parts]))


def _mirrored(dims: tuple[int, ...], entries: Entries) -> Entries:
    """The same window on the opposite frequencies."""
    return entries._replace(position=_opposite(dims, entries.position))


def _opposite(dims: tuple[int, ...], position: np.ndarray) -> np.ndarray:
    index = np.unravel_index(position, dims)
    return np.ravel_multi_index(tuple(-i % n for i, n in zip(index, dims)), dims)


def _placed(
    dims: tuple[int, ...], group: Group, entries: Entries, steps: tuple[int, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Cells of the decimated grid, and which entries have them.

    Where two frequencies fold onto one cell (at the rims of wide overlaps) the larger value stays; the division by
    the energy that is left keeps the transform a tight frame.
    """
    index = np.unravel_index(entries.position, dims)
    cell = np.ravel_multi_index(tuple(i % (n // s) for i, n, s in zip(index, dims, steps)), group.shape)
    order = np.argsort(-entries.value, kind="stable")
    _, first = np.unique(cell[order], return_index=True)
    kept = order[first]
    return cell[kept], kept


def _energy(
    dims: tuple[int, ...],
    windows: list[tuple[Group, Entries, tuple[int, ...]]],
    placed: list[tuple[np.ndarray, np.ndarray]],
    both: bool,
) -> np.ndarray:
    """Sum of all squared windows at each frequency; one-sided ones count for the opposite frequency as well."""
    total = np.zeros(math.prod(dims))
    for (group, entries, steps), (_, kept) in zip(windows, placed):
        position, squared = entries.position[kept], entries.value[kept] ** 2
        np.add.at(total, position, squared)
        if not both and group.scale > 0 and max(steps) > 1:
            np.add.at(total, _opposite(dims, position), squared)
    return total
