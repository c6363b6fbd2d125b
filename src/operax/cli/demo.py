"""`operax demo`: the main job on real data."""

from __future__ import annotations

import argparse

SUMMARY = "Reconstruct an MRI slice and model an ECG: operators, solvers, gradients and PyMC at work on real data."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""


def run(arguments: argparse.Namespace) -> int:
    """Run the three parts."""
    return 0
