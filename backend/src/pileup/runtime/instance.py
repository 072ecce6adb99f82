"""Resolve the service addresses: those of the environment, else those of the running instance."""

from __future__ import annotations

from pileup.runtime import home as home_folder
from pileup.runtime.errors import StartError
from pileup.settings import Settings


def resolve(settings: Settings) -> Settings:
    """Return settings with database and broker of the `pileup run` that holds this data folder."""
    facts = home_folder.read_instance(settings.home)
    update = {
        name: facts[name]
        for name in ("database_url", "broker_url")
        if getattr(settings, name) is None and isinstance(facts.get(name), str)
    }
    return settings.model_copy(update=update)


def need_database(settings: Settings) -> str:
    """Return the address of the database, or raise a sentence that says how to set one."""
    if settings.database_url is None:
        raise StartError(
            f"no database is configured for the data folder {settings.home}: start `pileup run` "
            "there, or name a served one in PILEUP_DATABASE_URL."
        )
    return settings.database_url
