"""The `operax` command: its subcommands and what they share."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from operax._version import __version__
from operax.cli import bench, demo, info

SUBCOMMANDS = {"demo": demo, "info": info, "bench": bench}
"""Every subcommand is a module with SUMMARY, `add_arguments(parser)` and `run(arguments) -> exit status`."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` (default: the one the program was started with).

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the program's name.

    Returns
    -------
    status : int
        0 where all went well.
    """
    parser = argparse.ArgumentParser(
        prog="operax",
        description="Linear operators on NumPy, CuPy and JAX arrays; JAX functions as PyTensor Ops.",
    )
    parser.add_argument("--version", action="version", version=f"operax {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, module in SUBCOMMANDS.items():
        command = commands.add_parser(name, help=module.SUMMARY, description=module.SUMMARY)
        module.add_arguments(command)
    arguments = parser.parse_args(argv)
    try:
        status = SUBCOMMANDS[arguments.command].run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read the output has seen enough, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is still to be flushed at the end
        return 128 + 13  # what a shell says of a process that SIGPIPE ended
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130
    return status
