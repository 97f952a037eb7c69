"""`python -m nightbell`."""

import sys

from nightbell.cli import main

sys.exit(main(sys.argv[1:]))
