"""The `pileup` command: a group whose subcommands are imported only when they are called.

Each subcommand is a module of this package that exposes `command`, a click.Command. Lazy
import keeps `pileup --version` and `pileup analyze` free of the web and the database.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping

import click

from pileup import __version__
from pileup.garbage import collect_rarely

# name on the command line -> (module, one line of help)
COMMANDS: Mapping[str, tuple[str, str]] = {
    "run": ("run", "Start everything on this machine and print the sign-in link."),
    "serve": ("serve", "Serve the API and the UI against a served database and broker."),
    "worker": ("worker", "Run one Celery worker against a served database and broker."),
    "doctor": ("doctor", "Check this installation, and print the remedy for each problem."),
    "link": ("link", "Print a new one-time sign-in link."),
    "migrate": ("migrate", "Bring the schema of a served database up to date."),
    "analyze": ("analyze", "Analyse captured files: no server, no database."),
    "compare": ("compare", "Compare captures: no server, no database."),
    "formats": ("formats", "Print the supported formats, and the records that each gives."),
    "openapi": ("openapi", "Print the OpenAPI document of the API."),
    "push": ("push", "Send captured files to a Pileup server."),
    "import": ("import_", "Load an incident folder or a bundle into this installation."),
    "export": ("export", "Fetch an incident from a Pileup server as one archive."),
    "report": ("report", "Fetch the report of an incident as PDF, HTML, DOCX or Markdown."),
    "backup": ("backup", "Write this installation into one file."),
    "restore": ("restore", "Restore a backup into an empty installation."),
    "key": ("key", "Print the public key that signs releases and bundles."),
    "verify": ("verify", "Recompute a bundle's numbers from its artifacts, in a clean room."),
}


class LazyGroup(click.Group):
    """A click group that imports a command only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return super().get_command(ctx, cmd_name)
        collect_rarely()
        module = importlib.import_module(f"{__name__}.{entry[0]}")
        command = module.command
        if not isinstance(command, click.Command):
            raise TypeError(f"{module.__name__}.command is not a click command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_line) for name, (_, help_line) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pileup")
def main() -> None:
    """Pileup: an incident postmortem workbench for database pileups."""
