"""`python -m memstone` and the command `memstone`."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line of this process; returns its exit code."""
    try:
        from memstone.surfaces.cli.app import main as run  # noqa: PLC0415  (^C while loading)

        return run()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
