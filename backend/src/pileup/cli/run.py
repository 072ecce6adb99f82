"""`pileup run`: everything on this machine, with one command."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import click

from pileup.cli.sentences import sentences
from pileup.runtime.supervisor import Supervisor
from pileup.settings import Settings


@click.command()
@click.option("--home", type=click.Path(path_type=Path), help="Data folder (PILEUP_HOME).")
@click.option("--host", help="Address to listen on (PILEUP_HOST; 127.0.0.1).")
@click.option("--port", type=click.IntRange(0, 65535), help="Port (PILEUP_PORT; 8400; 0: any).")
@click.option("--reload", is_flag=True, help="Restart the API and the worker on source changes.")
@click.option("--browser", is_flag=True, help="Open the sign-in link in a browser.")
@sentences
def command(
    home: Path | None, host: str | None, port: int | None, reload: bool, browser: bool
) -> None:
    """Start the database, the queue, a worker and the API, and print the sign-in link."""
    given = {"home": home and home.expanduser().absolute(), "host": host, "port": port}
    chosen = {name: value for name, value in given.items() if value is not None}
    settings = Settings().model_copy(update=chosen)

    def say(line: str) -> None:
        click.echo(line)
        if browser and "/sign-in?link=" in line:
            webbrowser.open(line.strip())

    Supervisor(settings, say, reload=reload).run()
