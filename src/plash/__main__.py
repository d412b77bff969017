"""`python -m plash` is the command line."""

from plash.cli import main

main()
