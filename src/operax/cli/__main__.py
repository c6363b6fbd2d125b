"""``python -m operax.cli``: the command line."""

import sys

from operax.cli import main

if __name__ == "__main__":
    sys.exit(main())
