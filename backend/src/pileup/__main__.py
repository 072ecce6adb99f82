"""Run the `pileup` command as `python -m pileup`."""

from pileup.cli import main

if __name__ == "__main__":
    main()
