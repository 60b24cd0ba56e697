"""`python -m memstone` and the command `memstone`."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line of this process; returns its exit code."""
    try:
        if "hook" in sys.argv:  # perhaps the verb; a hook loads no command line and ends by itself
            from memstone.surfaces.hooks import process  # noqa: PLC0415

            words = process.words_of(sys.argv[1:])
            if words is not None:
                process.main(words)
        from memstone.surfaces.cli.app import main as run  # noqa: PLC0415  (^C while loading)

        return run()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
