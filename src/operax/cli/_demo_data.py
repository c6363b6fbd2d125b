"""The real data of the demo: they ship with installed packages."""

from __future__ import annotations

from typing import Any

import numpy as np


def mri_slice() -> np.ndarray:
    """An MRI slice of a head from matplotlib's sample data, of shape (256, 256), scaled to 0..1.

    Raises
    ------
    SystemExit
        If matplotlib or the file is not there.
    """
    try:
        from matplotlib import cbook

        file: Any = cbook.get_sample_data("s1045.ima.gz")  # opened, and unpacked on reading
        with file:
            raw = file.read()
    except (ImportError, OSError) as error:
        raise SystemExit(
            f"the demo needs matplotlib and its sample data ({error}); install them with pip install 'operax[plot]'"
        ) from None
    values = np.frombuffer(raw, ">u2").reshape(256, 256).astype(np.float64)
    return values / values.max()


def ecg_beat(start: int, stop: int) -> np.ndarray:
    """Samples `start` to `stop` of the electrocardiogram in PyWavelets' data, in the counts of its recorder."""
    import pywt

    return pywt.data.ecg()[start:stop].astype(np.float64)
