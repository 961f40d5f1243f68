"""`python -m caesura` is `caesura`."""

from caesura.cli.main import main

main()
