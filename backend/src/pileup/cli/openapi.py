"""`pileup openapi`: the OpenAPI document, from which the types of the UI's client are made."""

from __future__ import annotations

import json

import click


@click.command()
def command() -> None:
    """Print the OpenAPI document of the API."""
    from pileup.api.app import openapi

    click.echo(json.dumps(openapi(), indent=2, sort_keys=True, ensure_ascii=False))
