"""`python -m pileup`: the same as the `pileup` command."""

from pileup.cli import main

if __name__ == "__main__":
    main()
