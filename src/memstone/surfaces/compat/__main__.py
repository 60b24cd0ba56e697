"""`python -m memstone.surfaces.compat`, which is the command `cavemem`."""

from __future__ import annotations

import sys

from memstone.surfaces.compat.app import main

if __name__ == "__main__":
    sys.exit(main())
