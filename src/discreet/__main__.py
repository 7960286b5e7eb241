"""``python -m discreet``."""

import sys

from discreet.interfaces.cli import main

sys.exit(main())
