"""`operax demo`: the main job on real data, in its small version."""

import importlib.util

import numpy as np
import pytest

from operax.cli import _demo_blur, _demo_data, _demo_image, _demo_operators, _demo_trace, demo, main

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def figures(folder):
    found = sorted(folder.glob("*.png"))
    assert all(path.read_bytes().startswith(SIGNATURE) and path.stat().st_size > 10_000 for path in found)
    return [path.stem for path in found]


@pytest.mark.slow
@pytest.mark.bridge
def test_the_whole_demo(tmp_path, capsys):
    assert main(["demo", "--fast", "--output", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert figures(tmp_path) == ["blur-width", "ecg-posterior", "image"]
    for part in ("ratio JAX / NumPy", "width: start → found", "true trace inside", str(tmp_path / "image.png")):
        assert part in out
    assert "not as it should be" not in out


def test_the_help_names_the_options(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["demo", "--help"])
    assert stop.value.code == 0
    out = capsys.readouterr().out
    assert all(option in out for option in ("--fast", "--output DIR", "--only"))


def test_missing_packages_are_named(monkeypatch, capsys):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pymc" else object())
    assert main(["demo"]) == 2
    assert "the demo needs pymc; install them with pip install 'operax[pymc,plot]'" in capsys.readouterr().out


def test_a_result_that_is_not_as_it_should_be_gives_a_status(tmp_path, monkeypatch, capsys):
    def poor(advance, fast):
        return {"path": [(1.0, 0.1), (1.1, 0.1)], "true": 1.6, "found": 1.1, "weight": 0.1, "gradients": 1}

    monkeypatch.setattr(_demo_blur, "find_width", poor)
    assert main(["demo", "--only", "blur-width", "--output", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert "the width of the blur was not found" in out and "1.00 → 1.10 (1.60) pixels" in out
    assert figures(tmp_path) == ["blur-width"] and "ECG" not in out


def test_the_data_are_what_they_are_said_to_be():
    image = _demo_data.mri_slice()
    assert image.shape == (256, 256) and image.max() == 1 and image.min() == 0
    # a head on a dark ground: bytes in the wrong order would give noise all over
    assert np.median(image[:20]) < 0.05 < np.median(image[100:150, 100:150])
    beat = _demo_data.ecg_beat(480, 608)
    assert beat.shape == (128,) and beat.max() > 200 and beat.argmax() == 38


def test_taps_are_a_gaussian_of_their_width():
    k = np.arange(-8, 9)
    taps = _demo_operators.gaussian_taps(1.6)
    np.testing.assert_allclose(taps.sum(), 1)
    np.testing.assert_allclose(taps @ k**2, 1.6**2, rtol=1e-3)


def test_blur_equals_scipy():
    from scipy.ndimage import gaussian_filter

    image = _demo_image.cut("small")
    expected = gaussian_filter(image, 1.6, mode="constant", truncate=5.0)
    np.testing.assert_allclose(_demo_operators.blur(image.shape, 1.6) @ image, expected, atol=1e-10)


def test_the_two_samplings_share_no_pixel():
    seen, held_out = _demo_operators.sampling(400, 0.5, seed=0)
    assert seen.shape == (200, 400) and held_out.shape == (50, 400)
    assert not set(np.asarray(seen.iava)) & set(np.asarray(held_out.iava))


def test_the_noise_model_is_a_mixture_of_two_gaussians():
    from scipy.stats import norm

    misfit = np.array([0.3, -2.0, 45.0])
    expected = np.log(0.9 * norm.pdf(misfit, scale=3.0) + 0.1 * norm.pdf(misfit, scale=60.0)).sum()
    expected += misfit.size * 0.5 * np.log(2 * np.pi)  # the model leaves the constant out
    np.testing.assert_allclose(_demo_trace.noise_model(misfit, 3.0, 0.1), expected)


def test_checks_find_every_fault():
    good = {
        "image": {"snr_before": 10.0, "snr_after": 15.0, "difference": 1e-9},
        "blur-width": {"found": 1.6, "true": 1.6, "path": [(1.0, 0.1)]},
        "ecg-posterior": {"inside": 0.9, "error": 1.0, "error_before": 2.0},
    }
    assert all(holds for holds, _ in demo._checks(good))
    for part, name, value in (
        ("image", "snr_after", 10.0),
        ("image", "difference", 1e-2),
        ("blur-width", "found", 2.1),
        ("ecg-posterior", "inside", 0.4),
        ("ecg-posterior", "error", 3.0),
    ):
        bad = {key: dict(entries) for key, entries in good.items()}
        bad[part][name] = value
        assert sum(not holds for holds, _ in demo._checks(bad)) == 1, name
